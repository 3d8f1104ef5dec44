import type { SharedSignalsStreamRecord } from '../records.ts'
import { texts } from '../text.tsx'

type Status = SharedSignalsStreamRecord['status']
type Method = SharedSignalsStreamRecord['method']

export const streamStatusTexts = texts({
  en: { enabled: 'Enabled', paused: 'Paused', disabled: 'Disabled' } satisfies Record<Status, string>,
  de: { enabled: 'Aktiv', paused: 'Angehalten', disabled: 'Deaktiviert' },
})

export const deliveryTexts = texts({
  en: { 'urn:ietf:rfc:8935': 'Push', 'urn:ietf:rfc:8936': 'Poll' } satisfies Record<Method, string>,
  de: { 'urn:ietf:rfc:8935': 'Zustellung', 'urn:ietf:rfc:8936': 'Abruf' },
})

/** The last part of the URI of an event type, in words. */
export const signalTexts = texts({
  en: {
    'session-revoked': 'Session ended',
    'credential-change': 'Sign-in method changed',
    'assurance-level-change': 'Strength of the sign-in changed',
    'device-compliance-change': 'Trust in a device changed',
    'risk-level-change': 'Risk of a user changed',
    'account-disabled': 'User suspended or compromised',
    'account-enabled': 'User reactivated',
    'account-purged': 'User deleted',
  },
  de: {
    'session-revoked': 'Sitzung beendet',
    'credential-change': 'Anmeldemethode geändert',
    'assurance-level-change': 'Stärke der Anmeldung geändert',
    'device-compliance-change': 'Vertrauen in ein Gerät geändert',
    'risk-level-change': 'Risiko eines Benutzers geändert',
    'account-disabled': 'Benutzer gesperrt oder kompromittiert',
    'account-enabled': 'Benutzer reaktiviert',
    'account-purged': 'Benutzer gelöscht',
  },
})

export const sharedSignalsTexts = texts({
  en: {
    title: 'Shared signals',
    lead: 'Applications learn within a second that a user was suspended, a session ended or a sign-in method changed (OpenID Shared Signals Framework, CAEP, RISC).',
    setUp: 'Set up',
    setUpHint:
      'Receivers authenticate with their own client credentials. An API resource with two scopes says which services may receive.',
    createResource: 'Create the API resource',
    created: 'The API resource was created',
    resource: 'API resource',
    next: 'Create an application of type service for the receiver, grant it the scopes of this API resource, and give the receiver this address:',
    metadata: 'Address of the transmitter',
    groupsHint: 'A receiver with groups learns about the members of these groups, any other about all users.',
    streams: 'Streams',
    empty: 'No receiver has created a stream yet.',
    application: 'Receiver',
    delivery: 'Delivery',
    status: 'Status',
    pending: 'Waiting events',
    last: 'Last event received',
    lastError: 'Last error',
    description: 'Description',
    endpoint: 'Address',
    events: 'Events',
    noEvents: 'None: the receiver asked for no event.',
    reason: 'Reason',
    reasonHint: 'The receiver is told.',
    by: 'Status set by',
    receiver: 'The receiver',
    administrator: 'An administrator',
    enable: 'Enable',
    enableEffect: 'Waiting events are sent, and new ones too.',
    pause: 'Pause',
    pauseEffect: 'Events wait until the stream is enabled again, at most 7 days.',
    disable: 'Disable',
    disableEffect: 'Waiting events are lost, and new ones too. The receiver cannot enable the stream.',
    remove: 'Delete',
    removeEffect:
      'Its events are lost. The receiver can create another stream while it has the scope ssf.manage.',
    done: 'The stream was changed',
    removed: 'The stream was deleted',
    details: 'Stream',
    history: 'History',
    createdAt: 'Created',
    streamId: 'Stream id',
  },
  de: {
    title: 'Sicherheitssignale',
    lead: 'Anwendungen erfahren innerhalb einer Sekunde, dass ein Benutzer gesperrt, eine Sitzung beendet oder eine Anmeldemethode geändert wurde (OpenID Shared Signals Framework, CAEP, RISC).',
    setUp: 'Einrichten',
    setUpHint:
      'Empfänger weisen sich mit eigenen Client-Zugangsdaten aus. Eine API-Ressource mit zwei Berechtigungen sagt, welche Dienste empfangen dürfen.',
    createResource: 'API-Ressource anlegen',
    created: 'Die API-Ressource wurde angelegt',
    resource: 'API-Ressource',
    next: 'Legen Sie für den Empfänger eine Anwendung vom Typ Dienst an, geben Sie ihr die Berechtigungen dieser API-Ressource, und geben Sie dem Empfänger diese Adresse:',
    metadata: 'Adresse des Senders',
    groupsHint: 'Ein Empfänger mit Gruppen erfährt von deren Mitgliedern, jeder andere von allen Benutzern.',
    streams: 'Ströme',
    empty: 'Noch hat kein Empfänger einen Strom angelegt.',
    application: 'Empfänger',
    delivery: 'Übertragung',
    status: 'Zustand',
    pending: 'Wartende Ereignisse',
    last: 'Letztes empfangenes Ereignis',
    lastError: 'Letzter Fehler',
    description: 'Beschreibung',
    endpoint: 'Adresse',
    events: 'Ereignisse',
    noEvents: 'Keine: Der Empfänger hat kein Ereignis verlangt.',
    reason: 'Grund',
    reasonHint: 'Der Empfänger erfährt ihn.',
    by: 'Zustand gesetzt von',
    receiver: 'Dem Empfänger',
    administrator: 'Einem Administrator',
    enable: 'Aktivieren',
    enableEffect: 'Wartende und neue Ereignisse werden gesendet.',
    pause: 'Anhalten',
    pauseEffect: 'Ereignisse warten, bis der Strom wieder aktiviert wird, höchstens 7 Tage.',
    disable: 'Deaktivieren',
    disableEffect:
      'Wartende Ereignisse gehen verloren, und neue auch. Der Empfänger kann den Strom nicht aktivieren.',
    remove: 'Löschen',
    removeEffect:
      'Seine Ereignisse gehen verloren. Der Empfänger kann einen neuen Strom anlegen, solange er die Berechtigung ssf.manage hat.',
    done: 'Der Strom wurde geändert',
    removed: 'Der Strom wurde gelöscht',
    details: 'Strom',
    history: 'Verlauf',
    createdAt: 'Angelegt',
    streamId: 'Kennung des Stroms',
  },
})
