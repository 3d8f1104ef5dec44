/** Syncs each application with provisioning, until stopped. On one instance at a time. */
import type pg from 'pg'
import type { Services } from '../../application/services/services.ts'
import { backOff } from '../../kernel/back-off.ts'
import { repeatTasks } from '../../kernel/repeated-tasks.ts'
import { rest } from '../../kernel/rest.ts'
import { provisioningStore } from './store.ts'
import { applicationSync, syncTiming, type SyncTiming } from './sync.ts'

export interface ProvisioningTiming extends SyncTiming {
  /** Seconds between two syncs of an application */
  readonly every: number
  /** Minimum seconds between two syncs, after a relevant event */
  readonly rest: number
  /** Seconds between two checks for work */
  readonly poll: number
}

export const provisioningTiming: ProvisioningTiming = { ...syncTiming, every: 120, rest: 3, poll: 1 }

/** Maximum number of applications that are synced at the same time. */
const AT_ONCE = 8

/** Milliseconds before a retry, if this service itself caused the failure. */
const RETRY_FIRST_MS = 500
const RETRY_MOST_MS = { look: 5_000, run: 120_000 } as const

/** The task that finds work; the other tasks are named by application id. */
export const LOOKING = 'looking'

export interface ProvisioningStatus {
  /** Whether this instance runs the syncs */
  readonly running: boolean
  /** Tasks that keep failing here, through no fault of an application, and for how many seconds. */
  readonly heldUp: readonly { readonly task: string; readonly seconds: number }[]
}

interface Trouble {
  /** By the monotonic clock in milliseconds, like `until` */
  readonly since: number
  readonly failures: number
  readonly until: number
}

/** `work` runs until the signal aborts, and resolves once nothing is in progress. */
export const provisioningWork = (
  services: Services,
  /** Whether the read models are up to date: users missing in them would look deleted. */
  caughtUp: () => Promise<boolean>,
  timing: ProvisioningTiming,
  log: { warn(fields: object, message: string): void },
) => {
  const { pool } = services
  const troubles = new Map<string, Trouble>()
  let running = false

  const heldUp = (task: string, error: unknown): void => {
    const now = performance.now()
    const { since, failures } = troubles.get(task) ?? { since: now, failures: 0 }
    const most = task === LOOKING ? RETRY_MOST_MS.look : RETRY_MOST_MS.run
    const wait = backOff(failures, RETRY_FIRST_MS, most, Math.random)
    troubles.set(task, { since, failures: failures + 1, until: now + wait })
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ task, reason }, 'provisioning is failing')
  }
  const rests = (task: string): number => Math.max(0, (troubles.get(task)?.until ?? 0) - performance.now())

  const work = async (
    signal: AbortSignal,
    lease: {
      /** Fails inside a transaction unless this instance still holds the lease. */
      readonly assertHeld: (client: pg.ClientBase) => Promise<void>
      /** Whether no other instance can have taken over. */
      readonly surelyHeld: () => boolean
    },
  ): Promise<void> => {
    const store = provisioningStore(pool, lease.assertHeld)
    const sync = applicationSync({ services, pool, store, timing, signal, surelyHeld: lease.surelyHeld })
    const underWay = new Map<string, Promise<void>>()
    let anew = false
    const look = async (): Promise<void> => {
      if (!anew) await store.lookAtAll()
      anew = true
      if (!(await caughtUp())) return
      const due = await store.due(timing)
      troubles.delete(LOOKING)
      // Stops the runs of applications that are no longer provisioned.
      for (const [task, { until }] of troubles)
        if (until + 2 * timing.every * 1000 < performance.now() && !underWay.has(task)) troubles.delete(task)
      for (const application of due) {
        const { applicationId } = application
        if (signal.aborted || underWay.size >= AT_ONCE) return
        if (underWay.has(applicationId) || rests(applicationId) > 0) continue
        const run = sync(application)
          .then(
            () => troubles.delete(applicationId),
            (error: unknown) => {
              if (!signal.aborted) heldUp(applicationId, error)
            },
          )
          .then(() => {
            underWay.delete(applicationId)
          })
        underWay.set(applicationId, run)
      }
    }
    running = true
    try {
      await repeatTasks([{ name: LOOKING, every: timing.poll, run: look }], {
        signal,
        failed: (task, error) => {
          if (signal.aborted) return undefined
          heldUp(task, error)
          return rests(task)
        },
        rest,
      })
    } finally {
      await Promise.all(underWay.values())
      running = false
      troubles.clear()
    }
  }

  return {
    work,
    status: (): ProvisioningStatus => ({
      running,
      heldUp: [...troubles].map(([task, { since }]) => ({
        task,
        seconds: (performance.now() - since) / 1000,
      })),
    }),
  }
}
