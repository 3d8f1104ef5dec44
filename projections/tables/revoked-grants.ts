import type { Table } from '../table.ts'

export const revokedGrants: Table = {
  name: 'revoked_grants',
  key: ['grant_id'],
  retention: { class: 'token', age: 'revoked_at' },
  on: {
    'grant.revoked': {
      apply: ({ data, metadata }, rows) => {
        rows.put({
          grant_id: data.grantId,
          application_id: data.applicationId,
          user_id: data.userId,
          reason: data.reason,
          revoked_at: metadata.time,
        })
      },
    },
  },
}
