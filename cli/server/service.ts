import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { apiRoutes } from '../../adapters/inbound/api/routes.ts'
import { ensureCliApplication } from '../../adapters/application/commands/built-in.ts'
import { samlCertificateCommands } from '../../adapters/application/commands/saml-certificates.ts'
import { signingKeyCommands } from '../../adapters/application/commands/signing-keys.ts'
import { GeoipFileError, openGeoip } from '../../adapters/engines/geoip/locate.ts'
import { createApp } from '../../adapters/inbound/http/app.ts'
import { limitConnections, refusesHeaders, serverOptions } from '../../adapters/inbound/http/connections.ts'
import { currentRequest, loggedPath, withRequest } from '../../adapters/inbound/http/current-request.ts'
import { dispatch } from '../../adapters/inbound/http/dispatch.ts'
import { lastUse } from '../../adapters/application/services/last-use.ts'
import { startPostman } from '../../adapters/outbound/mail/postman.ts'
import { mailServer } from '../../adapters/outbound/mail/smtp.ts'
import { maintenanceDuties, type Duty } from '../../adapters/application/reactions/maintenance.ts'
import { authRequests } from '../../adapters/inbound/sign-in/auth-requests.ts'
import { deviceLogins } from '../../adapters/application/sign-in/device-logins.ts'
import { authenticator } from '../../adapters/inbound/api/authenticate.ts'
import { apiKeys } from '../../adapters/inbound/api/api-key-authentication.ts'
import { trustedProxies } from '../../adapters/kernel/address-ranges.ts'
import { clientIp } from '../../adapters/kernel/client-ip.ts'
import { apiRateLimit, tokenBuckets } from '../../adapters/inbound/http/rate-limit.ts'
import { undeclaredProxies } from '../../adapters/inbound/http/undeclared-proxy.ts'
import { backchannelLogout } from '../../adapters/inbound/oidc/backchannel-logout.ts'
import { protocolEndpoints } from './protocol-endpoints.ts'
import { postgresIdempotency } from '../../adapters/inbound/http/idempotency-store.ts'
import { codeGuesses } from '../../adapters/application/sign-in/code-guesses.ts'
import { sessionSeen } from '../../adapters/application/services/device-use.ts'
import { knownDevices } from '../../adapters/inbound/sign-in/known-device.ts'
import { proofRequirement } from '../../adapters/inbound/sign-in/required-proof.ts'
import { magicLinks } from '../../adapters/application/sign-in/magic-links.ts'
import { wrongCodes } from '../../adapters/inbound/sign-in/wrong-codes.ts'
import { scimServer } from '../../adapters/inbound/scim/endpoints.ts'
import { loadAssets } from '../../adapters/inbound/web/assets.ts'
import { pageLimit } from '../../adapters/inbound/web/page-limit.ts'
import { webPages } from '../../adapters/inbound/web/pages.ts'
import { webRouter } from '../../adapters/inbound/web/server.ts'
import { serviceHealth } from './health.ts'
import type { ProvisioningTiming } from '../../adapters/outbound/provisioning/run.ts'
import type { WebhookTiming } from '../../adapters/outbound/webhooks/run.ts'
import type { Config } from './config.ts'
import { startCore, type Core } from './core.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'
import { startMetrics } from './metrics.ts'
import type { NewRsaKey } from '../../adapters/engines/vault/rsa-key.ts'
import { onceReachable } from './once-reachable.ts'
import { programVersion } from './project.ts'
import { provisioner } from './provisioning.ts'
import { migrateToServe } from './rebuild.ts'
import { openStorage, type Storage } from './storage.ts'
import type { StoreLimits } from './store-limits.ts'
import { webhookSender } from './webhooks.ts'

/** A running service: HTTP on top of the core. */
export interface Service {
  readonly publicUrl: string
  readonly port: number
  readonly core: Core
  readonly storage: Storage
  /**
   * Takes no more connections, ends what runs, closes everything; the embedded database last.
   * @param how `refusing` answers 503 to requests that still come on open connections
   */
  stop(how?: 'refusing'): Promise<void>
}

const listen = (server: Server, { host, port }: Config['listen']): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const where = `${host}:${String(port)}`
      const reasons: Record<string, string> = {
        EADDRINUSE: `SVC_LISTEN: ${where} is in use by another program; stop it or set SVC_LISTEN to another <host>:<port>`,
        EACCES: `SVC_LISTEN: this user may not listen on ${where}; choose a port from 1024 up`,
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

const SECOND = 1000

/** Runs duties at their times, each one only when its last run has ended. @returns what stops them */
const maintain = (duties: readonly Duty[], log: Log): (() => Promise<void>) => {
  const running = new Map<string, Promise<void>>()
  const timers = duties.map(({ name, every, run }) =>
    setInterval(() => {
      if (running.has(name)) return
      const ended = run()
        .catch((error: unknown) => {
          log.warn(
            { duty: name, reason: error instanceof Error ? error.message : String(error) },
            'maintenance failed',
          )
        })
        .then(() => {
          running.delete(name)
        })
      running.set(name, ended)
    }, every * SECOND).unref(),
  )
  return async () => {
    for (const timer of timers) clearInterval(timer)
    await Promise.all(running.values())
  }
}

export interface ServiceOptions {
  /** Whether answers are held to what their routes declare. */
  readonly strict?: boolean
  /** Other moments for webhooks than those specified. */
  readonly webhooks?: Partial<WebhookTiming>
  /** The same for provisioning. */
  readonly provisioning?: Partial<ProvisioningTiming>
  /** Seconds for which their work may be held up before the service says that it is not ready. */
  readonly heldUpSeconds?: number
  /** Where keys come from that sign tokens and SAML. */
  readonly newRsaKey?: NewRsaKey
  /** Other limits than those of `storeLimits`. */
  readonly limits?: StoreLimits
  /** Ends a start that waits for its stores. */
  readonly signal?: AbortSignal
}

/** One id for all that a request leads to; a new one outside of requests. */
const requestIdOf = (): string => currentRequest()?.requestId ?? randomUUID()

/** Puts HTTP on top of a core. @returns the port listened on, and what ends serving */
const serveHttp = async (
  config: Config,
  core: Core,
  log: Log,
  options: ServiceOptions,
): Promise<{ port: number; stop: Service['stop'] }> => {
  const { services, workPool } = core
  const idempotency = postgresIdempotency(workPool, {
    seal: (plaintext, aad) => services.vault.seal('idempotency', plaintext, aad),
    open: (sealed, aad) => services.vault.open('idempotency', sealed, aad).toString(),
  })
  const isTrusted = trustedProxies(config.trustedProxies)
  const notNoted = (error: unknown): void => {
    log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'a last use was not noted')
  }
  const seen = sessionSeen(services, lastUse('session', services, notNoted), notNoted)
  const assets = await loadAssets()
  const limits = tokenBuckets(config.rateLimits, () => performance.now())
  const web = {
    limits,
    pages: webPages(services, assets),
    clientIp: (request: IncomingMessage) =>
      clientIp(request.socket.remoteAddress, request.headers['x-forwarded-for'], isTrusted),
    newRequestId: requestIdOf,
    seen,
    secretUsed: lastUse('client_secret', services, notNoted),
    onError: (error: unknown, requestId: string) => {
      log.error({ err: error, requestId }, 'request failed')
    },
  }
  const webhooks = webhookSender(services, log, options.webhooks)
  const provisioning = provisioner(core, log, options.provisioning)
  const keys = apiKeys(services, notNoted)
  let stopping: 'answering' | 'refusing' | null = null
  const { heldUpSeconds } = options
  const isStopping = (): boolean => stopping !== null
  const health = serviceHealth({ core, webhooks, provisioning, log, isStopping, heldUpSeconds })
  const app = createApp({
    api: {
      publicUrl: config.publicUrl,
      version: programVersion(),
      authenticate: authenticator(services, seen, keys),
      requireProof: proofRequirement(services),
      logger: log,
      now: () => new Date(),
      newCorrelationId: requestIdOf,
      idempotency,
      rateLimit: apiRateLimit(
        limits,
        (text) => services.vault.digest('rate-limit', text),
        knownDevices(services),
      ),
      trustedProxies: config.trustedProxies,
      strict: options.strict ?? false,
    },
    routes: apiRoutes(services),
    routers: [pageLimit(limits.browser, web), webRouter(services, { ...web, assets })],
    health,
  })
  const metrics =
    config.metricsListen === undefined
      ? null
      : await startMetrics(config.metricsListen, { core, webhooks, provisioning, health, log })
  const answer = dispatch(
    protocolEndpoints(services, web),
    app,
    (error) => {
      log.error({ err: error }, 'request failed')
    },
    [scimServer(services, { ...web, checkKey: keys.check })],
  )
  const noteProxy = undeclaredProxies(isTrusted, {
    warn: (fields, message) => {
      log.warn(fields, message)
    },
    count: () => {
      services.tally.count('untrusted_forward')
    },
  })
  const server = createServer(serverOptions, (request, response) => {
    noteProxy(request)
    // A client that keeps its connection busy would otherwise hold the door open.
    if (stopping !== null) response.shouldKeepAlive = false
    metrics?.observe(request, response)
    if (stopping === 'refusing') {
      response.writeHead(503, { 'Content-Type': 'text/plain', 'Retry-After': '1' }).end('not ready')
      return
    }
    if (refusesHeaders(request, response)) return
    const { method = '', url = '' } = request
    withRequest({ requestId: randomUUID(), method, path: loggedPath(url) }, () => {
      answer(request, response)
    })
  })
  limitConnections(server, {
    max: config.maxConnections,
    isTrusted,
    behindProxy: config.trustedProxies.length > 0,
  })
  const port = await listen(server, config.listen).catch(async (error: unknown) => {
    await metrics?.stop()
    throw error
  })
  const logouts = backchannelLogout(services, workPool, services.egress, log)
  webhooks.start()
  provisioning.start()
  const stopPostman = services.mail.available
    ? startPostman(services, workPool, {
        server: config.mail === undefined ? null : mailServer(config.mail.smtpUrl, config.mail.from),
        unlimitedLinks: config.dev,
        log,
      })
    : null
  const stopMaintenance = maintain(
    [
      { name: 'sign-outs to tell of', every: 2, run: () => logouts.deliver() },
      ...maintenanceDuties(services, core.eventLog, workPool),
      { name: 'repeated requests', every: 300, run: () => idempotency.purge(new Date()) },
      { name: 'sign-in requests', every: 60, run: () => authRequests(services).sweep() },
      { name: 'device sign-ins', every: 60, run: () => deviceLogins(services).sweep() },
      { name: 'lockouts', every: 15, run: () => wrongCodes(services).settle() },
      { name: 'links to sign in', every: 600, run: () => magicLinks(services).sweep() },
      { name: 'wrong codes', every: 600, run: () => wrongCodes(services).sweep() },
      { name: 'codes of strangers', every: 60, run: () => codeGuesses(services).sweep() },
      { name: 'guessing of codes', every: 5, run: () => codeGuesses(services).watch() },
    ],
    log,
  )
  return {
    port,
    stop: async (how) => {
      stopping = how ?? 'answering'
      const sent = [webhooks.stop(), provisioning.stop()]
      await closed(server)
      await Promise.all([stopMaintenance(), stopPostman?.(), ...sent])
      await metrics?.stop()
    },
  }
}

/** Starts the core with what every installation has: keys, certificates, the application of `svc`. */
const startFurnishedCore = async (...given: Parameters<typeof startCore>): Promise<Core> => {
  const core = await startCore(...given)
  const self = () => ({
    actorId: null,
    actorType: 'system' as const,
    credential: null,
    ip: null,
    correlationId: randomUUID(),
  })
  try {
    await signingKeyCommands(core.services).ensure(self())
    await samlCertificateCommands(core.services).ensure(self())
    await ensureCliApplication(core.services, randomUUID())
    return core
  } catch (error) {
    await core.stop()
    throw error
  }
}

/**
 * Migrates, starts the core and serves. Whatever had been started is stopped when something after it fails.
 * @throws CliError for what the operator can mend: configuration, keys, ports, databases out of reach
 */
export const startService = async (
  config: Config,
  log: Log,
  options: ServiceOptions = {},
): Promise<Service> => {
  const started: Service['stop'][] = []
  let stopped: Promise<void> | undefined
  const endAll = async (how?: 'refusing'): Promise<void> => {
    for (const end of started.splice(0).reverse()) await end(how)
  }
  const stop: Service['stop'] = (how) => (stopped ??= endAll(how))
  try {
    const locate = await openGeoip(config.geoipDatabase).catch((error: unknown) => {
      throw error instanceof GeoipFileError ? new CliError(exitCodes.usage, error.message) : error
    })
    const storage = await openStorage(config, log, { attach: false })
    started.push(() => storage.stop())
    await migrateToServe(config, storage, log)
    const core = await onceReachable(
      () => startFurnishedCore(storage, config, log, { ...options, locate }),
      log,
      options,
    )
    started.push(() => core.stop())
    const http = await serveHttp(config, core, log, options)
    started.push((how) => http.stop(how))
    return { publicUrl: config.publicUrl, port: http.port, core, storage, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
