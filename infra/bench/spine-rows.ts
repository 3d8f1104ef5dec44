import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import { openPostgresLog } from '../../adapters/engines/event-log/postgres.ts'
import { eventSerializer, openedSource } from '../../adapters/engines/event-log/serializer.ts'
import { openPool } from '../../adapters/engines/postgres/pool.ts'
import { systemClock } from '../../adapters/kernel/clock.ts'
import { openVault } from '../../adapters/engines/vault/vault.ts'
import type { Log } from '../../cli/server/log.ts'
import { CORE } from '../../projections/checkpoint.ts'
import { coreTables } from '../../projections/core.ts'
import { rebuild } from '../../projections/rebuild.ts'
import { READ_MODELS } from '../../read-models/schema.ts'
import { migrate } from '../../cli/server/migrate.ts'
import type { Storage } from '../../cli/server/storage.ts'
import { insertCommits } from './baselines.ts'
import { generateHistory } from './history.ts'
import { milliseconds, percentile, perSecond, ratioTo, throughput, type Line } from './measure.ts'
import { appendToVisible } from './visibility.ts'

const HISTORY = Number(process.env['BENCH_HISTORY'] ?? 200_000)

/**
 * Measures the event log, the projections and commands.
 * @param databaseUrlOf creates a database with that name
 */
export const spineRows = async (
  databaseUrlOf: (name: string) => Promise<string>,
  dir: string,
  log: Log,
  say: (line: Line) => void,
): Promise<void> => {
  const raw = await databaseUrlOf('raw')
  const inserts = new Map<number, number>()
  for (const atOnce of [1, 16, 64]) {
    inserts.set(atOnce, await insertCommits(raw, atOnce))
    say({
      what: `bare Postgres insert + commit, ${String(atOnce)} in flight`,
      value: perSecond(inserts.get(atOnce) ?? 0),
    })
  }

  const eventLog = await openPostgresLog({ connectionString: raw, retention: () => null })
  const data = { text: 'a'.repeat(200) }
  for (const atOnce of [1, 16, 64]) {
    const rate = await throughput(atOnce, 4, () =>
      eventLog.append(`bench-${randomUUID()}`, 'no_stream', [
        { id: randomUUID(), type: 'bench.made', data, metadata: {} },
      ]),
    )
    say({
      what: `appends, ${String(atOnce)} in flight`,
      value: perSecond(rate),
      ratio: ratioTo(rate, inserts.get(atOnce) ?? 0, 'bare inserts'),
    })
  }
  await eventLog.close()

  const databaseUrl = await databaseUrlOf('history')
  const storage: Storage = {
    dataDir: dir,
    databaseUrl,
    eventStoreUrl: databaseUrl,
    eventStorePrefix: '',
    secretKey: randomBytes(32).toString('base64url'),
    justStarted: false,
    stop: () => Promise.resolve(),
  }
  await migrate(storage, log)
  const workPool = new pg.Pool({ connectionString: databaseUrl, max: 4 })
  const vault = await openVault({
    pool: workPool,
    secretKey: storage.secretKey,
    now: () => new Date(),
    random: randomBytes,
    cacheSize: 100_000,
  })
  const serializer = eventSerializer(vault)
  const history = await openPostgresLog({ connectionString: databaseUrl, retention: () => null })
  const events = await generateHistory(history, serializer, { clock: systemClock() }, HISTORY)
  const pool = openPool(databaseUrl, READ_MODELS, { max: 4, statementTimeout: 600_000 })
  // The active tables are empty. A rebuild replays up to their checkpoint.
  await pool.query('insert into checkpoint (name, position) values ($1, $2)', [CORE, await history.head()])
  const report = await rebuild({
    consumers: [
      { name: CORE, source: openedSource(history, serializer, { withOrigin: false }), tables: coreTables },
    ],
    pool,
    verify: false,
    goneBefore: () => null,
  })
  say({
    what: `rebuild of ${events.toLocaleString('en')} events`,
    value: perSecond(report.events / report.seconds),
    ratio: `${report.seconds.toFixed(1)} s`,
  })
  await history.close()
  await Promise.all([pool.end(), workPool.end()])

  const visible = await appendToVisible(await databaseUrlOf('visible'), log)
  for (const [load, latencies] of visible) {
    say({ what: `command to visible, ${load}, p50`, value: milliseconds(percentile(latencies, 0.5)) })
    say({ what: `command to visible, ${load}, p99`, value: milliseconds(percentile(latencies, 0.99)) })
  }
}
