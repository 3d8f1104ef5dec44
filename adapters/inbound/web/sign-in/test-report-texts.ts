import type { SignInMethod, Strength } from '../../../../domain/session/events.ts'
import { texts } from '../../../kernel/language.ts'

interface TestReportTexts {
  readonly works: (application: string) => string
  readonly fails: (application: string) => string
  readonly lead: string
  readonly forOthers: string
  readonly steps: string
  readonly back: string
  readonly showJson: string
  readonly showXml: string
  readonly requestValid: string
  readonly registered: string
  readonly entityId: string
  readonly acsUrl: string
  readonly signedIn: string
  readonly user: string
  readonly signedInWith: string
  readonly strength: string
  readonly signedInAt: string
  readonly methods: Readonly<Record<SignInMethod, string>>
  readonly strengths: Readonly<Record<Strength, string>>
  readonly assigned: string
  readonly throughGroup: string
  readonly throughGroups: string
  readonly mayUse: string
  readonly openToAll: string
  readonly notAssigned: string
  readonly notAssignedAdvice: string
  readonly blocked: string
  readonly blockedAdvice: string
  readonly receives: string
  readonly notReached: string
  readonly cannotBeNamed: string
  readonly cannotBeNamedAdvice: string
  readonly received: (address: string) => string
  readonly assertion: string
  readonly assertionHint: string
  readonly nameId: string
  readonly format: string
  readonly idToken: string
  readonly idTokenHint: string
  readonly noIdToken: string
  readonly userinfo: string
  readonly userinfoHint: string
  readonly accessToken: string
  readonly accessTokenHint: string
  readonly opaque: string
  readonly audience: string
  readonly scopes: string
  readonly lifetime: string
  readonly seconds: (count: number) => string
  readonly refreshToken: string
  readonly yes: string
  readonly noRefreshToken: string
}

export const testReportTexts = texts<TestReportTexts>({
  en: {
    works: (application) => `The sign-in to ${application} works`,
    fails: (application) => `The sign-in to ${application} does not work`,
    lead: 'This was a test. The application was not opened, and no tokens were issued.',
    forOthers:
      'An administrator asked for this test. Send them a picture of this page if it shows a problem.',
    steps: 'Steps',
    back: 'Back to the application',
    showJson: 'Show as JSON',
    showXml: 'Show as XML',
    requestValid: 'The request of the application is valid',
    registered: 'The application is registered',
    entityId: 'Entity ID',
    acsUrl: 'Assertion consumer service URL',
    signedIn: 'The user is signed in',
    user: 'User',
    signedInWith: 'Signed in with',
    strength: 'Strength',
    signedInAt: 'Signed in at',
    methods: {
      passkey: 'passkey',
      security_key: 'security key',
      authenticator_code: 'authenticator code',
      recovery_code: 'recovery code',
      magic_link: 'link by email',
      identity_provider: 'linked account',
      phishing_resistant_identity_provider: 'linked account (phishing-resistant)',
      enrollment_link: 'invitation link',
      development: 'development session',
    },
    strengths: {
      phishing_resistant: 'phishing-resistant',
      federated: 'as the identity provider asserts',
      otp: 'one-time code or link',
    },
    assigned: 'The user is assigned to the application',
    throughGroup: 'Through the group',
    throughGroups: 'Through the groups',
    mayUse: 'The user may use the application',
    openToAll: 'The application is open to all users.',
    notAssigned: 'The user is not assigned to the application',
    notAssignedAdvice: 'Add the user to a group of the application, or assign a group of the user to it.',
    blocked: 'An access policy blocks the sign-in',
    blockedAdvice: 'An administrator can simulate the sign-in under Policies, which shows the policy.',
    receives: 'The application receives the user',
    notReached: 'Not reached.',
    cannotBeNamed: 'The user cannot be named',
    cannotBeNamedAdvice:
      'The NameID is an email address, and this user has none that can be read. Use the format “persistent”, or set the address of the user.',
    received: (address) =>
      `As shown below. A real sign-in continues at ${address}. This test sent nothing there.`,
    assertion: 'Assertion',
    assertionHint: 'The subject and the attributes that the application receives, signed.',
    nameId: 'NameID',
    format: 'Format',
    idToken: 'ID token',
    idTokenHint:
      'Claims about the user and the sign-in, signed. A real one also has at_hash, and the nonce of its request.',
    noIdToken: 'None: the scope openid was not requested.',
    userinfo: 'Userinfo',
    userinfoHint: 'What the userinfo endpoint returns for the access token.',
    accessToken: 'Access token',
    accessTokenHint: 'What the token opens. The application does not read it.',
    opaque: 'opaque',
    audience: 'Audience',
    scopes: 'Scopes',
    lifetime: 'Lifetime',
    seconds: (count) => `${String(count)} seconds`,
    refreshToken: 'Refresh token',
    yes: 'yes',
    noRefreshToken: 'no, it needs the scope offline_access',
  },
  de: {
    works: (application) => `Die Anmeldung bei ${application} funktioniert`,
    fails: (application) => `Die Anmeldung bei ${application} funktioniert nicht`,
    lead: 'Das war ein Test. Die Anwendung wurde nicht geöffnet, und es wurden keine Tokens ausgestellt.',
    forOthers:
      'Ein Administrator hat um diesen Test gebeten. Schicken Sie ihm ein Bild dieser Seite, wenn sie ein Problem zeigt.',
    steps: 'Schritte',
    back: 'Zurück zur Anwendung',
    showJson: 'Als JSON anzeigen',
    showXml: 'Als XML anzeigen',
    requestValid: 'Die Anfrage der Anwendung ist gültig',
    registered: 'Die Anwendung ist registriert',
    entityId: 'Entity-ID',
    acsUrl: 'Assertion-Consumer-Service-URL',
    signedIn: 'Der Benutzer ist angemeldet',
    user: 'Benutzer',
    signedInWith: 'Angemeldet mit',
    strength: 'Stärke',
    signedInAt: 'Angemeldet am',
    methods: {
      passkey: 'Passkey',
      security_key: 'Sicherheitsschlüssel',
      authenticator_code: 'Code einer Authenticator-App',
      recovery_code: 'Wiederherstellungscode',
      magic_link: 'Link per E-Mail',
      identity_provider: 'verknüpftes Konto',
      phishing_resistant_identity_provider: 'verknüpftes Konto (phishing-resistent)',
      enrollment_link: 'Einladungslink',
      development: 'Entwicklungssitzung',
    },
    strengths: {
      phishing_resistant: 'Phishing-resistent',
      federated: 'nach Angabe des Identitätsanbieters',
      otp: 'Einmalcode oder Link',
    },
    assigned: 'Der Benutzer ist der Anwendung zugewiesen',
    throughGroup: 'Durch die Gruppe',
    throughGroups: 'Durch die Gruppen',
    mayUse: 'Der Benutzer darf die Anwendung verwenden',
    openToAll: 'Die Anwendung steht allen Benutzern offen.',
    notAssigned: 'Der Benutzer ist der Anwendung nicht zugewiesen',
    notAssignedAdvice:
      'Fügen Sie den Benutzer einer Gruppe der Anwendung hinzu, oder weisen Sie ihr eine Gruppe des Benutzers zu.',
    blocked: 'Eine Zugriffsrichtlinie blockiert die Anmeldung',
    blockedAdvice:
      'Unter Richtlinien kann ein Administrator die Anmeldung simulieren und sieht, welche Richtlinie es ist.',
    receives: 'Die Anwendung erhält den Benutzer',
    notReached: 'Nicht erreicht.',
    cannotBeNamed: 'Der Benutzer lässt sich nicht benennen',
    cannotBeNamedAdvice:
      'Die NameID ist eine E-Mail-Adresse, und dieser Benutzer hat keine lesbare. Verwenden Sie das Format „persistent“, oder tragen Sie die Adresse des Benutzers ein.',
    received: (address) =>
      `Wie unten gezeigt. Eine echte Anmeldung geht bei ${address} weiter. Dieser Test hat nichts dorthin gesendet.`,
    assertion: 'Assertion',
    assertionHint: 'Der Benutzer und die Attribute, die die Anwendung signiert erhält.',
    nameId: 'NameID',
    format: 'Format',
    idToken: 'ID-Token',
    idTokenHint:
      'Signierte Claims über den Benutzer und die Anmeldung. Ein echtes Token hat auch at_hash und die nonce seiner Anfrage.',
    noIdToken: 'Keines: Der Scope openid wurde nicht angefordert.',
    userinfo: 'Userinfo',
    userinfoHint: 'Was der Userinfo-Endpunkt für das Access-Token liefert.',
    accessToken: 'Access-Token',
    accessTokenHint: 'Was das Token öffnet. Die Anwendung liest es nicht.',
    opaque: 'undurchsichtig (opaque)',
    audience: 'Zielgruppe (Audience)',
    scopes: 'Scopes',
    lifetime: 'Gültigkeit',
    seconds: (count) => `${String(count)} Sekunden`,
    refreshToken: 'Refresh-Token',
    yes: 'ja',
    noRefreshToken: 'nein, dafür braucht es den Scope offline_access',
  },
})
