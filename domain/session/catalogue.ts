import { authentication, low, medium } from '../audit/ocsf-classes.ts'
import { noConsequences, type Rows } from '../catalogue-row.ts'
import type { SessionEvent } from './events.ts'

const session = (data: { sessionId: string }) => ({ type: 'session', id: data.sessionId })
const person = (data: { userId: string }) => data.userId

export const sessionEvents = {
  'session.started': {
    schema: 4,
    upcast: {
      1: (data) => ({ ...data, deviceId: null, location: null }),
      2: (data) => ({ ...data, methodIds: null }),
      3: (data) => ({ ...data, risk: 'none' }),
    },
    audit: null,
    summary: (_, { other }) => `${other} signed in`,
    target: session,
    personal: ['ip', 'userAgent', 'location'],
    subject: person,
    consequences: noConsequences,
  },
  'session.created_for_development': {
    schema: 1,
    audit: 'system.dev_session.create',
    ocsf: authentication('Logon', medium),
    summary: (_, { other }) => `Created a session of ${other} for development, without a sign-in`,
    target: session,
    personal: [],
    subject: person,
    consequences: noConsequences,
  },
  'session.reauthenticated': {
    schema: 3,
    upcast: {
      1: (data) => ({ ...data, methodIds: null }),
      2: (data) => ({ ...data, risk: 'none' }),
    },
    audit: null,
    summary: (_, { other }) => `${other} signed in again`,
    target: session,
    personal: [],
    subject: person,
    consequences: {
      takesAway: true,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
  'session.proof_spent': {
    schema: 1,
    audit: null,
    summary: (_, { other }) => `${other} confirmed their identity`,
    target: session,
    personal: [],
    subject: person,
    consequences: noConsequences,
  },
  'session.ended': {
    schema: 1,
    audit: ({ reason }) => (reason === 'admin_revoked' ? 'session.revoke' : 'session.end'),
    actions: {
      'session.revoke': authentication('Logoff', low),
      'session.end': authentication('Logoff'),
    },
    summary: ({ reason }, { other }) => `Ended a session of ${other} (${reason.replaceAll('_', ' ')})`,
    target: session,
    personal: [],
    subject: person,
    consequences: {
      takesAway: true,
      endsSessions: 'this_one',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
} as const satisfies Rows<SessionEvent>
