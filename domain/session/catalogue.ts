import type { Rows } from '../catalogue-row.ts'
import type { SessionEvent } from './events.ts'

const session = (data: { sessionId: string }) => ({ type: 'session', id: data.sessionId })
const person = (data: { userId: string }) => data.userId

export const sessionEvents: Rows<SessionEvent> = {
  'session.started': {
    schema: 3,
    upcast: {
      1: (data) => ({ ...data, deviceId: null, location: null }),
      2: (data) => ({ ...data, methodIds: null }),
    },
    audit: null,
    summary: (_, { other }) => `${other} signed in`,
    target: session,
    personal: ['ip', 'userAgent', 'location'],
    subject: person,
  },
  'session.reauthenticated': {
    schema: 2,
    upcast: { 1: (data) => ({ ...data, methodIds: null }) },
    audit: null,
    summary: (_, { other }) => `${other} signed in again`,
    target: session,
    personal: [],
    subject: person,
  },
  'session.proof_spent': {
    schema: 1,
    audit: null,
    summary: (_, { other }) => `${other} proved again who they are`,
    target: session,
    personal: [],
    subject: person,
  },
  'session.ended': {
    schema: 1,
    audit: ({ reason }) => (reason === 'admin_revoked' ? 'session.revoke' : 'session.end'),
    actions: ['session.revoke', 'session.end'],
    summary: ({ reason }, { other }) => `Ended a session of ${other} (${reason.replaceAll('_', ' ')})`,
    target: session,
    personal: [],
    subject: person,
  },
}
