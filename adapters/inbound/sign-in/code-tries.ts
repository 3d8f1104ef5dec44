import type pg from 'pg'
import type { Instant } from '../../../domain/time.ts'
import { noTries, ROW_OF_PERSON, type CodeTries } from '../../../domain/user/wrong-codes.ts'
import { ApiError } from '../http/errors.ts'

interface Row extends CodeTries {
  readonly version: number
}

/** No caller can lose more often, because each faster one uses up one of few tries. */
const ATTEMPTS = 50

/** Counts tries with typed codes. */
export const codeTries = (pool: pg.Pool) => {
  const read = async (subject: string): Promise<Row> => {
    const { rows } = await pool.query<Row>(
      `select version, tries, locks, locked_until as "lockedUntil" from work.code_tries where subject = $1`,
      [subject],
    )
    return rows[0] ?? { ...noTries, version: 0 }
  }

  const write = async (subject: string, version: number, to: CodeTries, now: Instant): Promise<boolean> => {
    const { rowCount } = await pool.query(
      `insert into work.code_tries as t (subject, version, tries, locks, locked_until, last_at)
       values ($1, 1, $3, $4, $5, $6)
       on conflict (subject) do update set version = t.version + 1, tries = excluded.tries,
         locks = excluded.locks, locked_until = excluded.locked_until, last_at = excluded.last_at
       where t.version = $2`,
      [subject, version, JSON.stringify(to.tries), JSON.stringify(to.locks), to.lockedUntil, now],
    )
    return rowCount === 1
  }

  return {
    /**
     * Changes the stored counts atomically.
     * @throws ApiError ERR_TOO_MANY_ATTEMPTS if there are too many conflicts
     * @param step a pure function; nothing changes if `after` is null
     */
    change: async <T extends { readonly after: CodeTries | null }>(
      subject: string,
      now: Instant,
      step: (before: CodeTries) => T,
    ): Promise<T> => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { version, ...before } = await read(subject)
        const outcome = step(before)
        if (outcome.after === null || (await write(subject, version, outcome.after, now))) return outcome
      }
      throw new ApiError('ERR_TOO_MANY_ATTEMPTS', undefined, { headers: { 'Retry-After': '1' } })
    },

    /** Resets all rows of a user; retries after a concurrent change. */
    forget: async (userId: string, now: Instant): Promise<void> => {
      await pool.query(
        `update work.code_tries set version = version + 1, tries = '[]', locks = '{}', locked_until = null, last_at = $3
         where subject = $1 or starts_with(subject, $2)`,
        [userId, userId + ROW_OF_PERSON, now],
      )
    },

    /** Returns true once per lockout: whether its rejections are not yet recorded. */
    noteRefusal: async (subject: string, until: Instant): Promise<boolean> => {
      const { rowCount } = await pool.query(
        `update work.code_tries set noted_until = $2
         where subject = $1 and (noted_until is null or noted_until < $2)`,
        [subject, until],
      )
      return rowCount === 1
    },

    announced: async (subject: string, until: Instant): Promise<void> => {
      await pool.query('update work.code_tries set announced_until = $2 where subject = $1', [subject, until])
    },

    /** Stores that the end of the lockout is recorded. */
    ended: async (subject: string, until: Instant): Promise<void> => {
      await pool.query(
        'update work.code_tries set announced_until = null where subject = $1 and announced_until = $2',
        [subject, until],
      )
    },

    /** Returns users whose lockout of unknown devices started before that time and is not recorded yet. */
    unannounced: async (before: Instant, limit: number) => {
      const { rows } = await pool.query<{ subject: string; until: Instant }>(
        `select subject, locked_until as until from work.code_tries
         where locked_until is not null and locked_until is distinct from announced_until
           and subject like 'usr\\_%' and position('${ROW_OF_PERSON}' in subject) = 0 and last_at <= $1 limit $2`,
        [before, limit],
      )
      return rows
    },

    /** Returns expired lockouts whose end is not recorded. */
    over: async (now: Instant, limit: number) => {
      const { rows } = await pool.query<{ subject: string; until: Instant }>(
        'select subject, announced_until as until from work.code_tries where announced_until <= $1 limit $2',
        [now, limit],
      )
      return rows
    },

    /** Deletes rows that have not changed since that time. */
    sweep: async (since: Instant): Promise<void> => {
      await pool.query('delete from work.code_tries where last_at <= $1 and announced_until is null', [since])
    },
  }
}
