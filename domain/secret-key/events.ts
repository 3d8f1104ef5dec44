export type SecretKeyEvent =
  /** Stored secrets were re-encrypted: from then on only the new key decrypts them. */
  | {
      type: 'secret_key.rotated'
      data: {
        /** Fingerprints identify a key without revealing anything about it. */
        readonly formerFingerprint: string
        readonly fingerprint: string
      }
    }
  | {
      /** An operator accepted that data encrypted with the former secret key cannot be decrypted any more. */
      type: 'secret_key.lost'
      data: {
        /** Generation of the new keyring: 2 for the first loss */
        readonly generation: number
        /** Fingerprints identify a key without revealing anything about it. */
        readonly formerFingerprint: string
        readonly fingerprint: string
        /** The key that signs audit checkpoints from now on (C2SP signed-note verifier). */
        readonly auditKey: string
      }
    }
