import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { eventSerializer } from '../../adapters/engines/event-log/serializer.ts'
import { schemasInUse } from '../../adapters/engines/postgres/other-versions.ts'
import { openPool, outlivesConnections } from '../../adapters/engines/postgres/pool.ts'
import { openVault } from '../../adapters/engines/vault/vault.ts'
import { rest } from '../../adapters/kernel/rest.ts'
import { buildReadModels, type BuildOptions, type BuildReport } from '../../projections/build.ts'
import { BUILDING, hasSchema, READ_MODELS } from '../../read-models/schema.ts'
import { readModelConsumers } from './consumers.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'
import { migrateLasting, openLog, type Storage } from './storage.ts'

/** Statement timeout: a whole table is copied in one statement. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000
/** Rest after each page, as a multiple of the time that the page took, while instances of other versions serve. */
export const REST = 1
/** Milliseconds between two checks of a build by another instance. */
const WAIT_MS = 500

export interface MigrateOptions extends Pick<BuildOptions, 'page' | 'progressed' | 'signal'> {
  /** As in `openVault` */
  readonly acceptingLoss?: boolean
}

/** Leaves the processors and the disk to the instances that serve; without any, the build does not rest. */
const restBesideOthers = (
  pool: pg.Pool,
  log: Log,
  signal: AbortSignal,
): ((workedMs: number) => Promise<boolean>) => {
  let reported = false
  return async (workedMs) => {
    const { rowCount } = await pool.query(schemasInUse)
    if (rowCount === 0) return false
    if (!reported)
      log.info({}, 'instances of another version serve: the build rests after each page of events')
    reported = true
    await rest(workedMs * REST, signal)
    return true
  }
}

/** Opens what the build needs, the log and its keys, and runs the build. */
const build = async (
  storage: Storage,
  log: Log,
  pool: pg.Pool,
  { acceptingLoss = false, ...options }: MigrateOptions,
): Promise<BuildReport | null> => {
  const workPool = outlivesConnections(new pg.Pool({ connectionString: storage.databaseUrl, max: 2 }))
  const eventLog = await openLog(storage, log)
  try {
    // A new installation has no keys yet.
    if ((await eventLog.head()) === '')
      return await buildReadModels({ ...options, consumers: () => [], pool })
    const vault = await openVault({
      pool: workPool,
      secretKey: storage.secretKey,
      now: () => new Date(),
      random: randomBytes,
      acceptingLoss,
    })
    const serializer = eventSerializer(vault)
    return await buildReadModels({
      ...options,
      consumers: (wanted) => readModelConsumers(eventLog, serializer, wanted),
      rest: restBesideOthers(pool, log, options.signal ?? new AbortController().signal),
      pool,
    })
  } finally {
    await eventLog.close()
    await workPool.end()
  }
}

/** Postgres error code for a full disk. */
const DISK_FULL = '53100'

const explained = (error: unknown): unknown =>
  (error as { code?: unknown } | null)?.code === DISK_FULL
    ? new CliError(
        exitCodes.error,
        'The disk of the database is full. Free some space and start again: the upgrade continues where it stopped. ' +
          '"svc upgrade --check" prints how much it needs.',
        { cause: error },
      )
    : error

/**
 * Builds the read models of this version if they are missing; waits if another instance is building them.
 * @throws CliError if the disk is full; errors of the stores, after which a later call continues
 */
export const ensureReadModels = async (
  storage: Storage,
  log: Log,
  options: MigrateOptions,
): Promise<BuildReport | null> => {
  const pool = openPool(storage.databaseUrl, BUILDING, {
    max: 4,
    connectTimeout: 10_000,
    statementTimeout: STATEMENT_TIMEOUT_MS,
    idleTransactionTimeout: STATEMENT_TIMEOUT_MS,
  })
  try {
    let waiting = false
    while (!(await hasSchema(pool, READ_MODELS))) {
      options.signal?.throwIfAborted()
      const client = await pool.connect()
      try {
        const { rows } = await client.query<{ mine: boolean }>(
          `select pg_try_advisory_lock(hashtext('svc.build')) as mine`,
        )
        if (rows[0]?.mine === true) return await build(storage, log, pool, options)
      } finally {
        client.release(true)
      }
      if (!waiting) log.info({}, 'another instance is building the read models of this version: waiting')
      waiting = true
      await delay(WAIT_MS)
    }
    return null
  } catch (error) {
    throw explained(error)
  } finally {
    await pool.end()
  }
}

export interface MigrateReport {
  /** Migrations that were applied now, as `<schema>/<name>` */
  readonly applied: readonly string[]
  /** The build of the read models of this version; null if they existed */
  readonly built: BuildReport | null
}

/**
 * Migrates every schema of the database to this version, while instances of other versions keep running.
 * @throws CliError if the database is unavailable, its disk is full, or a newer release has migrated it
 */
export const migrate = async (
  storage: Storage,
  log: Log,
  options: MigrateOptions = {},
): Promise<MigrateReport> => {
  const applied = await migrateLasting(storage)
  return { applied, built: await ensureReadModels(storage, log, options) }
}
