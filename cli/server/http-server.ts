import { createServer, type IncomingMessage, type Server } from 'node:http'
import { apiRoutes } from '../../adapters/inbound/api/routes.ts'
import { createApp } from '../../adapters/inbound/http/app.ts'
import { limitConnections, refusesHeaders, serverOptions } from '../../adapters/inbound/http/connections.ts'
import { requestTracking } from '../../adapters/inbound/http/current-request.ts'
import { healthChecks } from '../../adapters/inbound/http/health.ts'
import { jsonApi } from '../../adapters/inbound/http/api.ts'
import { atPublicUrl } from '../../adapters/inbound/http/other-address.ts'
import { sendText } from '../../adapters/inbound/http/respond.ts'
import { endpointTable } from '../../adapters/inbound/http/table.ts'
import { lastUse } from '../../adapters/application/services/last-use.ts'
import { authenticator } from '../../adapters/inbound/api/authenticate.ts'
import { apiKeys } from '../../adapters/inbound/api/api-key-authentication.ts'
import { trustedPeers } from '../../adapters/kernel/address-ranges.ts'
import { clientIp } from '../../adapters/kernel/client-ip.ts'
import { apiRateLimit, tokenBuckets } from '../../adapters/inbound/http/rate-limit.ts'
import { undeclaredProxies } from '../../adapters/inbound/http/undeclared-proxy.ts'
import { oauthArea } from '../../adapters/inbound/oidc/endpoints.ts'
import { protocolEndpoints } from './protocol-endpoints.ts'
import { sessionSeen } from '../../adapters/application/services/device-use.ts'
import { blockedNetworks } from '../../adapters/inbound/sign-in/blocked-networks.ts'
import { knownDevices } from '../../adapters/inbound/sign-in/known-device.ts'
import { proofRequirement } from '../../adapters/inbound/sign-in/required-proof.ts'
import { scimServer } from '../../adapters/inbound/scim/endpoints.ts'
import type { IdempotencyStore } from '../../adapters/inbound/http/idempotency.ts'
import { loadAssets } from '../../adapters/inbound/web/assets.ts'
import { brandingPreviews } from '../../adapters/inbound/web/branding-preview.ts'
import { webPages } from '../../adapters/inbound/web/pages.ts'
import { webPart } from '../../adapters/inbound/web/server.ts'
import { serviceHealth } from './health.ts'
import type { Config } from './config.ts'
import type { Core } from './core.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'
import { startMetrics } from './metrics.ts'
import { programVersion } from '../../adapters/kernel/project.ts'
import type { Provisioning } from './provisioning.ts'
import type { Webhooks } from './webhooks.ts'

const listen = (server: Server, { host, port }: Config['listen']): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const where = `${host}:${String(port)}`
      const reasons: Record<string, string> = {
        EADDRINUSE: `SVC_LISTEN: ${where} is in use by another program. Stop it, or set SVC_LISTEN to another <host>:<port>`,
        EACCES: `SVC_LISTEN: this OS user cannot listen on ${where}; choose a port from 1024 up`,
        EADDRNOTAVAIL: `SVC_LISTEN: this machine has no address ${host}`,
      }
      reject(
        new CliError(exitCodes.usage, reasons[error.code ?? ''] ?? `SVC_LISTEN: ${where}: ${error.message}`),
      )
    })
    server.listen(port, host, () => {
      const address = server.address()
      resolve(address !== null && typeof address === 'object' ? address.port : port)
    })
  })

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve()
    })
    server.closeIdleConnections()
    setTimeout(() => {
      server.closeAllConnections()
    }, 5000).unref()
  })

/** What the server needs besides the core. */
export interface HttpParts {
  readonly webhooks: Pick<Webhooks, 'status'>
  readonly provisioning: Pick<Provisioning, 'status'>
  readonly idempotency: IdempotencyStore
  /** Whether responses are checked against the declarations of their routes */
  readonly strict: boolean
  /** As in `ServiceOptions` */
  readonly heldUpSeconds: number | undefined
  readonly devicePollSeconds: number | undefined
}

const RETRY_SOON = { 'Retry-After': '1' }

/** A listening server. */
export interface HttpServer {
  readonly port: number
  /**
   * Accepts no more connections and resolves once the open ones have ended.
   * @param how as in `Service.stop`
   */
  stop(how?: 'refusing'): Promise<void>
}

/**
 * Serves a core over HTTP.
 * @throws CliError if the server cannot listen on the address
 */
export const serveHttp = async (
  config: Config,
  core: Core,
  log: Log,
  { webhooks, provisioning, idempotency, strict, heldUpSeconds, devicePollSeconds }: HttpParts,
): Promise<HttpServer> => {
  const { services } = core
  const isTrusted = trustedPeers(
    config.trustedProxies,
    () => services.configuration.now().settings.trustedProxies,
  )
  const notNoted = (error: unknown): void => {
    log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'last use not stored')
  }
  const seen = sessionSeen(services, lastUse('session', services, notNoted), notNoted)
  const assets = await loadAssets(services.development)
  const limits = tokenBuckets(config.rateLimits, () => performance.now())
  const onError = (error: unknown, requestId: string): void => {
    log.error({ err: error, requestId }, 'request failed')
  }
  const refusesNetwork = blockedNetworks(services, onError)
  const web = {
    limits,
    refusesNetwork,
    pages: webPages(services, assets),
    clientIp: (request: IncomingMessage) =>
      clientIp(request.socket.remoteAddress, request.headers['x-forwarded-for'], isTrusted),
    atPublicUrl: atPublicUrl(config.publicUrl, isTrusted),
    seen,
    secretUsed: lastUse('client_secret', services, notNoted),
    onError,
  }
  const keys = apiKeys(services, notNoted)
  let stopping: 'answering' | 'refusing' | null = null
  const ending = new AbortController()
  const isStopping = (): boolean => stopping !== null
  const health = serviceHealth({ core, webhooks, provisioning, log, isStopping, heldUpSeconds })
  const api = jsonApi(apiRoutes(services, brandingPreviews(services, assets)), {
    publicUrl: config.publicUrl,
    version: programVersion(),
    authenticate: authenticator(services, seen, keys),
    requireProof: proofRequirement(services),
    logger: log,
    now: () => new Date(),
    idempotency,
    rateLimit: apiRateLimit(
      limits,
      (text) => services.vault.digest('rate-limit', text),
      knownDevices(services),
    ),
    refusesNetwork,
    isTrusted,
    errorPage: web.pages.error,
    ending: ending.signal,
    strict,
  })
  const checks = healthChecks(health, onError)
  const scim = scimServer(services, { ...web, checkKey: keys.check })
  const pages = webPart(services, { ...web, assets })
  const { app, serverOptions: appOptions } = createApp(
    endpointTable(
      [api.area, checks.area, scim.area, oauthArea({ ...web, publicUrl: config.publicUrl }), ...pages.areas],
      [
        ...api.endpoints,
        ...checks.endpoints,
        ...scim.endpoints,
        ...protocolEndpoints(services, { ...web, devicePollSeconds }),
        ...pages.endpoints,
      ],
    ),
  )
  const metrics =
    config.metricsListen === undefined
      ? null
      : await startMetrics(config.metricsListen, { core, webhooks, provisioning, health, log })
  const noteProxy = undeclaredProxies(isTrusted, {
    warn: (fields, message) => {
      log.warn(fields, message)
    },
    count: () => {
      services.tally.count('untrusted_forward')
    },
  })
  const server = createServer({ ...serverOptions, ...appOptions }, (request, response) => {
    noteProxy(request)
    // A client that keeps its connection busy would otherwise delay the stop.
    if (stopping !== null) response.shouldKeepAlive = false
    metrics?.observe(request, response)
    if (stopping === 'refusing') {
      sendText(response, 503, 'not ready', RETRY_SOON)
      return
    }
    if (refusesHeaders(request, response)) return
    requestTracking.run(request, response, () => {
      if (!core.besideOthers()) {
        app(request, response)
        return
      }
      core.inStep().then(
        (inStep) => {
          if (inStep) app(request, response)
          else sendText(response, 503, 'not ready', RETRY_SOON)
        },
        () => {
          sendText(response, 503, 'not ready', RETRY_SOON)
        },
      )
    })
  })
  limitConnections(server, {
    max: config.maxConnections,
    isTrusted,
    behindProxy:
      config.trustedProxies.length + services.configuration.now().settings.trustedProxies.length > 0,
  })
  const port = await listen(server, config.listen).catch(async (error: unknown) => {
    await metrics?.stop()
    throw error
  })
  return {
    port,
    stop: async (how) => {
      stopping = how ?? 'answering'
      ending.abort()
      await closed(server)
      await metrics?.stop()
    },
  }
}
