import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { lastValueFrom, takeUntil, fromEvent } from 'rxjs'
import { rest } from '../adapters/kernel/rest.ts'
import type { Recorded } from '../domain/catalogue.ts'
import { applyEvents, PoisonEvent } from './apply.ts'
import {
  advanceCheckpoint,
  lockCheckpoint,
  passOver,
  readCheckpoint,
  type CheckpointTable,
} from './checkpoint.ts'
import { LeaseLost, tryLease, type Lease } from './lease.ts'
import { leasedLoop } from './leased-loop.ts'
import type { EventSource, OpenedBatch } from './source.ts'
import type { Table } from './table.ts'
import { inTransaction } from '../read-models/transaction.ts'

/** What a running consumer tells of itself, for readiness, metrics and the status view. */
export interface ConsumerStatus {
  readonly state: 'waiting' | 'running' | 'stopped'
  /** Last position committed by this instance, '' when none. */
  readonly position: string
  readonly caughtUp: boolean
  readonly events: number
  /** Events of types this version does not know; passed over. */
  readonly unknown: number
  /** Why it stopped: the event at fault and what was said. */
  readonly failure: { readonly eventId: string; readonly message: string } | null
}

export interface RunnerOptions {
  readonly name: string
  readonly pool: pg.Pool
  readonly source: EventSource
  readonly checkpoints: CheckpointTable
  readonly tables: readonly Table[]
  /**
   * What a subscriber does with a batch besides writing rows, before its checkpoint moves on. It may be given the same
   * events again after a crash.
   */
  readonly react?: (batch: OpenedBatch) => Promise<void>
  /** What else is written with a batch, in the transaction that moves the checkpoint on. */
  readonly within?: (client: pg.ClientBase, events: readonly Recorded[]) => Promise<void>
  /**
   * Whether an event matters to this consumer. Batches without one that does move the checkpoint only now and then, and
   * with the rest of an append of which something did: who made it waits for its last event.
   */
  readonly concerns?: (event: Recorded) => boolean
  readonly log: {
    info(fields: object, message: string): void
    warn(fields: object, message: string): void
    error(fields: object, message: string): void
  }
  /** Called after each commit, for those in this process who wait for it. */
  readonly committed?: (position: string) => void
  /**
   * Called when the end of the log is reached: resolves when it is time to look for more. A short rest while nobody
   * waits lets events gather, so that a busy log costs fewer transactions.
   */
  readonly rest?: () => Promise<void>
}

export interface Runner {
  readonly name: string
  status(): ConsumerStatus
  stop(): Promise<void>
}

/** An error that names the event it is about: from a table's own code, or from opening it. */
const namesEvent = (error: unknown): error is Error & { readonly eventId: string } =>
  error instanceof Error && 'eventId' in error && typeof error.eventId === 'string'

const faulty = [TypeError, RangeError, SyntaxError, ReferenceError]

/**
 * Whether trying again may help: the connection, resources, an operator, another transaction. Not so for wrong data
 * (SQLSTATE 22, 23, 42, 2F), for bugs, and for an event that cannot be read unless it was the database that failed.
 */
const passes = (error: unknown): boolean => {
  if (error instanceof LeaseLost) return true
  const cause = namesEvent(error) ? error.cause : error
  if (faulty.some((kind) => cause instanceof kind)) return false
  const code = (cause as { code?: unknown } | undefined)?.code
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return !/^(22|23|42|2F)/.test(code)
  if (!namesEvent(error)) return true
  if (typeof code === 'string') return /^E[A-Z]+$/.test(code)
  return cause instanceof Error && /connect|terminated|timeout/i.test(cause.message)
}

/** So many events that do not concern a consumer are passed before its checkpoint moves on without need. */
const IDLE_EVENTS = 1000

/** Who waits for a lease looks again this often. */
const LEASE_POLL_MS = 500

/**
 * Keeps tables in step with the log, on one instance at a time: whoever holds the lease. Rows and checkpoint change
 * in one transaction, under the lease's fence. An event that cannot be projected stops the consumer for good.
 */
export const startRunner = (options: RunnerOptions): Runner => {
  const { name, pool, source, tables, checkpoints, log } = options
  const holder = randomUUID()
  let status: ConsumerStatus = {
    state: 'waiting',
    position: '',
    caughtUp: false,
    events: 0,
    unknown: 0,
    failure: null,
  }

  const commit = (lease: Lease, from: string, batch: OpenedBatch, events: readonly Recorded[]) =>
    inTransaction(pool, async (client) => {
      await lease.assertHeld(client)
      const at = await lockCheckpoint(client, name, checkpoints)
      if (at !== from) throw new LeaseLost(name)
      await applyEvents(client, tables, events)
      await options.within?.(client, events)
      await advanceCheckpoint(client, name, batch.position, checkpoints)
    })

  /**
   * Finds which event of a failing batch is at fault, by trying them one after the other without keeping anything.
   * @throws whatever passes by itself
   */
  const findPoison = async (events: readonly Recorded[], cause: unknown): Promise<PoisonEvent | null> => {
    if (cause instanceof PoisonEvent) return cause
    if (tables.length === 0) return null
    for (let count = 1; count <= events.length; count++) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        await applyEvents(client, tables, events.slice(0, count))
      } catch (error) {
        if (error instanceof PoisonEvent || passes(error)) throw error
        const event = events[count - 1]
        return event === undefined ? null : new PoisonEvent(event, error)
      } finally {
        await client.query('rollback').catch(() => undefined)
        client.release(true)
      }
    }
    return null
  }

  const consume = async (ended: AbortSignal, lease: Lease): Promise<void> => {
    let position = await readCheckpoint(pool, name, checkpoints)
    let committed = position
    let passedOver = 0
    let keptLast = true
    status = { ...status, state: 'running', position }
    log.info({ consumer: name, position }, 'projecting')
    const keep = async (batch: OpenedBatch, events: readonly Recorded[]): Promise<void> => {
      const passed =
        events.length === 0 &&
        (await passOver(pool, name, lease.fence, committed, batch.position, checkpoints))
      if (!passed) await commit(lease, committed, batch, events)
      committed = batch.position
      passedOver = 0
      options.committed?.(committed)
    }
    /** Keeps what comes before the event at fault, and says which that is. */
    const upToPoison = async (events: readonly Recorded[], error: unknown): Promise<unknown> => {
      const poison = await findPoison(events, error)
      const culprit = poison ?? new PoisonEvent(events.find(options.concerns ?? (() => true)), error)
      const at = events.findIndex(({ id }) => id === culprit.eventId)
      const last = events[at - 1]
      if (poison !== null && last !== undefined && options.react === undefined) {
        const before = events.slice(0, at)
        await keep(
          { events: before, position: last.position, caughtUp: false, unknown: 0, leftOut: 0 },
          before,
        )
        status = { ...status, position: committed, events: status.events + at }
      }
      return culprit
    }
    const handle = async (batch: OpenedBatch): Promise<void> => {
      if (ended.aborted) throw new LeaseLost(name)
      const events = batch.events.filter((event) => event.position > position)
      const idle = options.concerns !== undefined && !events.some(options.concerns)
      passedOver = idle ? passedOver + events.length + batch.leftOut : 0
      const continued = batch.continues === true && keptLast
      if (batch.events.length + batch.leftOut + batch.unknown > 0) keptLast = !idle || continued
      if (batch.position !== committed && (!idle || continued || passedOver > IDLE_EVENTS)) {
        try {
          await options.react?.({ ...batch, events })
          await keep(batch, events)
        } catch (error) {
          throw passes(error) ? error : await upToPoison(events, error)
        }
      }
      position = batch.position
      status = {
        ...status,
        position,
        caughtUp: batch.caughtUp,
        events: status.events + batch.events.length + batch.leftOut,
        unknown: status.unknown + batch.unknown,
      }
      if (batch.caughtUp) await options.rest?.()
    }
    // What has happened already is not an event that is still to come.
    if (ended.aborted) return
    await lastValueFrom(source.subscribe(position, handle).pipe(takeUntil(fromEvent(ended, 'abort'))), {
      defaultValue: undefined,
    })
  }

  const stopLoudly = (error: unknown): void => {
    const eventId = namesEvent(error) ? error.eventId : 'unknown'
    const cause = namesEvent(error) ? error.cause : error
    const message = cause instanceof Error ? cause.message : String(cause)
    status = { ...status, state: 'stopped', caughtUp: false, failure: { eventId, message } }
    log.error(
      { consumer: name, eventId, reason: message },
      'projection stopped: an event cannot be projected',
    )
  }

  const loop = leasedLoop({
    take: () => tryLease(pool, name, holder),
    work: consume,
    waiting: () => {
      status = { ...status, state: 'waiting' }
    },
    failed: (error) => {
      if (!passes(error)) {
        stopLoudly(error)
        return 'end'
      }
      log.warn(
        { consumer: name, reason: error instanceof Error ? error.message : String(error) },
        'projection retries',
      )
      return 'retry'
    },
    pollMs: LEASE_POLL_MS,
    retryMs: { first: 100, most: 2000 },
    rest,
    random: Math.random,
  })
  loop.start()
  return { name, status: () => status, stop: loop.stop }
}
