import type { RiskEventRecord } from './records.ts'
import { texts } from './text.tsx'

type Type = RiskEventRecord['type']
type State = RiskEventRecord['state']
type Level = RiskEventRecord['level']

export const riskLevelTexts = texts({
  en: { none: 'None', low: 'Low', medium: 'Medium', high: 'High' } satisfies Record<Level | 'none', string>,
  de: { none: 'Keines', low: 'Niedrig', medium: 'Mittel', high: 'Hoch' },
})

export const riskStateTexts = texts({
  en: {
    at_risk: 'Open',
    remediated: 'Ended by a passkey',
    dismissed: 'Dismissed',
    confirmed_safe: 'Safe',
    confirmed_compromised: 'Compromised',
  } satisfies Record<State, string>,
  de: {
    at_risk: 'Offen',
    remediated: 'Durch Passkey beendet',
    dismissed: 'Verworfen',
    confirmed_safe: 'Sicher',
    confirmed_compromised: 'Kompromittiert',
  },
})

export const riskTypeTexts = texts({
  en: {
    impossible_travel: 'Impossible travel',
    new_country: 'New country',
    new_device: 'New device',
    anonymizer_ip: 'Anonymizing network',
    blocked_zone_attempt: 'Blocked network',
    repeated_failures: 'Repeated failures',
    code_guessing: 'Code guessing',
    code_lockout: 'Too many wrong codes',
    credential_cloned: 'Copied passkey',
    token_reuse: 'Reused token',
    user_reported: 'Reported by the user',
    admin_confirmed: 'Known to an administrator',
    break_glass_used: 'Break-glass account used',
  } satisfies Record<Type, string>,
  de: {
    impossible_travel: 'Unmögliche Reise',
    new_country: 'Neues Land',
    new_device: 'Neues Gerät',
    anonymizer_ip: 'Anonymisierendes Netz',
    blocked_zone_attempt: 'Gesperrtes Netz',
    repeated_failures: 'Wiederholte Fehlversuche',
    code_guessing: 'Erraten von Codes',
    code_lockout: 'Zu viele falsche Codes',
    credential_cloned: 'Kopierter Passkey',
    token_reuse: 'Wiederverwendetes Token',
    user_reported: 'Vom Benutzer gemeldet',
    admin_confirmed: 'Einem Administrator bekannt',
    break_glass_used: 'Notfallkonto verwendet',
  },
})

type Facts = Readonly<Record<string, string | number | undefined>>
const said = (value: string | number | undefined): string => (value === undefined ? '?' : String(value))

/** One sentence for each type: what happened, with the facts that made it a risk. */
export const riskSentences = texts({
  en: {
    impossible_travel: ({ from, to, minutes, leastKm }: Facts) =>
      `The user signed in from ${said(from)} and then from ${said(to)}, at least ${said(leastKm)} km away, ${said(minutes)} minutes later.`,
    new_country: ({ country }: Facts) =>
      `The user had never signed in from this country before: ${said(country)}.`,
    new_device: () => 'The user had never signed in with this browser before.',
    anonymizer_ip: () => 'The address belongs to a network zone that hides who uses it.',
    blocked_zone_attempt: () => 'A session of the user was used from a blocked network zone.',
    repeated_failures: ({ failures, windowSeconds }: Facts) =>
      `${said(failures)} attempts failed within ${said(Number(windowSeconds) / 60)} minutes before this sign-in.`,
    code_guessing: ({ wrongCodes, addresses, networks }: Facts) =>
      `${said(wrongCodes)} wrong codes were entered for ${said(addresses)} addresses, from ${said(networks)} networks.`,
    code_lockout: () => 'So many wrong codes were entered for the user that codes were blocked.',
    credential_cloned: () =>
      'The counter of a passkey went back, although the signature was valid: two copies of it are in use.',
    token_reuse: ({ token }: Facts) =>
      token === 'authorization_code'
        ? 'An authorization code was used twice. One of the two may be an attacker.'
        : 'A refresh token was used twice. One of the two may be an attacker.',
    user_reported: () => 'The user does not recognize this sign-in.',
    admin_confirmed: () => 'An administrator knows that the account is compromised.',
    break_glass_used: () =>
      'Somebody signed in to the break-glass account, to which no access policy applies.',
  } satisfies Record<Type, (facts: Facts) => string>,
  de: {
    impossible_travel: ({ from, to, minutes, leastKm }) =>
      `Der Benutzer hat sich aus ${said(from)} angemeldet und ${said(minutes)} Minuten später aus ${said(to)}, mindestens ${said(leastKm)} km entfernt.`,
    new_country: ({ country }) =>
      `Der Benutzer hat sich noch nie aus diesem Land angemeldet: ${said(country)}.`,
    new_device: () => 'Der Benutzer hat sich noch nie mit diesem Browser angemeldet.',
    anonymizer_ip: () => 'Die Adresse gehört zu einer Netzwerkzone, die ihre Nutzer verbirgt.',
    blocked_zone_attempt: () =>
      'Eine Sitzung des Benutzers wurde aus einer gesperrten Netzwerkzone verwendet.',
    repeated_failures: ({ failures, windowSeconds }) =>
      `${said(failures)} Versuche schlugen in ${said(Number(windowSeconds) / 60)} Minuten vor dieser Anmeldung fehl.`,
    code_guessing: ({ wrongCodes, addresses, networks }) =>
      `${said(wrongCodes)} falsche Codes wurden für ${said(addresses)} Adressen eingegeben, aus ${said(networks)} Netzen.`,
    code_lockout: () =>
      'Für den Benutzer wurden so viele falsche Codes eingegeben, dass Codes gesperrt wurden.',
    credential_cloned: () =>
      'Der Zähler eines Passkeys ging zurück, obwohl die Signatur gültig war: Zwei Kopien sind in Gebrauch.',
    token_reuse: ({ token }) =>
      token === 'authorization_code'
        ? 'Ein Autorisierungscode wurde zweimal verwendet. Einer der beiden kann ein Angreifer sein.'
        : 'Ein Refresh-Token wurde zweimal verwendet. Einer der beiden kann ein Angreifer sein.',
    user_reported: () => 'Der Benutzer erkennt diese Anmeldung nicht wieder.',
    admin_confirmed: () => 'Ein Administrator weiß, dass das Konto kompromittiert ist.',
    break_glass_used: () =>
      'Jemand hat sich beim Notfallkonto angemeldet, für das keine Zugriffsrichtlinie gilt.',
  },
})

export const riskTexts = texts({
  en: {
    title: 'Risk events',
    lead: 'Possible attacks on users, with the facts that show them. Access policies can require a stronger sign-in from users at risk.',
    empty: 'No risk events.',
    type: 'Type',
    level: 'Level',
    state: 'State',
    user: 'User',
    everyone: 'All users',
    place: 'Place',
    detected: 'Detected',
    what: 'What happened',
    note: 'Note',
    noteHint: 'For those who read this later; not sent to the user.',
    signIn: 'Sign-in',
    session: 'Session',
    address: 'Address',
    resolved: 'Resolved',
    resolvedBy: 'Resolved by',
    riskEventId: 'Risk event id',
    history: 'History',
    dismiss: 'Dismiss',
    dismissEffect: 'The risk no longer counts for the user.',
    confirmSafe: 'It was the user',
    confirmSafeEffect:
      'The risk no longer counts for the user. If the account was confirmed as compromised, the user can sign in again.',
    confirmCompromised: 'It was an attacker',
    confirmCompromisedEffect:
      'All sessions and tokens of the user end immediately. The user cannot sign in until an administrator resets their sign-in methods.',
    done: 'The risk event was resolved',
    counted: (count: number) => (count === 1 ? '1 risk event' : `${String(count)} risk events`),
    risk: 'Risk',
    show: 'Show risk events',
  },
  de: {
    title: 'Risikoereignisse',
    lead: 'Mögliche Angriffe auf Benutzer, mit den Tatsachen, die sie zeigen. Richtlinien können bei einem Risiko mehr verlangen.',
    empty: 'Keine Risikoereignisse.',
    type: 'Art',
    level: 'Stufe',
    state: 'Zustand',
    user: 'Benutzer',
    everyone: 'Alle Benutzer',
    place: 'Ort',
    detected: 'Erkannt',
    what: 'Was geschah',
    note: 'Notiz',
    noteHint: 'Für alle, die dies später lesen; der Benutzer erhält sie nicht.',
    signIn: 'Anmeldung',
    session: 'Sitzung',
    address: 'Adresse',
    resolved: 'Erledigt',
    resolvedBy: 'Erledigt von',
    riskEventId: 'Kennung des Risikoereignisses',
    history: 'Verlauf',
    dismiss: 'Verwerfen',
    dismissEffect: 'Das Risiko zählt für den Benutzer nicht mehr.',
    confirmSafe: 'Es war der Benutzer',
    confirmSafeEffect:
      'Das Risiko zählt für den Benutzer nicht mehr. Galt das Konto als kompromittiert, kann der Benutzer sich wieder anmelden.',
    confirmCompromised: 'Es war ein Angreifer',
    confirmCompromisedEffect:
      'Alle Sitzungen und Token des Benutzers enden sofort. Der Benutzer kann sich erst wieder anmelden, wenn ein Administrator seine Anmeldemethoden zurücksetzt.',
    done: 'Das Risikoereignis wurde erledigt',
    counted: (count: number) => (count === 1 ? '1 Risikoereignis' : `${String(count)} Risikoereignisse`),
    risk: 'Risiko',
    show: 'Risikoereignisse zeigen',
  },
})
