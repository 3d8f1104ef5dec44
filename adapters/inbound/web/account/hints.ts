import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { accountPaths, advice } from './frame.ts'

const methods = `${accountPaths.security}#methods`

const words = texts({
  en: {
    usedCode: 'You signed in with a recovery code.',
    addNew: html`If you lost the method that you usually sign in with, remove it and
      <a href="${methods}">add a new passkey</a> now.`,
    askToReset: html`To change your sign-in methods, sign in with your passkey, security key or linked
    account. If you lost all of them, ask an administrator to reset your sign-in methods.`,
    onlyOne: 'You have only one sign-in method.',
    addSecond: html`Add <a href="${methods}">a second one</a>, so that you can still sign in if you lose a
      device.`,
    none: 'You have no permanent sign-in method.',
    addOne: html`Add <a href="${methods}">a passkey</a>, so that you can sign in again later.`,
  },
  de: {
    usedCode: 'Sie haben sich mit einem Wiederherstellungscode angemeldet.',
    addNew: html`Wenn Sie die Methode verloren haben, mit der Sie sich sonst anmelden, entfernen Sie sie und
      <a href="${methods}">fügen Sie jetzt einen neuen Passkey hinzu</a>.`,
    askToReset: html`Um Ihre Anmeldemethoden zu ändern, melden Sie sich mit Ihrem Passkey,
    Sicherheitsschlüssel oder verknüpften Konto an. Wenn Sie alle verloren haben, bitten Sie einen
    Administrator, Ihre Anmeldemethoden zurückzusetzen.`,
    onlyOne: 'Sie haben nur eine Anmeldemethode.',
    addSecond: html`Fügen Sie <a href="${methods}">eine zweite</a> hinzu, damit Sie sich noch anmelden können,
      wenn Sie ein Gerät verlieren.`,
    none: 'Sie haben keine dauerhafte Anmeldemethode.',
    addOne: html`Fügen Sie <a href="${methods}">einen Passkey</a> hinzu, damit Sie sich später wieder anmelden
      können.`,
  },
})

export interface AccountHints {
  /** The session was started with a recovery code */
  readonly usedRecoveryCode: boolean
  /** The user has a stronger method than a recovery code; only sessions of such a method can change others */
  readonly holdsStronger: boolean
  /** Number of permanent sign-in methods, including linked accounts */
  readonly ways: number
}

export const hints = (
  { usedRecoveryCode, holdsStronger, ways }: AccountHints,
  language: Language,
): readonly Html[] => {
  const text = words[language]
  return [
    ...(usedRecoveryCode ? [advice(text.usedCode, holdsStronger ? text.askToReset : text.addNew)] : []),
    ...(ways === 0 ? [advice(text.none, text.addOne)] : []),
    ...(ways === 1 ? [advice(text.onlyOne, text.addSecond)] : []),
  ]
}
