import { texts } from '../../../kernel/language.ts'

/** Words that several pages share. */
export const commonTexts = texts({
  en: {
    openAccount: 'Open your account',
    signIn: 'Sign in',
    signOut: 'Sign out',
    askForHelp: 'Ask for help',
    cancel: 'Cancel',
    save: 'Save',
    remove: 'Remove',
    rename: 'Rename',
    name: 'Name',
    passkey: 'Passkey',
    securityKey: 'Security key',
    authenticatorApp: 'Authenticator app',
    recoveryCode: 'Recovery code',
    unknownDevice: 'Unknown device',
  },
  de: {
    openAccount: 'Ihr Konto öffnen',
    signIn: 'Anmelden',
    signOut: 'Abmelden',
    askForHelp: 'Um Hilfe bitten',
    cancel: 'Abbrechen',
    save: 'Speichern',
    remove: 'Entfernen',
    rename: 'Umbenennen',
    name: 'Name',
    passkey: 'Passkey',
    securityKey: 'Sicherheitsschlüssel',
    authenticatorApp: 'Authenticator-App',
    recoveryCode: 'Wiederherstellungscode',
    unknownDevice: 'Unbekanntes Gerät',
  },
})
