import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { eventSerializer, openedSource } from '../adapters/event-log/serializer.ts'
import { openVault } from '../adapters/vault/vault.ts'
import { openPool } from '../adapters/postgres/pool.ts'
import { CORE } from '../projections/checkpoint.ts'
import { coreTables } from '../projections/core.ts'
import { rebuild, type RebuildReport } from '../projections/rebuild.ts'
import { READ_MODELS } from '../read-models/migrate.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { withStorage } from './offline.ts'
import { migrate, migrateLasting, openLog } from './storage.ts'

/** A whole table is compared in one statement. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000

/** Replays the log into fresh tables, and compares or swaps; see `rebuild`. */
export const rebuildReadModels = (config: Config, log: Log, verify: boolean): Promise<RebuildReport> =>
  withStorage(config, log, async (storage) => {
    // What is made anew need not fit; what is compared must.
    await (verify ? migrate : migrateLasting)(storage)
    const workPool = new pg.Pool({ connectionString: storage.databaseUrl, max: 2 })
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
      })
      const source = openedSource(eventLog, eventSerializer(vault), { withOrigin: false })
      return await rebuild({ name: CORE, pool, source, tables: coreTables, verify })
    } finally {
      await eventLog.close()
      await Promise.all([pool.end(), workPool.end()])
    }
  })
