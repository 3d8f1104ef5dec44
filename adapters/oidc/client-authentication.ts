/** RFC 6749 §2.3, §3.2.1: whether the caller of the token endpoint is the client it names. */
import { MAX_ACTIVE_SECRETS } from '../../domain/application/decider.ts'
import { isConfidential } from '../../domain/application/grant-types.ts'
import type { PresentedClient } from '../../domain/oidc/client-credentials.ts'
import type { Instant } from '../../domain/time.ts'
import type { ApplicationConfiguration } from '../../read-models/queries/configuration.ts'
import type { Configuration } from '../configuration.ts'
import { equalConstantTime, hashSecret } from '../vault/hash.ts'

/** Nothing has this hash: it is compared with where there is none to compare with. */
const NO_HASH = hashSecret('')

/**
 * The application that has proved who it is; null otherwise. Confidential clients prove it with a secret in force,
 * public ones have none and may send none. Whoever sends a secret has it hashed and compared in constant time, as often as
 * an application can have secrets, whether or not the client exists, is switched off or has any.
 */
export const authenticateClient = (
  { clientId, secret }: PresentedClient,
  { applicationByClientId }: Configuration,
  now: Instant,
): ApplicationConfiguration | null => {
  const named = applicationByClientId.get(clientId)
  const application = named?.status === 'active' ? named : null
  if (secret === null) return application !== null && !isConfidential(application.type) ? application : null
  const hash = hashSecret(secret)
  const live = (application?.secrets ?? []).filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
  const hashes = [...live.map((each) => each.hash), ...Array<string>(MAX_ACTIVE_SECRETS).fill(NO_HASH)]
  const matches = hashes
    .slice(0, Math.max(live.length, MAX_ACTIVE_SECRETS))
    .map((each) => equalConstantTime(each, hash))
  return matches.slice(0, live.length).includes(true) ? application : null
}
