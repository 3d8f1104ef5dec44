/** RFC 6749 §2.3, §3.2.1: whether the caller of the token endpoint is the client it names. */
import { isConfidential } from '../../domain/application/grant-types.ts'
import type { PresentedClient } from '../../domain/oidc/client-credentials.ts'
import type { Instant } from '../../domain/time.ts'
import type { ApplicationConfiguration } from '../../read-models/queries/configuration.ts'
import type { Configuration } from '../configuration.ts'
import { equalConstantTime, hashSecret } from '../vault/hash.ts'

/**
 * The application that has proved who it is; null otherwise. Confidential clients prove it with a secret in force,
 * public ones have none and may send none.
 */
export const authenticateClient = (
  { clientId, secret }: PresentedClient,
  { applicationByClientId }: Configuration,
  now: Instant,
): ApplicationConfiguration | null => {
  const application = applicationByClientId.get(clientId)
  if (application?.status !== 'active') return null
  if (!isConfidential(application.type)) return secret === null ? application : null
  if (secret === null) return null
  const hash = hashSecret(secret)
  const live = application.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
  const matches = live.map((each) => equalConstantTime(each.hash, hash))
  return matches.includes(true) ? application : null
}
