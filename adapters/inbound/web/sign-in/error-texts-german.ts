/** The German texts of `error-texts.ts`. The name of the application is in the nominative or accusative case. */
export const germanTexts = {
  ERR_NOT_ASSIGNED: {
    title: 'Sie haben keinen Zugriff auf diese Anwendung',
    message: 'Keine Ihrer Gruppen hat Zugriff auf {application}. Bitten Sie Ihren Administrator um Zugriff.',
  },
  ERR_AUTH_REQUEST_EXPIRED: {
    title: 'Diese Anmeldung ist abgelaufen',
    message:
      'Die Anfrage ist abgelaufen oder wurde schon verwendet. Gehen Sie zurück zur Anwendung und melden Sie sich erneut an.',
  },
  ERR_LINK_EXPIRED: {
    title: 'Dieser Link funktioniert nicht mehr',
    message:
      'Er ist abgelaufen, wurde schon verwendet oder durch einen neueren Link ersetzt. Bitten Sie Ihren Administrator um einen neuen.',
  },
  ERR_ACCOUNT_SUSPENDED: {
    title: 'Ihr Konto ist gesperrt',
    message:
      'Sie können sich nicht anmelden. Wenn Sie das für einen Fehler halten, wenden Sie sich an Ihren Administrator.',
  },
  ERR_PROVIDER_REQUIRED: {
    title: 'Melden Sie sich mit dem Konto Ihrer Organisation an',
    message:
      'Benutzer Ihrer E-Mail-Domain melden sich mit dem Identitätsanbieter ihrer Organisation an. Wählen Sie ihn auf der Anmeldeseite.',
  },
  ERR_BLOCKED_BY_POLICY: {
    title: 'Diese Anmeldung wurde blockiert',
    message:
      'Die Sicherheitsrichtlinie Ihrer Organisation erlaubt diese Anmeldung nicht. Fragen Sie Ihren Administrator.',
  },
  ERR_REAUTH_REQUIRED: {
    title: 'Bitte melden Sie sich erneut an',
    message: '{application} verlangt, dass Sie sich erneut anmelden.',
  },
  ERR_STRONGER_AUTH_REQUIRED: {
    title: 'Passkey erforderlich',
    message:
      '{application} verlangt einen Passkey oder Sicherheitsschlüssel. Melden Sie sich damit erneut an.',
  },
  ERR_CEREMONY_EXPIRED: {
    title: 'Das hat zu lange gedauert',
    message: 'Zu Ihrer Sicherheit läuft dieser Schritt nach einigen Minuten ab. Beginnen Sie von vorn.',
  },
  ERR_REGISTRATION_FAILED: {
    title: 'Der Passkey wurde nicht erstellt',
    message:
      'Die Daten Ihres Geräts konnten nicht geprüft werden. Versuchen Sie es erneut, oder verwenden Sie ein anderes Gerät oder einen anderen Schlüssel.',
  },
  ERR_PASSKEY_REJECTED: {
    title: 'Dieser Passkey funktioniert hier nicht',
    message:
      'Vielleicht wurde er aus Ihrem Konto entfernt. Versuchen Sie es mit einem anderen, oder fragen Sie Ihren Administrator.',
  },
  ERR_CODE_MISMATCH: {
    title: 'Dieser Code funktioniert nicht',
    message:
      'Er ist falsch oder wurde schon verwendet. Warten Sie auf den nächsten Code Ihrer App, oder verwenden Sie einen anderen Wiederherstellungscode.',
  },
  ERR_DEVICE_CODE: {
    title: 'Dieser Code funktioniert nicht',
    message:
      'Er ist falsch, abgelaufen oder wurde schon verwendet. Beginnen Sie auf dem anderen Gerät von vorn.',
  },
  ERR_LAST_METHOD: {
    title: 'Dies ist Ihre letzte Anmeldemethode',
    message:
      'Sie können sie nicht entfernen, weil Sie sich sonst nicht mehr anmelden könnten. Fügen Sie zuerst eine andere hinzu.',
  },
  ERR_TOO_MANY_ATTEMPTS: {
    title: 'Zu viele falsche Codes',
    message:
      'Zu Ihrer Sicherheit sind Codes eine Zeit lang gesperrt. Einen Passkey können Sie weiterhin verwenden.',
  },
  ERR_RATE_LIMITED: {
    title: 'Zu viele Versuche',
    message: 'Es gab in kurzer Zeit zu viele Versuche. Warten Sie eine Minute und versuchen Sie es erneut.',
  },
  ERR_INVALID_CLIENT: {
    title: 'Unbekannte Anwendung',
    message: 'Der Link gehört zu einer Anwendung, die es nicht gibt oder die deaktiviert ist.',
  },
  ERR_INVALID_REDIRECT_URI: {
    title: 'Diese Anmeldung kann nicht fortgesetzt werden',
    message:
      'Die Rücksprungadresse, die {application} gesendet hat, ist nicht registriert. Deshalb wurden Sie nicht dorthin weitergeleitet. Wenden Sie sich an die Verantwortlichen der Anwendung.',
  },
  ERR_INVALID_SAML_REQUEST: {
    title: 'Diese Anmeldung kann nicht fortgesetzt werden',
    message:
      'Die Anfrage, die {application} gesendet hat, ist ungültig. Wenden Sie sich an die Verantwortlichen der Anwendung.',
  },
  ERR_INVALID_LOGOUT: {
    title: 'Diese Abmeldung kann nicht fortgesetzt werden',
    message:
      'Die Anfrage, die {application} gesendet hat, ist ungültig. Deshalb wurden Sie nicht abgemeldet. Sie können sich auf Ihrer Kontoseite abmelden.',
  },
  ERR_CROSS_SITE: {
    title: 'Anfrage von einer anderen Website',
    message: 'Zu Ihrer Sicherheit wurde diese Anfrage ignoriert. Fahren Sie auf Ihrer Kontoseite fort.',
  },
  ERR_NO_ROUTE: {
    title: 'Seite nicht gefunden',
    message:
      'Unter dieser Adresse wurde nichts gefunden. Prüfen Sie den Link, oder gehen Sie zu Ihrer Kontoseite.',
  },
  ERR_UNAVAILABLE: {
    title: 'Vorübergehend nicht verfügbar',
    message:
      'Der Dienst ist gerade nicht verfügbar. Es ist nichts verloren. Versuchen Sie es in einer Minute erneut.',
  },
  ERR_INTERNAL: {
    title: 'Etwas ist schiefgegangen',
    message:
      'Das ist unser Fehler. Versuchen Sie es erneut. Wenn es wieder geschieht, nennen Sie Ihrem Administrator die Referenz unten.',
  },
}
