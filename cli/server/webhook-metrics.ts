import type pg from 'pg'
import { Counter, Gauge, type Registry } from 'prom-client'
import { webhookFigures } from '../../read-models/queries/webhooks.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * Metrics of webhooks.
 * @returns a function that updates them, omitting those that the database does not return in time
 */
export const webhookMetrics = (
  registry: Registry,
  pool: pg.Pool,
  webhooks: Pick<Webhooks, 'status'>,
): (() => Promise<void>) => {
  const registers = [registry]
  const waiting = new Gauge({
    name: 'svc_webhook_deliveries_waiting',
    help: 'Pending deliveries to active endpoints, by status; the same on every instance.',
    labelNames: ['status'],
    registers,
  })
  const oldest = new Gauge({
    name: 'svc_webhook_oldest_waiting_seconds',
    help: 'How long the oldest delivery to an active endpoint has been pending; the same on every instance.',
    labelNames: ['status'],
    registers,
  })
  const failing = new Gauge({
    name: 'svc_webhook_endpoints_failing',
    help: 'Active endpoints whose last attempt failed; the same on every instance.',
    registers,
  })
  const running = new Gauge({
    name: 'svc_webhook_worker_running',
    help: '1 while this instance sends webhooks, 0 while another instance does.',
    registers,
  })
  const heldUp = new Gauge({
    name: 'svc_webhook_worker_held_up_seconds',
    help: 'How long a task has been failing on this instance.',
    labelNames: ['task'],
    registers,
  })
  const attempts = new Counter({
    name: 'svc_webhook_attempts_total',
    help: 'Delivery attempts of this instance, by result.',
    labelNames: ['outcome'],
    registers,
  })

  return async () => {
    for (const metric of [waiting, oldest, failing, heldUp, attempts]) metric.reset()
    const status = webhooks.status()
    running.set(status.running ? 1 : 0)
    for (const [outcome, count] of status.attempts) attempts.inc({ outcome }, count)
    for (const { task, seconds } of status.heldUp) heldUp.set({ task }, seconds)
    const figures = await webhookFigures(pool).catch(() => null)
    failing.remove()
    if (figures === null) return
    failing.set(figures.failing)
    for (const each of figures.waiting) {
      waiting.set({ status: each.status }, each.count)
      oldest.set({ status: each.status }, each.oldestSeconds)
    }
  }
}
