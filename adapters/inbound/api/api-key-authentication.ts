import { boundedCache } from '../../kernel/bounded-cache.ts'
import { usableKeys } from '../../../read-models/queries/api-keys.ts'
import { coalesced } from '../../kernel/coalesce.ts'
import type { Services } from '../../application/services/services.ts'
import { lastUse } from '../../application/services/last-use.ts'
import { isApiKey } from '../../engines/vault/api-key-form.ts'
import { hashSecret } from '../../engines/vault/hash.ts'
import { inRanges, readRange } from '../../kernel/address-ranges.ts'
import type { ApiKeyCaller } from '../http/caller.ts'

export interface ApiKeys {
  /**
   * Returns the caller of a key: undefined if it is malformed, unknown, revoked or expired, its account is inactive,
   * or the address is not allowed. Reads the state at or after the call. The caller must check `scopes`.
   * @param ip in canonical form, as `clientIp` returns it
   */
  readonly check: (secret: string, ip: string) => Promise<ApiKeyCaller | undefined>
}

type IsWithin = (address: string) => boolean

/** Whether an address lies in one of the networks. There are few different lists, so each is parsed once. */
const networks = (): ((cidrs: readonly string[]) => IsWithin) => {
  const known = boundedCache<IsWithin>(1000)
  return (cidrs) => {
    const list = cidrs.join(' ')
    const cached = known.get(list)
    if (cached !== undefined) return cached
    const made = inRanges(cidrs.map(readRange).filter((range) => range !== undefined))
    known.set(list, made)
    return made
  }
}

/**
 * Authenticates API keys, with one lookup of the key's hash, and records their use, for all protocols.
 * @param notNoted called with the error if a use could not be stored
 */
export const apiKeys = (
  services: Pick<Services, 'lookups' | 'pool' | 'clock'>,
  notNoted: (error: unknown) => void = () => undefined,
): ApiKeys => {
  const { lookups, clock } = services
  const find = coalesced((hashes: readonly string[]) => usableKeys(lookups, hashes, clock.now()))
  const used = lastUse('api_key', services, notNoted)
  const within = networks()
  return {
    check: async (secret, ip) => {
      if (!isApiKey(secret)) return undefined
      const key = await find(hashSecret(secret))
      if (key === null) return undefined
      const { keyId, serviceAccountId, name, roles, scopes, allowedCidrs } = key
      if (allowedCidrs.length > 0 && !within(allowedCidrs)(ip)) return undefined
      used(keyId, ip)
      return { kind: 'api_key', userId: serviceAccountId, name, roles, keyId, scopes }
    },
  }
}
