import type { Table } from '../table.ts'

/** Users who revoked all grants of an application: their tokens from before that position are invalid. */
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
