import type { SshExtension } from '../ssh-principal-mapping/events.ts'
import type { Instant } from '../time.ts'

/** A certificate as it was signed; the certificate itself is not stored. */
export interface SshCertificateData {
  /** A decimal number below 2^63, which no other certificate has */
  readonly serial: string
  readonly userId: string
  /** `<email>|<user id>|<audit entry id>`: what servers write to their logs */
  readonly keyId: string
  readonly keyType: string
  /** Of the certified key, as `ssh-keygen -l` prints it */
  readonly keyFingerprint: string
  /** Of the authority that signed it */
  readonly authorityFingerprint: string
  readonly principals: readonly string[]
  readonly validAfter: Instant
  readonly validBefore: Instant
  readonly sourceAddresses: readonly string[]
  readonly extensions: readonly SshExtension[]
}

export type SshCertificateEvent =
  | { type: 'ssh_certificate.issued'; data: SshCertificateData }
  | {
      type: 'ssh_certificate.revoked'
      data: { serial: string; userId: string; reason: string | null }
    }
