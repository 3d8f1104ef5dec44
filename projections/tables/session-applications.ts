import type { Table } from '../table.ts'

/** Which applications a session was used for. */
export const sessionApplications: Table = {
  name: 'session_applications',
  key: ['session_id', 'application_id'],
  retention: { class: 'token', age: 'first_at' },
  on: {
    'grant.issued': {
      reads: ({ data }) => [{ session_id: data.sessionId, application_id: data.applicationId }],
      apply: ({ data, metadata }, rows) => {
        const key = { session_id: data.sessionId, application_id: data.applicationId }
        const known = rows.get(key)
        rows.put({
          ...key,
          user_id: data.userId,
          first_at: known?.['first_at'] ?? metadata.time,
          last_at: metadata.time,
        })
      },
    },
  },
}
