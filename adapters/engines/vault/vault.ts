/** The vault: all encryption, decryption and erasure. */
import type { Pool } from 'pg'
import type { Random } from './aead.ts'
import { ACCEPT_LOSS_COMMAND, lossUnfinished, openKeyring } from './keyring.ts'
import { personKeys } from './person-keys.ts'
import type { PersonKeys } from './person-keys.ts'
import { SecretKeyError, wrappingKey } from './secret-key.ts'
import { serviceSeals } from './service-seals.ts'
import type { ServiceSeals } from './service-seals.ts'

export interface Vault extends ServiceSeals, PersonKeys {}

export interface VaultOptions {
  readonly pool: Pool
  /** SVC_SECRET_KEY: at least 32 characters */
  readonly secretKey: string
  readonly now: () => Date
  readonly random: Random
  /** Maximum number of person keys cached in memory; default 50 000 */
  readonly cacheSize?: number
  /** Set by the command that accepts the loss of a secret key, which can continue after an interruption */
  readonly acceptingLoss?: boolean
}

/**
 * Opens the vault of a database whose schema `vault` is migrated; creates the keyring on first use.
 * @throws SecretKeyError naming SVC_SECRET_KEY if it is too short or does not decrypt the keyring, and while the
 * acceptance of a loss is incomplete
 */
export const openVault = async (options: VaultOptions): Promise<Vault> => {
  const { pool, secretKey, now, random, cacheSize = 50_000, acceptingLoss = false } = options
  const keyring = await openKeyring(pool, wrappingKey(secretKey), now, random)
  if (!acceptingLoss && (await lossUnfinished(pool)))
    throw new SecretKeyError(
      `"${ACCEPT_LOSS_COMMAND}" was interrupted. Run it again until it completes before anything else.`,
    )
  return { ...serviceSeals(keyring, random), ...personKeys(pool, keyring, now, random, cacheSize) }
}
