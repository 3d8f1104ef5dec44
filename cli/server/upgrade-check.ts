/** What the next start of this release would do to a database, without changing anything. */
import { randomBytes } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import pg from 'pg'
import { writtenBeyond } from '../../adapters/engines/event-log/event-types.ts'
import { eventSerializer } from '../../adapters/engines/event-log/serializer.ts'
import {
  appliedMigrations,
  lastingSchemas,
  migratedBeyond,
  migrationsOf,
  NewerDatabase,
  newestVersion,
} from '../../adapters/engines/postgres/migrate.ts'
import { schemasInUse } from '../../adapters/engines/postgres/other-versions.ts'
import { openPool, outlivesConnections } from '../../adapters/engines/postgres/pool.ts'
import { openVault } from '../../adapters/engines/vault/vault.ts'
import { applyEvents } from '../../projections/apply.ts'
import { otherSchemas, planBuild, type BuildPlan } from '../../projections/build.ts'
import type { Consumer } from '../../projections/rebuild.ts'
import { createSchema, hasSchema, READ_MODELS, UNVERSIONED } from '../../read-models/schema.ts'
import type { Config } from './config.ts'
import { readModelConsumers } from './consumers.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'
import { withStorage } from './offline.ts'
import { REST } from './migrate.ts'
import { existingDatabaseDir, openLog, type Storage } from './storage.ts'

const STATEMENT_TIMEOUT_MS = 5 * 60_000
/** Events that are replayed, and rows of each table that are copied, to measure how long all of them take. */
const SAMPLE = 2000
const SAMPLE_SCHEMA = `${READ_MODELS}_sample`

export interface UpgradeCheck {
  /** Migrations that would be applied, as `<schema>/<name>` */
  readonly migrations: readonly string[]
  /** The build of the read models of this release; null if they exist */
  readonly build:
    | (BuildPlan & {
        /** Events of the log, estimated for a log in EventStoreDB; null if the log must be migrated first */
        readonly events: number | null
        /** With the rests beside instances of other versions that serve now; null likewise. */
        readonly secondsToReplay: number | null
        readonly secondsToCopy: number
        /** Bytes of disk that the new tables need: as much as those of the other release */
        readonly diskNeeded: number
        /** Free bytes on the disk of the data folder; null for an external database */
        readonly diskFree: number | null
      })
    | null
}

const NOTHING: UpgradeCheck = { migrations: [], build: null }

const refuseNewer = async (pool: pg.Pool): Promise<void> => {
  const newer = [await migratedBeyond(pool, lastingSchemas), await writtenBeyond(pool)]
  const newest = newestVersion(newer.filter((version) => version !== null))
  if (newest !== null) throw new CliError(exitCodes.usage, new NewerDatabase(newest).message)
}

const missingMigrations = async (pool: pg.Pool, storage: Storage): Promise<readonly string[]> => {
  const missing: string[] = []
  for (const schema of lastingSchemas) {
    if (schema === 'log' && storage.eventStoreUrl !== storage.databaseUrl) continue
    const applied = (await appliedMigrations(pool, schema)).map(({ name }) => name)
    const carried = (await migrationsOf(schema)).map(({ name }) => name)
    missing.push(...carried.filter((name) => !applied.includes(name)).map((name) => `${schema}/${name}`))
  }
  return missing
}

/** Returns the bytes of all tables and indexes in the schema of another release. */
const sizeOfTables = async (pool: pg.Pool, source: string | null): Promise<number> => {
  const unversioned = (await hasSchema(pool, UNVERSIONED)) ? [UNVERSIONED] : []
  const schema = source ?? [...unversioned, ...(await otherSchemas(pool))].at(-1)
  const { rows } = await pool.query<{ bytes: string | null }>(
    `select sum(pg_total_relation_size(oid))::text as bytes from pg_class
     where relkind = 'r' and relnamespace = to_regnamespace($1)`,
    [schema ?? ''],
  )
  return Number(rows[0]?.bytes ?? 0)
}

/** Replays the first events in a transaction that is rolled back, and estimates the rest from the positions. */
const measured = async (
  pool: pg.Pool,
  { source, tables }: Consumer,
): Promise<{ events: number; seconds: number }> => {
  const head = Number(await source.head())
  const started = performance.now()
  const sample = await source.read('', SAMPLE)
  const client = await pool.connect()
  try {
    await client.query('begin')
    await createSchema(client, SAMPLE_SCHEMA)
    await applyEvents(client, tables, sample.events)
  } finally {
    // Closing the connection rolls back the transaction.
    client.release(true)
  }
  const share = sample.caughtUp ? 1 : Number(sample.position) / Math.max(1, head)
  const seconds = (performance.now() - started) / 1000
  return {
    events: Math.round((sample.events.length + sample.leftOut + sample.unknown) / share),
    seconds: seconds / share,
  }
}

const estimate = async (
  storage: Storage,
  log: Log,
  pool: pg.Pool,
  { replayed }: BuildPlan,
): Promise<{ events: number; secondsToReplay: number }> => {
  if (replayed.length === 0) return { events: 0, secondsToReplay: 0 }
  const workPool = outlivesConnections(new pg.Pool({ connectionString: storage.databaseUrl, max: 2 }))
  const eventLog = await openLog(storage, log)
  try {
    if ((await eventLog.head()) === '') return { events: 0, secondsToReplay: 0 }
    const vault = await openVault({
      pool: workPool,
      secretKey: storage.secretKey,
      now: () => new Date(),
      random: randomBytes,
    })
    const all = readModelConsumers(eventLog, eventSerializer(vault), (table) => replayed.includes(table))
    let events = 0
    let secondsToReplay = 0
    for (const consumer of all.filter(({ tables }) => tables.length > 0)) {
      const one = await measured(pool, consumer)
      events = Math.max(events, one.events)
      secondsToReplay += one.seconds
    }
    return { events, secondsToReplay }
  } finally {
    await eventLog.close()
    await workPool.end()
  }
}

/** Copies the first rows of each table in a transaction that is rolled back, and infers the rest from their number. */
const secondsOfCopying = async (pool: pg.Pool, { source, copied }: BuildPlan): Promise<number> => {
  if (source === null) return 0
  const client = await pool.connect()
  try {
    await client.query('begin')
    await createSchema(client, SAMPLE_SCHEMA)
    let seconds = 0
    for (const table of copied) {
      const { rows } = await client.query<{ n: string }>(`select count(*) as n from ${source}.${table}`)
      await client.query(`delete from ${table}`)
      const started = performance.now()
      const { rowCount } = await client.query(
        `insert into ${table} select * from ${source}.${table} limit ${String(SAMPLE)}`,
      )
      const share = Math.min(1, (rowCount ?? 0) / Math.max(1, Number(rows[0]?.n)))
      if (share > 0) seconds += (performance.now() - started) / 1000 / share
    }
    return seconds
  } finally {
    client.release(true)
  }
}

const bytesFree = async (config: Config, { dataDir }: Storage): Promise<number | null> => {
  if (config.database.kind !== 'embedded') return null
  const { bavail, bsize } = await statfs(dataDir)
  return bavail * bsize
}

const checkStorage = async (config: Config, storage: Storage, log: Log): Promise<UpgradeCheck> => {
  const pool = openPool(storage.databaseUrl, SAMPLE_SCHEMA, {
    max: 2,
    connectTimeout: 10_000,
    statementTimeout: STATEMENT_TIMEOUT_MS,
    idleTransactionTimeout: STATEMENT_TIMEOUT_MS,
  })
  try {
    await refuseNewer(pool)
    const migrations = await missingMigrations(pool, storage)
    if (await hasSchema(pool, READ_MODELS)) return { migrations, build: null }
    const plan = await planBuild(pool)
    // Opening a log migrates it.
    const measurable = migrations.every((name) => !/^(log|vault)\//.test(name))
    const { events, secondsToReplay } = measurable
      ? await estimate(storage, log, pool, plan)
      : { events: null, secondsToReplay: null }
    const { rowCount: others } = await pool.query(schemasInUse)
    return {
      migrations,
      build: {
        ...plan,
        events,
        secondsToReplay:
          secondsToReplay === null || others === 0 ? secondsToReplay : secondsToReplay * (1 + REST),
        secondsToCopy: await secondsOfCopying(pool, plan),
        diskNeeded: await sizeOfTables(pool, plan.source),
        diskFree: await bytesFree(config, storage),
      },
    }
  } finally {
    await pool.end()
  }
}

/**
 * Returns what an upgrade of the database to this release would do, whether the service runs or not. Changes nothing.
 * @throws CliError if the database is unavailable, or a newer release has migrated it
 */
export const checkUpgrade = async (config: Config, log: Log): Promise<UpgradeCheck> =>
  config.database.kind === 'embedded' && (await existingDatabaseDir(config, log)) === null
    ? NOTHING
    : withStorage(config, log, (storage) => checkStorage(config, storage, log))
