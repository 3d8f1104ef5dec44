import type { Recorded } from '../../domain/catalogue.ts'
import { auditIdFor } from '../audit-id.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { assignmentId: string } }) => ({ id: event.data.assignmentId })

const ended = (event: Recorded, status: string, reason: string) => ({
  status,
  end_reason: reason,
  to_position: event.position,
  to_at: event.metadata.time,
  ended_by: event.metadata.actorId,
  end_audit_id: auditIdFor(event),
})

const statusAfter = {
  expired: 'expired',
  revoked: 'revoked',
  given_up: 'revoked',
  conflict: 'failed',
} as const

/** Who has which access package, had it, or will. */
export const packageAssignments: Table = {
  name: 'package_assignments',
  key: ['id'],
  on: {
    'package_assignment.granted': {
      apply: (event, rows) => {
        const { data, metadata, position } = event
        rows.put({
          ...self(event),
          user_id: data.userId,
          package_id: data.packageId,
          status: data.startsAt === undefined ? 'active' : 'scheduled',
          via: data.via,
          request_id: data.requestId ?? null,
          starts_at: data.startsAt ?? metadata.time,
          expires_at: data.expiresAt ?? null,
          from_position: position,
          from_at: metadata.time,
          granted_by: metadata.actorId,
          audit_id: auditIdFor(event),
          to_position: null,
          to_at: null,
          ended_by: null,
          end_reason: null,
          end_audit_id: null,
        })
      },
    },
    'package_assignment.started': change(self, () => ({ status: 'active' })),
    'package_assignment.extended': change(self, ({ data }) => ({ expires_at: data.expiresAt })),
    'package_assignment.ended': change(self, (event) =>
      ended(event, statusAfter[event.data.reason], event.data.reason),
    ),
    'user.deleted': {
      reads: ({ data }) => [{ user_id: data.userId }],
      apply: (event, rows) => {
        for (const row of rows.find({ user_id: event.data.userId }))
          if (row['to_position'] === null) rows.put({ ...row, ...ended(event, 'revoked', 'user_deleted') })
      },
    },
  },
}
