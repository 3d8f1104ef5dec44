/** The data keys: random, wrapped by the secret key, and the roots of everything sealed. */
import type { ClientBase, Pool } from 'pg'
import { newNonce, openBox, sealBox } from './aead.ts'
import type { Random } from './aead.ts'
import { durably, lockVaultSchema } from './schema.ts'
import { SecretKeyError } from './secret-key.ts'
import type { WrappingKey } from './secret-key.ts'

/** `service`: stored secrets and sealed references. `person`: wraps person keys. */
export type KeyringPurpose = 'service' | 'person'

export interface KeyringRow {
  readonly id: string
  readonly purpose: string
  readonly wrapped: Buffer
  readonly wrapping_key: string
}

/** All data keys by id, and the one to seal with for each purpose. */
export interface Keyring {
  readonly keys: ReadonlyMap<string, Buffer>
  readonly current: Readonly<Record<KeyringPurpose, string>>
}

const purposes: readonly KeyringPurpose[] = ['service', 'person']
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
    `select id, purpose, wrapped, wrapping_key from vault.keyring order by created_at, id ${forUpdate ? 'for update' : ''}`,
  )
  return rows
}

/** @throws SecretKeyError when a row was wrapped by another secret key or is damaged */
export const unwrapKeyring = (
  rows: readonly KeyringRow[],
  wrapping: WrappingKey,
  variable = 'SVC_SECRET_KEY',
): Keyring => {
  const keys = new Map<string, Buffer>()
  const current: Partial<Record<string, string>> = {}
  for (const row of rows) {
    if (row.wrapping_key !== wrapping.fingerprint) {
      throw new SecretKeyError(
        `${variable} is not the key this database was last used with ` +
          `(its fingerprint is ${wrapping.fingerprint}, expected ${row.wrapping_key}). Set the former key.`,
      )
    }
    try {
      keys.set(row.id, unwrapDataKey(wrapping, row))
    } catch (cause) {
      throw new SecretKeyError(
        `Key ${row.id} in vault.keyring is damaged: it does not open with ${variable}, which wrapped it.`,
        { cause },
      )
    }
    current[row.purpose] = row.id
  }
  const [service, person] = purposes.map((purpose) => current[purpose])
  if (service === undefined || person === undefined) {
    throw new SecretKeyError('vault.keyring is incomplete: restore it from a backup.')
  }
  return { keys, current: { service, person } }
}

/** Reads the keyring, making one on first use. Several processes doing so at once agree on one. @throws SecretKeyError */
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
    if ((await readKeyringRows(client)).length === 0) {
      for (const purpose of purposes) {
        const id = random(6).toString('base64url')
        await client.query(
          'insert into vault.keyring (id, purpose, wrapped, wrapping_key, created_at) values ($1, $2, $3, $4, $5)',
          [id, purpose, wrapDataKey(wrapping, id, purpose, random(32), random), wrapping.fingerprint, now()],
        )
      }
    }
    return unwrapKeyring(await readKeyringRows(client), wrapping)
  })
}
