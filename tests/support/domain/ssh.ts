import fc, { type Arbitrary } from 'fast-check'
import type { SshAuthorityCommand } from '../../../domain/ssh-authority/decider.ts'
import type { SshCertificateCommand } from '../../../domain/ssh-certificate/decider.ts'
import type { SshHostCertificateCommand } from '../../../domain/ssh-host-certificate/decider.ts'
import type { SshPrincipalMappingCommand } from '../../../domain/ssh-principal-mapping/decider.ts'
import { at, id } from '../fixed.ts'
import { command, text } from './commands.ts'

// Random commands on few keys, one certificate and one mapping.
const few = fc.integer({ min: 1, max: 3 })
const moment = fc.integer({ min: 0, max: 9 }).map(at)

const authorityKey = fc.record({ fingerprint: few.map(String), publicKey: text })

export const sshAuthorityCommands: Arbitrary<SshAuthorityCommand> = fc.oneof(
  command<SshAuthorityCommand>('ensure', { active: authorityKey, next: authorityKey }),
  command<SshAuthorityCommand>('rotate', { active: few.map(String), next: authorityKey, retiresAt: moment }),
  command<SshAuthorityCommand>('retire', { fingerprint: few.map(String), now: moment }),
  command<SshAuthorityCommand>('revoke', { fingerprint: few.map(String), reason: fc.option(text) }),
)

export const sshCertificateCommands: Arbitrary<SshCertificateCommand> = fc.oneof(
  command<SshCertificateCommand>('issue', {
    data: fc.record({
      serial: fc.constant('7'),
      userId: few.map((n) => id('user', n)),
      principals: fc.array(text, { maxLength: 2 }),
      validBefore: moment,
    }),
  }),
  command<SshCertificateCommand>('revoke', {
    serial: fc.constant('7'),
    ownerId: fc.option(few.map((n) => id('user', n))),
    reason: fc.option(text),
    now: moment,
  }),
)

export const sshHostCertificateCommands: Arbitrary<SshHostCertificateCommand> = fc.oneof(
  command<SshHostCertificateCommand>('issue', {
    data: fc.record({
      serial: fc.constant('7'),
      serviceAccountId: few.map((n) => id('user', n)),
      hostNames: fc.array(text, { maxLength: 2 }),
      validBefore: moment,
    }),
  }),
  command<SshHostCertificateCommand>('revoke', {
    serial: fc.constant('7'),
    reason: fc.option(text),
    now: moment,
  }),
)

const mappingId = fc.constant(id('sshPrincipalMapping'))
const mappingFields = {
  groupId: few.map((n) => id('group', n)),
  principals: fc.array(fc.constantFrom('deploy', 'root', 'ada', 'a,b', 'a\nb', '', 'UPPER'), {
    maxLength: 3,
  }),
  maxValiditySeconds: fc.option(fc.constantFrom(1, 300, 3600, 86_400, 1e9)),
  sourceAddresses: fc.array(fc.constantFrom('10.0.0.0/8', '10.1.2.3', '::1', 'nowhere'), { maxLength: 2 }),
  extensions: fc.subarray(['permit-pty', 'permit-user-rc'] as const),
}

export const sshPrincipalMappingCommands: Arbitrary<SshPrincipalMappingCommand> = fc.oneof(
  command<SshPrincipalMappingCommand>('create', { mappingId, fields: fc.record(mappingFields) }),
  command<SshPrincipalMappingCommand>('update', {
    mappingId,
    fields: fc.record(mappingFields, { requiredKeys: [] }),
  }),
  command<SshPrincipalMappingCommand>('delete', { mappingId }),
)
