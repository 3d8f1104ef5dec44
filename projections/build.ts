/**
 * Builds the read models of this version next to those of earlier versions, which may keep running. Copies tables that
 * another version fills in the same way, and replays the others from the log. The schema is built under a temporary
 * name and renamed in one transaction, so that no reader sees an incomplete one. Every step is durable, so an
 * interrupted build continues where it stopped.
 */
import type pg from 'pg'
import {
  BUILDING,
  createSchema,
  fingerprints,
  fingerprintsIn,
  hasSchema,
  READ_MODELS,
  type Fingerprint,
} from '../read-models/schema.ts'
import { inTransaction } from '../read-models/transaction.ts'
import { lockCheckpoint, readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { replayer, type Consumer } from './rebuild.ts'

/** Where the tables of a build come from. */
export interface BuildPlan {
  /** The schema of another version that tables are copied from; null if all are replayed. */
  readonly source: string | null
  readonly copied: readonly string[]
  readonly replayed: readonly string[]
}

export interface BuildProgress {
  readonly step: 'replaying' | 'copying'
  /** Progress from 0 to 1 */
  readonly done: number
  /** Events replayed so far by this process */
  readonly events: number
}

export interface BuildReport extends BuildPlan {
  readonly events: number
  readonly seconds: number
}

export interface BuildOptions {
  /** Returns every consumer that fills tables of the schema, reading what the wanted tables need */
  readonly consumers: (wanted: (table: string) => boolean) => readonly Consumer[]
  /** Connections with {@link BUILDING} as their schema */
  readonly pool: pg.Pool
  /** Events per transaction; default: as in a rebuild */
  readonly page?: number | undefined
  readonly progressed?: (progress: BuildProgress) => void
  /**
   * Called after each page with the milliseconds that it took; the next page waits for it. Returns whether it rested:
   * then the build also leaves a processor free, and reads a page only when the one before is written.
   */
  readonly rest?: (workedMs: number) => Promise<boolean>
  /** Aborts the build between two pages of events */
  readonly signal?: AbortSignal
}

const VERSIONED = '^rm_[0-9a-f]{10}$'

/** Returns the complete schemas of other versions. */
export const otherSchemas = async (client: pg.ClientBase | pg.Pool): Promise<readonly string[]> => {
  const { rows } = await client.query<{ name: string }>(
    'select nspname as name from pg_namespace where nspname ~ $1 and nspname <> $2 order by nspname',
    [VERSIONED, READ_MODELS],
  )
  return rows.map(({ name }) => name)
}

const checkpointIn = async (pool: pg.Pool, schema: string, name: string): Promise<string> => {
  const { rows } = await pool.query<{ position: string }>(
    `select position from ${schema}.checkpoint where name = $1`,
    [name],
  )
  return rows[0]?.position ?? ''
}

/** Returns the event types that the log may have, as registered by their writers. */
const writtenTypes = async (client: pg.ClientBase | pg.Pool): Promise<ReadonlySet<string>> => {
  const { rows } = await client.query<{ type: string }>('select type from work.event_type')
  return new Set(rows.map(({ type }) => type))
}

/**
 * Whether two definitions produce the same rows. New event types do not matter as long as the log has no such events.
 */
const makesSameRows = (
  there: Fingerprint | undefined,
  here: Fingerprint,
  written: ReadonlySet<string>,
): boolean => {
  if (there === undefined) return false
  const known = Object.keys(there.events)
  return (
    there.definition === here.definition &&
    there.projection === here.projection &&
    known.every((type) => there.events[type] === here.events[type]) &&
    Object.keys(here.events).every((type) => known.includes(type) || !written.has(type))
  )
}

/** Returns the tables of a schema whose rows are the same in this version. */
const copiedFrom = async (client: pg.ClientBase | pg.Pool, schema: string): Promise<readonly string[]> => {
  const there = await fingerprintsIn(client, schema)
  const written = await writtenTypes(client)
  return Object.entries(fingerprints)
    .filter(([name, here]) => makesSameRows(there[name], here, written))
    .map(([name]) => name)
}

/** Returns the plan with the fewest tables to replay: it copies from the schema with the most tables in common. */
export const planBuild = async (client: pg.ClientBase | pg.Pool): Promise<BuildPlan> => {
  let source: string | null = null
  let copied: readonly string[] = []
  for (const schema of await otherSchemas(client)) {
    const common = await copiedFrom(client, schema)
    if (common.length > copied.length) [source, copied] = [schema, common]
  }
  return { source, copied, replayed: Object.keys(fingerprints).filter((name) => !copied.includes(name)) }
}

interface Build {
  readonly plan: BuildPlan
  /** The position of each consumer whose tables were copied; null before the copy */
  readonly copiedAt: Readonly<Record<string, string>> | null
}

const buildIn = async (client: pg.ClientBase | pg.Pool): Promise<Build | undefined> => {
  const { rows } = await client.query<Build>(`select plan, copied_at as "copiedAt" from ${BUILDING}.build`)
  return rows[0]
}

/** Returns an interrupted build if it can continue: the tables that it must copy may have been dropped. */
const interruptedBuild = async (client: pg.ClientBase): Promise<Build | null> => {
  const build = (await hasSchema(client, BUILDING)) ? await buildIn(client) : undefined
  if (build === undefined) return null
  const { plan, copiedAt } = build
  if (plan.source === null || copiedAt !== null) return build
  const there = await copiedFrom(client, plan.source)
  return plan.copied.every((name) => there.includes(name)) ? build : null
}

const begin = (pool: pg.Pool): Promise<Build> =>
  inTransaction(pool, async (client) => {
    const interrupted = await interruptedBuild(client)
    if (interrupted !== null) return interrupted
    const plan = await planBuild(client)
    await client.query(`drop schema if exists ${BUILDING} cascade`)
    await createSchema(client, BUILDING)
    await client.query('create table build (plan jsonb not null, copied_at jsonb)')
    await client.query('insert into build (plan) values ($1)', [plan])
    return { plan, copiedAt: null }
  })

/**
 * Copies tables from one snapshot.
 * @returns the positions of their consumers in that snapshot
 */
const copyTables = (
  pool: pg.Pool,
  source: string,
  tables: readonly string[],
  progressed: (done: number) => void,
): Promise<NonNullable<Build['copiedAt']>> =>
  inTransaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read')
    for (const [n, name] of tables.entries()) {
      progressed(n / tables.length)
      await client.query(`delete from ${name}`)
      await client.query(`insert into ${name} select * from ${source}.${name}`)
    }
    const { rows } = await client.query<{ copiedAt: NonNullable<Build['copiedAt']> }>(
      `update build set copied_at = (select json_object_agg(name, position) from ${source}.checkpoint)
       returning copied_at as "copiedAt"`,
    )
    return rows[0]?.copiedAt ?? {}
  })

const setCheckpoint = (pool: pg.Pool, name: string, position: string): Promise<void> =>
  inTransaction(pool, async (client) => {
    await lockCheckpoint(client, name)
    await writeCheckpoint(client, name, position)
  })

/**
 * How often a replay reads up to the current end of the log. The consumers read the rest after the service has
 * started.
 */
const ROUNDS = 3

/** Renames the schema to its final name, in one transaction. */
const finish = async (pool: pg.Pool): Promise<void> => {
  await pool.query(`analyze ${Object.keys(fingerprints).join(', ')}`)
  await inTransaction(pool, async (client) => {
    // This commit also makes all earlier pages durable.
    await client.query('set local synchronous_commit to on')
    await client.query('drop table build')
    await client.query(`alter schema ${BUILDING} rename to ${READ_MODELS}`)
  })
}

/**
 * Builds the read models of this version unless they exist. The caller must ensure that only one process builds.
 * @returns null if they existed
 * @throws the reason of `signal`, and errors of the stores; a later call continues the build
 */
export const buildReadModels = async ({
  consumers,
  pool,
  page,
  progressed = () => undefined,
  rest = () => Promise.resolve(false),
  signal,
}: BuildOptions): Promise<BuildReport | null> => {
  if (await hasSchema(pool, READ_MODELS)) return null
  const started = performance.now()
  const { plan, copiedAt: earlier } = await begin(pool)
  const { source, copied } = plan
  const isCopied = (table: string): boolean => copied.includes(table)
  const replaying = consumers((table) => !isCopied(table)).filter(({ tables }) => tables.length > 0)
  const copying = consumers(isCopied).filter(({ tables }) => tables.length > 0)
  let events = 0
  let rests = false

  /** Replayed tables must not pass the copied ones of their consumer, which may lag behind the log. */
  const endOf = ({ name, source: log }: Consumer): Promise<string> =>
    source !== null && copying.some((other) => other.name === name)
      ? checkpointIn(pool, source, name)
      : log.head()
  const replay = async (
    consumer: Consumer,
    n: number,
    goalNow: () => Promise<string>,
    rounds = 1,
  ): Promise<void> => {
    let goal = ''
    let begun = performance.now()
    const { catchUp, progress } = replayer(pool, consumer, BUILDING, {
      after: await readCheckpoint(pool, consumer.name),
      page,
      readsAhead: () => !rests,
      replayed: async (read) => {
        events += read
        const done = Math.min(1, Number(progress().position) / Math.max(1, Number(goal)))
        progressed({ step: 'replaying', done: (n + done) / replaying.length, events })
        rests = await rest(performance.now() - begun)
        signal?.throwIfAborted()
        begun = performance.now()
      },
    })
    for (let round = 0; round < rounds; round++) {
      goal = await goalNow()
      await catchUp(goal)
    }
  }

  if (earlier === null)
    for (const [n, consumer] of replaying.entries()) await replay(consumer, n, () => endOf(consumer), ROUNDS)
  const copiedAt =
    earlier ??
    (source === null
      ? {}
      : await copyTables(pool, source, copied, (done) => {
          signal?.throwIfAborted()
          progressed({ step: 'copying', done, events })
        }))
  for (const { name } of copying) {
    const end = copiedAt[name] ?? ''
    const n = replaying.findIndex((other) => other.name === name)
    const consumer = replaying[n]
    if (consumer === undefined) await setCheckpoint(pool, name, end)
    else await replay(consumer, n, () => Promise.resolve(end))
  }
  await finish(pool)
  return { ...plan, events, seconds: (performance.now() - started) / 1000 }
}
