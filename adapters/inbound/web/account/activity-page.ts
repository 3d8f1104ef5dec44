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

/** The user's sessions, devices and recent sign-in attempts. */
export const activityPage = (model: ActivityModel): string =>
  accountShell(model, {
    name: 'activity',
    head: pageHead('activity', 'Where you are signed in, and recent sign-in attempts.'),
    body: html`${sessionsSection(model.sessions)} ${devicesSection(model.devices)}
    ${signInsSection(model.signIns)}`,
    dialogs: devicesDialogs(),
  })
