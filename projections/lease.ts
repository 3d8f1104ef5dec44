import type pg from 'pg'

/** How long a lease lasts without a renewal. An unresponsive holder is replaced within this time. */
export const LEASE_SECONDS = 3

const RENEW_EVERY_MS = 1000

export interface Lease {
  /** Increases each time another instance takes the lease */
  readonly fence: string
  /** Aborts when the lease is lost or released */
  readonly signal: AbortSignal
  /**
   * Fails unless the lease is still held, and blocks a takeover until the transaction ends. Call it inside each
   * transaction that only the holder may commit: a holder that was suspended beyond its lease cannot write.
   */
  assertHeld(client: pg.ClientBase): Promise<void>
  /**
   * Whether no other instance can hold it yet, by this process's own monotonic clock. Call it right before an effect
   * outside the database: it detects that the process was suspended.
   */
  surelyHeld(): boolean
  /**
   * The same as `assertHeld` as an SQL condition, for statements that only read: they take no lock, so they
   * cannot delay the renewal.
   */
  readonly held: string
  release(): Promise<void>
}

export class LeaseLost extends Error {
  constructor(name: string) {
    super(`another instance took the lease on ${name}`)
    this.name = 'LeaseLost'
  }
}

/** Ends every lease, for a database that was just started, where no holder can be running. */
export const endLeases = async (pool: pg.Pool): Promise<void> => {
  await pool.query(
    'update work.lease set expires_at = clock_timestamp() where expires_at > clock_timestamp()',
  )
}

/**
 * Takes the lease if it is free. Uses the database clock, so instances need not agree on the time.
 * @returns null if another instance holds it
 */
export const tryLease = async (pool: pg.Pool, name: string, holder: string): Promise<Lease | null> => {
  let renewedAt = performance.now()
  const { rows } = await pool.query<{ fence: string }>(
    `insert into work.lease as l (name, holder, fence, expires_at)
     values ($1, $2, 1, clock_timestamp() + make_interval(secs => $3))
     on conflict (name) do update
       set holder = excluded.holder, fence = l.fence + 1, expires_at = excluded.expires_at
       where l.expires_at < clock_timestamp()
     returning fence`,
    [name, holder, LEASE_SECONDS],
  )
  const fence = rows[0]?.fence
  if (fence === undefined) return null

  const lost = new AbortController()
  const renew = async (): Promise<void> => {
    const requestedAt = performance.now()
    try {
      const { rowCount } = await pool.query({
        name: 'renew lease',
        text: `update work.lease set expires_at = clock_timestamp() + make_interval(secs => $3)
         where name = $1 and fence = $2 and expires_at > clock_timestamp()`,
        values: [name, fence, LEASE_SECONDS],
      })
      if (rowCount === 0) lost.abort(new LeaseLost(name))
      else renewedAt = requestedAt
    } catch {
      // The next renewal or transaction will show whether the lease is still held.
    }
  }
  const timer = setInterval(() => void renew(), RENEW_EVERY_MS)
  timer.unref()
  lost.signal.addEventListener('abort', () => {
    clearInterval(timer)
  })

  return {
    fence,
    signal: lost.signal,
    held: `exists (select from work.lease where name = '${name}' and fence = ${fence}
      and expires_at > clock_timestamp())`,
    assertHeld: async (client) => {
      const { rowCount } = await client.query({
        name: 'assert lease',
        text: 'select from work.lease where name = $1 and fence = $2 and expires_at > clock_timestamp() for share',
        values: [name, fence],
      })
      if (rowCount === 0) {
        lost.abort(new LeaseLost(name))
        throw new LeaseLost(name)
      }
    },
    surelyHeld: () => !lost.signal.aborted && performance.now() - renewedAt < LEASE_SECONDS * 1000,
    release: async () => {
      lost.abort(new LeaseLost(name))
      await pool.query(
        'update work.lease set expires_at = clock_timestamp() where name = $1 and fence = $2',
        [name, fence],
      )
    },
  }
}
