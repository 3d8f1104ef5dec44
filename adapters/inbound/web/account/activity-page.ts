import { html } from '../../../kernel/html.ts'
import { texts } from '../../../kernel/language.ts'
import { devicesDialogs, devicesSection, type AccountDevice } from './devices-section.ts'
import { accountShell, pageHead, type AccountFrame } from './frame.ts'
import { sessionsSection, type AccountSession } from './sessions-section.ts'
import { signInsDialogs, signInsSection, type AccountSignIn } from './sign-ins-section.ts'

const words = texts({
  en: { about: 'Where you are signed in, and recent sign-in attempts.' },
  de: { about: 'Wo Sie angemeldet sind, und die letzten Anmeldeversuche.' },
})

export interface ActivityModel extends AccountFrame {
  readonly sessions: readonly AccountSession[]
  readonly devices: readonly AccountDevice[]
  readonly signIns: readonly AccountSignIn[]
}

/** The user's sessions, devices and recent sign-in attempts. */
export const activityPage = (model: ActivityModel): string =>
  accountShell(model, {
    name: 'activity',
    head: pageHead('activity', words[model.language].about, model.language),
    body: html`${sessionsSection(model.sessions, model.language)}
    ${devicesSection(model.devices, model.language)} ${signInsSection(model.signIns, model.language)}`,
    dialogs: html`${devicesDialogs(model.language)} ${signInsDialogs(model.language)}`,
  })
