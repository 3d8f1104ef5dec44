import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { lastValueFrom, takeUntil, fromEvent } from 'rxjs'
import type { Recorded } from '../domain/catalogue.ts'
import { applyEvents, PoisonEvent } from './apply.ts'
import {
  CHECKPOINT_CHANNEL,
  lockCheckpoint,
  readCheckpoint,
  writeCheckpoint,
  type CheckpointTable,
} from './checkpoint.ts'
import { LeaseLost, tryLease, type Lease } from './lease.ts'
import type { EventSource, OpenedBatch } from './source.ts'
import type { Table } from './table.ts'
import { inTransaction } from './transaction.ts'

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
  /** Whether an event matters to this consumer. Batches without one that does move the checkpoint only now and then. */
  readonly concerns?: (event: Recorded) => boolean
  readonly log: {
    info(fields: object, message: string): void
    warn(fields: object, message: string): void
    error(fields: object, message: string): void
  }
  /** Called after each commit, for those in this process who wait for it. */
  readonly committed?: (position: string) => void
}

export interface Runner {
  readonly name: string
  status(): ConsumerStatus
  stop(): Promise<void>
}

/** SQLSTATE classes that pass by themselves: connection, resources, operator, serialization. */
const passes = (error: unknown): boolean => {
  if (error instanceof LeaseLost) return true
  const code = (error as { code?: unknown }).code
  if (typeof code !== 'string') return !(error instanceof PoisonEvent)
  return !/^(22|23|42|2F)/.test(code)
}

const jittered = (attempt: number): number => Math.min(2000, 100 * 2 ** attempt) * (0.5 + Math.random() / 2)

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
  const stopping = new AbortController()
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
      await writeCheckpoint(client, name, batch.position, checkpoints)
      await client.query('select pg_notify($1, $2)', [CHECKPOINT_CHANNEL, `${name} ${batch.position}`])
    })

  /** Finds which event of a failing batch is at fault, by trying them one after the other without keeping anything. */
  const findPoison = async (events: readonly Recorded[], cause: unknown): Promise<PoisonEvent | null> => {
    if (cause instanceof PoisonEvent) return cause
    for (let count = 1; count <= events.length; count++) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        await applyEvents(client, tables, events.slice(0, count))
      } catch (error) {
        const event = events[count - 1]
        return error instanceof PoisonEvent || event === undefined ? null : new PoisonEvent(event, error)
      } finally {
        await client.query('rollback').catch(() => undefined)
        client.release(true)
      }
    }
    return null
  }

  const consume = async (lease: Lease): Promise<void> => {
    let position = await readCheckpoint(pool, name, checkpoints)
    let committed = position
    let passedOver = 0
    status = { ...status, state: 'running', position }
    log.info({ consumer: name, position }, 'projecting')
    const ended = AbortSignal.any([lease.signal, stopping.signal])
    const handle = async (batch: OpenedBatch): Promise<void> => {
      if (ended.aborted) throw new LeaseLost(name)
      const events = batch.events.filter((event) => event.position > position)
      const idle = options.concerns !== undefined && !events.some(options.concerns)
      passedOver = idle ? passedOver + events.length : 0
      if (batch.position !== committed && (!idle || passedOver > IDLE_EVENTS)) {
        try {
          await options.react?.({ ...batch, events })
          await commit(lease, committed, batch, events)
        } catch (error) {
          if (passes(error)) throw error
          throw (await findPoison(events, error)) ?? error
        }
        committed = batch.position
        passedOver = 0
        options.committed?.(committed)
      }
      position = batch.position
      status = {
        ...status,
        position,
        caughtUp: batch.caughtUp,
        events: status.events + batch.events.length,
        unknown: status.unknown + batch.unknown,
      }
    }
    await lastValueFrom(source.subscribe(position, handle).pipe(takeUntil(fromEvent(ended, 'abort'))), {
      defaultValue: undefined,
    })
  }

  const stopLoudly = (error: unknown): void => {
    const eventId = error instanceof PoisonEvent ? error.eventId : 'unknown'
    const cause = error instanceof PoisonEvent ? error.cause : error
    const message = cause instanceof Error ? cause.message : String(cause)
    status = { ...status, state: 'stopped', caughtUp: false, failure: { eventId, message } }
    log.error(
      { consumer: name, eventId, reason: message },
      'projection stopped: an event cannot be projected',
    )
  }

  const run = async (): Promise<void> => {
    for (let attempt = 0; !stopping.signal.aborted;) {
      let lease: Lease | null = null
      try {
        lease = await tryLease(pool, name, holder)
        if (lease === null) {
          status = { ...status, state: 'waiting' }
          await delay(LEASE_POLL_MS, undefined, { signal: stopping.signal })
          continue
        }
        await consume(lease)
        attempt = 0
      } catch (error) {
        if (stopping.signal.aborted) break
        if (!passes(error)) {
          stopLoudly(error)
          break
        }
        log.warn(
          { consumer: name, reason: error instanceof Error ? error.message : String(error) },
          'projection retries',
        )
        await delay(jittered(attempt++), undefined, { signal: stopping.signal }).catch(() => undefined)
      } finally {
        await lease?.release().catch(() => undefined)
      }
    }
  }

  const running = run()
  return {
    name,
    status: () => status,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
