import { html, type Html } from '../../../kernel/html.ts'
import { accountPaths, advice } from './frame.ts'

export interface AccountHints {
  /** The session rests on a recovery code. */
  readonly usedRecoveryCode: boolean
  /** The person holds a stronger way to sign in than a recovery code, which alone may change the others. */
  readonly holdsStronger: boolean
  /** Ways to sign in that stay: methods and linked accounts. */
  readonly ways: number
}

const afterRecoveryCode = (): Html =>
  advice(
    'You signed in with a recovery code.',
    html`If you lost what you usually sign in with, remove it and
      <a href="${accountPaths.security}#methods">add a new passkey</a> now.`,
  )

const askToReset = (): Html =>
  advice(
    'You signed in with a recovery code.',
    html`Changing your ways to sign in asks for your passkey, security key or linked account. If you lost them
    all, ask an administrator to reset your ways to sign in.`,
  )

const onlyOne = (): Html =>
  advice(
    'You have a single way to sign in.',
    html`Add <a href="${accountPaths.security}#methods">a second one</a>, so that a lost device does not lock
      you out.`,
  )

const none = (): Html =>
  advice(
    'You have no lasting way to sign in.',
    html`Add <a href="${accountPaths.security}#methods">a passkey</a>, so that you can come back.`,
  )

export const hints = ({ usedRecoveryCode, holdsStronger, ways }: AccountHints): readonly Html[] => [
  ...(usedRecoveryCode ? [holdsStronger ? askToReset() : afterRecoveryCode()] : []),
  ...(ways === 0 ? [none()] : []),
  ...(ways === 1 ? [onlyOne()] : []),
]
