import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { eventSerializer } from '../../adapters/engines/event-log/serializer.ts'
import { microsecondsOf, readPeriods } from '../../adapters/engines/event-log/retention.ts'
import { openVault } from '../../adapters/engines/vault/vault.ts'
import { openPool, outlivesConnections } from '../../adapters/engines/postgres/pool.ts'
import { goneBefore } from '../../domain/retention.ts'
import { rebuild, type RebuildReport } from '../../projections/rebuild.ts'
import { READ_MODELS } from '../../read-models/schema.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { withStorage } from './offline.ts'
import { readModelConsumers } from './consumers.ts'
import { migrate } from './migrate.ts'
import { openLog, type Storage } from './storage.ts'

/** Statement timeout: a whole table is compared in one statement. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000

/** Replays the log of a storage into new tables, then compares or swaps them; see `rebuild`. */
export const rebuildStorage = async (
  storage: Storage,
  log: Log,
  {
    acceptingLoss = false,
    ...options
  }: Pick<Parameters<typeof rebuild>[0], 'verify' | 'progressed'> & { readonly acceptingLoss?: boolean },
): Promise<RebuildReport> => {
  await migrate(storage, log, { acceptingLoss })
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
    const periods = await readPeriods(eventLog)
    return await rebuild({
      ...options,
      goneBefore: (kept) => goneBefore(kept, periods, microsecondsOf(new Date())),
      consumers: readModelConsumers(eventLog, eventSerializer(vault)),
      pool,
    })
  } finally {
    await eventLog.close()
    await Promise.all([pool.end(), workPool.end()])
  }
}

/** Replays the log into new tables, then compares or swaps them; see `rebuild`. */
export const rebuildReadModels = (config: Config, log: Log, verify: boolean): Promise<RebuildReport> =>
  withStorage(config, log, (storage) => rebuildStorage(storage, log, { verify }))
