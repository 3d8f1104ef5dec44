/**
 * German messages for errors that pages show to users. The messages of the API are English; pages in German show these
 * in their place, by code.
 */
import type { ErrorCode } from './errors.ts'

export const germanMessages: Readonly<Partial<Record<ErrorCode, string>>> = {
  ERR_INVALID_JSON: 'Die Anfrage ist ungültig oder zu groß.',
  ERR_CEREMONY_EXPIRED: 'Dieser Schritt ist abgelaufen. Beginnen Sie ihn von vorn.',
  ERR_REGISTRATION_FAILED: 'Der neue Passkey konnte nicht geprüft werden.',
  ERR_UNAUTHENTICATED: 'Melden Sie sich an.',
  ERR_PASSKEY_REJECTED: 'Der Passkey konnte nicht geprüft werden.',
  ERR_CODE_MISMATCH: 'Der Code ist falsch oder wurde schon verwendet.',
  ERR_REAUTH_REQUIRED: 'Melden Sie sich erneut an, um fortzufahren.',
  ERR_FORBIDDEN: 'Ihre Rollen erlauben das nicht.',
  ERR_CROSS_SITE: 'Die Anfrage kam von einer anderen Website.',
  ERR_ACCOUNT_SUSPENDED: 'Dieses Konto ist gesperrt. Fragen Sie einen Administrator.',
  ERR_NOT_ASSIGNED: 'Keine Ihrer Gruppen hat Zugriff auf diese Anwendung.',
  ERR_BLOCKED_BY_POLICY: 'Eine Zugriffsrichtlinie hat diese Anmeldung blockiert.',
  ERR_STRONGER_AUTH_REQUIRED:
    'Dafür ist Ihre stärkste Anmeldemethode nötig, zum Beispiel ein Passkey oder Sicherheitsschlüssel.',
  ERR_PROVIDER_REQUIRED:
    'Benutzer dieser Domain melden sich mit dem Identitätsanbieter ihrer Organisation an.',
  ERR_PROVIDER_DENIED: 'Der Identitätsanbieter hat Sie nicht angemeldet.',
  ERR_PROVIDER_STATE:
    'Diese Anmeldung beim Identitätsanbieter ist abgelaufen oder wurde schon verwendet. Beginnen Sie sie von vorn.',
  ERR_PROVIDER_FAILED: 'Der Identitätsanbieter hat ungültig geantwortet.',
  ERR_EMAIL_NOT_VERIFIED: 'Der Identitätsanbieter hat Ihre E-Mail-Adresse nicht bestätigt.',
  ERR_NOT_LINKED:
    'Dieses externe Konto ist mit keinem Konto hier verknüpft. Melden Sie sich anders an und verknüpfen Sie es.',
  ERR_DOMAIN_NOT_ALLOWED: 'Dieser Identitätsanbieter meldet keine Benutzer Ihrer E-Mail-Domain an.',
  ERR_NOT_FOUND: 'Der Eintrag wurde nicht gefunden.',
  ERR_NO_ROUTE: 'Unter dieser Adresse wurde nichts gefunden.',
  ERR_AUTH_REQUEST_EXPIRED: 'Die Anfrage der Anwendung ist abgelaufen oder wurde schon verwendet.',
  ERR_LINK_EXPIRED: 'Dieser Link ist abgelaufen oder wurde schon verwendet. Fordern Sie einen neuen an.',
  ERR_DEVICE_CODE: 'Dieser Code ist falsch, abgelaufen oder wurde schon verwendet.',
  ERR_CONFLICT: 'Das passt nicht zum aktuellen Stand. Laden Sie die Seite neu.',
  ERR_LAST_METHOD:
    'Sie können Ihre letzte Anmeldemethode nicht entfernen. Fügen Sie zuerst eine andere hinzu.',
  ERR_STALE: 'Der Eintrag wurde inzwischen geändert. Laden Sie die Seite neu.',
  ERR_INVALID: 'Ein Feld fehlt oder ist ungültig. Prüfen Sie Ihre Eingaben.',
  ERR_TOO_MANY_ATTEMPTS: 'Zu viele falsche Codes. Warten Sie und versuchen Sie es erneut.',
  ERR_RATE_LIMITED: 'Zu viele Anfragen. Warten Sie einen Moment.',
  ERR_INTERNAL: 'Die Anfrage konnte nicht ausgeführt werden.',
  ERR_UNAVAILABLE: 'Der Dienst ist nicht verfügbar. Versuchen Sie es erneut.',
}
