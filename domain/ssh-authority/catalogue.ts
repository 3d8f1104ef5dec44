import { entityManagement, high, medium } from '../audit/ocsf-classes.ts'
import { nobody, type Rows } from '../catalogue-row.ts'
import type { SshAuthorityEvent } from './events.ts'

const common = {
  schema: 1,
  target: ({ fingerprint }: { fingerprint: string }) => ({ type: 'ssh_authority_key', id: fingerprint }),
  personal: [],
  subject: nobody,
  consequences: {
    takesAway: false,
    endsSessions: 'none',
    movesRuleMembers: 'none',
    forgetsNames: false,
    emails: [],
    marksProvisioning: false,
    changesConfiguration: true,
    movesPackageAccess: 'none',
  },
} as const

export const sshAuthorityEvents = {
  'ssh_authority_key.created': {
    ...common,
    audit: null,
    summary: (_, { target }) => `Created the SSH authority key ${target}`,
  },
  'ssh_authority_key.activated': {
    ...common,
    audit: 'ssh.ca.rotate',
    ocsf: entityManagement('Update', medium),
    summary: (_, { target }) => `Started signing SSH certificates with the key ${target}`,
  },
  'ssh_authority_key.retired': {
    ...common,
    audit: 'ssh.ca.retire',
    ocsf: entityManagement('Deactivate'),
    summary: (_, { target }) => `Removed the SSH authority key ${target} from the published keys`,
  },
  'ssh_authority_key.revoked': {
    ...common,
    audit: 'ssh.ca.revoke',
    ocsf: entityManagement('Delete', high),
    summary: (_, { target }) => `Revoked the SSH authority key ${target}`,
    consequences: { ...common.consequences, takesAway: true },
  },
} as const satisfies Rows<SshAuthorityEvent>
