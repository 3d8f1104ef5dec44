import { Type } from 'typebox'
import {
  defaultExtensions,
  MAX_PRINCIPALS,
  MAX_SOURCE_ADDRESSES,
  PRINCIPAL_PATTERN,
  VALIDITY,
} from '../../../domain/ssh-principal-mapping/decider.ts'
import { sshExtensions } from '../../../domain/ssh-principal-mapping/events.ts'
import type { SshCertificateRow, SshCertificateStatus } from '../../../read-models/queries/ssh.ts'
import { idOf } from '../http/route.ts'
import { nullable, printable, Time, Version } from '../http/schemas.ts'

export const Principal = Type.String({
  pattern: PRINCIPAL_PATTERN,
  title: 'a name such as deploy: lower case letters, digits and _ . @ -',
  examples: ['deploy'],
})

const Extension = Type.Enum([...sshExtensions])

const seconds = { minimum: VALIDITY.least, maximum: VALIDITY.most }

export const ValiditySeconds = Type.Integer({
  ...seconds,
  description: `default: ${String(VALIDITY.usual)}, or the maximum of your groups if that is shorter`,
})

/** The fields of a mapping in requests. */
export const mappingInput = {
  groupId: idOf('group'),
  principals: Type.Array(Principal, { minItems: 1, maxItems: MAX_PRINCIPALS, uniqueItems: true }),
  maxValiditySeconds: Type.Optional(
    nullable(Type.Integer({ ...seconds, description: 'Of certificates; null: the maximum of the service' })),
  ),
  sourceAddresses: Type.Optional(
    Type.Array(
      Type.String({
        pattern: '^[0-9A-Fa-f:.]{2,45}(?:/[0-9]{1,3})?$',
        title: 'an IPv4 or IPv6 address or range',
        examples: ['192.0.2.0/24'],
      }),
      {
        maxItems: MAX_SOURCE_ADDRESSES,
        description: 'Addresses from which certificates can be used; if empty, from all',
      },
    ),
  ),
  extensions: Type.Optional(
    Type.Array(Extension, {
      maxItems: sshExtensions.length,
      uniqueItems: true,
      description: `What certificates permit besides commands; default: ${defaultExtensions.join(', ')}`,
    }),
  ),
}

export const SshPrincipalMapping = Type.Object(
  {
    id: idOf('sshPrincipalMapping'),
    groupId: idOf('group'),
    groupName: Type.String(),
    principals: Type.Array(Type.String()),
    maxValiditySeconds: nullable(Type.Integer()),
    sourceAddresses: Type.Array(Type.String()),
    extensions: Type.Array(Extension),
    createdAt: Time,
    updatedAt: Time,
    version: Version,
  },
  { title: 'SshPrincipalMapping' },
)

export const SERIAL_PATTERN = '^[1-9][0-9]{0,18}$'
export const Serial = Type.String({
  pattern: SERIAL_PATTERN,
  title: 'the serial number of a certificate: a decimal number below 2^63',
})

export const CertificateStatus = Type.Enum(['valid', 'revoked', 'expired'], {
  description:
    'A certificate that was revoked before it expired stays revoked, as do those of a revoked authority key.',
})

const certificate = {
  serial: Serial,
  keyId: nullable(
    Type.String({ description: 'What servers write to their logs: email, user and audit entry' }),
  ),
  keyType: Type.String({ examples: ['ssh-ed25519'] }),
  keyFingerprint: Type.String({ description: 'Of the certified key, as ssh-keygen -l prints it' }),
  authorityFingerprint: Type.String(),
  principals: Type.Array(Type.String()),
  sourceAddresses: Type.Array(Type.String()),
  extensions: Type.Array(Extension),
  validAfter: Time,
  validBefore: Time,
}

export const SshCertificate = Type.Object(
  {
    ...certificate,
    userId: idOf('user'),
    userName: Type.String(),
    status: CertificateStatus,
    createdAt: Time,
    revokedAt: nullable(Time),
    revokedBy: nullable(Type.String()),
    revokeReason: nullable(Type.String()),
  },
  { title: 'SshCertificate' },
)

export const IssuedSshCertificate = Type.Object(
  {
    certificate: Type.String({ description: 'A line of a certificate file such as id_ed25519-cert.pub' }),
    ...certificate,
    keyId: Type.String(),
  },
  { title: 'IssuedSshCertificate' },
)

export const SshEntitlement = Type.Object(
  {
    principals: Type.Array(Type.String(), { description: 'Empty: none of your groups maps to one' }),
    maxValiditySeconds: nullable(Type.Integer()),
    sourceAddresses: Type.Array(Type.String()),
    extensions: Type.Array(Extension),
  },
  { title: 'SshEntitlement' },
)

export const SshAuthorityKey = Type.Object(
  {
    fingerprint: Type.String({ description: 'As ssh-keygen -l prints it' }),
    status: Type.Enum(['next', 'active', 'previous', 'retired', 'revoked']),
    publicKey: Type.String({ description: 'A line for TrustedUserCAKeys' }),
    createdAt: Time,
    activatedAt: nullable(Time),
    retiresAt: nullable(Time),
  },
  { title: 'SshAuthorityKey' },
)

export const revocationInput = { reason: Type.Optional(printable(500, 'Why, for the audit trail')) }

/** @param now the time at which the status is wanted */
export const certificateStatusOf = (
  {
    revokedAt,
    isAuthorityRevoked,
    validBefore,
  }: Pick<SshCertificateRow, 'revokedAt' | 'isAuthorityRevoked' | 'validBefore'>,
  now: string,
): SshCertificateStatus => {
  if (revokedAt !== null || isAuthorityRevoked) return 'revoked'
  return Date.parse(validBefore) <= Date.parse(now) ? 'expired' : 'valid'
}

/** @param now the time at which the status is wanted */
export const toSshCertificate = ({ id, isAuthorityRevoked, ...row }: SshCertificateRow, now: string) => ({
  serial: id,
  ...row,
  status: certificateStatusOf({ ...row, isAuthorityRevoked }, now),
})

/** An RSA key of 16,384 bits has 2,800 characters. */
const MAX_KEY_LENGTH = 8192

export const publicKeyInput = Type.String({
  minLength: 1,
  maxLength: MAX_KEY_LENGTH,
  title: 'a line of a public key file',
  examples: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIeVVVwHQiyNw7ZqdJjzHTZRVtNfV7vcq5L4BVmkxHEP ada@laptop'],
})
