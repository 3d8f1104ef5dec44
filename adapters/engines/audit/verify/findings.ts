/** What a verification has found, by the question that it answers. */

/** `integrity`: the data matches what was recorded. `completeness`: no recorded data is missing. */
export type Verdict = 'integrity' | 'completeness'

export interface Finding {
  readonly verdict: Verdict
  /** Where it was found: a table, or `bundle`. */
  readonly table: string
  /** Place in the log; null where it is about no one event. */
  readonly position: string | null
  readonly stream: string | null
  readonly eventId: string | null
  readonly what: string
}

export interface Findings {
  readonly add: (
    verdict: Verdict,
    table: string,
    what: string,
    where?: Partial<Pick<Finding, 'position' | 'stream' | 'eventId'>>,
  ) => void
  /** The first of them, in the order in which they were found. */
  readonly listed: readonly Finding[]
  readonly count: (verdict: Verdict) => number
}

/** Found once, the rest of a damaged table is rarely news. */
export const MOST_LISTED = 100

export const collectFindings = (): Findings => {
  const listed: Finding[] = []
  const counts: Record<Verdict, number> = { integrity: 0, completeness: 0 }
  return {
    listed,
    count: (verdict) => counts[verdict],
    add: (verdict, table, what, { position = null, stream = null, eventId = null } = {}) => {
      counts[verdict]++
      if (listed.length < MOST_LISTED) listed.push({ verdict, table, position, stream, eventId, what })
    },
  }
}
