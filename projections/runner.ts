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
  publicName,
  readCheckpoint,
  type CheckpointTable,
} from './checkpoint.ts'
import { LeaseLost, tryLease, type Lease } from './lease.ts'
import { leasedLoop } from './leased-loop.ts'
import type { EventSource, OpenedBatch } from './source.ts'
import type { Table } from './table.ts'
import { inTransaction } from '../read-models/transaction.ts'

/** The status of a running consumer, for readiness, metrics and the status view. */
export interface ConsumerStatus {
  readonly state: 'waiting' | 'running' | 'stopped'
  /** Last position committed by this instance, '' if none */
  readonly position: string
  readonly caughtUp: boolean
  readonly events: number
  /** Skipped events whose type this version does not know. */
  readonly unknown: number
  /** Why it stopped: the failing event and the error */
  readonly failure: { readonly eventId: string; readonly message: string } | null
}

export interface RunnerOptions {
  readonly name: string
  readonly pool: pg.Pool
  readonly source: EventSource
  readonly checkpoints: CheckpointTable
  readonly tables: readonly Table[]
  /**
   * An effect of a subscriber for a batch, besides writing rows, that runs before its checkpoint advances. It may run
   * again for the same events after a crash.
   */
  readonly react?: (batch: OpenedBatch) => Promise<void>
  /** Additional writes for a batch, in the transaction that advances the checkpoint. */
  readonly within?: (client: pg.ClientBase, events: readonly Recorded[]) => Promise<void>
  /**
   * Whether an event is relevant for this consumer. Batches without relevant events advance the checkpoint only
   * occasionally, except at the end of an append with a relevant event, because its command waits for its last event.
   */
  readonly concerns?: (event: Recorded) => boolean
  readonly log: {
    info(fields: object, message: string): void
    warn(fields: object, message: string): void
    error(fields: object, message: string): void
  }
  /** Called after each commit, for waiters in this process. */
  readonly committed?: (position: string) => void
  /**
   * Called at the end of the log: resolves when it is time to look for more. A short pause while no command
   * waits collects events, so that a busy log needs fewer transactions.
   */
  readonly rest?: () => Promise<void>
}

export interface Runner {
  readonly name: string
  status(): ConsumerStatus
  stop(): Promise<void>
}

/** Whether an error identifies its event: errors of a table's own code, or of decrypting the event. */
const namesEvent = (error: unknown): error is Error & { readonly eventId: string } =>
  error instanceof Error && 'eventId' in error && typeof error.eventId === 'string'

const faulty = [TypeError, RangeError, SyntaxError, ReferenceError]

/**
 * Whether a retry may help: after errors of the connection, resources, operator intervention or other transactions.
 * Not after wrong data (SQLSTATE 22, 23, 42, 2F), bugs, or an unreadable event, unless the database failed.
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

/** Number of events of other types after which the checkpoint of a consumer advances anyway. */
const IDLE_EVENTS = 1000

/** How often an instance without the lease tries to take it. */
const LEASE_POLL_MS = 500

/**
 * Keeps tables up to date with the log, on one instance at a time: the holder of the lease. Rows and
 * checkpoint change in one transaction, under the lease's fence. An event that cannot be projected stops the
 * consumer permanently.
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
   * Finds the failing event of a batch, by trying events one by one without a commit.
   * @throws any temporary error
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
    /** Commits the events before the failing one, and identifies it. */
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
    // The events were already processed.
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
    take: () => tryLease(pool, publicName(name, checkpoints), holder),
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
