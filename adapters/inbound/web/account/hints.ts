import { html, type Html } from '../../../kernel/html.ts'
import { accountPaths, advice } from './frame.ts'

export interface AccountHints {
  /** The session was started with a recovery code */
  readonly usedRecoveryCode: boolean
  /** The user has a stronger method than a recovery code; only sessions of such a method can change others */
  readonly holdsStronger: boolean
  /** Number of permanent sign-in methods, including linked accounts */
  readonly ways: number
}

const afterRecoveryCode = (): Html =>
  advice(
    'You signed in with a recovery code.',
    html`If you lost the method that you usually sign in with, remove it and
      <a href="${accountPaths.security}#methods">add a new passkey</a> now.`,
  )

const askToReset = (): Html =>
  advice(
    'You signed in with a recovery code.',
    html`To change your sign-in methods, sign in with your passkey, security key or linked account. If you
    lost all of them, ask an administrator to reset your sign-in methods.`,
  )

const onlyOne = (): Html =>
  advice(
    'You have only one sign-in method.',
    html`Add <a href="${accountPaths.security}#methods">a second one</a>, so that you can still sign in if you
      lose a device.`,
  )

const none = (): Html =>
  advice(
    'You have no permanent sign-in method.',
    html`Add <a href="${accountPaths.security}#methods">a passkey</a>, so that you can sign in again later.`,
  )

export const hints = ({ usedRecoveryCode, holdsStronger, ways }: AccountHints): readonly Html[] => [
  ...(usedRecoveryCode ? [holdsStronger ? askToReset() : afterRecoveryCode()] : []),
  ...(ways === 0 ? [none()] : []),
  ...(ways === 1 ? [onlyOne()] : []),
]
