import type { DeviceStatus } from '../../../../domain/device/decider.ts'
import { html, type Html } from '../../../kernel/html.ts'
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

const marks: Readonly<Record<AccountDevice['status'], Html | false>> = {
  registered: false,
  removed: false,
  trusted: html`<span class="badge badge-done">Trusted</span>`,
  blocked: html`<span class="badge badge-problem">Blocked</span>`,
}

const row = ({ id, name, status, current, lastSeenAt, place }: AccountDevice): Html =>
  html`<li>
    <span class="glyph">${icons.device}</span>
    <div>
      <p class="row-title">
        ${name} ${current && html`<span class="badge">This browser</span>`} ${marks[status]}
      </p>
      <p class="row-detail">${place}. Last seen ${moment(lastSeenAt)}.</p>
    </div>
    <div class="actions needs-script">
      ${renames('rename-device', { id, name })}
      ${!current && status !== 'blocked' && removes('remove-device', { id, name })}
    </div>
  </li>`

export const devicesSection = (all: readonly AccountDevice[]): Html =>
  section({
    id: 'devices',
    title: 'Devices',
    hint: 'Browsers and terminals where you have signed in.',
    body:
      all.length > 0
        ? html`<ul class="rows">
            ${all.map(row)}
          </ul>`
        : empty('No devices yet.'),
  })

export const devicesDialogs = (): Html =>
  html`${renameDialog('rename-device', 'Rename this device')}
  ${dialog({
    name: 'remove-device',
    title: 'Remove this device?',
    body: html`<p>
      <strong data-subject></strong> is signed out and removed from this list. If you sign in on it again, it
      appears as a new device.
    </p>`,
    confirm: 'Remove',
    look: 'problem',
  })}`
