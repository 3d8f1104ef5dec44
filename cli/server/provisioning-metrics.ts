import type pg from 'pg'
import { Gauge, type Registry } from 'prom-client'
import { PROVISIONING_MARKS } from '../../adapters/outbound/provisioning/subscriber.ts'
import { ageOfWhatFollows, provisioningFigures } from '../../read-models/queries/provisioning-figures.ts'
import type { Core } from './core.ts'
import type { Provisioning } from './provisioning.ts'

/** Metrics of provisioning. @returns what reads them anew, and leaves out those that the database does not tell in time */
export const provisioningMetrics = (
  registry: Registry,
  { services, consumers }: Pick<Core, 'services' | 'consumers'>,
  provisioning: Pick<Provisioning, 'status'>,
): (() => Promise<void>) => {
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: readonly Label[]) =>
    new Gauge({ name: `svc_provisioning_${name}`, help, labelNames: [...labelNames], registers: [registry] })
  const same = 'the same at every instance.'
  const applications = gauge(
    'applications',
    `Applications that people are pushed into, by how it goes; ${same}`,
    'status',
  )
  const failing = gauge(
    'application_failing',
    `1 while nobody can be pushed into the application; ${same}`,
    'application',
  )
  const waiting = gauge(
    'people_waiting',
    `People whose account is still to be made or deactivated; ${same}`,
    'application',
  )
  const rejected = gauge('people_failing', `People whose last push failed; ${same}`, 'application')
  const age = gauge(
    'last_sync_age_seconds',
    `Since the last sync that reached the application; ${same}`,
    'application',
  )
  const behind = gauge(
    'marks_behind_seconds',
    'Age of the oldest event that has not marked the applications it concerns; told by the instance that marks them.',
  )
  const running = gauge('worker_running', '1 while this instance pushes people, 0 while another does.')
  const heldUp = gauge(
    'worker_held_up_seconds',
    'For how long a part of the work has gone wrong at each try through no fault of an application, at this instance.',
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
