import type pg from 'pg'
import type { Instant } from '../../domain/time.ts'

/** The lengths of the intervals in milliseconds. They start at the full hour, or at midnight UTC. */
export const intervals = { hour: 3_600_000, day: 86_400_000 } as const
export type Interval = keyof typeof intervals

/** Sign-in attempts by result within one interval. */
export interface SignInCount {
  readonly start: Instant
  readonly success: number
  readonly failure: number
  readonly interrupted: number
}

export interface CountedPeriod {
  readonly interval: Interval
  /** Start of the first interval */
  readonly from: Instant
  /** Exclusive */
  readonly to: Instant
}

type CountRow = Omit<SignInCount, 'success'> & { readonly total: number }

/**
 * Counts attempts by interval, in one snapshot, also where there are none. The two counts read only indexes, because
 * each has the columns that it needs: one of all attempts, one of those that did not succeed.
 */
export const countSignIns = async (
  pool: pg.Pool,
  { interval, from, to }: CountedPeriod,
): Promise<readonly SignInCount[]> => {
  const start = `date_trunc($1, s.created_at, 'UTC')`
  const within = 's.created_at >= $2::timestamptz and s.created_at < $3::timestamptz'
  const { rows } = await pool.query<CountRow>(
    `select start, sum(total)::bigint as total, sum(failure)::bigint as failure,
            sum(interrupted)::bigint as interrupted
     from (
       select ${start} as start, count(*) as total, 0 as failure, 0 as interrupted
       from sign_ins s where ${within} group by 1
       union all
       select ${start}, 0, count(*) filter (where s.result = 'failure'),
              count(*) filter (where s.result = 'interrupted')
       from sign_ins s where s.result in ('failure', 'interrupted') and ${within} group by 1) counted
     group by start`,
    [interval, from, to],
  )
  const counted = new Map(rows.map((row) => [Date.parse(row.start), row]))
  const counts: SignInCount[] = []
  for (let time = Date.parse(from); time < Date.parse(to); time += intervals[interval]) {
    const { total, failure, interrupted } = counted.get(time) ?? { total: 0, failure: 0, interrupted: 0 }
    counts.push({
      start: new Date(time).toISOString().replace('Z', '000Z'),
      success: total - failure - interrupted,
      failure,
      interrupted,
    })
  }
  return counts
}
