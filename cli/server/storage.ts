import { createHash, randomBytes } from 'node:crypto'
import { mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { writtenBeyond } from '../../adapters/engines/event-log/event-types.ts'
import { openEventLog, type OpenOptions } from '../../adapters/engines/event-log/open.ts'
import type { EventLog } from '../../adapters/engines/event-log/event-log.ts'
import { logRetention } from '../../adapters/engines/event-log/retention.ts'
import { attachEmbeddedPostgres } from '../../adapters/engines/postgres/attach.ts'
import { hasCluster } from '../../adapters/engines/postgres/data-folder.ts'
import { startEmbeddedPostgres } from '../../adapters/engines/postgres/embedded.ts'
import { firstBarrier, postgresUser } from '../../adapters/engines/postgres/os.ts'
import {
  lastingSchemas,
  migratedBeyond,
  migrateSchema,
  NewerDatabase,
  newestVersion,
} from '../../adapters/engines/postgres/migrate.ts'
import { openPool, type PoolOptions } from '../../adapters/engines/postgres/pool.ts'
import { endLeases } from '../../projections/lease.ts'
import { READ_MODELS } from '../../read-models/schema.ts'
import type { Config } from './config.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'
import { loadSecretKey } from './secret-key-file.ts'

/** The configured databases, started if they are embedded. */
export interface Storage {
  readonly dataDir: string
  readonly databaseUrl: string
  readonly eventStoreUrl: string
  readonly eventStorePrefix: string
  readonly secretKey: string
  /** Whether the database was just started, so that no earlier client is connected. */
  readonly justStarted: boolean
  stop(): Promise<void>
}

/**
 * Where the embedded database and the key are kept. If root starts the service, Postgres runs as a separate OS user,
 * which cannot access a clone in a private home folder; then the data is stored under /var/lib.
 */
export const dataDirOf = async (config: Config, log: Log): Promise<string> => {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  if (config.dataDirGiven || (await postgresUser()) === undefined) return config.dataDir
  const barrier = await firstBarrier(dirname(config.dataDir))
  if (barrier === undefined) return config.dataDir
  const name = createHash('sha256').update(config.dataDir).digest('hex').slice(0, 8)
  const dataDir = join('/var/lib/svc', name)
  log.info({ dataDir }, `${barrier} is not accessible to the OS user postgres: storing data elsewhere`)
  await mkdir(dataDir, { recursive: true, mode: 0o711 })
  return dataDir
}

/** Returns the folder of the embedded database; null if another database is configured. */
export const databaseDirOf = async (config: Config, log: Log): Promise<string | null> =>
  config.database.kind === 'embedded' ? join(await dataDirOf(config, log), 'postgres') : null

/** The same for an existing database; null if there is none. Creates nothing. */
export const existingDatabaseDir = async (config: Config, log: Log): Promise<string | null> => {
  if ((await stat(config.dataDir).catch(() => undefined)) === undefined) return null
  const dir = await databaseDirOf(config, log)
  return dir !== null && (await hasCluster(dir)) ? dir : null
}

const openEmbedded = async (config: Config, log: Log, attach: boolean): Promise<Storage> => {
  const dataDir = await dataDirOf(config, log)
  const databaseDir = join(dataDir, 'postgres')
  const secretKey = config.secretKey ?? (await loadSecretKey({ dataDir, databaseDir, randomBytes }))
  const running = attach ? await attachEmbeddedPostgres(databaseDir) : null
  const embedded =
    running === null
      ? await startEmbeddedPostgres({
          dataDir: databaseDir,
          log: (message) => {
            log.debug({}, message)
          },
        }).catch((error: unknown) => {
          throw new CliError(exitCodes.error, error instanceof Error ? error.message : String(error), {
            cause: error,
          })
        })
      : null
  const databaseUrl = running ?? embedded?.url ?? ''
  return {
    dataDir,
    databaseUrl,
    eventStoreUrl: config.eventStore.kind === 'database' ? databaseUrl : config.eventStore.url,
    eventStorePrefix: config.eventStorePrefix,
    secretKey,
    justStarted: embedded !== null,
    stop: async () => {
      await embedded?.stop()
    },
  }
}

/**
 * Starts the embedded database, or uses the configured one, and reads the secret key.
 * @param attach whether to use the embedded database of a running service instead of failing
 */
export const openStorage = async (
  config: Config,
  log: Log,
  { attach }: { attach: boolean },
): Promise<Storage> => {
  const { database, eventStore, secretKey } = config
  if (database.kind === 'embedded') return openEmbedded(config, log, attach)
  if (secretKey === undefined)
    throw new CliError(exitCodes.usage, 'SVC_SECRET_KEY is required with SVC_DATABASE_URL')
  return {
    dataDir: config.dataDir,
    databaseUrl: database.url,
    eventStoreUrl: eventStore.kind === 'database' ? database.url : eventStore.url,
    eventStorePrefix: config.eventStorePrefix,
    secretKey,
    justStarted: false,
    stop: () => Promise.resolve(),
  }
}

/**
 * Opens the event log.
 * @throws CliError if a later release upgraded it
 */
export const openLog = (
  storage: Storage,
  log: Log,
  {
    retention = logRetention(() => new Date()).policy,
    ...limits
  }: Partial<Pick<OpenOptions, 'retention' | 'connectTimeout' | 'appendTimeout'>> = {},
): Promise<EventLog> =>
  openEventLog(storage.eventStoreUrl, {
    ...limits,
    prefix: storage.eventStorePrefix,
    retention,
    log: (message, error) => {
      log.warn({ reason: error instanceof Error ? error.message : String(error) }, message)
    },
  }).catch((error: unknown) => {
    throw error instanceof NewerDatabase ? refusal(error) : error
  })

const isPostgres = (url: string): boolean => /^\s*postgres(?:ql)?:/i.test(url)

const shortPool = (connectionString: string): pg.Pool =>
  new pg.Pool({ connectionString, max: 2, connectionTimeoutMillis: 10_000 })

/**
 * Returns the release that upgraded a log in another database; also null while that database is unavailable, because
 * opening the log checks it again.
 */
const logMigratedBeyond = async (url: string): Promise<string | null> => {
  const pool = shortPool(url)
  try {
    return await migratedBeyond(pool, ['log'])
  } catch (error) {
    if (isConnectionError(error)) return null
    throw error
  } finally {
    await pool.end()
  }
}

/**
 * Checks the versions before anything is changed.
 * @throws NewerDatabase
 */
const refuseNewer = async (pool: pg.Pool, { databaseUrl, eventStoreUrl }: Storage): Promise<void> => {
  const hasLog = eventStoreUrl === databaseUrl
  const newer = [
    await migratedBeyond(pool, hasLog ? lastingSchemas : ['vault', 'work', 'proof']),
    await writtenBeyond(pool),
    hasLog || !isPostgres(eventStoreUrl) ? null : await logMigratedBeyond(eventStoreUrl),
  ].filter((version) => version !== null)
  const newest = newestVersion(newer)
  if (newest !== null) throw new NewerDatabase(newest)
}

const refusal = (error: NewerDatabase): CliError =>
  new CliError(exitCodes.usage, error.message, { cause: error })

/**
 * Migrates the durable schemas to this version; a log in another database is migrated when it is opened.
 * @returns the migrations that were applied now, as `<schema>/<name>`
 * @throws CliError if the database is unavailable, or a newer release has migrated it
 */
export const migrateLasting = async (storage: Storage): Promise<readonly string[]> => {
  const { databaseUrl, eventStoreUrl, justStarted } = storage
  const pool = shortPool(databaseUrl)
  try {
    await refuseNewer(pool, storage)
    const applied: string[] = []
    for (const schema of lastingSchemas)
      if (schema !== 'log' || eventStoreUrl === databaseUrl)
        applied.push(...(await migrateSchema(pool, schema)))
    // Leases of a killed predecessor would delay the consumers for seconds.
    if (justStarted) await endLeases(pool)
    return applied
  } catch (error) {
    if (error instanceof NewerDatabase) throw refusal(error)
    if (isConnectionError(error))
      throw new CliError(
        exitCodes.unreachable,
        `The database (SVC_DATABASE_URL) is unavailable: ${error.message === '' ? String((error as { code?: unknown }).code) : error.message}`,
      )
    throw error
  } finally {
    await pool.end()
  }
}

const isConnectionError = (error: unknown): error is Error => {
  const code = (error as { code?: unknown }).code
  return (
    error instanceof Error &&
    (typeof code === 'string'
      ? /^(E[A-Z_]+|08...|57P03|28...|3D000)$/.test(code)
      : /timeout|Connection terminated/i.test(error.message))
  )
}

/** Opens connections to the active read models. */
export const openReadModels = (
  storage: Storage,
  log: Log,
  options: Pick<
    PoolOptions,
    'max' | 'connectTimeout' | 'statementTimeout' | 'idleTransactionTimeout' | 'lookups'
  >,
): pg.Pool =>
  openPool(storage.databaseUrl, READ_MODELS, {
    ...options,
    onError: (error) => {
      log.warn({ reason: error.message }, 'database connection lost')
    },
  })
