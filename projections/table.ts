import { isEventType, type EventOf, type EventType, type Recorded } from '../domain/catalogue.ts'
import type { RetentionClass } from '../domain/retention.ts'
import type { Rows, Selector } from './rows.ts'

/** The effect of one event type on one table. */
export interface Reaction<Event> {
  /** The stored rows that `apply` needs. Omitted if it only adds rows. */
  readonly reads?: (event: Event) => readonly Selector[]
  /** Whether `reads` also needs closed rows, which the table's `open` excludes. */
  readonly history?: boolean
  /** Deterministic: the same events always produce the same rows. */
  readonly apply: (event: Event, rows: Rows) => void
}

/** A read model: how events become its rows. Tables do not read each other. */
export interface Table {
  readonly name: string
  readonly key: readonly string[]
  /** SQL that narrows reads by a partial key, to exclude history */
  readonly open?: string
  /**
   * For rows made from events that are not kept permanently: the class that expires first, and the column with a row's
   * age. A replay cannot recreate the older rows, so they do not count as missing. `of` is SQL for the affected rows;
   * default: all.
   */
  readonly retention?: { readonly class: RetentionClass; readonly age: string; readonly of?: string }
  readonly on: { readonly [T in EventType]?: Reaction<Recorded<EventOf<T>>> }
}

/** Reaction of a table to an event of a type known only at run time. */
export const reactionTo = (table: Table, type: EventType): Reaction<Recorded> | undefined =>
  table.on[type] as Reaction<Recorded> | undefined

/** Whether an event type changes any of the tables. */
export const concernsTables =
  (tables: readonly Table[]) =>
  (type: string): boolean =>
    isEventType(type) && tables.some((table) => table.on[type] !== undefined)

/** The common case: change the row with this id. */
export const change = <Event>(
  id: (event: NoInfer<Event>) => Selector,
  to: (event: NoInfer<Event>) => Record<string, unknown>,
): Reaction<Event> => ({
  reads: (event) => [id(event)],
  apply: (event, rows) => {
    rows.patch(id(event), to(event))
  },
})
