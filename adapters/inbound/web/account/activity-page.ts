import { html } from '../../../kernel/html.ts'
import { devicesDialogs, devicesSection, type AccountDevice } from './devices-section.ts'
import { accountShell, pageHead, type AccountFrame } from './frame.ts'
import { sessionsSection, type AccountSession } from './sessions-section.ts'
import { signInsSection, type AccountSignIn } from './sign-ins-section.ts'

export interface ActivityModel extends AccountFrame {
  readonly sessions: readonly AccountSession[]
  readonly devices: readonly AccountDevice[]
  readonly signIns: readonly AccountSignIn[]
}

/** Where the signed-in person is signed in, from what, and what was tried of late. */
export const activityPage = (model: ActivityModel): string =>
  accountShell(model, {
    name: 'activity',
    head: pageHead('activity', 'Where your account is open, and what was tried of late.'),
    body: html`${sessionsSection(model.sessions)} ${devicesSection(model.devices)}
    ${signInsSection(model.signIns)}`,
    dialogs: devicesDialogs(),
  })
