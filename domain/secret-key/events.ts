export type SecretKeyEvent = {
  /** An operator has accepted that what the former secret key sealed cannot be read any more. */
  type: 'secret_key.lost'
  data: {
    /** Of the keyring made after it: 2 for the first loss. */
    readonly generation: number
    /** Fingerprints tell which key it is and nothing about it. */
    readonly formerFingerprint: string
    readonly fingerprint: string
    /** The key that signs audit checkpoints from now on (C2SP signed-note verifier). */
    readonly auditKey: string
  }
}
