import type { Recorded } from '../../domain/catalogue.ts'
import { applyChanges } from '../../domain/changes.ts'
import type { IdentityProviderEvent, IdentityProviderFields } from '../../domain/identity-provider/events.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { identityProviderId: string } }) => ({ id: event.data.identityProviderId })
const stamp = (event: Recorded<IdentityProviderEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})

/** Identity providers that users sign in with. */
export const identityProviders: Table = {
  name: 'identity_providers',
  key: ['id'],
  on: {
    'identity_provider.created': {
      apply: (event, rows) => {
        const { identityProviderId: id, providerType, issuer, sealedSecret, ...fields } = event.data
        rows.put({
          ...{ id, type: providerType, issuer, status: 'enabled' },
          ...{ name_key: fields.name.toLowerCase(), fields, sealed_secret: sealedSecret },
          created_at: event.metadata.time,
          ...stamp(event),
        })
      },
    },
    'identity_provider.updated': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        const { changes, sealedSecret } = event.data
        for (const row of rows.find(self(event))) {
          const own = changes.filter(({ field }) => field !== 'clientSecret')
          const fields = applyChanges(row['fields'] as IdentityProviderFields, own)
          rows.put({
            ...row,
            ...{ fields, name_key: fields.name.toLowerCase() },
            ...(sealedSecret === undefined ? {} : { sealed_secret: sealedSecret }),
            ...stamp(event),
          })
        }
      },
    },
    'identity_provider.enabled': change(self, (event) => ({ status: 'enabled', ...stamp(event) })),
    'identity_provider.disabled': change(self, (event) => ({ status: 'disabled', ...stamp(event) })),
    'identity_provider.deleted': change(self, (event) => ({
      ...{ status: 'deleted', name_key: null, sealed_secret: null },
      ...stamp(event),
    })),
  },
}
