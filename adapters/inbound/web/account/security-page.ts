import type { OwnMethod } from '../../../../domain/user/events.ts'
import { html, type Html } from '../../../kernel/html.ts'
import { againDialog, strongerDialog } from './dialog.ts'
import { accountShell, pageHead, type AccountFrame } from './frame.ts'
import { linkedAccountsDialog, linkedAccountsSection, type AccountLink } from './linked-accounts-section.ts'
import { methodsDialogs, methodsSection, type AccountMethod } from './methods-section.ts'
import {
  newCodesDialog,
  recoveryCodesDialog,
  recoveryCodesSection,
  type AccountRecoveryCodes,
} from './recovery-codes-section.ts'

export interface SecurityModel extends AccountFrame {
  readonly hints: readonly Html[]
  readonly methods: readonly AccountMethod[]
  /** Kinds that the user may add */
  readonly offered: readonly OwnMethod['methodType'][]
  /** Omitted if the organization has disabled them */
  readonly recoveryCodes?: AccountRecoveryCodes | undefined
  readonly linkedAccounts: readonly AccountLink[]
}

/** The user's sign-in methods. */
export const securityPage = (model: SecurityModel): string =>
  accountShell(model, {
    name: 'security',
    head: pageHead('security', 'How you sign in. Keep at least two methods, on different devices.'),
    body: html`${model.hints} ${methodsSection(model.methods, model.offered)}
    ${model.recoveryCodes && recoveryCodesSection(model.recoveryCodes)}
    ${linkedAccountsSection(model.linkedAccounts)}`,
    dialogs: html`${methodsDialogs(model.offered)}
    ${model.recoveryCodes && recoveryCodesDialog(model.recoveryCodes)}
    ${model.linkedAccounts.length > 0 && linkedAccountsDialog()} ${newCodesDialog()} ${againDialog()}
    ${strongerDialog()}`,
  })
