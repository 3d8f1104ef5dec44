import { Type } from 'typebox'
import { HOST_VALIDITY } from '../../../domain/ssh-host-certificate/decider.ts'
import { HOST_NAME_PATTERN, MAX_HOST_NAMES } from '../../../domain/ssh-host-certificate/host-names.ts'
import type { SshHostCertificateRow } from '../../../read-models/queries/ssh-host-certificates.ts'
import { idOf } from '../http/route.ts'
import { nullable, Time } from '../http/schemas.ts'
import { CertificateStatus, certificateStatusOf, Serial } from './ssh-schemas.ts'

export const HostName = Type.String({
  pattern: HOST_NAME_PATTERN,
  title: 'a DNS name in lower case, or an address in its usual form',
  examples: ['web01.example.com'],
})

/** The names of a service account in requests. */
export const hostPatterns = Type.Array(
  Type.String({
    pattern: HOST_NAME_PATTERN,
    title: 'a DNS name in lower case, *. and a domain, or an address in its usual form',
    examples: ['web01.example.com', '*.db.example.com', '192.0.2.7'],
  }),
  {
    maxItems: MAX_HOST_NAMES,
    uniqueItems: true,
    description: 'Internationalized names in punycode. * stands for one label of at least three.',
  },
)

export const hostCertificateInput = {
  validitySeconds: Type.Optional(
    Type.Integer({
      minimum: HOST_VALIDITY.least,
      maximum: HOST_VALIDITY.most,
      description: `default: ${String(HOST_VALIDITY.most)}`,
    }),
  ),
  hostNames: Type.Optional(
    Type.Array(HostName, {
      minItems: 1,
      maxItems: MAX_HOST_NAMES,
      uniqueItems: true,
      description:
        'Only these names, which the names and patterns of the service account must allow; default: all of its names that are no patterns',
    }),
  ),
}

const certificate = {
  serial: Serial,
  keyId: Type.String({ description: 'host:, a host name, the service account and the audit entry' }),
  keyType: Type.String({ examples: ['ssh-ed25519'] }),
  keyFingerprint: Type.String({ description: 'Of the certified key, as ssh-keygen -l prints it' }),
  authorityFingerprint: Type.String(),
  hostNames: Type.Array(Type.String()),
  validAfter: Time,
  validBefore: Time,
}

export const SshHostCertificate = Type.Object(
  {
    ...certificate,
    serviceAccountId: idOf('user'),
    serviceAccountName: Type.String(),
    status: CertificateStatus,
    createdAt: Time,
    revokedAt: nullable(Time),
    revokedBy: nullable(Type.String()),
    revokeReason: nullable(Type.String()),
  },
  { title: 'SshHostCertificate' },
)

export const IssuedSshHostCertificate = Type.Object(
  {
    certificate: Type.String({
      description: 'A line of a certificate file such as ssh_host_ed25519_key-cert.pub',
    }),
    ...certificate,
  },
  { title: 'IssuedSshHostCertificate' },
)

/** @param now the time at which the status is wanted */
export const toSshHostCertificate = (
  { id, isAuthorityRevoked, ...row }: SshHostCertificateRow,
  now: string,
) => ({
  serial: id,
  ...row,
  status: certificateStatusOf({ ...row, isAuthorityRevoked }, now),
})
