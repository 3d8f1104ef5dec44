import type { Recorded } from '../../domain/catalogue.ts'
import type { PolicyEvent } from '../../domain/policy/events.ts'
import { begin, turn } from '../intervals.ts'
import type { Reaction, Table } from '../table.ts'

const self = (event: { data: { policyId: string } }) => ({ id: event.data.policyId })

/** A map: a field can have the name of an inherited property. */
const columns: ReadonlyMap<string, string> = new Map([
  ['name', 'name'],
  ['description', 'description'],
  ['priority', 'priority'],
  ['conditions', 'conditions'],
  ['action', 'action'],
  ['sessionMaxAgeMinutes', 'session_max_age_minutes'],
])

const turned = <E extends Recorded<PolicyEvent>>(
  to: (event: NoInfer<E>) => Record<string, unknown>,
): Reaction<E> => ({
  reads: (event) => [self(event)],
  apply: (event, rows) => {
    turn(event, rows, self(event), () => ({ ...to(event), version: event.revision + 1 }))
  },
})

/** Policies over time: a row for each version. */
export const policies: Table = {
  name: 'policies',
  key: ['id', 'from_position'],
  open: 't.to_position is null',
  on: {
    'policy.created': {
      apply: (event, rows) => {
        const { policyId: id, status, name, description, priority, conditions, action } = event.data
        begin(event, rows, {
          ...{ id, status, name, priority, conditions, action },
          description: description ?? null,
          session_max_age_minutes: event.data.sessionMaxAgeMinutes ?? null,
          created_at: event.metadata.time,
          created_by: event.metadata.actorId,
          version: event.revision + 1,
        })
      },
    },
    'policy.updated': turned(({ data }) =>
      Object.fromEntries(
        data.changes.flatMap(({ field, to }) => {
          const column = columns.get(field)
          return column === undefined ? [] : [[column, to]]
        }),
      ),
    ),
    'policy.status_changed': turned(({ data }) => ({ status: data.status })),
    'policy.deleted': turned(() => ({ status: 'deleted' })),
  },
}
