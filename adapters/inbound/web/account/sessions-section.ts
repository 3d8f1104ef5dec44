import { html, type Html } from '../../../kernel/html.ts'
import { icons } from '../kit/icons.ts'
import { moment } from '../kit/layout.ts'
import { section } from './frame.ts'

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

const row = ({ id, current, createdAt, lastSeenAt, place, device }: AccountSession): Html =>
  html`<li>
    <span class="glyph">${icons.device}</span>
    <div>
      <p class="row-title">${device} ${current && html`<span class="badge">This browser</span>`}</p>
      <p class="row-detail">${place}. Signed in ${moment(createdAt)}, last seen ${moment(lastSeenAt)}.</p>
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
          End<span class="visually-hidden"> the session of ${device}, ${place}</span>
        </button>
      </div>`
    }
  </li>`

export const sessionsSection = (all: readonly AccountSession[]): Html =>
  section({
    id: 'sessions',
    title: 'Where you are signed in',
    hint: 'End any session that you do not recognize. This also signs you out of the applications opened from it.',
    action:
      all.some(({ current }) => !current) &&
      html`<button class="button button-small needs-script" type="button" data-action="end-others">
        End all others
      </button>`,
    body: html`<ul class="rows">
      ${all.map(row)}
    </ul>`,
  })
