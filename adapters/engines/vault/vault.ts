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
  /** SVC_SECRET_KEY: at least 32 characters. */
  readonly secretKey: string
  readonly now: () => Date
  readonly random: Random
  /** Person keys cached in memory; 50 000 by default. */
  readonly cacheSize?: number
  /** For the command that accepts the loss of a secret key, which can continue after an interruption. */
  readonly acceptingLoss?: boolean
}

/**
 * Opens the vault of a database whose schema `vault` is migrated; on first use makes its keyring.
 * @throws SecretKeyError naming SVC_SECRET_KEY when it is too short or not the one the keyring is wrapped with, and while
 *   the loss of a key was accepted but not brought to its end
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
