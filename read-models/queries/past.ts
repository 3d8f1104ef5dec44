/**
 * Queries about the past. A time is first mapped to a log position; the state at that position is the state
 * at that time, exactly as in a replay up to there.
 */
import type pg from 'pg'
import type { Instant } from '../../domain/time.ts'
import type { Parameters } from './page.ts'

/** A past time, mapped to the current log. */
export interface Past {
  readonly at: Instant
  /** The last event up to that time; '' before the first */
  readonly cut: string
}

/** The state of the log when a response was computed. */
export interface Known {
  readonly position: string
}

/** Rows by table, as the events of one stream produce them up to a log position. */
export type PastRecord = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

/** Maximum clock difference in seconds: an event with a larger one is ordered by the surrounding events. */
export const MOST_SKEW_SECONDS = 300

const cutOf = async (client: pg.ClientBase, at: Instant): Promise<string> => {
  const { rows } = await client.query<{ position: string | null }>(
    `with nearest as (select l.at from log_moments l where l.at <= $1 order by l.at desc limit 1)
     select max(l.position) as position from log_moments l, nearest n
     where l.at <= n.at and l.at > n.at - interval '${String(MOST_SKEW_SECONDS)} seconds'`,
    [at],
  )
  return rows[0]?.position ?? ''
}

/**
 * Runs queries about past times on one snapshot of the read models.
 * @param work receives a connection, and the log position of each time
 */
export const ofThePast = async <const Times extends readonly Instant[], T>(
  pool: pg.Pool,
  times: Times,
  work: (client: pg.ClientBase, past: { readonly [I in keyof Times]: Past }) => Promise<T>,
): Promise<Known & { readonly answer: T }> => {
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    const { rows } = await client.query<{ position: string }>(
      `select position from checkpoint where name = 'core'`,
    )
    const past: Past[] = []
    for (const at of times) past.push({ at, cut: await cutOf(client, at) })
    const answer = await work(client, past as unknown as { readonly [I in keyof Times]: Past })
    await client.query('commit')
    client.release()
    return { position: rows[0]?.position ?? '', answer }
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** Adds a past time to the parameters of a statement. */
export const written = ({ add }: Parameters, { at, cut }: Past) => ({
  at: `${add(at)}::timestamptz`,
  cut: `${add(cut)}::text collate "C"`,
})

/** Returns the condition that an interval with this alias includes a log position. */
export const lasts = (alias: string, cut: string): string =>
  `${alias}.from_position <= ${cut} and (${alias}.to_position is null or ${alias}.to_position > ${cut})`

/** Returns SQL for the expiry of a membership with this alias, as known at a log position. */
export const expiryAt = (alias: string, cut: string): string =>
  `case when ${alias}.expiries is null then ${alias}.expires_at else (
    select (e.x ->> 1)::timestamptz from jsonb_array_elements(${alias}.expiries) e (x)
    where (e.x ->> 0) collate "C" <= ${cut} order by (e.x ->> 0) collate "C" desc limit 1) end`

/** Returns the condition that a membership with this alias was active. */
export const heldAt = (alias: string, cut: string, at: string): string =>
  `${lasts(alias, cut)} and coalesce(${expiryAt(alias, cut)} > ${at}, true)`

/** Returns SQL for the actor of a change, with the name at that time. Null for actions of the service itself. */
export const actorThen = (id: string, position: string): string =>
  `case when ${id} is not null then json_build_object('id', ${id}, 'name', coalesce(
    (select h.name from user_history h where h.user_id = ${id} and h.from_position <= ${position}
     order by h.from_position desc limit 1),
    (select n.name from audit_names n where n.id = ${id} and n.subject_id is null and n.from_position <= ${position}
     order by n.from_position desc limit 1))) end`
