/** The findings of a verification, by the question that they answer. */

/** `integrity`: the data matches what was recorded. `completeness`: no recorded data is missing */
export type Verdict = 'integrity' | 'completeness'

export interface Finding {
  readonly verdict: Verdict
  /** Where it was found: a table, or `bundle` */
  readonly table: string
  /** Log position; null if the finding is not about a single event */
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
  /** The first findings, in the order in which they were found. */
  readonly listed: readonly Finding[]
  readonly count: (verdict: Verdict) => number
}

/** Maximum number of listed findings per verdict: the rest of a damaged table adds little. */
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
