import type { Instant } from '../time.ts'

/** A recorded certificate; the private key only as ciphertext under the service's keyring. */
export interface SamlCertificateData {
  readonly certificateId: string
  readonly certificatePem: string
  /** SHA-256 of the certificate, in hexadecimal. */
  readonly fingerprint: string
  readonly notBefore: Instant
  readonly notAfter: Instant
  readonly sealedPrivateKey: string
}

export type SamlCertificateEvent =
  /** It is in the metadata from now on, and will sign next. */
  | { type: 'saml_certificate.created'; data: SamlCertificateData }
  /** It signs from now on. The previous one stays in the metadata until it is deleted. */
  | {
      type: 'saml_certificate.activated'
      data: { certificateId: string; previousCertificateId: string | null }
    }
  | { type: 'saml_certificate.deleted'; data: { certificateId: string } }
