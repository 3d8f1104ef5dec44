import type { Table } from '../table.ts'

/** The decisions of users on sign-ins on other devices. */
export const deviceLogins: Table = {
  name: 'device_logins',
  key: ['id'],
  retention: { class: 'token', age: 'decided_at' },
  on: {
    'device_login.approved': {
      apply: ({ data, metadata }, rows) => {
        rows.put({
          id: data.deviceLoginId,
          outcome: 'approved',
          application_id: data.applicationId,
          user_id: data.userId,
          session_id: data.sessionId,
          grant_id: data.grantId,
          scopes: data.scopes,
          api_resource_ids: data.apiResourceIds,
          auth_time: data.authTime,
          authorized_at: data.authorizedAt,
          decided_at: metadata.time,
        })
      },
    },
    'device_login.denied': {
      apply: ({ data, metadata }, rows) => {
        rows.put({
          id: data.deviceLoginId,
          outcome: 'denied',
          application_id: data.applicationId,
          user_id: data.userId,
          session_id: null,
          grant_id: null,
          scopes: null,
          api_resource_ids: null,
          auth_time: null,
          authorized_at: null,
          decided_at: metadata.time,
        })
      },
    },
  },
}
