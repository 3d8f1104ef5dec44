/** Reads an access policy back as a sentence. */
import type { PolicyConditions } from '../../../../../domain/policy/events.ts'
import type { PolicyRecord } from './records.ts'
import { texts, useTexts } from './text.tsx'

/** Returns the name of a group, an application or a network zone. */
export type NameOf = (id: string) => string

type Described = Pick<PolicyRecord, 'conditions' | 'action' | 'sessionMaxAgeMinutes'>

const REAUTH_MINUTES = 10

const sentenceWords = texts({
  en: {
    and: 'and',
    or: 'or',
    everyone: 'everyone',
    portal: 'the account pages and the console',
    membersOf: (names: string) => `members of ${names}`,
    except: (names: string) => ` except members of ${names}`,
    withRole: (names: string) => ` with the role ${names}`,
    toAll: ' to everything',
    to: (names: string) => ` to ${names}`,
    toAllExcept: (names: string) => ` to everything except ${names}`,
    from: (names: string) => ` from ${names}`,
    outside: (names: string) => ` outside ${names}`,
    platforms: (names: string) => ` with ${names}`,
    methods: (names: string) => ` signed in with ${names}`,
    maxAge: (minutes: number) => `, not older than ${String(minutes)} minutes`,
  },
  de: {
    and: 'und',
    or: 'oder',
    everyone: 'allen',
    portal: 'den Kontoseiten und der Konsole',
    membersOf: (names: string) => `Mitgliedern von ${names}`,
    except: (names: string) => ` außer Mitgliedern von ${names}`,
    withRole: (names: string) => ` mit der Rolle ${names}`,
    toAll: ' bei allem',
    to: (names: string) => ` bei ${names}`,
    toAllExcept: (names: string) => ` bei allem außer ${names}`,
    from: (names: string) => ` aus ${names}`,
    outside: (names: string) => ` außerhalb von ${names}`,
    platforms: (names: string) => ` mit ${names}`,
    methods: (names: string) => ` mit ${names}`,
    maxAge: (minutes: number) => `, höchstens ${String(minutes)} Minuten alt`,
  },
})

const sentenceDevices = texts({
  en: {
    any: '',
    registered: ' on registered devices',
    trusted: ' on trusted devices',
    unregistered: ' on devices that are new to the user',
  },
  de: {
    any: '',
    registered: ' auf registrierten Geräten',
    trusted: ' auf vertrauenswürdigen Geräten',
    unregistered: ' auf Geräten, die für den Benutzer neu sind',
  },
})

const sentenceRisk = texts({
  en: { low: ' at low risk or higher', medium: ' at medium risk or higher', high: ' at high risk' },
  de: { low: ' ab niedrigem Risiko', medium: ' ab mittlerem Risiko', high: ' bei hohem Risiko' },
})

const sentenceActions = texts({
  en: {
    allow: (who: string) => `Allow sign-ins of ${who}`,
    block: (who: string) => `Block sign-ins of ${who}`,
    require_strong: (who: string) => `Require a passkey or security key for sign-ins of ${who}`,
    require_reauth: (who: string) => `Require a recent sign-in for sign-ins of ${who}`,
  },
  de: {
    allow: (who: string) => `Anmeldungen von ${who} erlauben`,
    block: (who: string) => `Anmeldungen von ${who} blockieren`,
    require_strong: (who: string) => `Passkey oder Sicherheitsschlüssel verlangen: Anmeldungen von ${who}`,
    require_reauth: (who: string) => `Neue Anmeldung verlangen: Anmeldungen von ${who}`,
  },
})

const sentenceRoleNames = texts({
  en: {
    global_admin: 'global administrator',
    security_admin: 'security administrator',
    user_admin: 'user administrator',
    helpdesk_admin: 'helpdesk administrator',
    app_admin: 'application administrator',
    auditor: 'auditor',
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

const sentenceMethodNames = texts({
  en: {
    passkey: 'a passkey',
    security_key: 'a security key',
    authenticator_code: 'an authenticator code',
    recovery_codes: 'a recovery code',
    magic_link: 'a sign-in link',
    identity_provider: 'an identity provider',
  },
  de: {
    passkey: 'einem Passkey',
    security_key: 'einem Sicherheitsschlüssel',
    authenticator_code: 'einem Authenticator-Code',
    recovery_codes: 'einem Wiederherstellungscode',
    magic_link: 'einem Anmeldelink',
    identity_provider: 'einem Identitätsanbieter',
  },
})

const sentencePlatformNames = texts({
  en: {
    macos: 'macOS',
    windows: 'Windows',
    linux: 'Linux',
    ios: 'iOS',
    android: 'Android',
    chromeos: 'ChromeOS',
    other: 'another system',
  },
  de: {
    macos: 'macOS',
    windows: 'Windows',
    linux: 'Linux',
    ios: 'iOS',
    android: 'Android',
    chromeos: 'ChromeOS',
    other: 'einem anderen System',
  },
})

/** The words of sentences in the language of the reader. */
export const useSentenceTexts = () => ({
  ...useTexts(sentenceWords),
  devices: useTexts(sentenceDevices),
  risk: useTexts(sentenceRisk),
  actions: useTexts(sentenceActions),
  roleNames: useTexts(sentenceRoleNames),
  methodNames: useTexts(sentenceMethodNames),
  platformNames: useTexts(sentencePlatformNames),
})

export type SentenceTexts = ReturnType<typeof useSentenceTexts>

const listed = (names: readonly string[], last: string): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1) ?? ''}`

const people = (
  { include, exclude, roles }: PolicyConditions['users'],
  nameOf: NameOf,
  text: SentenceTexts,
) =>
  (include === 'all' ? text.everyone : text.membersOf(listed(include.map(nameOf), text.or))) +
  (roles.length === 0
    ? ''
    : text.withRole(
        listed(
          roles.map((role) => text.roleNames[role]),
          text.or,
        ),
      )) +
  (exclude.length === 0 ? '' : text.except(listed(exclude.map(nameOf), text.or)))

/** Such as “Block sign-ins of everyone to Payroll outside Office.” */
export const policySentence = (
  { conditions, action, sessionMaxAgeMinutes }: Described,
  nameOf: NameOf,
  text: SentenceTexts,
): string => {
  const { users, applications, zones, devices, platforms, riskAtLeast, methods } = conditions
  const application = (id: string): string => (id === 'portal' ? text.portal : nameOf(id))
  const to =
    applications.include === 'all'
      ? applications.exclude.length === 0
        ? text.toAll
        : text.toAllExcept(listed(applications.exclude.map(application), text.and))
      : text.to(listed(applications.include.map(application), text.or))
  const minutes = sessionMaxAgeMinutes ?? (action === 'require_reauth' ? REAUTH_MINUTES : null)
  return (
    text.actions[action](people(users, nameOf, text)) +
    to +
    (zones.include === 'any' ? '' : text.from(listed(zones.include.map(nameOf), text.or))) +
    (zones.exclude.length === 0 ? '' : text.outside(listed(zones.exclude.map(nameOf), text.and))) +
    text.devices[devices] +
    (platforms.length === 0
      ? ''
      : text.platforms(
          listed(
            platforms.map((platform) => text.platformNames[platform]),
            text.or,
          ),
        )) +
    (riskAtLeast === null ? '' : text.risk[riskAtLeast]) +
    (methods.length === 0
      ? ''
      : text.methods(
          listed(
            methods.map((method) => text.methodNames[method]),
            text.or,
          ),
        )) +
    (minutes === null ? '' : text.maxAge(minutes)) +
    '.'
  )
}
