import { texts } from '../lib/texts.ts'

/** What the account pages report after an action. */
export const outcomeTexts = texts({
  en: {
    profileSaved: 'Your profile is saved.',
    passkeyReady: 'Your new passkey is ready.',
    keyReady: 'Your security key is ready.',
    appReady: 'Your authenticator app is ready.',
    codesActive: 'Your new recovery codes are active.',
    methodRenamed: 'The sign-in method was renamed.',
    methodRemoved: 'The sign-in method was removed.',
    linkRemoved: 'The linked account was removed.',
    deviceRenamed: 'The device was renamed.',
    deviceRemoved: 'The device was removed.',
    sessionEnded: 'The session was ended.',
    signInReported: 'Your administrators were told. Check your sign-in methods now.',
    emailSent: 'We sent you an email. Open its link to confirm your address.',
    othersEnded: 'All your other sessions were ended.',
    packageRequested: 'Your request was sent.',
    packageGivenUp: 'You gave up the access package.',
    requestCancelled: 'The request was cancelled.',
    requestApproved: 'You approved the request.',
    requestDenied: 'You denied the request.',
    certificateRevoked: 'The SSH certificate was revoked.',
  },
  de: {
    profileSaved: 'Ihr Profil ist gespeichert.',
    passkeyReady: 'Ihr neuer Passkey ist bereit.',
    keyReady: 'Ihr Sicherheitsschlüssel ist bereit.',
    appReady: 'Ihre Authenticator-App ist bereit.',
    codesActive: 'Ihre neuen Wiederherstellungscodes gelten jetzt.',
    methodRenamed: 'Die Anmeldemethode wurde umbenannt.',
    methodRemoved: 'Die Anmeldemethode wurde entfernt.',
    linkRemoved: 'Das verknüpfte Konto wurde entfernt.',
    deviceRenamed: 'Das Gerät wurde umbenannt.',
    deviceRemoved: 'Das Gerät wurde entfernt.',
    sessionEnded: 'Die Sitzung wurde beendet.',
    signInReported: 'Ihre Administratoren wurden informiert. Prüfen Sie jetzt Ihre Anmeldemethoden.',
    emailSent:
      'Wir haben Ihnen eine E-Mail gesendet. Öffnen Sie den Link darin, um Ihre Adresse zu bestätigen.',
    othersEnded: 'Alle Ihre anderen Sitzungen wurden beendet.',
    packageRequested: 'Ihre Anfrage wurde gesendet.',
    packageGivenUp: 'Sie haben das Zugriffspaket abgegeben.',
    requestCancelled: 'Die Anfrage wurde zurückgezogen.',
    requestApproved: 'Sie haben die Anfrage genehmigt.',
    requestDenied: 'Sie haben die Anfrage abgelehnt.',
    certificateRevoked: 'Das SSH-Zertifikat wurde widerrufen.',
  },
})

export type OutcomeText = keyof ReturnType<typeof outcomeTexts>
