import { low, medium, userAccess } from '../audit/ocsf-classes.ts'
import { noConsequences, nobody, type Rows } from '../catalogue-row.ts'
import type { SshPrincipalMappingEvent } from './events.ts'

const mapping = (data: { mappingId: string }) => ({ type: 'ssh_principal_mapping', id: data.mappingId })

/** Certificates that were issued before stay valid, but no later one has what the mapping does not allow. */
const narrowing = {
  takesAway: true,
  endsSessions: 'none',
  movesRuleMembers: 'none',
  forgetsNames: false,
  emails: [],
  marksProvisioning: false,
  changesConfiguration: false,
  movesPackageAccess: 'none',
} as const

const plain = { schema: 1, target: mapping, personal: [], subject: nobody } as const

export const sshPrincipalMappingEvents = {
  'ssh_principal_mapping.created': {
    ...plain,
    audit: 'ssh.mapping.create',
    ocsf: userAccess('Assign Privileges', medium),
    summary: ({ principals }, { other }) =>
      `Mapped the group ${other} to the SSH principals ${principals.join(', ')}`,
    consequences: noConsequences,
  },
  'ssh_principal_mapping.updated': {
    ...plain,
    audit: 'ssh.mapping.update',
    ocsf: userAccess('Other', medium),
    summary: (_, { target }) => `Updated the SSH principal mapping ${target}`,
    consequences: narrowing,
  },
  'ssh_principal_mapping.deleted': {
    ...plain,
    audit: 'ssh.mapping.delete',
    ocsf: userAccess('Revoke Privileges', low),
    summary: (_, { target }) => `Deleted the SSH principal mapping ${target}`,
    consequences: narrowing,
  },
} as const satisfies Rows<SshPrincipalMappingEvent>
