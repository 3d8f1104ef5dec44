import type { SignInAttempt } from '../../../../domain/sign-in/events.ts'
import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { icons } from '../kit/icons.ts'
import { moment } from '../kit/layout.ts'
import { dialog } from './dialog.ts'
import { empty, section } from './frame.ts'

export interface AccountSignIn {
  readonly id: string
  /** `current`: it started the session of this browser */
  readonly report: 'current' | 'possible' | 'done'
  readonly time: string
  readonly result: SignInAttempt['result']
  readonly method: SignInAttempt['method']
  readonly reason: SignInAttempt['reason']
  readonly device: string
  readonly place: string
  /** The opened application; absent for the service's own pages. */
  readonly application?: string | undefined
}

const words = texts({
  en: {
    title: 'Recent sign-ins',
    hint: 'If you do not recognize a sign-in, report it, and remove any sign-in method that you do not recognize.',
    report: 'This was not me',
    reported: 'Reported',
    theSignIn: (when: Html, device: string) => html`: ${when}, ${device}`,
    reportTitle: 'Report a sign-in',
    reportEffect:
      'Your administrators are told that somebody else signed in, or tried to. If that session is still active, it ends. Afterwards, check your sign-in methods.',
    reportNote: 'What else should your administrators know?',
    optional: 'Optional',
    none: 'No sign-ins yet.',
    to: (application: string) => ` to ${application}`,
    reason: (reason: string) => ` Reason: ${reason}.`,
    results: { success: 'Signed in', failure: 'Failed', interrupted: 'Not finished' },
    ways: {
      passkey: 'Passkey',
      security_key: 'Security key',
      authenticator_code: 'Authenticator app',
      recovery_code: 'Recovery code',
      magic_link: 'Email link',
      identity_provider: 'Linked account',
      enrollment_link: 'Setup link',
      device_code: 'Code on another device',
      session: 'Already signed in',
    },
    reasons: {
      unknown_user: 'unknown email address',
      bad_passkey: 'passkey rejected',
      bad_code: 'wrong code',
      code_reused: 'code already used',
      too_many_attempts: 'too many wrong codes',
      link_expired: 'link expired',
      account_suspended: 'account suspended',
      account_not_active: 'account setup not finished',
      method_not_allowed: 'sign-in method not allowed',
      not_assigned: 'no access to the application',
      blocked_by_policy: 'blocked by an access policy',
      app_disabled: 'application disabled',
      request_expired: 'timed out',
      stronger_auth_required: 'application requires a stronger method',
      reauth_required: 'application requires a new sign-in',
      provider_denied: 'identity provider refused',
      provider_error: 'identity provider failed',
      provider_required: 'another identity provider is required',
      email_not_verified: 'email address not verified',
      not_linked: 'account not linked',
      domain_not_allowed: 'email domain not allowed',
      link_confirmation_required: 'confirmation of the account required',
      cancelled: 'cancelled',
    },
  },
  de: {
    title: 'Letzte Anmeldungen',
    hint: 'Wenn Sie eine Anmeldung nicht erkennen, melden Sie sie, und entfernen Sie jede Anmeldemethode, die Sie nicht erkennen.',
    report: 'Das war ich nicht',
    reported: 'Gemeldet',
    theSignIn: (when, device) => html`: ${when}, ${device}`,
    reportTitle: 'Anmeldung melden',
    reportEffect:
      'Ihre Administratoren erfahren, dass sich jemand anderes angemeldet hat oder es versucht hat. Ist diese Sitzung noch aktiv, endet sie. Prüfen Sie danach Ihre Anmeldemethoden.',
    reportNote: 'Was sollten Ihre Administratoren noch wissen?',
    optional: 'Freiwillig',
    none: 'Noch keine Anmeldungen.',
    to: (application) => ` bei ${application}`,
    reason: (reason) => ` Grund: ${reason}.`,
    results: { success: 'Angemeldet', failure: 'Fehlgeschlagen', interrupted: 'Nicht abgeschlossen' },
    ways: {
      passkey: 'Passkey',
      security_key: 'Sicherheitsschlüssel',
      authenticator_code: 'Authenticator-App',
      recovery_code: 'Wiederherstellungscode',
      magic_link: 'Link per E-Mail',
      identity_provider: 'Verknüpftes Konto',
      enrollment_link: 'Einrichtungslink',
      device_code: 'Code auf einem anderen Gerät',
      session: 'Schon angemeldet',
    },
    reasons: {
      unknown_user: 'unbekannte E-Mail-Adresse',
      bad_passkey: 'Passkey abgelehnt',
      bad_code: 'falscher Code',
      code_reused: 'Code schon verwendet',
      too_many_attempts: 'zu viele falsche Codes',
      link_expired: 'Link abgelaufen',
      account_suspended: 'Konto gesperrt',
      account_not_active: 'Konto noch nicht eingerichtet',
      method_not_allowed: 'Anmeldemethode nicht erlaubt',
      not_assigned: 'kein Zugriff auf die Anwendung',
      blocked_by_policy: 'von einer Zugriffsrichtlinie blockiert',
      app_disabled: 'Anwendung deaktiviert',
      request_expired: 'Zeit abgelaufen',
      stronger_auth_required: 'Anwendung verlangt eine stärkere Methode',
      reauth_required: 'Anwendung verlangt eine neue Anmeldung',
      provider_denied: 'vom Identitätsanbieter abgelehnt',
      provider_error: 'Fehler des Identitätsanbieters',
      provider_required: 'ein Identitätsanbieter ist vorgeschrieben',
      email_not_verified: 'E-Mail-Adresse nicht bestätigt',
      not_linked: 'Konto nicht verknüpft',
      domain_not_allowed: 'E-Mail-Domain nicht erlaubt',
      link_confirmation_required: 'Bestätigung des Kontos nötig',
      cancelled: 'abgebrochen',
    },
  },
})

const looks: Readonly<Record<AccountSignIn['result'], { readonly icon: Html; readonly look: string }>> = {
  success: { icon: icons.done, look: 'done' },
  failure: { icon: icons.alert, look: 'problem' },
  interrupted: { icon: icons.clock, look: 'plain' },
}

const row = (
  { id, report, time, result, method, reason, device, place, application }: AccountSignIn,
  language: Language,
): Html => {
  const text = words[language]
  const { icon, look } = looks[result]
  return html`<li id="${id}">
    <span class="glyph glyph-${look}">${icon}</span>
    <div>
      <p class="row-title">
        ${text.results[result]}${application !== undefined && text.to(application)}
        ${method !== null && html`<span class="soft">${text.ways[method]}</span>`}
      </p>
      <p class="row-detail">
        ${moment(time, language)}, ${device}, ${place}.${reason !== null && text.reason(text.reasons[reason])}
      </p>
    </div>
    ${report === 'done' && html`<span class="badge">${text.reported}</span>`}
    ${
      report === 'possible' &&
      html`<div class="actions needs-script">
        <button class="button button-quiet button-small" type="button" data-open="report" data-id="${id}">
          ${text.report}<span class="visually-hidden">${text.theSignIn(moment(time, language), device)}</span>
        </button>
      </div>`
    }
  </li>`
}

export const signInsSection = (all: readonly AccountSignIn[], language: Language): Html =>
  section({
    id: 'sign-ins',
    title: words[language].title,
    hint: words[language].hint,
    body:
      all.length > 0
        ? html`<ul class="rows">
            ${all.map((attempt) => row(attempt, language))}
          </ul>`
        : empty(words[language].none),
  })

export const signInsDialogs = (language: Language): Html => {
  const text = words[language]
  return dialog({
    name: 'report',
    language,
    title: text.reportTitle,
    body: html`<p>${text.reportEffect}</p>
      <div class="field">
        <label for="report-note">${text.reportNote}</label>
        <textarea
          id="report-note"
          name="note"
          rows="3"
          maxlength="500"
          aria-describedby="report-note-hint"
        ></textarea>
        <p class="hint" id="report-note-hint">${text.optional}</p>
      </div>`,
    confirm: text.report,
    look: 'problem',
  })
}
