import { randomUUID } from 'node:crypto'
import { ensureCliApplication } from '../../adapters/application/commands/built-in.ts'
import { samlCertificateCommands } from '../../adapters/application/commands/saml-certificates.ts'
import { sshAuthorityCommands } from '../../adapters/application/commands/ssh-authority.ts'
import { signingKeyCommands } from '../../adapters/application/commands/signing-keys.ts'
import { GeoipFileError, openGeoip, type Geoip } from '../../adapters/engines/geoip/locate.ts'
import type { NewRsaKey } from '../../adapters/engines/vault/rsa-key.ts'
import type { Clock } from '../../adapters/kernel/clock.ts'
import { postgresIdempotency } from '../../adapters/inbound/http/idempotency-store.ts'
import type { ProvisioningTiming } from '../../adapters/outbound/provisioning/run.ts'
import type { WebhookTiming } from '../../adapters/outbound/webhooks/run.ts'
import { backgroundWork } from './background.ts'
import { newClosing } from './closing.ts'
import type { Config } from './config.ts'
import { startCore, type Core } from './core.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { serveHttp } from './http-server.ts'
import type { Log } from './log.ts'
import { onceReachable } from './once-reachable.ts'
import { ensureReadModels } from './migrate.ts'
import { startingServer } from './starting-server.ts'
import { upgradeProgress } from './upgrade-progress.ts'
import { migrateLasting, openStorage, type Storage } from './storage.ts'
import type { StoreLimits } from './store-limits.ts'

/** A running service: HTTP on top of the core. */
export interface Service {
  readonly publicUrl: string
  readonly port: number
  readonly core: Core
  readonly storage: Storage
  /**
   * Accepts no more connections, waits for work in progress, and closes everything, the embedded database last.
   * @param how `refusing` returns 503 for requests that still arrive on open connections
   */
  stop(how?: 'refusing'): Promise<void>
}

export interface ServiceOptions {
  /** Whether responses are checked against the declarations of their routes */
  readonly strict?: boolean
  /** Timing of webhooks that replaces the default */
  readonly webhooks?: Partial<WebhookTiming>
  /** The same for provisioning */
  readonly provisioning?: Partial<ProvisioningTiming>
  /** Seconds that background work may fail before the service reports that it is not ready */
  readonly heldUpSeconds?: number
  /** Seconds between two polls of a device that signs in, if not the usual ones */
  readonly devicePollSeconds?: number
  /** The source of the keys that sign tokens and SAML responses */
  readonly newRsaKey?: NewRsaKey
  /** The source of the time that the rules go by; default: the clock of the machine */
  readonly clock?: Clock
  /** Whether it does what time brings: deadlines, reviews, lifecycle rules, maintenance. Default: true */
  readonly duties?: boolean
  /** Limits that replace `storeLimits` */
  readonly limits?: StoreLimits
  /** Aborts a start that waits for its stores */
  readonly signal?: AbortSignal
  /** Where the progress of an upgrade is shown; default: the log */
  readonly terminal?: { readonly write: (text: string) => unknown } | undefined
}

/** Starts the core and creates what every installation has: keys, certificates, the application of `svc`. */
const startFurnishedCore = async (...options: Parameters<typeof startCore>): Promise<Core> => {
  const core = await startCore(...options)
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
    await sshAuthorityCommands(core.services).ensure(self())
    await ensureCliApplication(core.services, randomUUID())
    return core
  } catch (error) {
    await core.stop()
    throw error
  }
}

/** Migrates the database. If that takes long, responds to requests meanwhile. */
const upgraded = async (
  config: Config,
  storage: Storage,
  log: Log,
  { terminal, signal }: Pick<ServiceOptions, 'terminal' | 'signal'>,
): Promise<void> => {
  const { progressed, status } = upgradeProgress(log, { terminal })
  let answering: ReturnType<typeof startingServer> | undefined
  try {
    await migrateLasting(storage)
    // An outage of the database during a long build aborts it only if it lasts.
    const built = await onceReachable(
      () =>
        ensureReadModels(storage, log, {
          ...(signal === undefined ? {} : { signal }),
          progressed: (progress) => {
            answering ??= startingServer(config, { status }, log)
            progressed(progress)
          },
        }),
      log,
      signal === undefined ? {} : { signal },
    )
    if (built !== null && built.replayed.length + built.copied.length > 0 && answering !== undefined)
      log.info(
        {
          events: built.events,
          replayed: built.replayed.length,
          copied: built.copied.length,
          seconds: Math.round(built.seconds),
        },
        'read models of this version built',
      )
  } catch (error) {
    throw signal?.aborted === true
      ? new CliError(exitCodes.error, 'Stopped while building the read models. The next start continues.', {
          cause: error,
        })
      : error
  } finally {
    await (await answering)?.close()
  }
}

const openGeoipFiles = ({ geoipDatabase, asnDatabase }: Config): Promise<Geoip> =>
  openGeoip(geoipDatabase, asnDatabase).catch((error: unknown) => {
    throw error instanceof GeoipFileError ? new CliError(exitCodes.usage, error.message) : error
  })

/**
 * Migrates, starts the core and serves. If a step fails, stops everything started before.
 * @throws CliError for problems that the operator can fix: configuration, keys, ports, unavailable databases
 */
export const startService = async (
  config: Config,
  log: Log,
  options: ServiceOptions = {},
): Promise<Service> => {
  const { keep, close } = newClosing()
  let how: 'refusing' | undefined
  try {
    const geoip = await openGeoipFiles(config)
    const storage = keep(await openStorage(config, log, { attach: false }), (opened) => opened.stop())
    await upgraded(config, storage, log, options)
    const core = keep(
      await onceReachable(
        () => startFurnishedCore(storage, config, log, { ...options, geoip }),
        log,
        options,
      ),
      (started) => started.stop(),
    )
    const { vault } = core.services
    const idempotency = postgresIdempotency(core.workPool, {
      seal: (plaintext, aad) => vault.seal('idempotency', plaintext, aad),
      open: (sealed, aad) => vault.open('idempotency', sealed, aad).toString(),
    })
    const background = backgroundWork(config, core, idempotency, log, options)
    const { strict = false, heldUpSeconds, devicePollSeconds } = options
    const http = await serveHttp(config, core, log, {
      ...background,
      idempotency,
      strict,
      heldUpSeconds,
      devicePollSeconds,
    })
    keep(http, () => Promise.all([background.stop(), http.stop(how)]))
    background.start()
    return {
      publicUrl: config.publicUrl,
      port: http.port,
      core,
      storage,
      stop: (requested) => {
        how = requested
        return close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
