import type { Recorded } from '../../domain/catalogue.ts'
import type { Role } from '../../domain/roles.ts'
import type { Rows } from '../rows.ts'
import type { Reaction, Table } from '../table.ts'

type Holder<Event> = (event: NoInfer<Event>) => string

const rolesOf = (holder: string) => ({ user_id: holder })

const close = (
  { position, metadata }: Recorded,
  holder: string,
  rows: Rows,
  ends: (role: string) => boolean,
) => {
  for (const row of rows.find(rolesOf(holder)))
    if (row['to_position'] === null && ends(String(row['role'])))
      rows.put({ ...row, to_position: position, to_at: metadata.time, ended_by: metadata.actorId })
}

type RolesChanged = Recorded & {
  readonly data: { readonly added: readonly Role[]; readonly removed: readonly Role[] }
}

const changed = <Event extends RolesChanged>(holder: Holder<Event>): Reaction<Event> => ({
  reads: (event) => [rolesOf(holder(event))],
  apply: (event, rows) => {
    const { added, removed } = event.data
    close(event, holder(event), rows, (role) => (removed as readonly string[]).includes(role))
    for (const role of added)
      rows.put({
        user_id: holder(event),
        role,
        from_position: event.position,
        from_at: event.metadata.time,
        granted_by: event.metadata.actorId,
        to_position: null,
        to_at: null,
        ended_by: null,
      })
  },
})

const gone = <Event extends Recorded>(holder: Holder<Event>): Reaction<Event> => ({
  reads: (event) => [rolesOf(holder(event))],
  apply: (event, rows) => {
    close(event, holder(event), rows, () => true)
  },
})

/** The roles of users and service accounts over time. */
export const roleIntervals: Table = {
  name: 'role_intervals',
  key: ['user_id', 'role', 'from_position'],
  open: 't.to_position is null',
  on: {
    'user.roles_changed': changed(({ data }) => data.userId),
    'user.deleted': gone(({ data }) => data.userId),
    'service_account.roles_changed': changed(({ data }) => data.serviceAccountId),
    'service_account.deleted': gone(({ data }) => data.serviceAccountId),
  },
}
