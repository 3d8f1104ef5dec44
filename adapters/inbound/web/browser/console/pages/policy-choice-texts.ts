import { texts, useTexts } from '../text.tsx'

const roleChoices = texts({
  en: {
    global_admin: 'Global administrator',
    security_admin: 'Security administrator',
    user_admin: 'User administrator',
    helpdesk_admin: 'Helpdesk administrator',
    app_admin: 'Application administrator',
    auditor: 'Auditor',
  },
  de: {
    global_admin: 'Globaler Administrator',
    security_admin: 'Sicherheitsadministrator',
    user_admin: 'Benutzeradministrator',
    helpdesk_admin: 'Helpdesk-Administrator',
    app_admin: 'Anwendungsadministrator',
    auditor: 'Prüfer',
  },
})

const methodChoices = texts({
  en: {
    passkey: 'Passkey',
    security_key: 'Security key',
    authenticator_code: 'Authenticator code',
    recovery_codes: 'Recovery code',
    magic_link: 'Sign-in link',
    identity_provider: 'Other identity provider',
  },
  de: {
    passkey: 'Passkey',
    security_key: 'Sicherheitsschlüssel',
    authenticator_code: 'Authenticator-Code',
    recovery_codes: 'Wiederherstellungscode',
    magic_link: 'Anmeldelink',
    identity_provider: 'Anderer Identitätsanbieter',
  },
})

export const platformChoices = texts({
  en: {
    macos: 'macOS',
    windows: 'Windows',
    linux: 'Linux',
    ios: 'iOS',
    android: 'Android',
    chromeos: 'ChromeOS',
    other: 'Other',
  },
  de: {
    macos: 'macOS',
    windows: 'Windows',
    linux: 'Linux',
    ios: 'iOS',
    android: 'Android',
    chromeos: 'ChromeOS',
    other: 'Andere',
  },
})

/** The names of what conditions choose from, as they stand alone. In sentences they are inflected. */
export const usePolicyChoices = () => ({
  roles: useTexts(roleChoices),
  methods: useTexts(methodChoices),
  platforms: useTexts(platformChoices),
})

export type PolicyChoices = ReturnType<typeof usePolicyChoices>
