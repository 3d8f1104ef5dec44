import type { Recorded } from '../../domain/catalogue.ts'
import { auditIdFor } from '../audit-id.ts'
import type { Rows, Selector } from '../rows.ts'
import type { Table } from '../table.ts'

type Subject = { data: { applicationId: string; groupId: string } }
const assignmentOf = ({ data }: Subject) => ({ application_id: data.applicationId, group_id: data.groupId })

const end = (event: Recorded, rows: Rows, of: Selector): void => {
  for (const row of rows.find(of))
    if (row['to_position'] === null)
      rows.put({
        ...row,
        to_position: event.position,
        to_at: event.metadata.time,
        ended_by: event.metadata.actorId,
        end_audit_id: auditIdFor(event),
      })
}

/** The groups that applications are or were assigned to. */
export const applicationGroups: Table = {
  name: 'application_groups',
  key: ['from_position'],
  open: 't.to_position is null',
  on: {
    'application.group_assigned': {
      apply: (event, rows) => {
        rows.put({
          from_position: event.position,
          ...assignmentOf(event),
          from_at: event.metadata.time,
          assigned_by: event.metadata.actorId,
          to_position: null,
          to_at: null,
          ended_by: null,
          audit_id: auditIdFor(event),
          end_audit_id: null,
        })
      },
    },
    'application.group_unassigned': {
      reads: (event) => [assignmentOf(event)],
      apply: (event, rows) => {
        end(event, rows, assignmentOf(event))
      },
    },
    'application.deleted': {
      reads: ({ data }) => [{ application_id: data.applicationId }],
      apply: (event, rows) => {
        end(event, rows, { application_id: event.data.applicationId })
      },
    },
  },
}
