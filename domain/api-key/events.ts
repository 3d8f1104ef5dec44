import type { Instant } from '../time.ts'

/** What a key can be used for: the JSON API, and SCIM provisioning. */
export type ApiKeyScope = 'api' | 'scim'

/** What made the keys of an account invalid: it was given roles, or its first SSH host names. */
export type ApiKeyOutdated = 'roles_added' | 'ssh_host_names_added'

export type ApiKeyEvent =
  | {
      type: 'api_key.created'
      data: {
        keyId: string
        serviceAccountId: string
        name: string
        scopes: readonly ApiKeyScope[]
        /** The first characters, to recognize the key. */
        prefix: string
        /** SHA-256 of the key, base64url. */
        hash: string
        expiresAt: Instant
        /** Allowed networks as `address/prefix`; empty for any network. */
        allowedCidrs: readonly string[]
      }
    }
  | {
      type: 'api_key.revoked'
      data: {
        keyId: string
        serviceAccountId: string
        /**
         * Omitted: an administrator revoked the key. Otherwise the account was given rights that the key
         * must not have.
         */
        cause?: ApiKeyOutdated
      }
    }
  /** The key expired. It stopped working at that time; this event records it. */
  | { type: 'api_key.expired'; data: { keyId: string; serviceAccountId: string } }
