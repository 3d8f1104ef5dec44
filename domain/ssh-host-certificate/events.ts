import type { Instant } from '../time.ts'

/** A certificate of a server as it was signed; the certificate itself is not stored. */
export interface SshHostCertificateData {
  /** A decimal number below 2^63, which no other certificate of a host or a user has */
  readonly serial: string
  readonly serviceAccountId: string
  /** `host:<first host name>|<service account id>|<audit entry id>` */
  readonly keyId: string
  readonly keyType: string
  /** Of the certified key, as `ssh-keygen -l` prints it */
  readonly keyFingerprint: string
  /** Of the authority that signed it */
  readonly authorityFingerprint: string
  readonly hostNames: readonly string[]
  readonly validAfter: Instant
  readonly validBefore: Instant
}

export type SshHostCertificateEvent =
  | { type: 'ssh_host_certificate.issued'; data: SshHostCertificateData }
  | {
      type: 'ssh_host_certificate.revoked'
      data: { serial: string; serviceAccountId: string; reason: string | null }
    }
