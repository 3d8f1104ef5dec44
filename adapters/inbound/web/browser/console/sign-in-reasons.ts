import type { SignInRecord } from './records.ts'
import { texts } from './text.tsx'

/** Why a sign-in failed or was interrupted. */
export const reasonTexts = texts({
  en: {
    unknown_user: 'Nobody has this address',
    bad_passkey: 'The passkey was not accepted',
    bad_code: 'The code was wrong',
    code_reused: 'The code was already used',
    too_many_attempts: 'Too many attempts',
    link_expired: 'The link had expired',
    account_suspended: 'The account is suspended',
    account_not_active: 'The account is not active',
    method_not_allowed: 'The sign-in method is not allowed',
    not_assigned: 'The user is not assigned to the application',
    blocked_by_policy: 'Blocked, such as a blocked device',
    app_disabled: 'The application is disabled',
    request_expired: 'The request had expired',
    stronger_auth_required: 'A stronger sign-in was required',
    reauth_required: 'A new sign-in was required',
    cancelled: 'Cancelled by the user',
  } satisfies Record<NonNullable<SignInRecord['reason']>, string>,
  de: {
    unknown_user: 'Niemand hat diese Adresse',
    bad_passkey: 'Der Passkey wurde nicht angenommen',
    bad_code: 'Der Code war falsch',
    code_reused: 'Der Code war schon benutzt',
    too_many_attempts: 'Zu viele Versuche',
    link_expired: 'Der Link war abgelaufen',
    account_suspended: 'Das Konto ist gesperrt',
    account_not_active: 'Das Konto ist nicht aktiv',
    method_not_allowed: 'Die Anmeldemethode ist nicht erlaubt',
    not_assigned: 'Der Benutzer ist der Anwendung nicht zugewiesen',
    blocked_by_policy: 'Blockiert, etwa wegen eines gesperrten Geräts',
    app_disabled: 'Die Anwendung ist deaktiviert',
    request_expired: 'Die Anfrage war abgelaufen',
    stronger_auth_required: 'Eine stärkere Anmeldung war nötig',
    reauth_required: 'Eine neue Anmeldung war nötig',
    cancelled: 'Vom Benutzer abgebrochen',
  },
})
