import type pg from 'pg'
import { openPool } from '../../../adapters/engines/postgres/pool.ts'
import type { DomainEvent, Recorded } from '../../../domain/catalogue.ts'
import { applyEvents } from '../../../projections/apply.ts'
import { leafOf } from '../../../adapters/engines/event-log/leaf.ts'
import type { RecordedEvent } from '../../../adapters/engines/event-log/event-log.ts'
import { coreTables } from '../../../projections/core.ts'
import type { Table } from '../../../projections/table.ts'
import { createSchema, READ_MODELS } from '../../../read-models/schema.ts'
import { inTransaction } from '../../../read-models/transaction.ts'
import { at, id } from '../fixed.ts'
import { stored } from '../domain/given.ts'
import { testDatabase } from '../service/postgres.ts'

export const position = (n: number): string => String(n).padStart(19, '0')

const streamOf = ({ type, data }: DomainEvent): string => `${type}|${JSON.stringify(Object.values(data)[0])}`

/** Events as the log would return them: the n-th at position n, n seconds after the start. */
export const recorded = (events: readonly DomainEvent[], after = 0): readonly Recorded[] => {
  const revisions = new Map<string, number>()
  return events.map((event, index) => {
    const n = after + index + 1
    const stream = streamOf(event).split('|')[1] ?? ''
    const revision = (revisions.get(stream) ?? -1) + 1
    revisions.set(stream, revision)
    const made = {
      ...stored(event),
      id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      stream,
      revision,
      position: position(n),
      metadata: {
        schema: 1,
        time: at(n),
        actorId: id('user', 99),
        actorType: 'user',
        credential: null,
        ip: null,
        correlationId: 'test',
        causationId: null,
      },
    } as const
    return { ...made, leaf: leafOf(made as unknown as RecordedEvent) }
  })
}

type Rows = readonly Readonly<Record<string, unknown>>[]
export type Dump = Readonly<Record<string, Rows>>

/** Separate read models for applying events and reading rows. Nothing is cached between reads. */
export interface ReadModels {
  readonly url: string
  readonly pool: pg.Pool
  /** Every row of every table after these batches of events, applied in order. */
  readonly after: (...batches: readonly (readonly Recorded[])[]) => Promise<Dump>
  readonly drop: () => Promise<void>
}

const dump = async (client: pg.ClientBase, tables: readonly Table[]): Promise<Dump> => {
  const rows: Record<string, Rows> = {}
  for (const { name, key } of tables)
    rows[name] = (await client.query(`select * from ${name} order by ${key.join(', ')}`)).rows as Rows
  return rows
}

/** @param tables the tables that the events are applied to */
export const readModels = async (tables: readonly Table[] = coreTables): Promise<ReadModels> => {
  const database = await testDatabase()
  const pool = openPool(database.url, READ_MODELS, { max: 4 })
  await inTransaction(pool, (client) => createSchema(client, READ_MODELS))
  return {
    url: database.url,
    pool,
    after: async (...batches) => {
      const looking = await pool.connect()
      try {
        await looking.query('begin')
        for (const batch of batches) await applyEvents(looking, tables, batch)
        return await dump(looking, tables)
      } finally {
        await looking.query('rollback')
        looking.release()
      }
    },
    drop: async () => {
      await pool.end()
      await database.drop()
    },
  }
}
