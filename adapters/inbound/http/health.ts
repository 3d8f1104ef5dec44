import { sendText } from './respond.ts'
import type { Handler, Part } from './table.ts'
import { requestIdOf } from './request-id.ts'

/** The health of the service, for its operator. */
export interface Health {
  /** Whether the database responds */
  readonly alive: () => Promise<boolean>
  /** Why the instance should not receive traffic now; empty if it should. Internal, because it names what fails. */
  readonly notReady: () => Promise<readonly string[]>
}

const NO_STORE = { 'Cache-Control': 'no-store' }

/** Serves `/healthz` and `/readyz` as plain text. */
export const healthChecks = (health: Health, onError: (error: unknown, requestId: string) => void): Part => {
  const alive: Handler = async (_, response) => {
    const ok = await health.alive()
    sendText(response, ok ? 200 : 503, ok ? 'ok' : 'database unavailable', NO_STORE)
  }
  const ready: Handler = async (_, response) => {
    const ok = (await health.notReady()).length === 0
    sendText(response, ok ? 200 : 503, ok ? 'ready' : 'not ready', NO_STORE)
  }
  return {
    area: {
      kind: 'health',
      under: ['/healthz', '/readyz'],
      refuse: (_, response, allowed) => {
        if (allowed === null) sendText(response, 404, 'not found', NO_STORE)
        else sendText(response, 405, 'method not allowed', { ...NO_STORE, Allow: allowed.join(', ') })
      },
      failed: (error, request, response) => {
        onError(error, requestIdOf(request))
        if (response.headersSent) response.destroy()
        else sendText(response, 500, 'failed', NO_STORE)
      },
    },
    endpoints: [
      { path: '/healthz', handlers: { GET: alive } },
      { path: '/readyz', handlers: { GET: ready } },
    ],
  }
}
