import type { ApiKeyEvent, ApiKeyOutdated } from '../../domain/api-key/events.ts'
import type { Recorded } from '../../domain/catalogue.ts'
import type { ServiceAccountEvent } from '../../domain/service-account/events.ts'
import type { Rows } from '../rows.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { keyId: string } }) => ({ id: event.data.keyId })
const ofAccount = (event: { data: { serviceAccountId: string } }) => ({
  service_account_id: event.data.serviceAccountId,
})
const stamp = (event: Recorded<ApiKeyEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})

/** Makes the valid keys of an account invalid. */
const outdate = (event: Recorded<ServiceAccountEvent>, rows: Rows, cause: ApiKeyOutdated): void => {
  for (const row of rows.find(ofAccount(event)))
    if (row['outdated_at'] === null && row['revoked_at'] === null && row['expired_at'] === null)
      rows.put({ ...row, outdated_at: event.metadata.time, outdated_by: cause })
}

/** Keys of service accounts. The account's status is read separately, so that disabling it disables all its keys. */
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
          outdated_at: null,
          outdated_by: null,
          expired_at: null,
          ...stamp(event),
        })
      },
    },
    // A key has the roles of its account, except those added after its creation.
    'service_account.roles_changed': {
      reads: (event) => [ofAccount(event)],
      apply: (event, rows) => {
        if (event.data.added.length > 0) outdate(event, rows, 'roles_added')
      },
    },
    // Nor may a key certify hosts that was created before its account could. Further names change no kind of right.
    'service_account.ssh_host_names_changed': {
      reads: (event) => [ofAccount(event)],
      apply: (event, rows) => {
        const { hostNames, added, removed } = event.data
        if (added.length > 0 && added.length === hostNames.length && removed.length === 0)
          outdate(event, rows, 'ssh_host_names_added')
      },
    },
    'api_key.revoked': change(self, (e) => ({ revoked_at: e.metadata.time, ...stamp(e) })),
    'api_key.expired': change(self, (e) => ({ expired_at: e.metadata.time, ...stamp(e) })),
  },
}
