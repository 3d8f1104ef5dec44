import type { EventOf, Recorded } from '../../domain/catalogue.ts'
import type { RiskEventState } from '../../domain/risk/decider.ts'
import type { RiskEvent } from '../../domain/risk/events.ts'
import { change, type Reaction, type Table } from '../table.ts'

const self = (event: { data: { riskEventId: string } }) => ({ id: event.data.riskEventId })
const ofUser = (event: { data: { userId: string } }) => ({ user_id: event.data.userId })

type ResolvedBy = Exclude<RiskEvent['type'], 'risk_event.detected'>

const resolves = (
  state: RiskEventState,
  more: (event: Recorded<EventOf<ResolvedBy>>) => Record<string, unknown>,
): Reaction<Recorded<EventOf<ResolvedBy>>> =>
  change(self, (event) => ({
    state,
    resolved_at: event.metadata.time,
    resolved_by: event.metadata.actorId,
    version: event.revision + 1,
    ...more(event),
  }))

const withNote = ({ data }: Recorded<EventOf<ResolvedBy>>) => ({
  note: 'note' in data ? (data.note ?? null) : null,
  resolved_by_sign_in_id: null,
})

/** Possible attacks on users. `is_reset`: the user has set up their sign-in methods again since. */
export const riskEvents: Table = {
  name: 'risk_events',
  key: ['id'],
  on: {
    'risk_event.detected': {
      apply: ({ data, metadata, revision }, rows) => {
        rows.put({
          id: data.riskEventId,
          user_id: data.userId,
          type: data.riskType,
          level: data.level,
          state: 'at_risk',
          sign_in_id: data.signInId,
          session_id: data.sessionId,
          ip: data.ip ?? null,
          location: data.location ?? null,
          detail: (data as Partial<typeof data>).detail ?? {},
          created_at: metadata.time,
          resolved_at: null,
          resolved_by: null,
          resolved_by_sign_in_id: null,
          note: null,
          is_reset: false,
          version: revision + 1,
        })
      },
    },
    'risk_event.remediated': resolves('remediated', ({ data }) => ({
      resolved_by_sign_in_id: 'signInId' in data ? data.signInId : null,
    })),
    'risk_event.dismissed': resolves('dismissed', withNote),
    'risk_event.confirmed_safe': resolves('confirmed_safe', withNote),
    'risk_event.confirmed_compromised': resolves('confirmed_compromised', (event) => ({
      ...withNote(event),
      is_reset: false,
    })),
    'user.methods_reset': {
      reads: (event) => [ofUser(event)],
      apply: (event, rows) => {
        rows.patch(ofUser(event), { is_reset: true })
      },
    },
    'user.erased': {
      reads: (event) => [ofUser(event)],
      apply: (event, rows) => {
        rows.patch(ofUser(event), { ip: null, location: null, detail: {}, note: null })
      },
    },
  },
}
