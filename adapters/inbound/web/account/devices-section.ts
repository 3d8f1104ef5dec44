import type { DeviceStatus } from '../../../../domain/device/decider.ts'
import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { commonTexts } from '../kit/common-texts.ts'
import { icons } from '../kit/icons.ts'
import { moment } from '../kit/layout.ts'
import { dialog, renameDialog } from './dialog.ts'
import { empty, removes, renames, section } from './frame.ts'

export interface AccountDevice {
  readonly id: string
  readonly name: string
  readonly status: DeviceStatus
  /** Whether it is this browser */
  readonly current: boolean
  readonly lastSeenAt: string
  readonly place: string
}

const words = texts({
  en: {
    title: 'Devices',
    hint: 'Browsers and terminals where you have signed in.',
    none: 'No devices yet.',
    trusted: 'Trusted',
    blocked: 'Blocked',
    here: 'This browser',
    detail: (place: string, seen: Html) => html`${place}. Last seen ${seen}.`,
    rename: 'Rename this device',
    remove: 'Remove this device?',
    removal: html`<strong data-subject></strong> is signed out and removed from this list. If you sign in on
      it again, it appears as a new device.`,
  },
  de: {
    title: 'Geräte',
    hint: 'Browser und Terminals, in denen Sie sich angemeldet haben.',
    none: 'Noch keine Geräte.',
    trusted: 'Vertrauenswürdig',
    blocked: 'Blockiert',
    here: 'Dieser Browser',
    detail: (place, seen) => html`${place}. Zuletzt gesehen: ${seen}.`,
    rename: 'Dieses Gerät umbenennen',
    remove: 'Dieses Gerät entfernen?',
    removal: html`<strong data-subject></strong> wird abgemeldet und aus dieser Liste entfernt. Wenn Sie sich
      dort wieder anmelden, erscheint es als neues Gerät.`,
  },
})

const mark = (status: AccountDevice['status'], language: Language): Html | false => {
  const { trusted, blocked } = words[language]
  if (status === 'trusted') return html`<span class="badge badge-done">${trusted}</span>`
  return status === 'blocked' && html`<span class="badge badge-problem">${blocked}</span>`
}

const row = ({ id, name, status, current, lastSeenAt, place }: AccountDevice, language: Language): Html =>
  html`<li>
    <span class="glyph">${icons.device}</span>
    <div>
      <p class="row-title">
        ${name} ${current && html`<span class="badge">${words[language].here}</span>`}
        ${mark(status, language)}
      </p>
      <p class="row-detail">${words[language].detail(place, moment(lastSeenAt, language))}</p>
    </div>
    <div class="actions needs-script">
      ${renames('rename-device', { id, name }, language)}
      ${!current && status !== 'blocked' && removes('remove-device', { id, name }, language)}
    </div>
  </li>`

export const devicesSection = (all: readonly AccountDevice[], language: Language): Html =>
  section({
    id: 'devices',
    title: words[language].title,
    hint: words[language].hint,
    body:
      all.length > 0
        ? html`<ul class="rows">
            ${all.map((device) => row(device, language))}
          </ul>`
        : empty(words[language].none),
  })

export const devicesDialogs = (language: Language): Html =>
  html`${renameDialog('rename-device', words[language].rename, language)}
  ${dialog({
    name: 'remove-device',
    language,
    title: words[language].remove,
    body: html`<p>${words[language].removal}</p>`,
    confirm: commonTexts[language].remove,
    look: 'problem',
  })}`
