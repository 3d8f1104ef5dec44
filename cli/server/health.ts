import type { Health } from '../../adapters/inbound/http/health.ts'
import { reused } from '../../adapters/kernel/reuse.ts'
import { LOOKING } from '../../adapters/outbound/provisioning/run.ts'
import { CORE } from '../../projections/checkpoint.ts'
import type { Core } from './core.ts'
import type { Log } from './log.ts'
import type { Provisioning } from './provisioning.ts'
import type { Webhooks } from './webhooks.ts'

/** Seconds that webhooks or provisioning may fail before the service is not ready. */
const HELD_UP_SECONDS = 60
/** Milliseconds for which a result is reused: requests need no credential and have no limit. */
const REUSED_MS = 1000

export interface HealthParts {
  readonly core: Core
  readonly webhooks: Pick<Webhooks, 'status'>
  readonly provisioning: Pick<Provisioning, 'status'>
  readonly log: Log
  /** Whether this instance is on its way out. */
  readonly isStopping: () => boolean
  readonly heldUpSeconds?: number | undefined
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number
}

/** How the service is. Why it is not ready is logged whenever that changes. */
export const serviceHealth = ({
  core,
  webhooks,
  provisioning,
  log,
  isStopping,
  heldUpSeconds = HELD_UP_SECONDS,
  now = () => performance.now(),
}: HealthParts): Health => {
  let said = ''

  const lookAtDatabase = (): Promise<boolean> =>
    core.services.pool.query('select 1').then(
      () => true,
      () => false,
    )

  const reasonsNow = async (): Promise<readonly string[]> => {
    const reasons: string[] = []
    for (const { name, status } of core.consumers())
      if (status.failure !== null) reasons.push(`${name} stopped at event ${status.failure.eventId}`)
    for (const { task, seconds } of webhooks.status().heldUp)
      if (seconds > heldUpSeconds) reasons.push(`webhooks are failing at ${task}`)
    // What goes wrong with one application is for the metrics: the others, and all requests, continue.
    for (const { task, seconds } of provisioning.status().heldUp)
      if (task === LOOKING && seconds > heldUpSeconds) reasons.push('provisioning is failing')
    // A core that has stopped does not catch up, so no request waits for it.
    const stopped = core.consumers().some(({ name, status }) => name === CORE && status.failure !== null)
    const passed = stopped || (await core.caughtUp().catch(() => null))
    if (passed === null) reasons.push('the event log or the database is out of reach')
    else if (!passed) reasons.push('the read models are behind the event log')
    const all = reasons.join('; ')
    if (all !== said) {
      if (reasons.length > 0) log.warn({ reasons }, 'not ready')
      else log.info({}, 'ready again')
      said = all
    }
    return reasons
  }

  const look = reused(reasonsNow, REUSED_MS, now)
  return {
    alive: reused(lookAtDatabase, REUSED_MS, now),
    notReady: async () => (isStopping() ? ['this instance is stopping'] : look()),
  }
}
