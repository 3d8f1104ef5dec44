import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { auditSigner } from '../../adapters/engines/audit/signer.ts'
import { AUDIT_TREE, growTree } from '../../adapters/engines/audit/tree.ts'
import { verifyBundle } from '../../adapters/engines/audit/bundle/verify.ts'
import { systemClock } from '../../adapters/kernel/clock.ts'
import { openPostgresLog } from '../../adapters/engines/event-log/postgres.ts'
import { eventSerializer, storedSource } from '../../adapters/engines/event-log/serializer.ts'
import { openPool } from '../../adapters/engines/postgres/pool.ts'
import { openVault } from '../../adapters/engines/vault/vault.ts'
import { verifyLive } from '../../cli/server/audit.ts'
import { exportBundle } from '../../cli/server/audit-bundle.ts'
import type { Log } from '../../cli/server/log.ts'
import { readModelConsumers } from '../../cli/server/consumers.ts'
import { migrate } from '../../cli/server/migrate.ts'
import type { Storage } from '../../cli/server/storage.ts'
import { AUDIT, CORE } from '../../projections/checkpoint.ts'
import { rebuild } from '../../projections/rebuild.ts'
import { inTransaction } from '../../read-models/transaction.ts'
import { READ_MODELS } from '../../read-models/schema.ts'
import { generateHistory } from './history.ts'
import { perSecond, type Line } from './measure.ts'
import { benchConfig } from './place.ts'

const HISTORY = Number(process.env['BENCH_AUDIT'] ?? 100_000)
const PAGE = 500

/** Measures growing, verifying and exporting the audit trail. */
export const auditRows = async (
  databaseUrl: string,
  dir: string,
  log: Log,
  say: (line: Line) => void,
): Promise<void> => {
  const config = await benchConfig(databaseUrl)
  const storage: Storage = {
    dataDir: dir,
    databaseUrl,
    eventStoreUrl: databaseUrl,
    eventStorePrefix: '',
    secretKey: config.secretKey ?? '',
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
  })
  const serializer = eventSerializer(vault)
  const clock = systemClock()
  const history = await openPostgresLog({ connectionString: databaseUrl, retention: () => null })
  const events = await generateHistory(history, serializer, { clock }, HISTORY)
  const pool = openPool(databaseUrl, READ_MODELS, { max: 4, statementTimeout: 600_000 })
  for (const name of [CORE, AUDIT])
    await pool.query('insert into checkpoint (name, position) values ($1, $2)', [name, await history.head()])
  await rebuild({
    consumers: readModelConsumers(history, serializer),
    pool,
    verify: false,
    goneBefore: () => null,
  })

  const grow = growTree(auditSigner({ pool: workPool, vault, publicUrl: config.publicUrl }))
  const source = storedSource(history)
  const timed = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const started = performance.now()
    await work()
    const seconds = (performance.now() - started) / 1000
    say({
      what: `${what} of ${events.toLocaleString('en')} events`,
      value: perSecond(events / seconds),
      ratio: `${seconds.toFixed(1)} s`,
    })
  }
  await timed('audit tree', async () => {
    for (let position = ''; ;) {
      const batch = await source.read(position, PAGE)
      await inTransaction(pool, (client) => grow(client, batch.events))
      position = batch.position
      if (batch.caughtUp) break
    }
  })
  await workPool.query('insert into work.checkpoint (name, position) values ($1, $2)', [
    AUDIT_TREE,
    await history.head(),
  ])
  const held = (verification: {
    readonly integrity: { ok: boolean }
    readonly completeness: { ok: boolean }
  }) => {
    if (!verification.integrity.ok || !verification.completeness.ok)
      throw new Error(JSON.stringify(verification))
  }
  await timed('svc audit verify', async () => {
    held(await verifyLive(config, log, { key: undefined, checkpoint: [] }))
  })
  const out = join(dir, 'bundle.ndjson')
  await timed('svc audit export', () =>
    exportBundle(config, log, { out, from: undefined, to: undefined, checkpoint: [] }),
  )
  const key = await auditSigner({ pool: workPool, vault, publicUrl: config.publicUrl })()
  const megabytes = (await stat(out)).size / 1e6
  await timed(`bundle of ${megabytes.toFixed(0)} MB verified`, async () => {
    held(await verifyBundle(createReadStream(out, { highWaterMark: 1 << 20 }), key))
  })
  await history.close()
  await Promise.all([pool.end(), workPool.end()])
}
