import type { Table } from '../table.ts'

const self = { id: 'branding' }

export const branding: Table = {
  name: 'branding',
  key: ['id'],
  on: {
    'branding.logo_updated': {
      apply: ({ data, metadata }, rows) => {
        const { mediaType: media_type, digest, content } = data
        rows.put({ ...self, media_type, digest, content, updated_at: metadata.time })
      },
    },
    'branding.logo_deleted': {
      reads: () => [self],
      apply: (_, rows) => rows.delete(self),
    },
  },
}
