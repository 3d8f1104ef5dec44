import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { openPostgresLog } from '../../adapters/engines/event-log/postgres.ts'
import { eventSerializer } from '../../adapters/engines/event-log/serializer.ts'
import { openVault } from '../../adapters/engines/vault/vault.ts'
import { systemClock } from '../../adapters/kernel/clock.ts'
import type { Log } from '../../cli/server/log.ts'
import { migrate } from '../../cli/server/migrate.ts'
import { READ_MODELS } from '../../read-models/schema.ts'
import { generateHistory, type HistoryOptions } from './history.ts'

/** A batch of a generated history is large, and nobody waits for it. */
const APPEND_TIMEOUT_MS = 120_000

/**
 * Fills the log of a new database with a generated history, without its read models. No subscriber has to process it.
 * @returns the number of events
 */
export const filledLog = async ({
  databaseUrl,
  secretKey,
  pool,
  log,
  wanted,
  ...options
}: HistoryOptions & {
  readonly databaseUrl: string
  readonly secretKey: string
  readonly pool: pg.Pool
  readonly log: Log
  /** About this many events */
  readonly wanted: number
}): Promise<number> => {
  const storage = { dataDir: '', databaseUrl, eventStoreUrl: databaseUrl, eventStorePrefix: '', secretKey }
  await migrate({ ...storage, justStarted: false, stop: () => Promise.resolve() }, log)
  const vault = await openVault({
    pool,
    secretKey,
    now: () => new Date(),
    random: randomBytes,
    cacheSize: 100_000,
  })
  const history = await openPostgresLog({
    connectionString: databaseUrl,
    retention: () => null,
    appendTimeout: APPEND_TIMEOUT_MS,
  })
  const events = await generateHistory(
    history,
    eventSerializer(vault),
    { clock: systemClock() },
    wanted,
    options,
  )
  const head = await history.head()
  await history.close()
  await pool.query(
    `insert into work.checkpoint (name, position)
     select unnest(array['mail', 'logout-notices', 'rule-memberships', 'package-delivery', 'lifecycle-triggers', 'provisioning-marks']), $1`,
    [head],
  )
  // The tables belong to the empty log.
  await pool.query(`drop schema ${READ_MODELS} cascade`)
  return events
}
