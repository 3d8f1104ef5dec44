/**
 * Responds while an upgrade delays the start of the service: alive, not ready, and the progress. Afterwards it
 * releases the address for the service.
 */
import { createServer, type RequestListener, type Server } from 'node:http'
import { Gauge, Registry } from 'prom-client'
import { sendText } from '../../adapters/inbound/http/respond.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { describeUpgrade, type UpgradeProgress } from './upgrade-progress.ts'

const NO_STORE = { 'Cache-Control': 'no-store' }
/** Seconds after which a client may retry. */
const RETRY_AFTER = '5'

const listen = (
  listener: RequestListener,
  { host, port }: Config['listen'],
  log: Log,
): Promise<Server | null> =>
  new Promise((resolve) => {
    const server = createServer(listener)
    server.once('error', (error) => {
      // The service will listen on the same address next and report the error.
      log.debug({ reason: error.message }, 'cannot listen while the upgrade runs')
      resolve(null)
    })
    server.listen(port, host, () => {
      resolve(server)
    })
  })

const closed = (server: Server | null): Promise<void> =>
  new Promise((resolve) => {
    if (server === null) {
      resolve()
      return
    }
    server.close(() => {
      resolve()
    })
    server.closeAllConnections()
  })

/** Listens on the addresses of the service until it is closed. */
export const startingServer = async (
  config: Pick<Config, 'listen' | 'metricsListen'>,
  upgrade: Pick<UpgradeProgress, 'status'>,
  log: Log,
): Promise<{ readonly close: () => Promise<void> }> => {
  const registry = new Registry()
  const done = new Gauge({
    name: 'svc_upgrade_done_ratio',
    help: 'How much of the read models of this version is built, from 0 to 1, while an upgrade runs.',
    registers: [registry],
  })
  const open = await listen(
    ({ url }, response) => {
      if (url === '/healthz') sendText(response, 200, 'ok', NO_STORE)
      else if (url === '/readyz') sendText(response, 503, 'not ready', NO_STORE)
      else
        sendText(response, 503, 'This service is being upgraded. Try again soon.', {
          ...NO_STORE,
          'Retry-After': RETRY_AFTER,
        })
    },
    config.listen,
    log,
  )
  const inside =
    config.metricsListen === undefined
      ? null
      : await listen(
          ({ url }, response) => {
            const status = upgrade.status()
            done.set(status === null ? 0 : status.percent / 100)
            if (url === '/readyz')
              sendText(response, 503, status === null ? 'starting' : describeUpgrade(status))
            else if (url === '/metrics')
              void registry.metrics().then((text) => {
                sendText(response, 200, text, { 'Content-Type': registry.contentType })
              })
            else sendText(response, 404, 'not found')
          },
          config.metricsListen,
          log,
        )
  return { close: () => Promise.all([open, inside].map(closed)).then(() => undefined) }
}
