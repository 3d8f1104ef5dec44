import type { Row, Rows } from '../rows.ts'
import type { Table } from '../table.ts'

const self = { id: 'branding' }

const noLogo = { media_type: null, digest: null, content: null }

const rowOf = (rows: Rows): Row => rows.find(self)[0] ?? { ...self, ...noLogo, accent_color: null }

export const branding: Table = {
  name: 'branding',
  key: ['id'],
  on: {
    'branding.logo_updated': {
      reads: () => [self],
      apply: ({ data, metadata }, rows) => {
        const { mediaType: media_type, digest, content } = data
        rows.put({ ...rowOf(rows), media_type, digest, content, updated_at: metadata.time })
      },
    },
    'branding.logo_deleted': {
      reads: () => [self],
      apply: ({ metadata }, rows) => rows.put({ ...rowOf(rows), ...noLogo, updated_at: metadata.time }),
    },
    'branding.updated': {
      reads: () => [self],
      apply: ({ data, metadata }, rows) =>
        rows.put({ ...rowOf(rows), accent_color: data.accentColor, updated_at: metadata.time }),
    },
  },
}
