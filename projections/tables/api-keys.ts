import type { ApiKeyEvent } from '../../domain/api-key/events.ts'
import type { Recorded } from '../../domain/catalogue.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { keyId: string } }) => ({ id: event.data.keyId })
const stamp = (event: Recorded<ApiKeyEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})

/** Keys of service accounts. Whether the account may act is looked up beside them, so that its end is the end of all of them. */
export const apiKeys: Table = {
  name: 'api_keys',
  key: ['id'],
  on: {
    'api_key.created': {
      apply: (event, rows) => {
        const { data, metadata } = event
        rows.put({
          id: data.keyId,
          service_account_id: data.serviceAccountId,
          name: data.name,
          scopes: data.scopes,
          prefix: data.prefix,
          hash: data.hash,
          expires_at: data.expiresAt,
          allowed_cidrs: data.allowedCidrs,
          created_at: metadata.time,
          created_by: metadata.actorId,
          revoked_at: null,
          expired_at: null,
          ...stamp(event),
        })
      },
    },
    'api_key.revoked': change(self, (e) => ({ revoked_at: e.metadata.time, ...stamp(e) })),
    'api_key.expired': change(self, (e) => ({ expired_at: e.metadata.time, ...stamp(e) })),
  },
}
