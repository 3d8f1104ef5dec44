import { begin, turn } from '../intervals.ts'
import type { Table } from '../table.ts'

const self = (event: { data: { groupId: string } }) => ({ group_id: event.data.groupId })

/** Names and existence of groups over time. */
export const groupHistory: Table = {
  name: 'group_history',
  key: ['group_id', 'from_position'],
  open: 't.to_position is null',
  on: {
    'group.created': {
      apply: (event, rows) => {
        begin(event, rows, { ...self(event), status: 'exists', name: event.data.name })
      },
    },
    'group.updated': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        const name = event.data.changes.find(({ field }) => field === 'name')?.to
        if (typeof name === 'string') turn(event, rows, self(event), () => ({ name }))
      },
    },
    'group.deleted': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        turn(event, rows, self(event), () => ({ status: 'deleted' }))
      },
    },
  },
}
