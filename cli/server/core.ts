import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { openConfiguration } from '../../adapters/application/services/configuration.ts'
import { commandHandler, inForceBy } from '../../adapters/application/services/handle.ts'
import { manyHandler } from '../../adapters/application/services/handle-many.ts'
import { createOutbox } from '../../adapters/application/services/outbox.ts'
import type { Services } from '../../adapters/application/services/services.ts'
import { openResolver } from '../../adapters/engines/egress/text-records.ts'
import { openEgress } from '../../adapters/engines/egress/client.ts'
import type { EventLog } from '../../adapters/engines/event-log/event-log.ts'
import type { LogRetention } from '../../adapters/engines/event-log/retention.ts'
import { eventSerializer } from '../../adapters/engines/event-log/serializer.ts'
import { noGeoip, type Geoip } from '../../adapters/engines/geoip/locate.ts'
import { postgresLocks } from '../../adapters/engines/postgres/locks.ts'
import { reservations } from '../../adapters/engines/postgres/reservations.ts'
import { RotationRefused } from '../../adapters/engines/vault/rotate.ts'
import { newRsaKey, type NewRsaKey } from '../../adapters/engines/vault/rsa-key.ts'
import { SecretKeyError } from '../../adapters/engines/vault/secret-key.ts'
import { systemClock, type Clock } from '../../adapters/kernel/clock.ts'
import { newTally } from '../../adapters/kernel/tally.ts'
import { createWakeUp } from '../../adapters/kernel/wake-up.ts'
import { outboundSource } from '../../adapters/outbound/webhooks/source.ts'
import { CORE, readCheckpoint } from '../../projections/checkpoint.ts'
import type { ConsumerStatus } from '../../projections/runner.ts'
import { newClosing, type Closing } from './closing.ts'
import type { Config } from './config.ts'
import { startConsumers } from './consumers.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'
import { pastRecords } from './past-records.ts'
import { programVersion } from '../../adapters/kernel/project.ts'
import { serviceStatus } from './service-status.ts'
import type { Storage } from './storage.ts'
import { storeLimits, type StoreLimits } from './store-limits.ts'
import { openStores } from './stores.ts'

/** Everything below HTTP: the log, its consumers, and the services that commands and queries use. */
export interface Core {
  readonly services: Services
  readonly eventLog: EventLog
  readonly retention: LogRetention
  /** For tables that are not read models: stored responses, the vault. With plain `pg` types */
  readonly workPool: pg.Pool
  /** The consumers of the log on this instance. */
  readonly consumers: () => readonly { readonly name: string; readonly status: ConsumerStatus }[]
  /** Ends the pause in which a consumer on this instance collects events. */
  readonly hurry: (consumer: string) => void
  /** Waits until the read models have reached the current end of the log. */
  readonly caughtUp: () => Promise<boolean>
  /** Whether instances of other versions are running. */
  readonly besideOthers: () => boolean
  /** As in `CheckpointWatch` */
  readonly inStep: () => Promise<boolean>
  stop(): Promise<void>
}

/** The part of the configuration that the core needs. */
type CoreConfig = Pick<Config, 'publicUrl' | 'mail' | 'dev' | 'egressDeny' | 'dnsServers'>

/** Options of a core. */
export interface CoreOptions {
  /** Looks up the location of addresses; default: none */
  readonly geoip?: Geoip
  readonly newRsaKey?: NewRsaKey
  /** Default: that of the machine */
  readonly clock?: Clock
  /** Limits that replace `storeLimits` */
  readonly limits?: StoreLimits
  /** As in `openVault` */
  readonly acceptingLoss?: boolean
}

const explained = (error: unknown): unknown =>
  error instanceof SecretKeyError || error instanceof RotationRefused
    ? new CliError(exitCodes.usage, error.message)
    : error

/**
 * Opens the services on migrated storage and starts the consumers. If a step fails, closes everything that was opened
 * before.
 * @throws CliError for a wrong SVC_SECRET_KEY, or while it is being rotated
 */
export const startCore = async (
  storage: Storage,
  config: CoreConfig,
  log: Log,
  options: CoreOptions = {},
): Promise<Core> => {
  const closing = newClosing()
  try {
    return await openCore(storage, config, log, options, closing)
  } catch (error) {
    await closing.close()
    throw explained(error)
  }
}

const openCore = async (
  storage: Storage,
  { publicUrl, mail: mailConfig, dev, egressDeny, dnsServers }: CoreConfig,
  log: Log,
  {
    geoip = noGeoip,
    newRsaKey: makeRsaKey = newRsaKey,
    limits = storeLimits,
    acceptingLoss = false,
    clock = systemClock(),
  }: CoreOptions,
  closing: Closing,
): Promise<Core> => {
  const stores = await openStores(storage, log, { limits, acceptingLoss }, closing)
  const { workPool, pool, lookups, consumerPool, lockPool, vault, eventLog, retention, watch } = stores
  const serializer = eventSerializer(vault)
  const handle = commandHandler({ log: eventLog, serializer, clock, waitFor: watch.waitFor })
  const inForce = inForceBy(watch.waitFor)
  const current = async (): Promise<boolean> => (await readCheckpoint(pool, CORE)) >= (await eventLog.head())
  const configuration = await openConfiguration(lookups, vault, geoip.whereabouts)
  const mail: Services['mail'] = {
    available: mailConfig !== undefined || dev,
    queued: createWakeUp(),
    outbox: dev ? createOutbox() : null,
  }
  const locks = postgresLocks(lockPool)
  const runners = closing.keep(
    startConsumers(
      {
        ...{ eventLog, serializer, watch, pool: consumerPool, workPool, handle, locks },
        ...{ clock, vault, mail, publicUrl },
      },
      log,
    ),
    (started) => Promise.all(started.map((runner) => runner.stop())),
  )
  const egress = closing.keep(openEgress(egressDeny), (opened) => opened.close())
  const services: Services = {
    handle,
    handleMany: manyHandler({ log: eventLog, serializer, clock, handle, inForce }),
    inForce,
    moved: watch.moved,
    pool,
    lookups,
    reservations: reservations({ pool, lookups, hash: (text) => vault.digest('reservation', text), current }),
    locks,
    vault,
    clock,
    random: randomBytes,
    newRsaKey: makeRsaKey,
    configuration,
    egress,
    dns: openResolver(dnsServers),
    outbound: outboundSource({
      pool,
      eventLog,
      serializer,
      vault,
      known: () => readCheckpoint(pool, CORE),
    }),
    pastRecord: pastRecords(eventLog, serializer),
    storedStream: (stream) => eventLog.readStream(stream),
    locate: geoip.locate,
    whereabouts: geoip.whereabouts,
    mail,
    development: dev,
    warn: (fields, message) => {
      log.warn(fields, message)
    },
    tally: newTally(),
    publicUrl,
    version: programVersion(),
    status: serviceStatus({ pool, eventLog, eventStoreUrl: storage.eventStoreUrl, watch, runners }),
  }
  return {
    services,
    eventLog,
    retention,
    workPool,
    consumers: () => runners.map((runner) => ({ name: runner.name, status: runner.status() })),
    hurry: watch.hurry,
    caughtUp: async () => {
      const head = await eventLog.head()
      return head === '' || (await watch.waitForOwn(CORE, head))
    },
    besideOthers: () => watch.otherVersions().length > 0,
    inStep: watch.inStep,
    stop: closing.close,
  }
}
