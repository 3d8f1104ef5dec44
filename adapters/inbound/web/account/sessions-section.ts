import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { icons } from '../kit/icons.ts'
import { moment } from '../kit/layout.ts'
import { section } from './frame.ts'

const words = texts({
  en: {
    title: 'Where you are signed in',
    hint: 'End any session that you do not recognize. This also signs you out of the applications opened from it.',
    here: 'This browser',
    detail: (place: string, since: Html, seen: Html) =>
      html`${place}. Signed in ${since}, last seen ${seen}.`,
    end: 'End',
    theSession: (device: string, place: string) => ` the session of ${device}, ${place}`,
    endOthers: 'End all others',
  },
  de: {
    title: 'Wo Sie angemeldet sind',
    hint: 'Beenden Sie jede Sitzung, die Sie nicht erkennen. Damit werden Sie auch bei den Anwendungen abgemeldet, die daraus geöffnet wurden.',
    here: 'Dieser Browser',
    detail: (place, since, seen) => html`${place}. Angemeldet am ${since}, zuletzt gesehen am ${seen}.`,
    end: 'Beenden',
    theSession: (device, place) => `: Sitzung von ${device}, ${place}`,
    endOthers: 'Alle anderen beenden',
  },
})

export interface AccountSession {
  readonly id: string
  readonly current: boolean
  readonly createdAt: string
  readonly lastSeenAt: string
  /** Location and address of the sign-in, as far as known. */
  readonly place: string
  /** Readable name of browser and system, such as `Firefox on Windows`. */
  readonly device: string
}

const row = (
  { id, current, createdAt, lastSeenAt, place, device }: AccountSession,
  language: Language,
): Html => {
  const text = words[language]
  return html`<li>
    <span class="glyph">${icons.device}</span>
    <div>
      <p class="row-title">${device} ${current && html`<span class="badge">${text.here}</span>`}</p>
      <p class="row-detail">
        ${text.detail(place, moment(createdAt, language), moment(lastSeenAt, language))}
      </p>
    </div>
    ${
      !current &&
      html`<div class="actions needs-script">
        <button
          class="button button-quiet button-danger button-small"
          type="button"
          data-action="end-session"
          data-id="${id}"
        >
          ${text.end}<span class="visually-hidden">${text.theSession(device, place)}</span>
        </button>
      </div>`
    }
  </li>`
}

export const sessionsSection = (all: readonly AccountSession[], language: Language): Html =>
  section({
    id: 'sessions',
    title: words[language].title,
    hint: words[language].hint,
    action:
      all.some(({ current }) => !current) &&
      html`<button class="button button-small needs-script" type="button" data-action="end-others">
        ${words[language].endOthers}
      </button>`,
    body: html`<ul class="rows">
      ${all.map((session) => row(session, language))}
    </ul>`,
  })
