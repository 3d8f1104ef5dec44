import type { Recorded } from '../../domain/catalogue.ts'
import type { UserEvent } from '../../domain/user/events.ts'
import type { Reaction, Table } from '../table.ts'

const ofUser = (event: { data: { userId: string } }) => ({ user_id: event.data.userId })
const ofProvider = (event: { data: { identityProviderId: string } }) => ({
  identity_provider_id: event.data.identityProviderId,
})
const self = (event: { data: { linkId: string } }) => ({ id: event.data.linkId })

const removeAll: Reaction<Recorded<UserEvent>> = {
  reads: (event) => [ofUser(event)],
  apply: (event, rows) => {
    for (const row of rows.find(ofUser(event))) rows.delete(row)
  },
}

/** Linked accounts at identity providers. */
export const linkedAccounts: Table = {
  name: 'linked_accounts',
  key: ['id'],
  on: {
    'user.linked_account_added': {
      apply: ({ data, metadata }, rows) => {
        rows.put({
          id: data.linkId,
          user_id: data.userId,
          identity_provider_id: data.identityProviderId,
          subject: data.subject ?? null,
          email: data.email ?? null,
          linked_at: metadata.time,
        })
      },
    },
    'user.linked_account_removed': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        for (const row of rows.find(self(event))) rows.delete(row)
      },
    },
    'identity_provider.deleted': {
      reads: (event) => [ofProvider(event)],
      apply: (event, rows) => {
        for (const row of rows.find(ofProvider(event))) rows.delete(row)
      },
    },
    'user.methods_reset': removeAll,
    'user.deleted': removeAll,
  },
}
