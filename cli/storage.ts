import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { openEventLog } from '../adapters/event-log/open.ts'
import type { EventLog, RetentionPolicy } from '../adapters/event-log/event-log.ts'
import { startEmbeddedPostgres } from '../adapters/postgres/embedded.ts'
import { openPool } from '../adapters/postgres/pool.ts'
import { migrateWork } from '../adapters/postgres/work-schema.ts'
import { migrateVault } from '../adapters/vault/schema.ts'
import { retentionOf } from '../domain/catalogue.ts'
import { migrateReadModels, READ_MODELS } from '../read-models/migrate.ts'
import type { Config } from './config.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'
import { loadSecretKey } from './secret-key-file.ts'

/** The databases that the configuration names, started where they are embedded. */
export interface Storage {
  readonly databaseUrl: string
  readonly eventStoreUrl: string
  readonly secretKey: string
  stop(): Promise<void>
}

const DAY = 86_400

/** Sign-ins are kept for 395 days and token grants for 90; the rest for ever. */
const retention: RetentionPolicy = (category) => {
  const seconds = { permanent: null, sign_in: 395 * DAY, token: 90 * DAY }
  return seconds[retentionOf(category)]
}

/** Starts the embedded database, or takes the one configured, and finds the secret key. */
export const openStorage = async (config: Config, log: Log): Promise<Storage> => {
  const databaseDir = join(config.dataDir, 'postgres')
  if (config.database.kind === 'embedded') await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const secretKey =
    config.secretKey ?? (await loadSecretKey({ dataDir: config.dataDir, databaseDir, randomBytes }))
  const embedded =
    config.database.kind === 'embedded'
      ? await startEmbeddedPostgres({
          dataDir: databaseDir,
          log: (message) => {
            log.debug({}, message)
          },
        })
      : null
  const databaseUrl = config.database.kind === 'embedded' ? (embedded?.url ?? '') : config.database.url
  return {
    databaseUrl,
    eventStoreUrl: config.eventStore.kind === 'database' ? databaseUrl : config.eventStore.url,
    secretKey,
    stop: async () => {
      await embedded?.stop()
    },
  }
}

/** The log that holds the truth. */
export const openLog = (storage: Storage, log: Log): Promise<EventLog> =>
  openEventLog(storage.eventStoreUrl, {
    retention,
    log: (message, error) => {
      log.warn({ reason: error instanceof Error ? error.message : String(error) }, message)
    },
  })

/**
 * Brings every schema to this version's shape; the log's own is brought along when it is opened.
 * @returns read model migrations applied now
 * @throws CliError when the database cannot be reached
 */
export const migrate = async (storage: Storage): Promise<readonly string[]> => {
  const pool = new pg.Pool({ connectionString: storage.databaseUrl, max: 2, connectionTimeoutMillis: 10_000 })
  try {
    await migrateVault(pool)
    await migrateWork(pool)
    const client = await pool.connect()
    try {
      return await migrateReadModels(client, READ_MODELS)
    } finally {
      client.release(true)
    }
  } catch (error) {
    if (isConnectionError(error))
      throw new CliError(
        exitCodes.unreachable,
        `The database (SVC_DATABASE_URL) cannot be reached: ${error.message}`,
      )
    throw error
  } finally {
    await pool.end()
  }
}

const isConnectionError = (error: unknown): error is Error => {
  const code = (error as { code?: unknown }).code
  return (
    error instanceof Error && typeof code === 'string' && /^(E[A-Z]+|08...|57P03|28...|3D000)$/.test(code)
  )
}

/** Connections that look into the read models that serve. */
export const openReadModels = (storage: Storage, log: Log, max: number): pg.Pool =>
  openPool(storage.databaseUrl, READ_MODELS, {
    max,
    onError: (error) => {
      log.warn({ reason: error.message }, 'a database connection broke')
    },
  })
