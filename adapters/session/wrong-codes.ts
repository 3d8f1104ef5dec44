import { ApiError } from '../http/errors.ts'
import type { Services } from '../commands/deps.ts'

/** Wrong codes that a person may type within a window, and how long they wait after the last of them. */
const LIMIT = 5
const WINDOW_SECONDS = 900
const LOCK_SECONDS = 900

/** Kinds of codes are counted apart: being locked out of one leaves the others. */
export type CodeKind = 'device_user_code'

/** Codes short enough to be typed are short enough to be guessed: each person has a few tries. */
export const wrongCodes = ({ pool, clock }: Pick<Services, 'pool' | 'clock'>) => {
  /**
   * Counts a try before it is made, so that many at once are no more than the limit.
   * @throws ApiError ERR_TOO_MANY_ATTEMPTS
   */
  const take = async (userId: string, kind: CodeKind): Promise<void> => {
    const now = clock.now()
    const { rowCount } = await pool.query(
      `insert into work.wrong_code as w (user_id, kind, count, since, last_at) values ($1, $2, 1, $3, $3)
       on conflict (user_id, kind) do update set
         count = case when w.count < $4 and w.since > $5 then w.count + 1 else 1 end,
         since = case when w.count < $4 and w.since > $5 then w.since else $3 end,
         last_at = $3
       where w.count < $4 or w.last_at <= $6`,
      [userId, kind, now, LIMIT, clock.in(-WINDOW_SECONDS), clock.in(-LOCK_SECONDS)],
    )
    if (rowCount === 1) return
    const { rows } = await pool.query<{ seconds: number }>(
      `select ceil(extract(epoch from last_at - $3::timestamptz))::int as seconds
       from work.wrong_code where user_id = $1 and kind = $2`,
      [userId, kind, clock.in(-LOCK_SECONDS)],
    )
    throw new ApiError('ERR_TOO_MANY_ATTEMPTS', undefined, {
      headers: { 'Retry-After': String(Math.max(1, rows[0]?.seconds ?? 1)) },
    })
  }

  /**
   * A right code takes back its own try and no more: whoever can make right codes themselves could otherwise guess
   * others' for ever in between.
   */
  const giveBack = async (userId: string, kind: CodeKind): Promise<void> => {
    await pool.query(
      'update work.wrong_code set count = count - 1 where user_id = $1 and kind = $2 and count > 0',
      [userId, kind],
    )
  }

  return {
    /**
     * Runs a look-up by a code that a person typed; null means that it was wrong.
     * @throws ApiError ERR_TOO_MANY_ATTEMPTS with Retry-After
     */
    tried: async <T>(userId: string, kind: CodeKind, look: () => Promise<T | null>): Promise<T | null> => {
      await take(userId, kind)
      const found = await look()
      if (found !== null) await giveBack(userId, kind)
      return found
    },

    sweep: async (): Promise<void> => {
      await pool.query('delete from work.wrong_code where last_at <= $1', [
        clock.in(-WINDOW_SECONDS - LOCK_SECONDS),
      ])
    },
  }
}
