/** Compares the rows of a read model with those that the log produces. */
import { canonical } from '../../../../domain/audit/canonical.ts'
import type { Finding } from './findings.ts'

export type Row = Readonly<Record<string, unknown>>

/** The event that a row was made from */
export interface Origin {
  readonly position: string
  readonly stream: string
  readonly id: string
}

export interface ExpectedRow {
  readonly row: Row
  readonly origin: Origin
  /** Whether it may have been deleted because its retention ended. */
  readonly mayBeGone: boolean
}

/** Text as the read models store it: Postgres has neither NUL nor lone surrogates. */
const storable = (value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : (value ?? null)

const differing = (expected: Row, stored: Row): readonly string[] =>
  Object.keys({ ...expected, ...stored }).filter(
    (column) => canonical(storable(expected[column])) !== canonical(storable(stored[column])),
  )

export interface Comparison {
  readonly table: string
  readonly keyOf: (row: Row) => string
  readonly positionOf: (row: Row) => string
  /** Identifies a row in messages about one without an event. */
  readonly nameOf: (row: Row) => string
}

/** A wrong row: its expected contents or, without an event, its actual contents. */
export interface Difference {
  readonly row: Row
  readonly finding: Omit<Finding, 'stream' | 'eventId'> & Partial<Finding>
}

/** Returns the differences between the rows of some events and the stored rows. */
export const compareRows = (
  { table, keyOf, positionOf, nameOf }: Comparison,
  expected: readonly ExpectedRow[],
  stored: readonly Row[],
): readonly Difference[] => {
  const byKey = new Map(stored.map((row) => [keyOf(row), row]))
  const differences = expected.flatMap(({ row, origin, mayBeGone }): readonly Difference[] => {
    const where = { table, position: origin.position, stream: origin.stream, eventId: origin.id }
    const other = byKey.get(keyOf(row))
    byKey.delete(keyOf(row))
    if (other === undefined && mayBeGone) return []
    if (other === undefined) {
      const what = `the row of this event is missing (${nameOf(row)})`
      return [{ row, finding: { ...where, verdict: 'completeness', what } }]
    }
    const columns = differing(row, other)
    if (columns.length === 0) return []
    const what = `${columns.join(', ')}: differs from the event (${nameOf(row)})`
    return [{ row, finding: { ...where, verdict: 'integrity', what } }]
  })
  const made = [...byKey.values()].map((row): Difference => {
    const what = `no event explains the row ${nameOf(row)}`
    return { row, finding: { verdict: 'integrity', table, position: positionOf(row), what } }
  })
  return [...differences, ...made]
}
