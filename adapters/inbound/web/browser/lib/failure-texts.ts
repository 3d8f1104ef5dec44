import { texts } from './texts.ts'

/** What the page's regions report about failures. */
export const failureTexts = texts({
  en: {
    network: 'The service could not be reached. Check your connection and try again.',
    seconds: (count: number): string => `in ${count} ${count === 1 ? 'second' : 'seconds'}`,
    minutes: (count: number, at: string) => `in ${count} minutes, at ${at}`,
    wrongCodes: 'Too many wrong codes.',
    attempts: 'Too many attempts.',
    again: (reason: string, when: string) => `${reason} You can try again ${when}.`,
    closed: 'The prompt was closed or took too long. Try again when you are ready.',
    already: 'This device already has a passkey for your account. Use another device or key.',
    kind: 'This device cannot create the required kind of passkey. Try another one.',
    address: 'Passkeys do not work at this address. Open the service at its usual address.',
    failed: 'That did not work. Try again.',
    noPasskeys: 'This browser does not support passkeys. Use an up-to-date browser, or another device.',
  },
  de: {
    network: 'Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    seconds: (count) => `in ${count} ${count === 1 ? 'Sekunde' : 'Sekunden'}`,
    minutes: (count, at) => `in ${count} Minuten, um ${at}`,
    wrongCodes: 'Zu viele falsche Codes.',
    attempts: 'Zu viele Versuche.',
    again: (reason, when) => `${reason} Sie können es ${when} erneut versuchen.`,
    closed:
      'Die Abfrage wurde geschlossen oder hat zu lange gedauert. Versuchen Sie es erneut, wenn Sie bereit sind.',
    already:
      'Dieses Gerät hat schon einen Passkey für Ihr Konto. Verwenden Sie ein anderes Gerät oder einen anderen Schlüssel.',
    kind: 'Dieses Gerät kann die verlangte Art von Passkey nicht erstellen. Versuchen Sie es mit einem anderen.',
    address:
      'Passkeys funktionieren unter dieser Adresse nicht. Öffnen Sie den Dienst unter seiner üblichen Adresse.',
    failed: 'Das hat nicht funktioniert. Versuchen Sie es erneut.',
    noPasskeys:
      'Dieser Browser unterstützt keine Passkeys. Verwenden Sie einen aktuellen Browser oder ein anderes Gerät.',
  },
})
