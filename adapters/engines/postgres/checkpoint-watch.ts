import pg from 'pg'
import { READ_MODELS, UNVERSIONED } from '../../../read-models/schema.ts'
import { coalesced } from '../../kernel/coalesce.ts'
import { createWakeUp, type WakeUp } from '../../kernel/wake-up.ts'
import { watchOtherVersions } from './other-versions.ts'

const CHANNEL = 'svc_checkpoint'
const POLL_MS = 50

/** The consumers that the result of a command may depend on. */
export type WaitedFor = 'core' | 'rule-memberships' | 'package-delivery' | 'audit'

/**
 * Waits until a consumer has passed a log position, in every version of the service that uses the database. Returns
 * false after a timeout.
 */
export type WaitFor = (consumer: WaitedFor, position: string) => Promise<boolean>

export interface CheckpointWatch {
  readonly waitFor: WaitFor
  /** The same for this version only. */
  readonly waitForOwn: WaitFor
  /** Wakes when a consumer of this version has advanced, on any instance. */
  moved(consumer: WaitedFor): Pick<WakeUp, 'now' | 'after'>
  /** Publishes a checkpoint committed in this process before the database's notification. */
  advanced(consumer: string, position: string): void
  /**
   * Resolves when a caller in this process waits for the consumer, and after `ms` milliseconds at the latest. It
   * resolves for all consumers at the same times, so that those at the same position share their reads.
   */
  wanted(consumer: string, ms: number): Promise<void>
  /** Ends the pause of a consumer of this process for a caller that waits in another way. */
  hurry(consumer: string): void
  /** The schemas of other versions of the service that use the database. */
  otherVersions(): readonly string[]
  /**
   * Waits until the read models of this version have reached the current position of other versions, so that what one
   * version has confirmed is in effect in all. Returns false after a timeout. Call it only while other versions run.
   */
  inStep(): Promise<boolean>
  close(): Promise<void>
}

/** The consumers that each version runs separately. */
const PER_VERSION = ['core', 'audit'] as const

/** Returns the name in this process of a consumer that is announced under its public name. */
const nameOf = (announced: string): string => {
  if ((PER_VERSION as readonly string[]).includes(announced)) return `${UNVERSIONED}.${announced}`
  return announced.startsWith(`${READ_MODELS}.`) ? announced.slice(READ_MODELS.length + 1) : announced
}

interface Waiter {
  readonly position: string
  readonly done: (passed: boolean) => void
}

/**
 * Tracks the positions of the consumers on all instances by notifications of the database, and by polling while a
 * caller waits.
 * @param timeoutMs maximum wait
 */
export const watchCheckpoints = async (
  pool: pg.Pool,
  connectionString: string,
  timeoutMs = 2000,
): Promise<CheckpointWatch> => {
  const known = new Map<string, string>()
  const waiters = new Map<string, Set<Waiter>>()
  const resting = new Map<string, () => void>()
  const moves = new Map<string, WakeUp>()
  let closed = false
  let listener: pg.Client | null = null
  let polling: NodeJS.Timeout | null = null

  const advanced = (consumer: string, position: string): void => {
    // A rebuild may set a checkpoint back. A wait ends once its position was passed, so only the highest checkpoint
    // counts.
    if (position <= (known.get(consumer) ?? '')) return
    known.set(consumer, position)
    moves.get(consumer)?.wake()
    for (const waiter of waiters.get(consumer) ?? []) if (waiter.position <= position) waiter.done(true)
  }

  const versions = await watchOtherVersions(pool, (gone) => {
    for (const schema of gone)
      for (const [name, waiting] of waiters)
        if (name.startsWith(`${schema}.`)) for (const waiter of waiting) waiter.done(true)
  })

  const look = async (): Promise<void> => {
    try {
      const { rows } = await pool.query<{ name: string; position: string }>(
        [
          'select name, position from checkpoint union all select name, position from work.checkpoint',
          ...versions
            .schemas()
            .map((schema) => `select '${schema}.' || name, position from ${schema}.checkpoint`),
        ].join(' union all '),
      )
      for (const { name, position } of rows) advanced(name, position)
    } catch {
      // Waiters time out while the database is unavailable.
    }
  }

  const poll = (): void => {
    polling ??= setInterval(() => {
      if ([...waiters.values()].some((set) => set.size > 0)) void look()
      else if (polling !== null) {
        clearInterval(polling)
        polling = null
      }
    }, POLL_MS)
  }

  const listen = async (): Promise<void> => {
    if (closed) return
    const client = new pg.Client({ connectionString, keepAlive: true, connectionTimeoutMillis: 2000 })
    const again = (): void => {
      if (listener !== client) return
      listener = null
      void client.end().catch(() => undefined)
      setTimeout(() => void listen(), 500 + Math.random() * 500).unref()
    }
    listener = client
    client.on('error', again)
    client.on('end', again)
    client.on('notification', ({ payload }) => {
      const [consumer, position] = (payload ?? '').split(' ')
      if (consumer !== undefined && position !== undefined) advanced(nameOf(consumer), position)
    })
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL}`)
    } catch {
      again()
    }
  }
  void listen()

  const waitForOne = (consumer: string, position: string): Promise<boolean> => {
    if (position <= (known.get(consumer) ?? '')) return Promise.resolve(true)
    return new Promise((resolve) => {
      const set = waiters.get(consumer) ?? new Set<Waiter>()
      waiters.set(consumer, set)
      const waiter: Waiter = {
        position,
        done: (passed) => {
          clearTimeout(timer)
          set.delete(waiter)
          resolve(passed)
        },
      }
      const timer = setTimeout(() => {
        waiter.done(false)
      }, timeoutMs)
      set.add(waiter)
      resting.get(consumer)?.()
      poll()
    })
  }

  const waitFor: WaitFor = async (consumer, position) => {
    const others = (PER_VERSION as readonly string[]).includes(consumer) ? versions.schemas() : []
    if (others.length === 0) return waitForOne(consumer, position)
    const names = [consumer, ...others.map((schema) => `${schema}.${consumer}`)]
    return (await Promise.all(names.map((name) => waitForOne(name, position)))).every(Boolean)
  }

  /** The highest core position of the other versions. */
  const furthest = coalesced(async (asked: readonly null[]) => {
    const each = versions
      .schemas()
      .map((schema) => `select position from ${schema}.checkpoint where name = 'core'`)
    const { rows } = await pool.query<{ position: string }>(
      `select max(position) as position from (${[`select '' collate "C" as position`, ...each].join(' union all ')}) c`,
    )
    return asked.map(() => rows[0]?.position ?? '')
  })

  return {
    waitFor,
    waitForOwn: waitForOne,
    moved: (consumer) => {
      const wakeUp = moves.get(consumer) ?? createWakeUp()
      moves.set(consumer, wakeUp)
      return wakeUp
    },
    otherVersions: versions.schemas,
    inStep: async () => waitForOne('core', await furthest(null)),
    advanced,
    wanted: (consumer, ms) =>
      new Promise((resolve) => {
        if ((waiters.get(consumer)?.size ?? 0) > 0) {
          resolve()
          return
        }
        const end = (): void => {
          clearTimeout(timer)
          resting.delete(consumer)
          resolve()
        }
        const timer = setTimeout(end, ms - (performance.now() % ms))
        resting.set(consumer, end)
      }),
    hurry: (consumer) => resting.get(consumer)?.(),
    close: async () => {
      closed = true
      versions.stop()
      if (polling !== null) clearInterval(polling)
      const client = listener
      listener = null
      await client?.end().catch(() => undefined)
    },
  }
}
