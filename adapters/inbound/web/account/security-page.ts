import type { OwnMethod } from '../../../../domain/user/events.ts'
import { html, type Html } from '../../../kernel/html.ts'
import { texts } from '../../../kernel/language.ts'
import { againDialog, strongerDialog } from './dialog.ts'
import { accountShell, pageHead, type AccountFrame } from './frame.ts'
import { notice } from '../kit/layout.ts'
import {
  linkedAccountsDialog,
  linkedAccountsSection,
  type AccountLink,
  type LinkableProvider,
} from './linked-accounts-section.ts'
import { methodsDialogs, methodsSection, type AccountMethod } from './methods-section.ts'
import {
  newCodesDialog,
  recoveryCodesDialog,
  recoveryCodesSection,
  type AccountRecoveryCodes,
} from './recovery-codes-section.ts'

import { sshDialogs, sshSection, type AccountSsh } from './ssh-section.ts'

const words = texts({
  en: { about: 'How you sign in. Keep at least two methods, on different devices.' },
  de: { about: 'Wie Sie sich anmelden. Behalten Sie mindestens zwei Methoden, auf verschiedenen Geräten.' },
})

export interface SecurityModel extends AccountFrame {
  readonly hints: readonly Html[]
  readonly methods: readonly AccountMethod[]
  /** Kinds that the user may add */
  readonly offered: readonly OwnMethod['methodType'][]
  /** Omitted if the organization has disabled them */
  readonly recoveryCodes?: AccountRecoveryCodes | undefined
  readonly linkedAccounts: readonly AccountLink[]
  readonly linkable: readonly LinkableProvider[]
  /** Omitted for users without SSH principals and certificates */
  readonly ssh?: AccountSsh | undefined
  /** Why an account at an identity provider could not be linked; omitted if nothing failed */
  readonly linkProblem?: string | undefined
}

/** The user's sign-in methods. */
export const securityPage = (model: SecurityModel): string => {
  const { language } = model
  return accountShell(model, {
    name: 'security',
    ...(model.ssh === undefined ? {} : { script: 'ssh.js' }),
    head: pageHead('security', words[language].about, language),
    body: html`${model.linkProblem !== undefined && notice('problem', html`${model.linkProblem}`)}
    ${model.hints} ${methodsSection(model.methods, model.offered, language)}
    ${model.recoveryCodes && recoveryCodesSection(model.recoveryCodes, language)}
    ${linkedAccountsSection(model.linkedAccounts, model.linkable, language)}
    ${model.ssh && sshSection(model.ssh, language)}`,
    dialogs: html`${methodsDialogs(model.offered, language)}
    ${model.recoveryCodes && recoveryCodesDialog(model.recoveryCodes, language)}
    ${model.linkedAccounts.length > 0 && linkedAccountsDialog(language)} ${newCodesDialog()}
    ${model.ssh && sshDialogs(language)} ${againDialog(language)} ${strongerDialog(language)}`,
  })
}
