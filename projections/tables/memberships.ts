import type { Recorded } from '../../domain/catalogue.ts'
import { auditIdFor } from '../audit-id.ts'
import type { Row, Rows, Selector } from '../rows.ts'
import type { Table } from '../table.ts'

type Subject = { data: { groupId: string; userId: string } }
const membershipOf = ({ data }: Subject) => ({ membership: `${data.groupId}:${data.userId}` })

const end = (event: Recorded, rows: Rows, of: Selector, reason: string, ends = (_: Row) => true): void => {
  for (const row of rows.find(of))
    if (row['to_position'] === null && ends(row))
      rows.put({
        ...row,
        to_position: event.position,
        to_at: event.metadata.time,
        ended_by: event.metadata.actorId,
        end_reason: reason,
        end_audit_id: auditIdFor(event),
      })
}

const sameSource =
  ({ via, sourceId }: { via: string; sourceId?: string }) =>
  (row: Row) =>
    row['via'] === via && row['source_id'] === (sourceId ?? null)

type Expiries = readonly (readonly [position: string, expiresAt: string | null])[]

/** The planned end of the membership, from each log position on. */
const expiriesOf = (row: Row): Expiries =>
  (row['expiries'] as Expiries | null) ?? [[String(row['from_position']), row['expires_at'] as string | null]]

/** Current and past group members, with the source of their membership. */
export const memberships: Table = {
  name: 'memberships',
  key: ['from_position'],
  open: 't.to_position is null',
  on: {
    'membership.granted': {
      apply: (event, rows) => {
        const { groupId, userId, via, sourceId, expiresAt } = event.data
        rows.put({
          from_position: event.position,
          ...membershipOf(event),
          group_id: groupId,
          user_id: userId,
          via,
          source_id: sourceId ?? null,
          expires_at: expiresAt ?? null,
          from_at: event.metadata.time,
          granted_by: event.metadata.actorId,
          to_position: null,
          to_at: null,
          ended_by: null,
          end_reason: null,
          audit_id: auditIdFor(event),
          end_audit_id: null,
          expiries: null,
        })
      },
    },
    'membership.expiry_changed': {
      reads: (event) => [membershipOf(event)],
      apply: (event, rows) => {
        for (const row of rows.find(membershipOf(event)))
          if (row['to_position'] === null && sameSource(event.data)(row))
            rows.put({
              ...row,
              expires_at: event.data.expiresAt,
              expiries: [...expiriesOf(row), [event.position, event.data.expiresAt]],
            })
      },
    },
    'membership.withdrawn': {
      reads: (event) => [membershipOf(event)],
      apply: (event, rows) => {
        end(event, rows, membershipOf(event), event.data.reason, sameSource(event.data))
      },
    },
    'group.deleted': {
      reads: ({ data }) => [{ group_id: data.groupId }],
      apply: (event, rows) => {
        end(event, rows, { group_id: event.data.groupId }, 'group_deleted')
      },
    },
    'user.deleted': {
      reads: ({ data }) => [{ user_id: data.userId }],
      apply: (event, rows) => {
        end(event, rows, { user_id: event.data.userId }, 'user_deleted')
      },
    },
  },
}
