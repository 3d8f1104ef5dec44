import type { Recorded } from '../../domain/catalogue.ts'
import type { Rows, Selector } from '../rows.ts'
import type { Table } from '../table.ts'

type Subject = { data: { applicationId: string; apiResourceId: string } }
const apiGrantOf = ({ data }: Subject) => ({
  application_id: data.applicationId,
  api_resource_id: data.apiResourceId,
})

const end = (event: Recorded, rows: Rows, of: Selector): void => {
  for (const row of rows.find(of))
    if (row['to_position'] === null)
      rows.put({
        ...row,
        to_position: event.position,
        to_at: event.metadata.time,
        ended_by: event.metadata.actorId,
      })
}

/** The scopes of API resources that applications can or could request. A change of the scopes starts a new row. */
export const apiGrants: Table = {
  name: 'api_grants',
  key: ['from_position'],
  open: 't.to_position is null',
  on: {
    'application.api_granted': {
      reads: (event) => [apiGrantOf(event)],
      apply: (event, rows) => {
        end(event, rows, apiGrantOf(event))
        rows.put({
          from_position: event.position,
          grant_id: event.data.grantId,
          ...apiGrantOf(event),
          scopes: event.data.scopes,
          from_at: event.metadata.time,
          granted_by: event.metadata.actorId,
          to_position: null,
          to_at: null,
          ended_by: null,
        })
      },
    },
    'application.api_grant_withdrawn': {
      reads: (event) => [apiGrantOf(event)],
      apply: (event, rows) => {
        end(event, rows, apiGrantOf(event))
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
