/** Idempotency keys in Postgres: one row per key, leased to the request that executes it. */
import type { Pool } from 'pg'
import {
  IDEMPOTENCY_HOURS,
  type Begun,
  type IdempotencyStore,
  type Sealer,
  type StoredAnswer,
} from './idempotency.ts'

interface Row {
  readonly fingerprint: string
  readonly answer: string | null
}

/** If there is no response after this time, the instance that executed the request is assumed to have crashed. */
const LEASE_MS = 60_000

const before = (now: Date): Date => new Date(now.getTime() - IDEMPOTENCY_HOURS * 3_600_000)

/** Takes the row if it is new or expired, or if an identical request left it without a response. */
const TAKE = `
  INSERT INTO work.idempotency AS kept (key, fingerprint, started_at, attempt, leased_until)
  VALUES ($1, $2, $3, 1, $4)
  ON CONFLICT (key) DO UPDATE SET
    fingerprint = excluded.fingerprint,
    started_at = CASE WHEN kept.started_at <= $5 THEN excluded.started_at ELSE kept.started_at END,
    attempt = kept.attempt + 1,
    leased_until = excluded.leased_until,
    answer = NULL
  WHERE kept.started_at <= $5
     OR (kept.answer IS NULL AND kept.leased_until <= $3 AND kept.fingerprint = excluded.fingerprint)
  RETURNING attempt, started_at`

export const postgresIdempotency = (
  pool: Pool,
  { seal, open }: Sealer,
): IdempotencyStore & { purge(now: Date): Promise<number> } => ({
  async begin(key, fingerprint, now): Promise<Begun> {
    const lease = new Date(now.getTime() + LEASE_MS)
    const taken = await pool.query<{ attempt: number; started_at: Date }>(TAKE, [
      key,
      fingerprint,
      now,
      lease,
      before(now),
    ])
    const [mine] = taken.rows
    if (mine !== undefined) return { state: 'new', attempt: mine.attempt, startedAt: mine.started_at }
    const result = await pool.query<Row>('SELECT fingerprint, answer FROM work.idempotency WHERE key = $1', [
      key,
    ])
    const [row] = result.rows
    if (row === undefined) return { state: 'running' }
    if (row.fingerprint !== fingerprint) return { state: 'different' }
    if (row.answer === null) return { state: 'running' }
    return { state: 'done', answer: JSON.parse(await open(row.answer, key)) as StoredAnswer }
  },

  async finish(key, attempt, answer) {
    await pool.query('UPDATE work.idempotency SET answer = $3 WHERE key = $1 AND attempt = $2', [
      key,
      attempt,
      await seal(JSON.stringify(answer), key),
    ])
  },

  async release(key, attempt) {
    await pool.query(
      "UPDATE work.idempotency SET leased_until = '-infinity' WHERE key = $1 AND attempt = $2",
      [key, attempt],
    )
  },

  /** Deletes expired keys and returns their number. */
  async purge(now) {
    const gone = await pool.query('DELETE FROM work.idempotency WHERE started_at <= $1', [before(now)])
    return gone.rowCount ?? 0
  },
})
