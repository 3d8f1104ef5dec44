import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { rest } from '../../adapters/kernel/rest.ts'
import { leasedLoop, type LeasedLoop, type LeasedLoopOptions } from '../../projections/leased-loop.ts'
import { tryLease } from '../../projections/lease.ts'
import type { Log } from './log.ts'

/**
 * Runs background work on one instance at a time.
 * @param name of the lease, and of the work in log messages
 * @param work ends when its signal aborts. Writes that only the holder may make check `assertHeld`, reads use `held`,
 * and effects outside the database check `surelyHeld` first
 */
export const leasedWork = (
  pool: pg.Pool,
  name: string,
  work: LeasedLoopOptions['work'],
  log: Log,
): LeasedLoop => {
  const holder = randomUUID()
  return leasedLoop({
    take: () => tryLease(pool, name, holder),
    work,
    failed: (error) => {
      log.warn(
        { work: name, reason: error instanceof Error ? error.message : String(error) },
        'background work is failing',
      )
      return 'retry'
    },
    pollMs: 500,
    retryMs: { first: 500, most: 5_000 },
    rest,
    random: Math.random,
  })
}
