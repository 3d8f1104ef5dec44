/** Looks at each application that people are pushed into, until told to stop. On one instance at a time. */
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Services } from '../commands/deps.ts'
import { provisioningStore } from './store.ts'
import { applicationSync, syncTiming, type SyncTiming } from './sync.ts'

export interface ProvisioningTiming extends SyncTiming {
  /** Seconds between two looks at an application. */
  readonly every: number
  /** Seconds between two looks at least, when something has happened that may concern it. */
  readonly rest: number
  /** Seconds between two looks for whether something is to be done. */
  readonly poll: number
}

export const provisioningTiming: ProvisioningTiming = { ...syncTiming, every: 120, rest: 3, poll: 1 }

/** Applications that are pushed into at the same time. */
const AT_ONCE = 8

export interface ProvisioningStatus {
  /** Whether this instance does it. */
  readonly running: boolean
  /** For how many seconds it has gone wrong here; null when it does not. */
  readonly heldUp: number | null
}

/** `work` goes on until the signal aborts, and resolves once nothing is under way. */
export const provisioningWork = (
  services: Services,
  /** Whether the read models show all that is in the log: people who are not in them yet would seem to be gone. */
  caughtUp: () => Promise<boolean>,
  timing: ProvisioningTiming,
  log: { warn(fields: object, message: string): void },
) => {
  const { pool } = services
  let running = false
  let heldUpSince: number | null = null

  const heldUp = (error: unknown, applicationId?: string): void => {
    heldUpSince ??= performance.now()
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ ...(applicationId === undefined ? {} : { applicationId }), reason }, 'provisioning is held up')
  }

  /** @param fence fails, within a transaction, unless this instance is still the one that may write */
  const work = async (
    signal: AbortSignal,
    fence: (client: pg.ClientBase) => Promise<void>,
  ): Promise<void> => {
    const store = provisioningStore(pool, fence)
    const sync = applicationSync({ services, pool, store, timing, signal })
    const underWay = new Map<string, Promise<void>>()
    const look = async (): Promise<void> => {
      if (!(await caughtUp())) return
      const due = await store.due(timing)
      heldUpSince = null
      for (const application of due) {
        const { applicationId } = application
        if (signal.aborted || underWay.size >= AT_ONCE) return
        if (underWay.has(applicationId)) continue
        const run = sync(application)
          .catch((error: unknown) => {
            heldUp(error, applicationId)
          })
          .then(() => {
            underWay.delete(applicationId)
          })
        underWay.set(applicationId, run)
      }
    }
    running = true
    try {
      await store.lookAtAll()
      while (!signal.aborted) {
        await look().catch(heldUp)
        await delay(timing.poll * 1000, undefined, { signal }).catch(() => undefined)
      }
    } finally {
      await Promise.all(underWay.values())
      running = false
      heldUpSince = null
    }
  }

  return {
    work,
    status: (): ProvisioningStatus => ({
      running,
      heldUp: heldUpSince === null ? null : (performance.now() - heldUpSince) / 1000,
    }),
  }
}
