import type { Health } from '../../adapters/inbound/http/health.ts'
import { reused } from '../../adapters/kernel/reuse.ts'
import { LOOKING } from '../../adapters/outbound/provisioning/run.ts'
import { CORE } from '../../projections/checkpoint.ts'
import type { Core } from './core.ts'
import type { Log } from './log.ts'
import type { Provisioning } from './provisioning.ts'
import type { Webhooks } from './webhooks.ts'

/** Seconds that webhooks or provisioning may fail before the service reports that it is not ready. */
const HELD_UP_SECONDS = 60
/** Milliseconds for which a result is reused: requests need no credential and have no limit. */
const REUSED_MS = 1000

export interface HealthParts {
  readonly core: Core
  readonly webhooks: Pick<Webhooks, 'status'>
  readonly provisioning: Pick<Provisioning, 'status'>
  readonly log: Log
  /** Whether this instance is shutting down */
  readonly isStopping: () => boolean
  readonly heldUpSeconds?: number | undefined
  /** Milliseconds of a monotonic clock */
  readonly now?: () => number
}

/** Checks the health of the service. Logs why it is not ready whenever that changes. */
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
    // A failure of one application appears only in the metrics, because other applications and all requests are not
    // affected.
    for (const { task, seconds } of provisioning.status().heldUp)
      if (task === LOOKING && seconds > heldUpSeconds) reasons.push('provisioning is failing')
    // A stopped core cannot catch up, so there is no need to wait for it.
    const stopped = core.consumers().some(({ name, status }) => name === CORE && status.failure !== null)
    const passed = stopped || (await core.caughtUp().catch(() => null))
    if (passed === null) reasons.push('the event log or the database is unavailable')
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
