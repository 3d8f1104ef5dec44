import type { Instant } from '../time.ts'

/**
 * A recorded key: the public half as JWK members (RFC 7517), the private half only as ciphertext under the
 * service's keyring.
 */
export interface SigningKeyData {
  readonly keyId: string
  readonly kid: string
  readonly alg: 'RS256'
  readonly publicJwk: { readonly kty: 'RSA'; readonly n: string; readonly e: string }
  readonly sealedPrivateKey: string
}

export type SigningKeyEvent =
  | { type: 'signing_key.created'; data: SigningKeyData }
  | {
      /** The key signs from now on. The previous one stays published until `previousRetiresAt`. */
      type: 'signing_key.activated'
      data: { keyId: string; previousKeyId: string | null; previousRetiresAt: Instant | null }
    }
  | { type: 'signing_key.retired'; data: { keyId: string } }
