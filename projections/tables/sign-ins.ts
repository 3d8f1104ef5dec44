import type { Table } from '../table.ts'

/** Sign-in attempts. */
export const signIns: Table = {
  name: 'sign_ins',
  key: ['id'],
  retention: { class: 'sign_in', age: 'created_at' },
  on: {
    'sign_in.recorded': {
      apply: ({ data, metadata, position }, rows) => {
        rows.put({
          id: data.signInId,
          created_at: metadata.time,
          user_id: data.userId,
          email: data.email ?? null,
          app_id: data.appId,
          result: data.result,
          method: data.method,
          identity_provider_id: data.identityProviderId,
          ip: data.ip ?? null,
          location: data.location ?? null,
          device: data.device ?? null,
          device_id: data.deviceId,
          user_agent: data.userAgent ?? null,
          risk: data.risk,
          reason: data.reason,
          session_id: data.sessionId,
          amr: data.amr,
          decision: data.decision,
          correlation_id: metadata.correlationId,
          position,
        })
      },
    },
    'user.erased': {
      reads: ({ data }) => [{ user_id: data.userId }],
      apply: ({ data }, rows) => {
        rows.patch(
          { user_id: data.userId },
          { email: null, ip: null, location: null, device: null, user_agent: null },
        )
      },
    },
  },
}
