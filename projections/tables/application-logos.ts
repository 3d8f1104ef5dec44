import type { Table } from '../table.ts'

const self = (event: { readonly data: { readonly applicationId: string } }) => ({
  application_id: event.data.applicationId,
})

/** The uploaded logos of applications that exist. */
export const applicationLogos: Table = {
  name: 'application_logos',
  key: ['application_id'],
  on: {
    'application_logo.updated': {
      apply: (event, rows) => {
        const { mediaType: media_type, digest, content } = event.data
        rows.put({ ...self(event), media_type, digest, content })
      },
    },
    'application_logo.deleted': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        for (const row of rows.find(self(event))) rows.delete(row)
      },
    },
    'application.deleted': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        for (const row of rows.find(self(event))) rows.delete(row)
      },
    },
  },
}
