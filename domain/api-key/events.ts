import type { Instant } from '../time.ts'

/** What a key may be used for: the JSON API, and provisioning by SCIM. */
export type ApiKeyScope = 'api' | 'scim'

export type ApiKeyEvent =
  | {
      type: 'api_key.created'
      data: {
        keyId: string
        serviceAccountId: string
        name: string
        scopes: readonly ApiKeyScope[]
        /** The first characters, by which people tell keys apart. */
        prefix: string
        /** SHA-256 of the key, base64url. */
        hash: string
        expiresAt: Instant
        /** Networks that it may be used from, as `address/prefix`; empty for anywhere. */
        allowedCidrs: readonly string[]
      }
    }
  | {
      type: 'api_key.revoked'
      data: {
        keyId: string
        serviceAccountId: string
        /** Left out: somebody asked for it. Otherwise the account was given roles that the key was not made for. */
        cause?: 'roles_added'
      }
    }
  /** Its time is over. It stopped working at that moment; this says so. */
  | { type: 'api_key.expired'; data: { keyId: string; serviceAccountId: string } }
