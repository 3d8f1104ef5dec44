import { entityManagement, low, medium } from '../audit/ocsf-classes.ts'
import { nobody, noConsequences, type Rows } from '../catalogue-row.ts'
import type { DnsDomainEvent } from './events.ts'

const common = {
  schema: 1,
  target: ({ domainId }: { domainId: string }) => ({ type: 'domain', id: domainId }),
  personal: [],
  subject: nobody,
  consequences: noConsequences,
} as const

/** Home-realm discovery uses verified domains. */
const movesUsers = { ...noConsequences, changesConfiguration: true } as const
const takesAway = { ...movesUsers, takesAway: true } as const

export const dnsDomainEvents = {
  'domain.created': {
    ...common,
    audit: 'domain.add',
    ocsf: entityManagement('Create'),
    summary: ({ name }) => `Added the domain ${name}`,
  },
  'domain.verified': {
    ...common,
    audit: 'domain.verify',
    ocsf: entityManagement('Update', low),
    summary: ({ name }) => `Verified the domain ${name}`,
    consequences: movesUsers,
  },
  'domain.verification_failed': {
    ...common,
    audit: 'domain.verify.fail',
    ocsf: entityManagement('Update', medium),
    summary: ({ name }) => `Did not find the verification record of the domain ${name}`,
  },
  'domain.record_missing': {
    ...common,
    audit: 'domain.verify.fail',
    ocsf: entityManagement('Update', medium),
    summary: ({ name }) => `The verification record of the domain ${name} is missing`,
  },
  'domain.lost': {
    ...common,
    audit: 'domain.verify.fail',
    ocsf: entityManagement('Update', medium),
    summary: ({ name }) => `The domain ${name} is no longer verified`,
    consequences: takesAway,
  },
  'domain.deleted': {
    ...common,
    audit: 'domain.remove',
    ocsf: entityManagement('Delete', low),
    summary: ({ name }) => `Removed the domain ${name}`,
    consequences: takesAway,
  },
} as const satisfies Rows<DnsDomainEvent>
