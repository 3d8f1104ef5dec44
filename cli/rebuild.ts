import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { eventSerializer } from '../adapters/event-log/serializer.ts'
import { openVault } from '../adapters/vault/vault.ts'
import { openPool } from '../adapters/postgres/pool.ts'
import { rebuild, type RebuildReport } from '../projections/rebuild.ts'
import { READ_MODELS } from '../read-models/migrate.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { withStorage } from './offline.ts'
import { readModelConsumers } from './read-model-consumers.ts'
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
      return await rebuild({ consumers: readModelConsumers(eventLog, eventSerializer(vault)), pool, verify })
    } finally {
      await eventLog.close()
      await Promise.all([pool.end(), workPool.end()])
    }
  })
