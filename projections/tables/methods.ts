import type { Recorded } from '../../domain/catalogue.ts'
import type { UserEvent } from '../../domain/user/events.ts'
import { change, type Reaction, type Table } from '../table.ts'

const ofUser = (event: { data: { userId: string } }) => ({ user_id: event.data.userId })
const self = (event: { data: { methodId: string } }) => ({ id: event.data.methodId })

const removeAll: Reaction<Recorded<UserEvent>> = {
  reads: (event) => [ofUser(event)],
  apply: (event, rows) => {
    for (const row of rows.find(ofUser(event))) rows.delete(row)
  },
}

export const methods: Table = {
  name: 'methods',
  key: ['id'],
  on: {
    'user.method_added': {
      apply: ({ data, metadata }, rows) => {
        rows.put({
          id: data.methodId,
          user_id: data.userId,
          type: data.methodType,
          name: data.name ?? null,
          credential_id: data.credentialId,
          public_key: data.publicKey,
          initial_sign_count: data.signCount,
          transports: data.transports,
          aaguid: data.aaguid,
          backed_up: data.backedUp,
          sealed_secret: null,
          created_at: metadata.time,
        })
      },
    },
    'user.authenticator_added': {
      apply: ({ data, metadata }, rows) => {
        rows.put({
          id: data.methodId,
          user_id: data.userId,
          type: 'authenticator_code',
          name: data.name ?? null,
          credential_id: null,
          public_key: null,
          initial_sign_count: 0,
          transports: [],
          aaguid: null,
          backed_up: null,
          sealed_secret: data.sealedSecret ?? null,
          created_at: metadata.time,
        })
      },
    },
    'user.method_renamed': change(self, (e) => ({ name: (e.data.name as string | undefined) ?? null })),
    'user.method_removed': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        for (const row of rows.find(self(event))) rows.delete(row)
      },
    },
    'user.methods_reset': removeAll,
    'user.deleted': removeAll,
  },
}
