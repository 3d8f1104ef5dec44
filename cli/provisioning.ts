import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  provisioningTiming,
  provisioningWork,
  type ProvisioningStatus,
  type ProvisioningTiming,
} from '../adapters/scim-client/run.ts'
import { tryLease, type Lease } from '../projections/lease.ts'
import type { Core } from './core.ts'
import type { Log } from './log.ts'

const LEASE = 'provisioning'

/** Milliseconds after which whoever waits for its turn, or failed at it, looks again. */
const POLL_MS = 500

export interface Provisioning {
  readonly status: () => ProvisioningStatus
  start(): void
  /** Resolves once no request is under way. */
  stop(): Promise<void>
}

/** Pushes people into applications while no other instance does. */
export const provisioner = (
  { services, caughtUp }: Pick<Core, 'services' | 'caughtUp'>,
  log: Log,
  timing: Partial<ProvisioningTiming> = {},
): Provisioning => {
  const stopping = new AbortController()
  const holder = randomUUID()
  const { work, status } = provisioningWork(services, caughtUp, { ...provisioningTiming, ...timing }, log)

  const turn = async (): Promise<void> => {
    let lease: Lease | null = null
    try {
      lease = await tryLease(services.pool, LEASE, holder)
      if (lease !== null) {
        const { assertHeld, signal } = lease
        await work(AbortSignal.any([signal, stopping.signal]), assertHeld)
      }
    } catch (error) {
      log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'provisioning is held up')
    } finally {
      await lease?.release().catch(() => undefined)
    }
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await turn()
      await delay(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  let running: Promise<void> | null = null
  return {
    status,
    start: () => {
      running ??= run()
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
