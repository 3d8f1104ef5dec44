/**
 * The vault's part of `svc accept-lost-secret-key`: a new keyring beside the former one, which is no longer
 * used. The former rows are kept, in case the lost secret key is found.
 */
import type { Pool, PoolClient } from 'pg'
import { newNonce, boxKey, sealBox } from './aead.ts'
import type { Random } from './aead.ts'
import {
  ACCEPT_LOSS_COMMAND,
  insertDataKeys,
  lossUnfinished,
  readKeyringRows,
  unwrapKeyring,
} from './keyring.ts'
import { personAad } from './person-keys.ts'
import { takeExclusiveLock } from './rotate.ts'
import { lockVaultSchema } from './schema.ts'
import { wrappingKey } from './secret-key.ts'
import type { WrappingKey } from './secret-key.ts'

const PAGE = 5000

/** There is no loss to accept. Nothing was changed. */
export class LossRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'LossRefused'
  }
}

export interface AcceptLossOptions {
  readonly pool: Pool
  /** The new SVC_SECRET_KEY */
  readonly secretKey: string
  readonly now: () => Date
  readonly random: Random
  /** Runs before the commit, while no service runs. It must have no harmful effect if the commit fails. */
  readonly beforeCommit?: () => Promise<void>
  /** How long to wait for services that are just stopping, in milliseconds; default 5000 */
  readonly patience?: number
}

/** One loss of the secret key. Fingerprints identify a key without revealing anything about it. */
export interface Loss {
  /** Generation of the keyring that replaced it: 2 for the first loss */
  readonly generation: number
  readonly formerFingerprint: string
  readonly fingerprint: string
}

export interface AcceptedLoss {
  /** `resumed`: an earlier run created the keyring and was then interrupted. */
  readonly outcome: 'accepted' | 'resumed'
  /** Losses whose follow-up steps are pending, oldest first */
  readonly losses: readonly Loss[]
}

/** Creates new keys for every user that has one; the former keys are kept separately. */
const renewPersonKeys = async (client: PoolClient, options: AcceptLossOptions): Promise<void> => {
  const { now, random } = options
  const { keys, current } = unwrapKeyring(await readKeyringRows(client), wrappingKey(options.secretKey))
  const raw = keys.get(current.person)
  if (raw === undefined) throw new Error('the new keyring has no key for personal data')
  const wrapper = boxKey(raw)
  await client.query(
    `insert into vault.lost_person_key (subject, keyring_id, wrapped, created_at)
     select subject, keyring_id, wrapped, created_at from vault.person_key where wrapped is not null`,
  )
  for (let after = ''; ;) {
    const { rows } = await client.query<{ subject: string }>(
      `select subject from vault.person_key where wrapped is not null and subject > $1 order by subject limit $2`,
      [after, PAGE],
    )
    const subjects = rows.map(({ subject }) => subject)
    await client.query(
      `update vault.person_key k set wrapped = n.wrapped, keyring_id = $3, created_at = $4
       from unnest($1::text[], $2::bytea[]) as n (subject, wrapped) where k.subject = n.subject`,
      [
        subjects,
        subjects.map((subject) => sealBox(wrapper, newNonce(random), random(32), personAad(subject))),
        current.person,
        now(),
      ],
    )
    const last = subjects.at(-1)
    if (last === undefined || subjects.length < PAGE) return
    after = last
  }
}

/** @returns the fingerprint of the lost key; null if an earlier run completed this step */
const lostFingerprint = async (client: PoolClient, wrapping: WrappingKey): Promise<string | null> => {
  const living = (await readKeyringRows(client, true)).filter(({ lost }) => !lost)
  const former = living.find((row) => row.wrapping_key !== wrapping.fingerprint)
  if (former !== undefined) return former.wrapping_key
  if (living.length === 0) throw new LossRefused('There is no keyring yet: nothing is lost.')
  unwrapKeyring(living, wrapping)
  if (await lossUnfinished(client)) return null
  throw new LossRefused('SVC_SECRET_KEY decrypts the keyring: nothing is lost, and nothing was changed.')
}

const unfinished = async (client: PoolClient): Promise<readonly Loss[]> => {
  const { rows } = await client.query<Loss>(
    `select generation, former_fingerprint as "formerFingerprint", fingerprint
     from vault.loss where finished_at is null order by generation`,
  )
  return rows
}

const replaceKeyring = async (
  client: PoolClient,
  wrapping: WrappingKey,
  former: string,
  options: AcceptLossOptions,
): Promise<void> => {
  const { rows } = await client.query<{ generation: number }>(
    'select max(generation) + 1 as generation from vault.keyring',
  )
  const generation = rows[0]?.generation ?? 1
  const now = options.now()
  await client.query('update vault.keyring set lost_at = $1 where lost_at is null', [now])
  await insertDataKeys(client, wrapping, generation, now, options.random)
  await renewPersonKeys(client, options)
  await client.query(
    `insert into vault.loss (generation, former_fingerprint, fingerprint, accepted_at) values ($1, $2, $3, $4)`,
    [generation, former, wrapping.fingerprint, now],
  )
}

/**
 * Marks the keyring of a lost secret key as lost and creates another under the current key, in one
 * transaction. Until `finishLoss` only this command can open the vault.
 * @throws RotationRefused while the service runs
 * @throws LossRefused if SVC_SECRET_KEY decrypts the keyring, or there is none
 * @throws SecretKeyError if SVC_SECRET_KEY is too short, or encrypts the keyring but a row is damaged
 */
export const acceptLoss = async (options: AcceptLossOptions): Promise<AcceptedLoss> => {
  const { pool, patience = 5000, beforeCommit = () => Promise.resolve() } = options
  const wrapping = wrappingKey(options.secretKey)
  const client = await pool.connect()
  try {
    await takeExclusiveLock(client, patience)
    await client.query('begin; set local synchronous_commit = on')
    await lockVaultSchema(client)
    const former = await lostFingerprint(client, wrapping)
    if (former !== null) await replaceKeyring(client, wrapping, former, options)
    const losses = await unfinished(client)
    await beforeCommit()
    await client.query('commit')
    return { outcome: former === null ? 'resumed' : 'accepted', losses }
  } finally {
    await client.query('rollback; select pg_advisory_unlock_all()').catch(() => undefined)
    client.release(true)
  }
}

/** From now on every process can open the vault. */
export const finishLoss = async (pool: Pool, losses: readonly Loss[], now: Date): Promise<void> => {
  await pool.query(
    'update vault.loss set finished_at = $2 where generation = any($1) and finished_at is null',
    [losses.map(({ generation }) => generation), now],
  )
}

/**
 * Locks the steps after the keyring against concurrent runs.
 * @throws LossRefused while another run holds the lock
 */
export const aloneAcceptingLoss = async <T>(pool: Pool, work: () => Promise<T>): Promise<T> => {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ mine: boolean }>(
      `select pg_try_advisory_lock(hashtext('svc.accept-loss')) as mine`,
    )
    if (rows[0]?.mine !== true)
      throw new LossRefused(`"${ACCEPT_LOSS_COMMAND}" is already running. Wait until it ends.`)
    return await work()
  } finally {
    client.release(true)
  }
}
