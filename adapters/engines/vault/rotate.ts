/**
 * `svc rotate-secret-key`: encrypts the keyring with a new secret key. The data keys stay, so their
 * ciphertext does not change; the former key and a former copy of vault.keyring together still decrypt it.
 */
import type { ClientBase, Pool, PoolClient } from 'pg'
import { SealBroken, SealLost } from './aead.ts'
import type { Random } from './aead.ts'
import { readKeyringRows, unwrapKeyring, wrapDataKey } from './keyring.ts'
import type { KeyringRow } from './keyring.ts'
import { allPersonKeys, personKeyOpener } from './person-keys.ts'
import { lockVaultSchema } from './schema.ts'
import { SecretKeyError, wrappingKey } from './secret-key.ts'
import type { WrappingKey } from './secret-key.ts'
import { serviceSeals } from './service-seals.ts'

/** Postgres advisory lock: shared by running services, exclusive for commands that change the keyring. */
export const serviceRunningLock = 0x73766301

const LISTED = 20

/** The rotation was refused; nothing was changed. */
export class RotationRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RotationRefused'
  }
}

/** A stored secret whose decryption is verified */
export interface StoredSecret {
  /** For messages: kind and id, never the secret */
  readonly what: string
  readonly sealed: string
  readonly purpose: string
  readonly aad: string
}

export interface RotateOptions {
  readonly pool: Pool
  /** SVC_SECRET_KEY */
  readonly oldKey: string
  /** SVC_NEW_SECRET_KEY */
  readonly newKey: string
  readonly random: Random
  /** Secrets that were encrypted with `Vault.seal` outside the vault's tables */
  readonly provers?: Iterable<Iterable<StoredSecret> | AsyncIterable<StoredSecret>>
  /** How long to wait for services that are just stopping, in milliseconds; default 5000 */
  readonly patience?: number
}

export interface RotationResult {
  /** `already`: an earlier run had completed; its result was verified again. */
  readonly outcome: 'rotated' | 'already'
  /** Number of data keys, active person keys and secrets that can be decrypted with the new key alone */
  readonly proven: { readonly keyring: number; readonly personKeys: number; readonly secrets: number }
}

/**
 * Marks a service as running for as long as this connection lives. Call it before `openVault`, and again after
 * replacing the connection.
 * @throws RotationRefused while a rotation or the acceptance of a loss runs
 */
export const holdServiceLock = async (client: ClientBase): Promise<void> => {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock_shared($1) as held', [
    serviceRunningLock,
  ])
  if (!rows[0]?.held)
    throw new RotationRefused(
      'svc rotate-secret-key or accept-lost-secret-key is running. Start the service when it has finished.',
    )
}

/**
 * The connection holds the lock.
 * @throws RotationRefused while a service runs
 */
export const takeExclusiveLock = async (client: PoolClient, patience: number): Promise<void> => {
  try {
    await client.query(`set lock_timeout = ${Math.max(1, Math.round(patience))}`)
    await client.query('select pg_advisory_lock($1)', [serviceRunningLock])
    await client.query('set lock_timeout = 0')
  } catch (error) {
    if ((error as { code?: unknown }).code !== '55P03') throw error
    throw new RotationRefused(
      'The service is running. Stop all svc processes on this database, then try again.',
    )
  }
}

/** @returns how many rows were still encrypted with the former key */
const rewrap = async (
  client: PoolClient,
  rows: readonly KeyringRow[],
  former: WrappingKey,
  next: WrappingKey,
  random: Random,
): Promise<number> => {
  const due = rows.filter((row) => !row.lost && row.wrapping_key !== next.fingerprint)
  if (due.length === 0) return 0
  const { keys } = unwrapKeyring(due, former)
  for (const { id, purpose } of due) {
    await client.query('update vault.keyring set wrapped = $2, wrapping_key = $3 where id = $1', [
      id,
      wrapDataKey(next, id, purpose, keys.get(id)!, random),
      next.fingerprint,
    ])
  }
  return due.length
}

const prove = async (
  client: PoolClient,
  next: WrappingKey,
  options: RotateOptions,
): Promise<RotationResult['proven']> => {
  const keyring = unwrapKeyring(await readKeyringRows(client), next, 'SVC_NEW_SECRET_KEY')
  const broken: string[] = []
  const opens = (what: string, open: () => unknown): boolean => {
    try {
      return open() !== null
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      // It was lost earlier and no key decrypts it, so there is nothing to verify.
      if (!(error instanceof SealLost)) broken.push(what)
      return false
    }
  }
  const unwrap = personKeyOpener(keyring)
  let personKeys = 0
  for await (const row of allPersonKeys(client)) {
    if (opens(`person key of ${row.subject}`, () => unwrap(row))) personKeys++
  }
  const { open } = serviceSeals(keyring, options.random)
  let secrets = 0
  for (const prover of options.provers ?? []) {
    for await (const { what, sealed, purpose, aad } of prover) {
      if (opens(what, () => open(purpose, sealed, aad))) secrets++
    }
  }
  if (broken.length > 0) {
    const more = broken.length > LISTED ? ` and ${broken.length - LISTED} more` : ''
    throw new RotationRefused(
      `These cannot be decrypted with the new key (nor with the old one), so nothing was changed: ` +
        `${broken.slice(0, LISTED).join(', ')}${more}.`,
    )
  }
  return { keyring: keyring.keys.size, personKeys, secrets }
}

/**
 * Encrypts the keyring with the new key and verifies that everything can be decrypted with it alone, in one
 * transaction. After an interruption either the old or the new key is in effect, and another run completes or confirms
 * the rotation.
 * @throws RotationRefused while the service runs, or if something stored cannot be decrypted
 * @throws SecretKeyError naming the variable whose key is too short, wrong, or the same as the other
 */
export const rotateSecretKey = async (options: RotateOptions): Promise<RotationResult> => {
  const { pool, random, patience = 5000 } = options
  const former = wrappingKey(options.oldKey, 'SVC_SECRET_KEY')
  const next = wrappingKey(options.newKey, 'SVC_NEW_SECRET_KEY')
  if (former.fingerprint === next.fingerprint) {
    throw new SecretKeyError('SVC_NEW_SECRET_KEY must differ from SVC_SECRET_KEY.')
  }
  const client = await pool.connect()
  try {
    await takeExclusiveLock(client, patience)
    await client.query('begin; set local synchronous_commit = on')
    await lockVaultSchema(client)
    const rows = await readKeyringRows(client, true)
    if (rows.length === 0) throw new RotationRefused('There is no keyring yet: nothing to rotate.')
    const rewrapped = await rewrap(client, rows, former, next, random)
    const proven = await prove(client, next, options)
    await client.query('commit')
    return { outcome: rewrapped > 0 ? 'rotated' : 'already', proven }
  } finally {
    // Released immediately, so that a service can start right after. A broken connection has already released it.
    await client.query('rollback; select pg_advisory_unlock_all()').catch(() => undefined)
    client.release(true)
  }
}
