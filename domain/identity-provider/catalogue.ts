import { entityManagement, low, medium } from '../audit/ocsf-classes.ts'
import { nobody, type Rows } from '../catalogue-row.ts'
import type { IdentityProviderEvent } from './events.ts'

const common = {
  schema: 1,
  target: ({ identityProviderId }: { identityProviderId: string }) => ({
    type: 'identity_provider',
    id: identityProviderId,
  }),
  personal: [],
  subject: nobody,
} as const

const opens = {
  takesAway: false,
  endsSessions: 'none',
  movesRuleMembers: 'none',
  forgetsNames: false,
  emails: [],
  marksProvisioning: false,
  changesConfiguration: true,
  movesPackageAccess: 'none',
} as const

const takes = { ...opens, takesAway: true } as const

export const identityProviderEvents = {
  'identity_provider.created': {
    ...common,
    audit: 'identity_provider.create',
    ocsf: entityManagement('Create', medium),
    summary: ({ name }) => `Added the identity provider ${name}`,
    consequences: opens,
  },
  'identity_provider.updated': {
    ...common,
    audit: 'identity_provider.update',
    ocsf: entityManagement('Update', medium),
    summary: (_, { target }) => `Updated the identity provider ${target}`,
    consequences: takes,
  },
  'identity_provider.enabled': {
    ...common,
    audit: 'identity_provider.enable',
    ocsf: entityManagement('Enable', low),
    summary: (_, { target }) => `Enabled the identity provider ${target}`,
    consequences: opens,
  },
  'identity_provider.disabled': {
    ...common,
    audit: 'identity_provider.disable',
    ocsf: entityManagement('Disable', low),
    summary: (_, { target }) => `Disabled the identity provider ${target}`,
    consequences: takes,
  },
  'identity_provider.deleted': {
    ...common,
    audit: 'identity_provider.delete',
    ocsf: entityManagement('Delete', medium),
    summary: (_, { target }) => `Deleted the identity provider ${target}`,
    consequences: takes,
  },
} as const satisfies Rows<IdentityProviderEvent>
