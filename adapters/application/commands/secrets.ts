import type { Actor } from '../services/handle.ts'
import { newSecret } from '../../engines/vault/hash.ts'
import type { Services } from '../services/services.ts'

/**
 * Creates 256-bit secrets that are returned only once. A repeated command returns the secret of its first run: with an
 * idempotency key, the secret is derived from that key and a key of the service.
 */
export const secretsFor =
  ({ vault, random }: Pick<Services, 'vault' | 'random'>) =>
  (prefix: string, what: string, { idempotencyKey }: Actor): string =>
    idempotencyKey === undefined
      ? newSecret(prefix, random)
      : prefix + vault.digest('once-only-secret', `${what}|${idempotencyKey}`)
