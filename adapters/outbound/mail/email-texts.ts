/** The texts of emails in each language. */
import { texts } from '../../kernel/language.ts'

export const emailTexts = texts({
  en: {
    hello: (name: string) => `Hello ${name},`,
    worksOnceUntil: (at: string) => `This link works once, until ${at}.`,
    worksUntil: (at: string) => `This link works until ${at}.`,
    openAccount: 'Open your account',
    ifButtonFails: 'If the button does not work, copy this address into your browser:',
    questions: (address: string) => `Questions? Write to ${address}.`,
    noticed: (what: string, at: string) => `${what} (${at}).`,
    ifYou: (advice: string) => `If this was you, you do not need to do anything. ${advice}`,
    ifNotYou: 'If not, sign in, check your sign-in methods and sessions, and tell your administrator.',
    invitation: {
      subject: (organization: string) => `Set up your account at ${organization}`,
      title: (organization: string) => `Welcome to ${organization}`,
      what: 'An account was created for you. Choose how you want to sign in. It takes a minute, and you need no password.',
      button: 'Set up your account',
      unexpected: 'If you did not expect this invitation, you can ignore this email.',
    },
    magicLink: {
      subject: (organization: string) => `Sign in to ${organization}`,
      title: 'Your sign-in link',
      what: (organization: string) => `Use this link to sign in to ${organization}.`,
      button: 'Sign in',
      works: (minutes: number) =>
        `It works once, for ${String(minutes)} minutes. Requesting a newer link replaces it.`,
      unexpected:
        'If you did not request it, ignore this email: nobody can sign in without the link. Never share it.',
    },
    verification: {
      subject: 'Confirm your email address',
      title: 'Confirm your address',
      what: (organization: string) =>
        `This is the email address of your account at ${organization}. Please confirm that it is yours.`,
      button: 'Confirm address',
      unexpected: 'If you have no account there, ignore this email: the address stays unconfirmed.',
    },
    methods: {
      passkey: 'A passkey',
      security_key: 'A security key',
      authenticator_code: 'An authenticator app',
      linked_account: 'A linked account',
    },
    methodAdded: {
      subject: 'A sign-in method was added',
      what: (method: string, organization: string) =>
        `${method} can now be used to sign in to your account at ${organization}`,
    },
    methodRemoved: {
      subject: 'A sign-in method was removed',
      what: (organization: string) =>
        `One of the sign-in methods of your account at ${organization} was removed`,
    },
    methodsReset: {
      subject: 'Your sign-in methods were reset',
      what: (organization: string, at: string) =>
        `All sign-in methods of your account at ${organization} were removed, and you were signed out everywhere (${at}).`,
      choose: 'Choose how you want to sign in. If you did not expect this, tell your administrator.',
      unexpected: 'If you did not expect this, tell your administrator.',
      button: 'Set up sign-in',
    },
    codesGenerated: {
      subject: 'New recovery codes were created',
      what: (organization: string) =>
        `New recovery codes were created for your account at ${organization}, and the old codes no longer work`,
    },
    codeUsed: {
      subject: 'A recovery code was used',
      what: (organization: string) =>
        `One of your recovery codes was used to sign in to your account at ${organization}`,
    },
    addressChanged: {
      subject: 'Your email address was changed',
      what: (organization: string) =>
        `Your account at ${organization} now has another email address, and emails are no longer sent to this one`,
      advice: 'If not, tell your administrator immediately.',
    },
    lockedOut: {
      subject: 'Too many wrong codes',
      what: (organization: string) =>
        `Someone entered too many wrong codes for your account at ${organization}`,
      advice: (ends: string) =>
        `If not, someone may be trying to sign in to your account. Codes are blocked until ${ends}; passkeys still work.`,
    },
    newSignIn: {
      subject: (organization: string) => `New sign-in to your account at ${organization}`,
      title: 'Was this you?',
      signedIn: (organization: string) =>
        `Somebody signed in to your account at ${organization} in a way that is new for you.`,
      stopped: (organization: string) =>
        `Somebody tried to sign in to your account at ${organization} in a way that is new for you. Access policies stopped the attempt.`,
      facts: (at: string, device: string, place: string) =>
        `Time: ${at}. Device: ${device}. Place: ${place}.`,
      unknown: 'unknown',
      advice: 'If this was you, you do not need to do anything. If not, report it, which ends that session.',
      button: 'This was not me',
    },
    breakGlass: {
      subject: (organization: string) => `The break-glass account of ${organization} was used`,
      title: 'The break-glass account was used',
      what: (account: string, organization: string) =>
        `Somebody signed in to ${account}, the account for emergencies at ${organization}. No access policy applies to it.`,
      advice: 'If you do not know of an emergency, end its sessions and confirm its risk event as an attack.',
      button: 'Open the sign-in',
    },
    approvalRequested: {
      subject: (person: string, name: string) => `Access request: ${name} for ${person}`,
      reminder: (person: string, name: string) => `Reminder: access request ${name} for ${person}`,
      title: 'Your decision is needed',
      stillNeeded: 'Your decision is still needed',
      what: (person: string, name: string) => `${person} requests the access package ${name}.`,
      whatForOther: (requester: string, name: string, person: string) =>
        `${requester} requests the access package ${name} for ${person}.`,
      reason: (text: string) => `Reason given: ${text}`,
      button: 'Review the request',
      until: (at: string) => `Please decide by ${at}.`,
      nothingHappens: 'Opening the page decides nothing.',
    },
    accessReviewOpened: {
      subject: (name: string) => `Access review: ${name}`,
      title: 'Your review is needed',
      what: (name: string, count: number) =>
        `The access review ${name} waits for your decision about ${count === 1 ? 'one access' : `${String(count)} accesses`}.`,
      until: (at: string) => `Please decide by ${at}.`,
      button: 'Review access',
      nothingHappens: 'Opening the page decides nothing.',
    },
    accessRequestDecided: {
      subject: (name: string) => `Your request of ${name}`,
      title: 'Your access request',
      delivered: (name: string) => `You now have the access package ${name}.`,
      removed: (name: string) => `The access package ${name} was removed, as requested.`,
      scheduled: (name: string) =>
        `The access package ${name} was approved and starts at the time you chose.`,
      denied: (name: string) => `The request of the access package ${name} was denied.`,
      expired: (name: string) => `Nobody decided the request of the access package ${name} in time.`,
      failed: (name: string) =>
        `The access package ${name} was approved, but could not be given to you. An administrator can try again.`,
      waiting: (name: string) => `There is news about the request of the access package ${name}.`,
      comment: (text: string) => `Comment: ${text}`,
      button: 'Open your access',
    },
    lifecycleMessage: {
      note: (organization: string) =>
        `An automatic message of ${organization}. Your organization never asks for codes by email.`,
    },
    lifecyclePaused: {
      subject: (rule: string) => `The lifecycle rule ${rule} was paused`,
      title: 'A lifecycle rule was paused',
      what: (rule: string, users: number, limit: number) =>
        `${String(users)} users were due for the lifecycle rule ${rule}, and it may act on at most ${String(limit)} in an hour. It does nothing until an administrator enables it again.`,
      advice: 'Check whether the users are the right ones: a wrong import is a usual reason.',
      button: 'Open the rule',
    },
  },
  de: {
    hello: (name) => `Guten Tag ${name},`,
    worksOnceUntil: (at) => `Dieser Link gilt einmal, bis ${at}.`,
    worksUntil: (at) => `Dieser Link gilt bis ${at}.`,
    openAccount: 'Ihr Konto öffnen',
    ifButtonFails: 'Falls die Schaltfläche nicht funktioniert, kopieren Sie diese Adresse in Ihren Browser:',
    questions: (address) => `Fragen? Schreiben Sie an ${address}.`,
    noticed: (what, at) => `${what} (${at}).`,
    ifYou: (advice) => `Wenn Sie das waren, müssen Sie nichts tun. ${advice}`,
    ifNotYou:
      'Wenn nicht, melden Sie sich an, prüfen Sie Ihre Anmeldemethoden und Sitzungen, und informieren Sie Ihren Administrator.',
    invitation: {
      subject: (organization) => `Richten Sie Ihr Konto bei ${organization} ein`,
      title: (organization) => `Willkommen bei ${organization}`,
      what: 'Für Sie wurde ein Konto erstellt. Wählen Sie, wie Sie sich anmelden möchten. Das dauert eine Minute, und Sie brauchen kein Passwort.',
      button: 'Konto einrichten',
      unexpected: 'Wenn Sie diese Einladung nicht erwartet haben, können Sie diese E-Mail ignorieren.',
    },
    magicLink: {
      subject: (organization) => `Anmeldung bei ${organization}`,
      title: 'Ihr Anmeldelink',
      what: (organization) => `Mit diesem Link melden Sie sich bei ${organization} an.`,
      button: 'Anmelden',
      works: (minutes) =>
        `Er gilt einmal, ${String(minutes)} Minuten lang. Wenn Sie einen neuen Link anfordern, ersetzt der neue diesen.`,
      unexpected:
        'Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail: Ohne den Link kann sich niemand anmelden. Geben Sie ihn nie weiter.',
    },
    verification: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      title: 'Bestätigen Sie Ihre Adresse',
      what: (organization) =>
        `Dies ist die E-Mail-Adresse Ihres Kontos bei ${organization}. Bitte bestätigen Sie, dass sie Ihnen gehört.`,
      button: 'Adresse bestätigen',
      unexpected:
        'Wenn Sie dort kein Konto haben, ignorieren Sie diese E-Mail: Die Adresse bleibt unbestätigt.',
    },
    methods: {
      passkey: 'Ein Passkey',
      security_key: 'Ein Sicherheitsschlüssel',
      authenticator_code: 'Eine Authenticator-App',
      linked_account: 'Ein verknüpftes Konto',
    },
    methodAdded: {
      subject: 'Eine Anmeldemethode wurde hinzugefügt',
      what: (method, organization) =>
        `${method} kann jetzt zur Anmeldung bei Ihrem Konto bei ${organization} verwendet werden`,
    },
    methodRemoved: {
      subject: 'Eine Anmeldemethode wurde entfernt',
      what: (organization) => `Eine der Anmeldemethoden Ihres Kontos bei ${organization} wurde entfernt`,
    },
    methodsReset: {
      subject: 'Ihre Anmeldemethoden wurden zurückgesetzt',
      what: (organization, at) =>
        `Alle Anmeldemethoden Ihres Kontos bei ${organization} wurden entfernt, und Sie wurden überall abgemeldet (${at}).`,
      choose:
        'Wählen Sie, wie Sie sich anmelden möchten. Wenn Sie das nicht erwartet haben, informieren Sie Ihren Administrator.',
      unexpected: 'Wenn Sie das nicht erwartet haben, informieren Sie Ihren Administrator.',
      button: 'Anmeldung einrichten',
    },
    codesGenerated: {
      subject: 'Neue Wiederherstellungscodes wurden erstellt',
      what: (organization) =>
        `Für Ihr Konto bei ${organization} wurden neue Wiederherstellungscodes erstellt, und die alten gelten nicht mehr`,
    },
    codeUsed: {
      subject: 'Ein Wiederherstellungscode wurde verwendet',
      what: (organization) =>
        `Einer Ihrer Wiederherstellungscodes wurde zur Anmeldung bei Ihrem Konto bei ${organization} verwendet`,
    },
    addressChanged: {
      subject: 'Ihre E-Mail-Adresse wurde geändert',
      what: (organization) =>
        `Ihr Konto bei ${organization} hat jetzt eine andere E-Mail-Adresse, und an diese werden keine E-Mails mehr gesendet`,
      advice: 'Wenn nicht, informieren Sie sofort Ihren Administrator.',
    },
    lockedOut: {
      subject: 'Zu viele falsche Codes',
      what: (organization) => `Für Ihr Konto bei ${organization} wurden zu viele falsche Codes eingegeben`,
      advice: (ends) =>
        `Wenn nicht, versucht vielleicht jemand, sich bei Ihrem Konto anzumelden. Codes sind bis ${ends} gesperrt; Passkeys funktionieren weiterhin.`,
    },
    newSignIn: {
      subject: (organization) => `Neue Anmeldung bei Ihrem Konto bei ${organization}`,
      title: 'Waren Sie das?',
      signedIn: (organization) =>
        `Jemand hat sich bei Ihrem Konto bei ${organization} auf eine Weise angemeldet, die für Sie neu ist.`,
      stopped: (organization) =>
        `Jemand wollte sich bei Ihrem Konto bei ${organization} auf eine Weise anmelden, die für Sie neu ist. Zugriffsrichtlinien haben den Versuch gestoppt.`,
      facts: (at, device, place) => `Zeit: ${at}. Gerät: ${device}. Ort: ${place}.`,
      unknown: 'unbekannt',
      advice:
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, melden Sie es; das beendet die Sitzung.',
      button: 'Das war ich nicht',
    },
    breakGlass: {
      subject: (organization) => `Das Notfallkonto von ${organization} wurde verwendet`,
      title: 'Das Notfallkonto wurde verwendet',
      what: (account, organization) =>
        `Jemand hat sich bei ${account} angemeldet, dem Konto für Notfälle bei ${organization}. Für dieses Konto gilt keine Zugriffsrichtlinie.`,
      advice:
        'Wenn Sie von keinem Notfall wissen, beenden Sie seine Sitzungen und bestätigen Sie sein Risikoereignis als Angriff.',
      button: 'Anmeldung öffnen',
    },
    approvalRequested: {
      subject: (person, name) => `Zugriffsanfrage: ${name} für ${person}`,
      reminder: (person, name) => `Erinnerung: Zugriffsanfrage ${name} für ${person}`,
      title: 'Ihre Entscheidung ist gefragt',
      stillNeeded: 'Ihre Entscheidung fehlt noch',
      what: (person, name) => `${person} beantragt das Zugriffspaket ${name}.`,
      whatForOther: (requester, name, person) =>
        `${requester} beantragt das Zugriffspaket ${name} für ${person}.`,
      reason: (text) => `Angegebener Grund: ${text}`,
      button: 'Anfrage prüfen',
      until: (at) => `Bitte entscheiden Sie bis ${at}.`,
      nothingHappens: 'Das Öffnen der Seite entscheidet nichts.',
    },
    accessReviewOpened: {
      subject: (name) => `Zugriffsprüfung: ${name}`,
      title: 'Ihre Prüfung ist gefragt',
      what: (name, count) =>
        `Die Zugriffsprüfung ${name} wartet auf Ihre Entscheidung über ${count === 1 ? 'einen Zugriff' : `${String(count)} Zugriffe`}.`,
      until: (at) => `Bitte entscheiden Sie bis ${at}.`,
      button: 'Zugriffe prüfen',
      nothingHappens: 'Das Öffnen der Seite entscheidet nichts.',
    },
    accessRequestDecided: {
      subject: (name) => `Ihre Anfrage: ${name}`,
      title: 'Ihre Zugriffsanfrage',
      delivered: (name) => `Sie haben jetzt das Zugriffspaket ${name}.`,
      removed: (name) => `Das Zugriffspaket ${name} wurde wie gewünscht entfernt.`,
      scheduled: (name) => `Das Zugriffspaket ${name} wurde genehmigt und beginnt zur gewählten Zeit.`,
      denied: (name) => `Die Anfrage für das Zugriffspaket ${name} wurde abgelehnt.`,
      expired: (name) =>
        `Über die Anfrage für das Zugriffspaket ${name} hat niemand rechtzeitig entschieden.`,
      failed: (name) =>
        `Das Zugriffspaket ${name} wurde genehmigt, konnte aber nicht zugeteilt werden. Ein Administrator kann es erneut versuchen.`,
      waiting: (name) => `Es gibt Neuigkeiten zur Anfrage für das Zugriffspaket ${name}.`,
      comment: (text) => `Kommentar: ${text}`,
      button: 'Ihre Zugriffe öffnen',
    },
    lifecycleMessage: {
      note: (organization) =>
        `Eine automatische Nachricht von ${organization}. Ihre Organisation fragt nie per E-Mail nach Codes.`,
    },
    lifecyclePaused: {
      subject: (rule) => `Die Lebenszyklusregel ${rule} wurde angehalten`,
      title: 'Eine Lebenszyklusregel wurde angehalten',
      what: (rule, users, limit) =>
        `${String(users)} Personen waren für die Lebenszyklusregel ${rule} fällig, und sie darf in einer Stunde höchstens ${String(limit)} betreffen. Sie tut nichts, bis ein Administrator sie wieder aktiviert.`,
      advice: 'Prüfen Sie, ob es die richtigen Personen sind: Oft ist ein falscher Import der Grund.',
      button: 'Regel öffnen',
    },
  },
})
