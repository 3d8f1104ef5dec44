/** Public half as JWK members (RFC 7517); the private half only as ciphertext under the service's keyring. */
export type SigningKeyEvent =
  | {
      type: 'signing_key.created'
      data: {
        keyId: string
        kid: string
        alg: 'RS256'
        publicJwk: { readonly kty: 'RSA'; readonly n: string; readonly e: string }
        sealedPrivateKey: string
      }
    }
  | { type: 'signing_key.activated'; data: { keyId: string; previousKeyId: string | null } }
