import type { ApiResourceEvent, ApiScope } from '../../domain/api-resource/events.ts'
import { describeScope } from '../../domain/api-resource/scopes.ts'
import type { Recorded } from '../../domain/catalogue.ts'
import { change, type Reaction, type Table } from '../table.ts'

const self = (event: { data: { apiResourceId: string } }) => ({ id: event.data.apiResourceId })
const stamp = (event: Recorded<ApiResourceEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})

/** A map: a field can have the name of an inherited property. */
const columns: ReadonlyMap<string, string> = new Map([
  ['name', 'name'],
  ['description', 'description'],
  ['accessTokenLifetimeSeconds', 'access_token_lifetime_seconds'],
  ['ownerApplicationIds', 'owner_application_ids'],
])

const scopes = <Event extends Recorded<ApiResourceEvent>>(
  to: (event: NoInfer<Event>, before: readonly ApiScope[]) => readonly ApiScope[],
): Reaction<Event> => ({
  reads: (event) => [self(event)],
  apply: (event, rows) => {
    for (const row of rows.find(self(event)))
      rows.put({ ...row, scopes: to(event, row['scopes'] as readonly ApiScope[]), ...stamp(event) })
  },
})

export const apiResources: Table = {
  name: 'api_resources',
  key: ['id'],
  on: {
    'api_resource.created': {
      apply: (event, rows) => {
        const { data } = event
        rows.put({
          id: data.apiResourceId,
          status: 'exists',
          identifier: data.identifier,
          name: data.name,
          description: data.description ?? null,
          access_token_lifetime_seconds: data.accessTokenLifetimeSeconds ?? null,
          owner_application_ids: data.ownerApplicationIds,
          scopes: data.scopes,
          created_at: event.metadata.time,
          ...stamp(event),
        })
      },
    },
    'api_resource.updated': change(self, (e) => {
      const row: Record<string, unknown> = { ...stamp(e) }
      for (const { field, to } of e.data.changes) {
        const column = columns.get(field)
        if (column !== undefined) row[column] = column === 'owner_application_ids' ? (to ?? []) : to
      }
      return row
    }),
    'api_resource.scope_added': scopes(({ data }, before) => [...before, data.scope]),
    'api_resource.scope_described': scopes(({ data }, before) => describeScope(before, data.name, data.to)),
    'api_resource.scope_removed': scopes(({ data }, before) =>
      before.filter(({ name }) => name !== data.name),
    ),
    'api_resource.deleted': change(self, (e) => ({ status: 'deleted', ...stamp(e) })),
  },
}
