import type { RiskType } from '../../../../domain/risk/events.ts'
import type { Language } from '../../../kernel/language.ts'

/** Risks of all users have no reason for one of them. */
type Personal = Exclude<RiskType, 'code_guessing'>

const texts: Readonly<Record<Language, Readonly<Record<Personal, string>>>> = {
  en: {
    impossible_travel:
      'Reason: your last two sign-ins came from places that are too far apart for the time between them.',
    new_country: 'Reason: you have not signed in from this country before.',
    new_device: 'Reason: you have not signed in on this device before.',
    anonymizer_ip: 'Reason: your network hides where you are.',
    blocked_zone_attempt: 'Reason: your session was used from a network that is blocked.',
    repeated_failures: 'Reason: there were many failed attempts to sign in to your account.',
    code_lockout: 'Reason: too many wrong codes were entered for your account.',
    credential_cloned: 'Reason: one of your passkeys may have been copied.',
    token_reuse: 'Reason: an application used one of your tokens twice.',
    user_reported: 'Reason: you reported a sign-in that was not yours.',
    admin_confirmed: 'Reason: an administrator reported a problem with your account.',
    break_glass_used: 'Reason: this account is for emergencies.',
  },
  de: {
    impossible_travel:
      'Grund: Ihre letzten beiden Anmeldungen kamen von Orten, die für die Zeit dazwischen zu weit auseinander liegen.',
    new_country: 'Grund: Sie haben sich aus diesem Land noch nie angemeldet.',
    new_device: 'Grund: Sie haben sich auf diesem Gerät noch nie angemeldet.',
    anonymizer_ip: 'Grund: Ihr Netz verbirgt, wo Sie sind.',
    blocked_zone_attempt: 'Grund: Ihre Sitzung wurde aus einem gesperrten Netz verwendet.',
    repeated_failures: 'Grund: Es gab viele Fehlversuche, sich bei Ihrem Konto anzumelden.',
    code_lockout: 'Grund: Für Ihr Konto wurden zu viele falsche Codes eingegeben.',
    credential_cloned: 'Grund: Einer Ihrer Passkeys wurde vielleicht kopiert.',
    token_reuse: 'Grund: Eine Anwendung hat eines Ihrer Tokens zweimal verwendet.',
    user_reported: 'Grund: Sie haben eine Anmeldung gemeldet, die nicht von Ihnen war.',
    admin_confirmed: 'Grund: Ein Administrator hat ein Problem mit Ihrem Konto gemeldet.',
    break_glass_used: 'Grund: Dieses Konto ist für Notfälle.',
  },
}

const isPersonal = (risk: string): risk is Personal => Object.hasOwn(texts.en, risk)

/** Returns the sentence that tells a user why a policy requires another sign-in; undefined for an unknown risk. */
export const riskReasonText = (risk: string | null, language: Language): string | undefined =>
  risk !== null && isPersonal(risk) ? texts[language][risk] : undefined
