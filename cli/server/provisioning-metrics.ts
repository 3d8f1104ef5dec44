import type pg from 'pg'
import { Gauge, type Registry } from 'prom-client'
import { PROVISIONING_MARKS } from '../../adapters/outbound/provisioning/subscriber.ts'
import { ageOfWhatFollows, provisioningFigures } from '../../read-models/queries/provisioning-figures.ts'
import type { Core } from './core.ts'
import type { Provisioning } from './provisioning.ts'

/**
 * Metrics of provisioning.
 * @returns a function that updates them, omitting those that the database does not return in time
 */
export const provisioningMetrics = (
  registry: Registry,
  { services, consumers }: Pick<Core, 'services' | 'consumers'>,
  provisioning: Pick<Provisioning, 'status'>,
): (() => Promise<void>) => {
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: readonly Label[]) =>
    new Gauge({ name: `svc_provisioning_${name}`, help, labelNames: [...labelNames], registers: [registry] })
  const same = 'the same on every instance.'
  const applications = gauge('applications', `Applications with provisioning, by state; ${same}`, 'status')
  const failing = gauge(
    'application_failing',
    `1 while no user can be pushed to the application; ${same}`,
    'application',
  )
  const waiting = gauge(
    'people_waiting',
    `Users whose account must still be created or deactivated; ${same}`,
    'application',
  )
  const rejected = gauge('people_failing', `Users whose last push failed; ${same}`, 'application')
  const age = gauge(
    'last_sync_age_seconds',
    `Seconds since the last sync that reached the application; ${same}`,
    'application',
  )
  const behind = gauge(
    'marks_behind_seconds',
    'Age of the oldest event that is not yet assigned to its applications, reported by the instance that assigns events.',
  )
  const running = gauge(
    'worker_running',
    '1 while this instance runs provisioning, 0 while another instance does.',
  )
  const heldUp = gauge(
    'worker_held_up_seconds',
    'How long a task has been failing on this instance for reasons other than an application.',
    'task',
  )

  const readMarks = async (pool: pg.Pool): Promise<void> => {
    behind.remove()
    const marks = consumers().find(({ name }) => name === PROVISIONING_MARKS)?.status
    if (marks === undefined || marks.state === 'waiting') return
    behind.set(await ageOfWhatFollows(pool, marks.position))
  }

  return async () => {
    const { pool } = services
    for (const metric of [applications, failing, waiting, rejected, age, heldUp]) metric.reset()
    const status = provisioning.status()
    running.set(status.running ? 1 : 0)
    for (const { task, seconds } of status.heldUp) heldUp.set({ task }, seconds)
    const [figures] = await Promise.all([
      provisioningFigures(pool).catch(() => null),
      readMarks(pool).catch(() => undefined),
    ])
    for (const each of figures ?? []) {
      const { applicationId: application } = each
      applications.inc({ status: each.status })
      failing.set({ application }, each.status === 'error' ? 1 : 0)
      waiting.set({ application }, each.waiting)
      rejected.set({ application }, each.failing)
      if (each.lastSyncAgeSeconds !== null) age.set({ application }, each.lastSyncAgeSeconds)
    }
  }
}
