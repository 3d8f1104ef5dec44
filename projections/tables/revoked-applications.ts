import type { Table } from '../table.ts'

/** People who took back all that they had let an application do: their tokens from before that place are void. */
export const revokedApplications: Table = {
  name: 'revoked_applications',
  key: ['user_id', 'application_id'],
  retention: { class: 'token', age: 'revoked_at' },
  on: {
    'grant.all_revoked': {
      apply: ({ data, metadata, position }, rows) => {
        rows.put({
          user_id: data.userId,
          application_id: data.applicationId,
          tokens_void_before: position,
          revoked_at: metadata.time,
        })
      },
    },
  },
}
