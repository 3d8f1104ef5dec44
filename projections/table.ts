import {
  isEventType,
  type EventOf,
  type EventType,
  type Recorded,
  type RetentionClass,
} from '../domain/catalogue.ts'
import type { Rows, Selector } from './rows.ts'

/** What one type of event does to one table. */
export interface Reaction<Event> {
  /** The stored rows that `apply` looks at. Left out when it only adds. */
  readonly reads?: (event: Event) => readonly Selector[]
  /** Whether `reads` is after closed rows too, past the table's `open`. */
  readonly history?: boolean
  /** Deterministic: the same events give the same rows, whenever they are played. */
  readonly apply: (event: Event, rows: Rows) => void
}

/** A read model: how events become its rows. Tables do not look at each other. */
export interface Table {
  readonly name: string
  readonly key: readonly string[]
  /** SQL that narrows what is read by anything but the whole key, where history would be in the way. */
  readonly open?: string
  /**
   * For rows made of events that are not kept for ever: the class that goes first, and the column that tells a row's
   * age. A replay cannot make the older ones again, and does not count them as missing. `of` is SQL for which rows it
   * is about; all of them where it is left out.
   */
  readonly retention?: { readonly class: RetentionClass; readonly age: string; readonly of?: string }
  readonly on: { readonly [T in EventType]?: Reaction<Recorded<EventOf<T>>> }
}

/** Reaction of a table to an event of a type known only at run time. */
export const reactionTo = (table: Table, type: EventType): Reaction<Recorded> | undefined =>
  table.on[type] as Reaction<Recorded> | undefined

/** Whether a type of event changes any of the tables. */
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
