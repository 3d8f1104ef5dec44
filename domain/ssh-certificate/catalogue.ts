import { authentication, medium } from '../audit/ocsf-classes.ts'
import { noConsequences, type Rows } from '../catalogue-row.ts'
import type { SshCertificateEvent } from './events.ts'

const certificate = (data: { serial: string }) => ({ type: 'ssh_certificate', id: data.serial })
const person = (data: { userId: string }) => data.userId

export const sshCertificateEvents = {
  'ssh_certificate.issued': {
    schema: 1,
    target: certificate,
    personal: ['keyId'],
    subject: person,
    audit: 'ssh.certificate.issue',
    ocsf: authentication('Authentication Ticket'),
    summary: ({ principals, validBefore }, { target, other }) =>
      `Issued the SSH certificate ${target} to ${other} for ${principals.join(', ')}, valid until ${validBefore.slice(0, 16)}Z`,
    consequences: noConsequences,
  },
  'ssh_certificate.revoked': {
    schema: 1,
    target: certificate,
    personal: ['reason'],
    subject: person,
    audit: 'ssh.certificate.revoke',
    ocsf: authentication('Other', medium),
    summary: (_, { target, other }) => `Revoked the SSH certificate ${target} of ${other}`,
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
} as const satisfies Rows<SshCertificateEvent>
