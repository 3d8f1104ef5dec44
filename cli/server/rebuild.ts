import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { eventSerializer } from '../../adapters/engines/event-log/serializer.ts'
import { openVault } from '../../adapters/engines/vault/vault.ts'
import { openPool, outlivesConnections } from '../../adapters/engines/postgres/pool.ts'
import { rebuild, type RebuildReport } from '../../projections/rebuild.ts'
import { READ_MODELS, SchemaMismatch } from '../../read-models/migrate.ts'
import type { Config } from './config.ts'
import { CliError } from './exit-codes.ts'
import type { Log } from './log.ts'
import { withStorage } from './offline.ts'
import { readModelConsumers } from './consumers.ts'
import { migrate, migrateLasting, openLog, type Storage } from './storage.ts'

/** A whole table is compared in one statement. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000

/** Between two words on how far it has come. */
const PROGRESS_MS = 2000

/** Replays the log of a storage into fresh tables, and compares or swaps; see `rebuild`. */
export const rebuildStorage = async (
  storage: Storage,
  log: Log,
  {
    acceptingLoss = false,
    ...options
  }: Pick<Parameters<typeof rebuild>[0], 'verify' | 'progressed'> & { readonly acceptingLoss?: boolean },
): Promise<RebuildReport> => {
  // Rebuilt tables may have another version; compared tables must not.
  await (options.verify ? migrate : migrateLasting)(storage)
  const workPool = outlivesConnections(new pg.Pool({ connectionString: storage.databaseUrl, max: 2 }))
  const pool = openPool(storage.databaseUrl, READ_MODELS, {
    max: 4,
    statementTimeout: STATEMENT_TIMEOUT_MS,
    idleTransactionTimeout: STATEMENT_TIMEOUT_MS,
  })
  const eventLog = await openLog(storage, log)
  try {
    const vault = await openVault({
      pool: workPool,
      secretKey: storage.secretKey,
      now: () => new Date(),
      random: randomBytes,
      acceptingLoss,
    })
    return await rebuild({
      ...options,
      consumers: readModelConsumers(eventLog, eventSerializer(vault)),
      pool,
    })
  } finally {
    await eventLog.close()
    await Promise.all([pool.end(), workPool.end()])
  }
}

/** Replays the log into fresh tables, and compares or swaps; see `rebuild`. */
export const rebuildReadModels = (config: Config, log: Log, verify: boolean): Promise<RebuildReport> =>
  withStorage(config, log, (storage) => rebuildStorage(storage, log, { verify }))

/**
 * Migrates every schema to this version before the service starts. Read models that need a replay are
 * replayed if the database is embedded, because no other instance can use it.
 * @throws CliError as `migrate`
 */
export const migrateToServe = async (
  { database }: Pick<Config, 'database'>,
  storage: Storage,
  log: Log,
): Promise<void> => {
  try {
    await migrate(storage)
  } catch (error) {
    const mismatch = error instanceof CliError ? error.cause : null
    const replayMends = mismatch instanceof SchemaMismatch && mismatch.wantsReplay
    if (database.kind !== 'embedded' || !replayMends) throw error
    log.info({ migration: mismatch.migration }, 'this version has new read models: replaying the log')
    let [told, done] = [performance.now(), 0]
    const { events, position, seconds } = await rebuildStorage(storage, log, {
      verify: false,
      progressed: (more) => {
        done += more
        if (performance.now() - told < PROGRESS_MS) return
        told = performance.now()
        log.info({ events: done }, 'replaying the log')
      },
    })
    log.info({ events, position, seconds: Math.round(seconds) }, 'log replayed')
  }
}
