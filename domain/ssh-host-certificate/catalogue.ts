import { authentication, medium } from '../audit/ocsf-classes.ts'
import { nobody, noConsequences, type Rows } from '../catalogue-row.ts'
import type { SshHostCertificateEvent } from './events.ts'

const common = {
  schema: 1,
  target: ({ serial }: { serial: string }) => ({ type: 'ssh_host_certificate', id: serial }),
  personal: [],
  subject: nobody,
} as const

export const sshHostCertificateEvents = {
  'ssh_host_certificate.issued': {
    ...common,
    audit: 'ssh.host_certificate.issue',
    ocsf: authentication('Authentication Ticket'),
    summary: ({ hostNames, validBefore }, { target, other }) =>
      `Issued the SSH host certificate ${target} to ${other} for ${hostNames.join(', ')}, valid until ${validBefore.slice(0, 16)}Z`,
    consequences: noConsequences,
  },
  'ssh_host_certificate.revoked': {
    ...common,
    audit: 'ssh.host_certificate.revoke',
    ocsf: authentication('Other', medium),
    summary: (_, { target, other }) => `Revoked the SSH host certificate ${target} of ${other}`,
    consequences: {
      takesAway: true,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
} as const satisfies Rows<SshHostCertificateEvent>
