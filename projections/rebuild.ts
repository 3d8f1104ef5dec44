import type pg from 'pg'
import { migrateReadModels, READ_MODELS, REBUILD } from '../read-models/migrate.ts'
import { applyEvents } from './apply.ts'
import { lockCheckpoint, writeCheckpoint } from './checkpoint.ts'
import type { EventSource, OpenedBatch } from './source.ts'
import type { Table } from './table.ts'
import { inTransaction } from './transaction.ts'

const PAGE = 2000

export interface TableDifference {
  readonly table: string
  /** Rows that only the serving tables have, and rows that only the replay made. */
  readonly onlyServing: number
  readonly onlyReplayed: number
}

export interface RebuildReport {
  readonly events: number
  readonly seconds: number
  readonly position: string
  /** Rows per table, after the replay. */
  readonly rows: Readonly<Record<string, number>>
  /** Empty when serving and replayed rows are the same. */
  readonly differences: readonly TableDifference[]
  readonly swapped: boolean
}

interface RebuildOptions {
  readonly name: string
  /** A pool whose connections look into the serving schema. */
  readonly pool: pg.Pool
  readonly source: EventSource
  readonly tables: readonly Table[]
  /** Compare and leave the serving tables as they are, instead of putting the replayed ones in their place. */
  readonly verify: boolean
}

const compare = async (client: pg.ClientBase, table: string): Promise<TableDifference> => {
  const missing = (a: string, b: string) =>
    `(select count(*) from (select * from ${a}.${table} except all select * from ${b}.${table}) d)`
  const { rows } = await client.query<{ serving: string; replayed: string }>(
    `select ${missing(READ_MODELS, REBUILD)} as serving, ${missing(REBUILD, READ_MODELS)} as replayed`,
  )
  return { table, onlyServing: Number(rows[0]?.serving), onlyReplayed: Number(rows[0]?.replayed) }
}

/**
 * Replays the log into fresh tables beside the serving ones, then either compares the two or swaps them. The service
 * goes on serving; projecting pauses only for the last page and the comparison.
 */
export const rebuild = async (options: RebuildOptions): Promise<RebuildReport> => {
  const { name, pool, source, tables, verify } = options
  const started = performance.now()
  let events = 0
  let position = ''

  const replay = (batch: OpenedBatch, upTo?: string) =>
    inTransaction(pool, async (client) => {
      await client.query(`set local search_path to ${REBUILD}`)
      await lockCheckpoint(client, name)
      const wanted =
        upTo === undefined ? batch.events : batch.events.filter((event) => event.position <= upTo)
      await applyEvents(client, tables, wanted)
      position = upTo === undefined || batch.position < upTo ? batch.position : upTo
      await writeCheckpoint(client, name, position)
      events += wanted.length
    })

  await inTransaction(pool, (client) => client.query(`drop schema if exists ${REBUILD} cascade`))
  const migrating = await pool.connect()
  try {
    await migrateReadModels(migrating, REBUILD)
  } finally {
    migrating.release(true)
  }

  for (let caughtUp = false; !caughtUp;) {
    const batch = await source.read(position, PAGE)
    caughtUp = batch.caughtUp
    if (batch.position > position) await replay(batch)
  }

  const report = await inTransaction(pool, async (client) => {
    await client.query(`set local search_path to ${READ_MODELS}`)
    const serving = await lockCheckpoint(client, name)
    // What the replay read past the serving tables has no counterpart there: begin again from where they are.
    if (position > serving) return null
    while (position < serving) {
      const batch = await source.read(position, PAGE)
      await replay(batch, serving)
    }
    const rows: Record<string, number> = {}
    const differences: TableDifference[] = []
    for (const table of tables) {
      const { rows: counted } = await client.query<{ n: string }>(
        `select count(*) as n from ${REBUILD}.${table.name}`,
      )
      rows[table.name] = Number(counted[0]?.n)
      if (!verify) continue
      const difference = await compare(client, table.name)
      if (difference.onlyServing + difference.onlyReplayed > 0) differences.push(difference)
    }
    if (!verify) {
      await client.query(`alter schema ${READ_MODELS} rename to ${READ_MODELS}_old`)
      await client.query(`alter schema ${REBUILD} rename to ${READ_MODELS}`)
    }
    return { rows, differences }
  })
  if (report === null) throw new Error('the serving tables are behind the replay')
  await pool.query(`drop schema if exists ${verify ? REBUILD : `${READ_MODELS}_old`} cascade`)
  return { ...report, events, position, seconds: (performance.now() - started) / 1000, swapped: !verify }
}
