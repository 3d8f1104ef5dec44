import { hash } from 'node:crypto'
import type pg from 'pg'
import { isEventType, type Recorded } from '../domain/catalogue.ts'
import { Rows, type Row, type Selector } from './rows.ts'
import { reactionTo, type Reaction, type Table } from './table.ts'

/** An event that a table cannot process. It is never skipped: its consumer stops. */
export class PoisonEvent extends Error {
  readonly eventId: string

  /** @param event undefined if none can be identified */
  constructor(event: Recorded | undefined, cause: unknown) {
    const what = event === undefined ? 'unknown' : `${event.id} (${event.type} at ${event.position})`
    super(`event ${what} cannot be projected`, { cause })
    this.name = 'PoisonEvent'
    this.eventId = event?.id ?? 'unknown'
  }
}

/** Reactions run their own code on the data, so any error is about the event. */
const selectorsOf = (reaction: Reaction<Recorded> | undefined, event: Recorded): readonly Selector[] => {
  try {
    return reaction?.reads?.(event) ?? []
  } catch (error) {
    throw new PoisonEvent(event, error)
  }
}

/**
 * Named statements are planned once per connection, because planning costs more than reading or writing a few rows. The
 * plan for a few rows suits few rows only.
 */
const FEW_ROWS = 100

const nameOf = (what: string, text: string): string =>
  `${what} ${hash('sha256', text, 'base64url').slice(0, 12)}`

const quote = (name: string): string => `"${name}"`

const readBy = async (
  client: pg.ClientBase,
  table: Table,
  selectors: readonly Selector[],
  history: boolean,
) => {
  const columns = Object.keys(selectors[0] ?? {})
  const arrays = columns.map((column) => selectors.map((selector) => selector[column]))
  const wholeKey = table.key.every((column) => columns.includes(column))
  const narrowed = table.open === undefined || wholeKey || history ? '' : `where ${table.open}`
  const text = `select t.* from ${quote(table.name)} t
     join (select distinct * from unnest(${columns.map((_, i) => `$${String(i + 1)}::text[]`).join(', ')}) as k(${columns.map(quote).join(', ')})) k
       on ${columns.map((column) => `t.${quote(column)} = k.${quote(column)}`).join(' and ')}
     ${narrowed}`
  const { rows } = await client.query<Row>({
    ...(selectors.length <= FEW_ROWS ? { name: nameOf(`read ${table.name}`, text) } : {}),
    text,
    values: arrays,
  })
  return rows
}

/** Reads every row of the table that the batch needs. */
const load = async (client: pg.ClientBase, table: Table, events: readonly Recorded[]): Promise<Rows> => {
  const rows = new Rows(table.key)
  const wanted = new Map<string, { selectors: Map<string, Selector>; history: boolean }>()
  for (const event of events) {
    const reaction = reactionTo(table, event.type)
    for (const selector of selectorsOf(reaction, event)) {
      const history = reaction?.history ?? false
      const shape = `${Object.keys(selector).sort().join(',')}|${String(history)}`
      const group = wanted.get(shape) ?? { selectors: new Map<string, Selector>(), history }
      group.selectors.set(Object.values(selector).join('\0'), selector)
      wanted.set(shape, group)
      rows.index(selector)
    }
  }
  for (const { selectors, history } of wanted.values())
    rows.load(await readBy(client, table, [...selectors.values()], history))
  return rows
}

/** Text that Postgres cannot store (NUL, lone surrogates) becomes U+FFFD, so that it cannot stop a projection. */
const storable = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value

const write = async (client: pg.ClientBase, table: Table, rows: Rows): Promise<void> => {
  const { upserts, deletes } = rows.changes()
  if (deletes.length > 0) {
    await client.query(
      `delete from ${quote(table.name)} t using unnest(${table.key.map((_, i) => `$${String(i + 1)}::text[]`).join(', ')}) as k(${table.key.map(quote).join(', ')})
       where ${table.key.map((column) => `t.${quote(column)} = k.${quote(column)}`).join(' and ')}`,
      table.key.map((column) => deletes.map((row) => row[column])),
    )
  }
  const [first] = upserts
  if (first === undefined) return
  const columns = Object.keys(first)
  const others = columns.filter((column) => !table.key.includes(column))
  const text = `insert into ${quote(table.name)} (${columns.map(quote).join(', ')})
     select ${columns.map(quote).join(', ')} from jsonb_populate_recordset(null::${quote(table.name)}, $1::jsonb)
     on conflict (${table.key.map(quote).join(', ')}) do
     ${others.length === 0 ? 'nothing' : `update set ${others.map((column) => `${quote(column)} = excluded.${quote(column)}`).join(', ')}`}`
  await client.query({
    name: nameOf(`write ${table.name}`, text),
    text,
    values: [JSON.stringify(upserts, storable)],
  })
}

/**
 * Applies events in order to the tables, inside the current transaction of the client.
 * @throws PoisonEvent if a table's code fails on an event
 */
export const applyEvents = async (
  client: pg.ClientBase,
  tables: readonly Table[],
  events: readonly Recorded[],
): Promise<void> => {
  for (const table of tables) {
    const relevant = events.filter(
      (event) => isEventType(event.type) && reactionTo(table, event.type) !== undefined,
    )
    if (relevant.length === 0) continue
    const rows = await load(client, table, relevant)
    for (const event of relevant) {
      try {
        reactionTo(table, event.type)?.apply(event, rows)
      } catch (error) {
        throw new PoisonEvent(event, error)
      }
    }
    await write(client, table, rows)
  }
}
