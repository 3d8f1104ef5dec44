import type pg from 'pg'
import type { RetentionClass } from '../domain/retention.ts'
import { createSchema, READ_MODELS, REBUILD } from '../read-models/schema.ts'
import { applyEvents } from './apply.ts'
import { lockCheckpoint, readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import type { EventSource, OpenedBatch } from './source.ts'
import type { Table } from './table.ts'
import { inTransaction } from '../read-models/transaction.ts'

/** Events per transaction. */
const PAGE = 2000

/** The schema to which the swap moves the tables that were active before it. */
const REPLACED = `${READ_MODELS}_old`

export interface TableDifference {
  readonly table: string
  /** Number of rows only in the active tables, and of rows only in the replay */
  readonly onlyServing: number
  readonly onlyReplayed: number
}

export interface RebuildReport {
  /** Number of replayed events of the first consumer, and the last position */
  readonly events: number
  readonly position: string
  readonly seconds: number
  /** Number of rows per table after the replay */
  readonly rows: Readonly<Record<string, number>>
  /** Empty if active and replayed rows are equal */
  readonly differences: readonly TableDifference[]
  readonly swapped: boolean
}

/** A consumer whose tables and checkpoint are in the read models' schema. */
export interface Consumer {
  readonly name: string
  readonly source: EventSource
  readonly tables: readonly Table[]
}

interface RebuildOptions {
  /** Every consumer of that schema: a table without a consumer would be empty after the swap */
  readonly consumers: readonly [Consumer, ...Consumer[]]
  /** A pool whose connections use the active schema */
  readonly pool: pg.Pool
  /** Whether to compare and keep the active tables instead of replacing them with the replayed ones */
  readonly verify: boolean
  /** As `goneBefore` of the domain returns it: older events may be missing in the log. */
  readonly goneBefore: (kept: RetentionClass) => number | null
  /** Called with the number of events read for the first consumer. */
  readonly progressed?: (events: number) => void
}

/** Rows are ignored some time before the retention of their events ends, because pruning and replay take time. */
const RETENTION_MARGIN_SECONDS = 7 * 86_400

const compare = async (
  client: pg.ClientBase,
  { name: table, retention }: Table,
  gone: RebuildOptions['goneBefore'],
): Promise<TableDifference> => {
  const before = retention === undefined ? null : gone(retention.class)
  const young =
    retention === undefined || before === null
      ? ''
      : `where ${retention.age} > to_timestamp(${String(before / 1e6 + RETENTION_MARGIN_SECONDS)})${retention.of === undefined ? '' : ` or not (${retention.of})`}`
  const missing = (a: string, b: string) =>
    `(select count(*) from (select * from ${a}.${table} ${young} except all select * from ${b}.${table} ${young}) d)`
  const { rows } = await client.query<{ serving: string; replayed: string }>(
    `select ${missing(READ_MODELS, REBUILD)} as serving, ${missing(REBUILD, READ_MODELS)} as replayed`,
  )
  return { table, onlyServing: Number(rows[0]?.serving), onlyReplayed: Number(rows[0]?.replayed) }
}

/** Another rebuild is filling the same tables. */
export class RebuildRunning extends Error {
  constructor() {
    super('another rebuild is running; wait until it has ended')
    this.name = 'RebuildRunning'
  }
}

/** Runs `work` unless another rebuild runs in this database. */
const alone = async <T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> => {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ mine: boolean }>(
      `select pg_try_advisory_lock(hashtext('svc.rebuild')) as mine`,
    )
    if (rows[0]?.mine !== true) throw new RebuildRunning()
    return await work()
  } finally {
    client.release(true)
  }
}

const prepare = async (pool: pg.Pool): Promise<void> => {
  // An earlier rebuild may have crashed between its swap and its cleanup.
  for (const schema of [REBUILD, REPLACED]) await pool.query(`drop schema if exists ${schema} cascade`)
  await inTransaction(pool, (client) => createSchema(client, REBUILD))
}

const replayed = async (
  { consumers, verify, goneBefore }: Pick<RebuildOptions, 'consumers' | 'verify' | 'goneBefore'>,
  client: pg.ClientBase,
): Promise<Pick<RebuildReport, 'rows' | 'differences'>> => {
  const rows: Record<string, number> = {}
  const differences: TableDifference[] = []
  for (const table of consumers.flatMap(({ tables }) => tables)) {
    const { rows: counted } = await client.query<{ n: string }>(
      `select count(*) as n from ${REBUILD}.${table.name}`,
    )
    rows[table.name] = Number(counted[0]?.n)
    if (!verify) continue
    const difference = await compare(client, table, goneBefore)
    if (difference.onlyServing + difference.onlyReplayed > 0) differences.push(difference)
  }
  return { rows, differences }
}

const swap = async (client: pg.ClientBase): Promise<void> => {
  await client.query(`alter schema ${READ_MODELS} rename to ${REPLACED}`)
  await client.query(`alter schema ${REBUILD} rename to ${READ_MODELS}`)
}

/**
 * Fills one consumer's new tables, page by page.
 * @param schema where they are
 * @param options.after the position that they show already; '' if they are empty
 * @param options.page events of one transaction
 * @param options.replayed called after each page with the number of events that it had; the next page waits for it
 * @param options.readsAhead whether the next page is read and decrypted while this one is written, on another processor
 */
export const replayer = (
  pool: pg.Pool,
  { name, source, tables }: Consumer,
  schema: string,
  {
    after = '',
    page = PAGE,
    replayed: pageReplayed = () => undefined,
    readsAhead = () => true,
  }: {
    readonly after?: string
    readonly page?: number | undefined
    readonly replayed?: ((events: number) => void | Promise<void>) | undefined
    readonly readsAhead?: () => boolean
  } = {},
) => {
  let events = 0
  let position = after

  const replay = (batch: OpenedBatch, upTo: string) =>
    inTransaction(pool, async (client) => {
      // A crash only loses rows that the next rebuild replays from the start.
      await client.query(`set local search_path to ${schema}; set local synchronous_commit to off`)
      await lockCheckpoint(client, name)
      const wanted = batch.events.filter((event) => event.position <= upTo)
      await applyEvents(client, tables, wanted)
      // At the end of the log there are no more events, even if the last event is before the target.
      position = batch.caughtUp || batch.position > upTo ? upTo : batch.position
      await writeCheckpoint(client, name, position)
      events += wanted.length
    })

  return {
    name,
    progress: () => ({ events, position }),
    /**
     * Replays up to the position of the active tables and never past it: later rows would have no counterpart there.
     */
    catchUp: async (serving: string): Promise<void> => {
      let after = position
      let ahead: Promise<OpenedBatch> | undefined
      while (position < serving) {
        const batch = await (ahead ?? source.read(after, page))
        after = batch.position
        ahead = readsAhead() ? source.read(after, page) : undefined
        ahead?.catch(() => undefined)
        await replay(batch, serving)
        await pageReplayed(batch.events.length + batch.leftOut)
      }
      await ahead?.catch(() => undefined)
    },
  }
}

/**
 * Replays the log into new tables next to the active ones, then either compares or swaps them. The service keeps
 * running; projections pause only for the last page and the comparison.
 * @throws RebuildRunning
 */
export const rebuild = (options: RebuildOptions): Promise<RebuildReport> =>
  alone(options.pool, () => rebuildAlone(options))

const rebuildAlone = async (options: RebuildOptions): Promise<RebuildReport> => {
  const { consumers, pool, verify } = options
  const started = performance.now()
  const [first, ...others] = consumers
  const leading = replayer(pool, first, REBUILD, { replayed: options.progressed })
  const all = [leading, ...others.map((consumer) => replayer(pool, consumer, REBUILD))]

  const finished = async (report: Pick<RebuildReport, 'rows' | 'differences'>): Promise<RebuildReport> => {
    await pool.query(`drop schema if exists ${verify ? REBUILD : REPLACED} cascade`)
    return {
      ...report,
      ...leading.progress(),
      seconds: (performance.now() - started) / 1000,
      swapped: !verify,
    }
  }

  await prepare(pool)
  for (const { name, catchUp, progress } of all)
    for (let serving = await readCheckpoint(pool, name); progress().position < serving;) {
      await catchUp(serving)
      serving = await readCheckpoint(pool, name)
    }

  const report = await inTransaction(pool, async (client) => {
    await client.query(`set local search_path to ${READ_MODELS}`)
    // A transaction that waits for this lock looks up the table name afterwards, and so uses the new table.
    if (!verify) await client.query('lock table checkpoint in access exclusive mode')
    for (const { name, catchUp } of all) await catchUp(await lockCheckpoint(client, name))
    const outcome = await replayed(options, client)
    if (!verify) await swap(client)
    return outcome
  })
  return finished(report)
}
