/** The data keys: random keys, encrypted with the secret key, from which all other encryption derives. */
import type { ClientBase, Pool } from 'pg'
import { newNonce, openBox, sealBox } from './aead.ts'
import type { Random } from './aead.ts'
import { durably, lockVaultSchema } from './schema.ts'
import { SecretKeyError } from './secret-key.ts'
import type { WrappingKey } from './secret-key.ts'

/** `service`: stored secrets and encrypted references. `person`: encrypts person keys */
export type KeyringPurpose = 'service' | 'person'

export interface KeyringRow {
  readonly id: string
  readonly purpose: string
  readonly wrapped: Buffer
  readonly wrapping_key: string
  /** Starts at 1 and increases after each loss of the secret key. */
  readonly generation: number
  readonly lost: boolean
}

/** All data keys by id, and the current one for each purpose */
export interface Keyring {
  readonly keys: ReadonlyMap<string, Buffer>
  /** Ids of data keys that were lost with their secret key. */
  readonly lost: ReadonlySet<string>
  readonly generation: number
  readonly current: Readonly<Record<KeyringPurpose, string>>
}

export const keyringPurposes: readonly KeyringPurpose[] = ['service', 'person']
const aadOf = (id: string, purpose: string): string => `${id}|${purpose}`

export const wrapDataKey = (
  { key }: WrappingKey,
  id: string,
  purpose: string,
  raw: Buffer,
  random: Random,
): Buffer => sealBox(key, newNonce(random), raw, aadOf(id, purpose))

/** @throws SealBroken */
export const unwrapDataKey = ({ key }: WrappingKey, row: KeyringRow): Buffer =>
  openBox(key, row.wrapped, aadOf(row.id, row.purpose))

export const readKeyringRows = async (
  client: ClientBase | Pool,
  forUpdate = false,
): Promise<KeyringRow[]> => {
  const { rows } = await client.query<KeyringRow>(
    `select id, purpose, wrapped, wrapping_key, generation, lost_at is not null as lost
     from vault.keyring order by created_at, id ${forUpdate ? 'for update' : ''}`,
  )
  return rows
}

/** The command for accepting the loss of the secret key. */
export const ACCEPT_LOSS_COMMAND = 'svc accept-lost-secret-key'

/**
 * Decrypts the data keys; omits lost ones.
 * @throws SecretKeyError if a row was encrypted with another secret key or is damaged
 */
export const unwrapKeyring = (
  rows: readonly KeyringRow[],
  wrapping: WrappingKey,
  variable = 'SVC_SECRET_KEY',
): Keyring => {
  const keys = new Map<string, Buffer>()
  const current: Partial<Record<string, string>> = {}
  let generation = 1
  for (const row of rows.filter(({ lost }) => !lost)) {
    if (row.wrapping_key !== wrapping.fingerprint) {
      throw new SecretKeyError(
        `${variable} is not the key that this database was last used with ` +
          `(its fingerprint is ${wrapping.fingerprint}, expected ${row.wrapping_key}). Set the former key; ` +
          `if it is permanently lost, see "${ACCEPT_LOSS_COMMAND}".`,
      )
    }
    try {
      keys.set(row.id, unwrapDataKey(wrapping, row))
    } catch (cause) {
      throw new SecretKeyError(
        `Key ${row.id} in vault.keyring is damaged: it cannot be decrypted with ${variable}, which encrypted it.`,
        { cause },
      )
    }
    current[row.purpose] = row.id
    generation = Math.max(generation, row.generation)
  }
  const [service, person] = keyringPurposes.map((purpose) => current[purpose])
  if (service === undefined || person === undefined) {
    throw new SecretKeyError('vault.keyring is incomplete: restore it from a backup.')
  }
  const lost = new Set(rows.filter((row) => row.lost).map(({ id }) => id))
  return { keys, lost, generation, current: { service, person } }
}

/** Creates a data key for each purpose. */
export const insertDataKeys = async (
  client: ClientBase,
  wrapping: WrappingKey,
  generation: number,
  now: Date,
  random: Random,
): Promise<void> => {
  for (const purpose of keyringPurposes) {
    const id = random(6).toString('base64url')
    await client.query(
      `insert into vault.keyring (id, purpose, wrapped, wrapping_key, created_at, generation)
       values ($1, $2, $3, $4, $5, $6)`,
      [
        id,
        purpose,
        wrapDataKey(wrapping, id, purpose, random(32), random),
        wrapping.fingerprint,
        now,
        generation,
      ],
    )
  }
}

/** Whether accepting the loss of a secret key was started but not completed. */
export const lossUnfinished = async (client: ClientBase | Pool): Promise<boolean> => {
  const { rows } = await client.query('select from vault.loss where finished_at is null limit 1')
  return rows.length > 0
}

/**
 * Reads the keyring and creates it on first use. Processes that do so at the same time use the same one.
 * @throws SecretKeyError
 */
export const openKeyring = async (
  pool: Pool,
  wrapping: WrappingKey,
  now: () => Date,
  random: Random,
): Promise<Keyring> => {
  const rows = await readKeyringRows(pool)
  if (rows.length > 0) return unwrapKeyring(rows, wrapping)
  return durably(pool, async (client) => {
    await lockVaultSchema(client)
    if ((await readKeyringRows(client)).length === 0) await insertDataKeys(client, wrapping, 1, now(), random)
    return unwrapKeyring(await readKeyringRows(client), wrapping)
  })
}
