import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { abuseMetrics } from './abuse-metrics.ts'
import { EVENT_STREAM } from '../../adapters/inbound/http/event-stream.ts'
import type { Config } from './config.ts'
import type { Health } from '../../adapters/inbound/http/health.ts'
import { sendEmpty, sendText } from '../../adapters/inbound/http/respond.ts'
import type { Core } from './core.ts'
import type { Log } from './log.ts'
import { provisioningMetrics } from './provisioning-metrics.ts'
import type { Provisioning } from './provisioning.ts'
import { webhookMetrics } from './webhook-metrics.ts'
import type { Webhooks } from './webhooks.ts'

export interface Metrics {
  /** Counts and times requests; call before the application handles them. */
  readonly observe: (request: IncomingMessage, response: ServerResponse) => void
  stop(): Promise<void>
}

const SURFACES = ['/api/', '/oauth2/', '/.well-known/', '/healthz', '/readyz', '/assets/']

/** Returns the part of the service that a path belongs to; never the path itself, which may contain one-time links. */
const surfaceOf = (url: string): string => SURFACES.find((prefix) => url.startsWith(prefix)) ?? 'pages'

export interface MetricsParts {
  readonly core: Core
  readonly webhooks: Pick<Webhooks, 'status'>
  readonly provisioning: Pick<Provisioning, 'status'>
  readonly health: Pick<Health, 'notReady'>
  readonly log: Pick<Log, 'error'>
}

/**
 * Serves Prometheus metrics at `/metrics`, and readiness with its reasons at `/readyz`, on a separate listener, so
 * that they are never public by accident.
 */
export const startMetrics = async (
  listen: NonNullable<Config['metricsListen']>,
  { core, webhooks, provisioning, health, log }: MetricsParts,
): Promise<Metrics> => {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const requests = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Response time, by part of the service, method and status.',
    labelNames: ['surface', 'method', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  })
  const running = new Gauge({
    name: 'svc_consumer_running',
    help: '1 while this instance runs the consumer, 0 while it waits or another instance runs it.',
    labelNames: ['consumer'],
    registers,
  })
  const stopped = new Gauge({
    name: 'svc_consumer_stopped',
    help: '1 if the consumer stopped at an event that it cannot process.',
    labelNames: ['consumer'],
    registers,
  })
  const caughtUp = new Gauge({
    name: 'svc_consumer_caught_up',
    help: '1 if the consumer runs on this instance and has reached the end of the log.',
    labelNames: ['consumer'],
    registers,
  })
  const events = new Counter({
    name: 'svc_consumer_events_total',
    help: 'Events processed by this instance.',
    labelNames: ['consumer'],
    registers,
  })
  const unknown = new Counter({
    name: 'svc_consumer_unknown_events_total',
    help: 'Events skipped because this version does not know their type.',
    labelNames: ['consumer'],
    registers,
  })

  const readWebhooks = webhookMetrics(registry, core.services.pool, webhooks)
  const readAbuse = abuseMetrics(registry, core.services)
  const readProvisioning = provisioningMetrics(registry, core, provisioning)

  const read = async (): Promise<string> => {
    events.reset()
    unknown.reset()
    for (const { name, status } of core.consumers()) {
      running.set({ consumer: name }, status.state === 'running' ? 1 : 0)
      stopped.set({ consumer: name }, status.state === 'stopped' ? 1 : 0)
      caughtUp.set({ consumer: name }, status.caughtUp ? 1 : 0)
      events.inc({ consumer: name }, status.events)
      unknown.inc({ consumer: name }, status.unknown)
    }
    await Promise.all([readWebhooks(), readProvisioning(), readAbuse()])
    return registry.metrics()
  }

  const pages = new Map<string | undefined, () => Promise<{ status: number; type: string; text: string }>>([
    ['/metrics', async () => ({ status: 200, type: registry.contentType, text: await read() })],
    [
      '/readyz',
      async () => {
        const reasons = await health.notReady()
        const ready = reasons.length === 0
        return { status: ready ? 200 : 503, type: 'text/plain', text: ready ? 'ready' : reasons.join('\n') }
      },
    ],
  ])
  const server: Server = createServer((request, response) => {
    const page = pages.get(request.url)
    if (page === undefined) {
      sendEmpty(response, 404)
      return
    }
    page().then(
      ({ status, type, text }) => {
        sendText(response, status, text, { 'Content-Type': type })
      },
      (error: unknown) => {
        log.error({ err: error }, 'metrics could not be read')
        sendEmpty(response, 500)
      },
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(listen.port, listen.host, resolve)
  })

  return {
    observe: (request, response) => {
      const started = process.hrtime.bigint()
      response.once('finish', () => {
        // Its duration is the client's choice.
        if (response.getHeader('content-type') === EVENT_STREAM) return
        requests.observe(
          {
            surface: surfaceOf(request.url ?? ''),
            method: request.method ?? '',
            status: String(response.statusCode),
          },
          Number(process.hrtime.bigint() - started) / 1e9,
        )
      })
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}
