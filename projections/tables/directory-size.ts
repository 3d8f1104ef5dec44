import type { Rows } from '../rows.ts'
import type { Reaction, Table } from '../table.ts'

const counted = <Event>(of: 'users' | 'groups', by: 1 | -1): Reaction<Event> => ({
  reads: () => [{ of }],
  apply: (_, rows: Rows) => {
    const total = Number(rows.get({ of })?.['total'] ?? 0)
    rows.put({ of, total: total + by })
  },
})

/** The number of users and groups that are not deleted. */
export const directorySize: Table = {
  name: 'directory_size',
  key: ['of'],
  on: {
    'user.invited': counted('users', 1),
    'user.deleted': counted('users', -1),
    'group.created': counted('groups', 1),
    'group.deleted': counted('groups', -1),
  },
}
