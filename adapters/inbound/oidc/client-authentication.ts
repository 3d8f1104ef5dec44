/** RFC 6749 §2.3, §3.2.1: whether a caller of the token endpoint is the client that it claims to be. */
import { MAX_ACTIVE_SECRETS } from '../../../domain/application/decider.ts'
import { isConfidential } from '../../../domain/application/grant-types.ts'
import type { PresentedClient } from '../../../domain/oidc/client-credentials.ts'
import type { Instant } from '../../../domain/time.ts'
import type { OidcApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Configuration } from '../../application/services/configuration.ts'
import { hashSecret, sameHash } from '../../engines/vault/hash.ts'

/** Replaces a missing secret, so that every comparison takes the same time. */
const NONE = { id: null, hash: hashSecret('') }

export interface ProvenClient {
  readonly application: OidcApplicationConfiguration
  /** Null for a public client */
  readonly secretId: string | null
}

/**
 * Returns the authenticated application; null if authentication failed. Confidential clients need an active secret;
 * public clients have none and must not send one. A sent secret is hashed and compared in constant time, always with
 * the maximum number of secrets, whether or not the client exists, is disabled or has secrets.
 */
export const authenticateClient = (
  { clientId, secret }: PresentedClient,
  { applicationByClientId }: Configuration,
  now: Instant,
): ProvenClient | null => {
  const named = applicationByClientId.get(clientId)
  const application = named?.status === 'active' ? named : null
  if (secret === null)
    return application !== null && !isConfidential(application.type) ? { application, secretId: null } : null
  const hash = hashSecret(secret)
  const live = (application?.secrets ?? []).filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
  const compared = [...live, ...Array<typeof NONE>(MAX_ACTIVE_SECRETS).fill(NONE)]
  const matching = compared
    .slice(0, Math.max(live.length, MAX_ACTIVE_SECRETS))
    .map((each) => (sameHash(each.hash, hash) ? each.id : null))
  const secretId = matching.find((id) => id !== null)
  return application !== null && secretId !== undefined ? { application, secretId } : null
}
