import type { Recorded } from '../domain/catalogue.ts'
import { Rows, type Row } from './rows.ts'
import { reactionTo, type Table } from './table.ts'

/** Computes the rows of these tables from the events of one short stream, in memory. */
export const rowsOf = (
  tables: readonly Table[],
  events: readonly Recorded[],
): Readonly<Record<string, readonly Row[]>> =>
  Object.fromEntries(
    tables.map((table) => {
      const rows = new Rows(table.key)
      for (const event of events) {
        const reaction = reactionTo(table, event.type)
        for (const selector of reaction?.reads?.(event) ?? []) rows.index(selector)
        reaction?.apply(event, rows)
      }
      return [table.name, rows.changes().upserts]
    }),
  )
