import { entityManagement, low, medium } from '../audit/ocsf-classes.ts'
import { nobody, type Rows } from '../catalogue-row.ts'
import type { NetworkZoneEvent } from './events.ts'

const zone = (data: { networkZoneId: string }) => ({ type: 'network_zone', id: data.networkZoneId })

/** Every change can move addresses into a blocked zone or out of a trusted one. */
const plain = {
  schema: 1,
  target: zone,
  personal: [],
  subject: nobody,
  consequences: {
    takesAway: true,
    endsSessions: 'none',
    movesRuleMembers: 'none',
    forgetsNames: false,
    emails: [],
    marksProvisioning: false,
    changesConfiguration: true,
    movesPackageAccess: 'none',
  },
} as const

export const networkZoneEvents = {
  'network_zone.created': {
    ...plain,
    audit: 'network_zone.create',
    ocsf: entityManagement('Create', low),
    summary: ({ name }) => `Created the network zone ${name}`,
  },
  'network_zone.updated': {
    ...plain,
    audit: 'network_zone.update',
    ocsf: entityManagement('Update', low),
    summary: (_, { target }) => `Updated the network zone ${target}`,
  },
  'network_zone.deleted': {
    ...plain,
    audit: 'network_zone.delete',
    ocsf: entityManagement('Delete', medium),
    summary: (_, { target }) => `Deleted the network zone ${target}`,
  },
} as const satisfies Rows<NetworkZoneEvent>
