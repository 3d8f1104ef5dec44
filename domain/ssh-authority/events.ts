import type { Instant } from '../time.ts'

/** A key that signs SSH certificates; its private half only as ciphertext under the service's keyring. */
export interface SshAuthorityKeyData {
  /** Identifies the key, as `ssh-keygen -l` prints it */
  readonly fingerprint: string
  /** A line for `TrustedUserCAKeys`, without a comment */
  readonly publicKey: string
  readonly sealedPrivateKey: string
}

export type SshAuthorityEvent =
  | { type: 'ssh_authority_key.created'; data: SshAuthorityKeyData }
  | {
      /** The key signs from now on. Servers should trust the previous one until `previousRetiresAt`. */
      type: 'ssh_authority_key.activated'
      data: {
        fingerprint: string
        previousFingerprint: string | null
        previousRetiresAt: Instant | null
      }
    }
  | { type: 'ssh_authority_key.retired'; data: { fingerprint: string } }
  /** The key may be known to others: servers must reject everything that it has signed. */
  | { type: 'ssh_authority_key.revoked'; data: { fingerprint: string; reason: string | null } }
