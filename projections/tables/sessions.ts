import type { EventOf, Recorded } from '../../domain/catalogue.ts'
import type { EventThat, SessionEndingType } from '../../domain/consequences.ts'
import type { Row, Rows } from '../rows.ts'
import { change, type Reaction, type Table } from '../table.ts'

const self = (event: { data: { sessionId: string } }) => ({ id: event.data.sessionId })
const ofUser = (event: { data: { userId: string } }) => ({ user_id: event.data.userId })

const endAll = (
  event: EventThat<{ endsSessions: 'all_of_person' | 'by_method' }>,
  rows: Rows,
  reason: string,
  concerned: (row: Row) => boolean = () => true,
): void => {
  for (const row of rows.find(ofUser(event)))
    if (row['ended_at'] === null && concerned(row))
      rows.put({ ...row, ended_at: event.metadata.time, end_reason: reason })
}

const ends = (reason: string): Reaction<EventThat<{ endsSessions: 'all_of_person' }>> => ({
  reads: (event) => [ofUser(event)],
  apply: (event, rows) => {
    endAll(event, rows, reason)
  },
})

/** Whether a session was started with a method or, if the method was not recorded, with any of its kind. */
const restsOn = (
  row: Row,
  { methodId, methodType }: { methodId: string; methodType: string | null },
): boolean => {
  const ids = row['method_ids'] as readonly string[] | null
  if (ids !== null) return ids.includes(methodId)
  return methodType !== null && (row['methods'] as readonly string[]).includes(methodType)
}

type DeviceEnd = EventThat<{ endsSessions: 'on_device' }>

/** Removing or blocking a device ends the sessions that were started on it. */
const endsOnDevice = (reason: (event: DeviceEnd) => string): Reaction<DeviceEnd> => ({
  reads: ({ data }) => [{ device_id: data.deviceId }],
  apply: (event, rows) => {
    for (const row of rows.find({ device_id: event.data.deviceId }))
      if (row['ended_at'] === null)
        rows.put({ ...row, ended_at: event.metadata.time, end_reason: reason(event) })
  },
})

/** The sessions that each event type ends. */
const endings: { readonly [T in SessionEndingType]: Reaction<Recorded<EventOf<T>>> } = {
  'session.ended': change(self, (e) => ({ ended_at: e.metadata.time, end_reason: e.data.reason })),
  'user.suspended': ends('user_suspended'),
  'user.deleted': ends('user_deleted'),
  'user.methods_reset': ends('method_reset'),
  'user.method_removed': {
    reads: (event) => [ofUser(event)],
    apply: (event, rows) => {
      endAll(event, rows, 'method_reset', (row) => restsOn(row, event.data))
    },
  },
  'user.linked_account_removed': {
    reads: (event) => [ofUser(event)],
    apply: (event, rows) => {
      const link = { methodId: event.data.linkId, methodType: 'identity_provider' }
      endAll(event, rows, 'method_reset', (row) => restsOn(row, link))
    },
  },
  'user.sessions_revoked': ends('admin_revoked'),
  'risk_event.confirmed_compromised': ends('risk'),
  'device.blocked': endsOnDevice(() => 'policy'),
  'device.removed': endsOnDevice(({ data, metadata }) =>
    metadata.actorId === data.userId ? 'user_revoked' : 'admin_revoked',
  ),
}

/** Sign-in sessions. An expired one keeps `ended_at` null: readers compare `expires_at`. */
export const sessions: Table = {
  name: 'sessions',
  key: ['id'],
  open: 't.ended_at is null',
  retention: { class: 'sign_in', age: 'created_at' },
  on: {
    'session.started': {
      apply: ({ data, metadata, position }, rows) => {
        rows.put({
          id: data.sessionId,
          user_id: data.userId,
          token_hash: data.tokenHash,
          methods: data.methods,
          method_ids: data.methodIds,
          amr: data.amr,
          auth_time: data.authTime,
          auth_position: position,
          strength: data.strength,
          ip: data.ip ?? null,
          user_agent: data.userAgent ?? null,
          device_id: data.deviceId,
          location: data.location ?? null,
          risk: data.risk,
          created_at: metadata.time,
          expires_at: data.expiresAt,
          provider_session: data.providerSession ?? null,
          ended_at: null,
          end_reason: null,
        })
      },
    },
    'session.reauthenticated': change(self, ({ data, position }) => ({
      token_hash: data.tokenHash,
      methods: data.methods,
      method_ids: data.methodIds,
      amr: data.amr,
      auth_time: data.authTime,
      auth_position: position,
      expires_at: data.expiresAt,
      strength: data.strength,
      risk: data.risk,
      // A sign-in with a method of one's own does not end what a provider opened.
      ...(data.providerSession === undefined ? {} : { provider_session: data.providerSession }),
    })),
    ...endings,
    'user.erased': {
      reads: (event) => [ofUser(event)],
      history: true,
      apply: (event, rows) => {
        rows.patch(ofUser(event), { ip: null, user_agent: null, location: null })
      },
    },
  },
}
