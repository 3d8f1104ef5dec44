import type { Recorded } from '../../domain/catalogue.ts'
import type { UserEvent } from '../../domain/user/events.ts'
import type { Rows } from '../rows.ts'
import type { Table } from '../table.ts'

const ofUser = (event: { data: { userId: string } }) => ({ user_id: event.data.userId })

const close = (event: Recorded<UserEvent>, rows: Rows, ends: (role: string) => boolean): void => {
  for (const row of rows.find(ofUser(event)))
    if (row['to_position'] === null && ends(String(row['role'])))
      rows.put({
        ...row,
        to_position: event.position,
        to_at: event.metadata.time,
        ended_by: event.metadata.actorId,
      })
}

export const roleIntervals: Table = {
  name: 'role_intervals',
  key: ['user_id', 'role', 'from_position'],
  open: 't.to_position is null',
  on: {
    'user.roles_changed': {
      reads: (event) => [ofUser(event)],
      apply: (event, rows) => {
        close(event, rows, (role) => (event.data.removed as readonly string[]).includes(role))
        for (const role of event.data.added)
          rows.put({
            user_id: event.data.userId,
            role,
            from_position: event.position,
            from_at: event.metadata.time,
            granted_by: event.metadata.actorId,
            to_position: null,
            to_at: null,
            ended_by: null,
          })
      },
    },
    'user.deleted': {
      reads: (event) => [ofUser(event)],
      apply: (event, rows) => {
        close(event, rows, () => true)
      },
    },
  },
}
