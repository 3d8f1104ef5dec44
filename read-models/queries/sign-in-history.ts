import type pg from 'pg'
import type { Instant } from '../../domain/time.ts'

/** Enough to know the usual countries of a user, at a bounded cost. */
const MAX_SUCCESSES = 50

interface SignInHistory {
  readonly successes: readonly { readonly at: number; readonly location: string | null }[]
  readonly failures: number
}

interface Row {
  readonly failures: number
  /** Null if the user never signed in. */
  readonly at: number | null
  readonly location: string | null
}

/**
 * Returns the user's latest successful sign-ins, and the number of failed ones since a time. Applications that an
 * existing session opened are no sign-ins.
 */
export const signInHistory = async (
  pool: pg.Pool,
  userId: string,
  failuresSince: Instant,
): Promise<SignInHistory> => {
  const { rows } = await pool.query<Row>(
    `select failed.failures, success.at, success.location
     from (
       select count(*)::int as failures from sign_ins
       where user_id = $1 and result = 'failure' and created_at > $2::timestamptz
     ) failed
     left join lateral (
       select (extract(epoch from created_at) * 1000)::float8 as at, location from sign_ins
       where user_id = $1 and result = 'success' and method is distinct from 'session'
       order by created_at desc limit $3
     ) success on true`,
    [userId, failuresSince, MAX_SUCCESSES],
  )
  return {
    successes: rows.flatMap(({ at, location }) => (at === null ? [] : [{ at, location }])),
    failures: rows[0]?.failures ?? 0,
  }
}
