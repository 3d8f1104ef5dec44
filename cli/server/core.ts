import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { auditSigner } from '../../adapters/engines/audit/signer.ts'
import { AUDIT_TREE, growTree } from '../../adapters/engines/audit/tree.ts'
import { systemClock } from '../../adapters/kernel/clock.ts'
import type { Services } from '../../adapters/application/services/services.ts'
import { openConfiguration } from '../../adapters/application/services/configuration.ts'
import { openEgress } from '../../adapters/engines/egress/client.ts'
import type { EventLog } from '../../adapters/engines/event-log/event-log.ts'
import { commandHandler, inForceBy } from '../../adapters/application/services/handle.ts'
import { manyHandler } from '../../adapters/application/services/handle-many.ts'
import { eventSerializer, openedSource, storedSource } from '../../adapters/engines/event-log/serializer.ts'
import type { Locate } from '../../adapters/engines/geoip/locate.ts'
import { createWakeUp } from '../../adapters/engines/event-log/wake-up.ts'
import { createOutbox } from '../../adapters/application/services/outbox.ts'
import { watchCheckpoints, type CheckpointWatch } from '../../adapters/engines/postgres/checkpoint-watch.ts'
import { outlivesConnections } from '../../adapters/engines/postgres/pool.ts'
import { newTally } from '../../adapters/kernel/tally.ts'
import { newRsaKey, type NewRsaKey } from '../../adapters/engines/vault/rsa-key.ts'
import { postgresLocks } from '../../adapters/engines/postgres/locks.ts'
import { reservations } from '../../adapters/engines/postgres/reservations.ts'
import {
  concernsLogoutNotices,
  LOGOUT_NOTICES,
  logoutNoticeTypes,
  noteLogouts,
} from '../../adapters/application/reactions/logout-notices.ts'
import { concernsMail, MAIL, mailTypes, queueMail } from '../../adapters/outbound/mail/subscriber.ts'
import {
  concernsRules,
  RULE_MEMBERSHIPS,
  ruleMemberships,
  ruleMembershipTypes,
} from '../../adapters/application/reactions/rule-memberships.ts'
import {
  concernsProvisioning,
  markProvisioning,
  PROVISIONING_MARKS,
  provisioningMarkTypes,
} from '../../adapters/outbound/provisioning/subscriber.ts'
import { holdServiceLock, RotationRefused } from '../../adapters/engines/vault/rotate.ts'
import { SecretKeyError } from '../../adapters/engines/vault/secret-key.ts'
import { openVault } from '../../adapters/engines/vault/vault.ts'
import { outboundSource } from '../../adapters/outbound/webhooks/source.ts'
import { CORE, readCheckpoint } from '../../projections/checkpoint.ts'
import { concernsTables } from '../../projections/table.ts'
import { startRunner, type ConsumerStatus } from '../../projections/runner.ts'
import type { Config } from './config.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'
import { pastRecords } from './past-records.ts'
import { programVersion } from './project.ts'
import { readModelConsumers } from './read-model-consumers.ts'
import { openLog, openReadModels, type Storage } from './storage.ts'
import { storeLimits, type StoreLimits } from './store-limits.ts'

/** Everything below HTTP: the log, its consumers, and the services that commands and queries use. */
export interface Core {
  readonly services: Services
  readonly eventLog: EventLog
  /** For tables whose rows are not read models: sealed answers, the vault. Plain `pg` types. */
  readonly workPool: pg.Pool
  /** The consumers of the log, as they run on this instance. */
  readonly consumers: () => readonly { readonly name: string; readonly status: ConsumerStatus }[]
  /** Waits until the read models show all that is in the log now. */
  readonly caughtUp: () => Promise<boolean>
  stop(): Promise<void>
}

/** What of the configuration matters below HTTP. */
type CoreConfig = Pick<Config, 'publicUrl' | 'mail' | 'dev' | 'egressDeny'>

/** What a core is given besides. */
interface CoreOptions {
  /** Where addresses are; nowhere when left out. */
  readonly locate?: Locate
  readonly newRsaKey?: NewRsaKey
  /** Other limits than those of `storeLimits`. */
  readonly limits?: StoreLimits
  /** As `openVault` has it. */
  readonly acceptingLoss?: boolean
}

const serviceLock = async (databaseUrl: string): Promise<pg.Client> => {
  const client = new pg.Client({
    connectionString: databaseUrl,
    keepAlive: true,
    application_name: 'svc running',
  })
  // Should this connection break, rotation finds out at its proof; the process need not end for it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await holdServiceLock(client)
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
  return client
}

const explained = (error: unknown): unknown =>
  error instanceof SecretKeyError || error instanceof RotationRefused
    ? new CliError(exitCodes.usage, error.message)
    : error

/** How long a consumer at the end of the log lets events gather while nobody here waits for it. */
const REST_MS = 50
/** The same for those that no command waits for. */
const LONG_REST_MS = 200

/**
 * Opens the services on storage that is migrated, and starts the consumers. Whatever had been opened is closed when
 * something after it fails.
 * @throws CliError for a wrong SVC_SECRET_KEY, or while it is being rotated
 */
export const startCore = async (
  storage: Storage,
  config: CoreConfig,
  log: Log,
  options: CoreOptions = {},
): Promise<Core> => {
  const opened: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const close of opened.splice(0).reverse()) await close()
  }
  try {
    return { ...(await openCore(storage, config, log, options, opened)), stop }
  } catch (error) {
    await stop()
    throw explained(error)
  }
}

/** @param opened takes what closes each thing, in the order of their opening */
const openCore = async (
  storage: Storage,
  { publicUrl, mail: mailConfig, dev, egressDeny }: CoreConfig,
  log: Log,
  {
    locate = () => null,
    newRsaKey: makeRsaKey = newRsaKey,
    limits = storeLimits,
    acceptingLoss = false,
  }: CoreOptions,
  opened: (() => Promise<unknown>)[],
): Promise<Omit<Core, 'stop'>> => {
  const toEnd = (pool: pg.Pool): pg.Pool => {
    opened.push(() => pool.end())
    return pool
  }
  const running = await serviceLock(storage.databaseUrl)
  opened.push(() => running.end())
  const workPool = toEnd(
    new pg.Pool({
      connectionString: storage.databaseUrl,
      max: 8,
      connectionTimeoutMillis: limits.connect,
      statement_timeout: limits.workStatement,
      query_timeout: limits.workStatement + 1000,
    }),
  )
  outlivesConnections(workPool, (error) => {
    log.warn({ reason: error.message }, 'a database connection broke')
  })
  const vault = await openVault({
    pool: workPool,
    secretKey: storage.secretKey,
    now: () => new Date(),
    random: randomBytes,
    acceptingLoss,
  })
  const { idleTransaction: idleTransactionTimeout } = limits
  const forRequests = { connectTimeout: limits.connect, statementTimeout: limits.statement }
  const forWork = { connectTimeout: limits.connect, statementTimeout: limits.workStatement }
  const pool = toEnd(openReadModels(storage, log, { max: 20, ...forRequests, idleTransactionTimeout }))
  const lookups = toEnd(openReadModels(storage, log, { max: 8, ...forRequests, lookups: true }))
  const consumerPool = toEnd(openReadModels(storage, log, { max: 8, ...forWork, idleTransactionTimeout }))
  const lockPool = toEnd(openReadModels(storage, log, { max: 4, ...forWork }))
  const eventLog = await openLog(storage, log, {
    connectTimeout: limits.logConnect,
    appendTimeout: limits.append,
  })
  opened.push(() => eventLog.close())
  const clock = systemClock()
  const serializer = eventSerializer(vault)
  const watch: CheckpointWatch = watchCheckpoints(pool, storage.databaseUrl, limits.inForce)
  opened.push(() => watch.close())
  const handle = commandHandler({ log: eventLog, serializer, clock, waitFor: watch.waitFor })
  const inForce = inForceBy(watch.waitFor)
  const current = async (): Promise<boolean> => (await readCheckpoint(pool, CORE)) >= (await eventLog.head())
  const rules = ruleMemberships({ pool: consumerPool, handle, waitFor: watch.waitFor, clock })
  const consumer = { pool: consumerPool, log }
  const configuration = await openConfiguration(lookups, vault)
  const mail: Services['mail'] = {
    available: mailConfig !== undefined || dev,
    queued: createWakeUp(),
    outbox: dev ? createOutbox() : null,
  }
  const [core, ...besides] = readModelConsumers(eventLog, serializer)
  const runners = [
    startRunner({
      ...consumer,
      name: CORE,
      checkpoints: 'checkpoint',
      source: core.source,
      tables: core.tables,
      committed: (position) => {
        watch.advanced(CORE, position)
      },
      rest: () => watch.wanted(CORE, REST_MS),
    }),
    startRunner({
      ...consumer,
      name: RULE_MEMBERSHIPS,
      checkpoints: 'work.checkpoint',
      source: openedSource(eventLog, serializer, { wants: ruleMembershipTypes, withOrigin: false }),
      tables: [],
      react: rules.react,
      concerns: concernsRules,
      committed: (position) => {
        watch.advanced(RULE_MEMBERSHIPS, position)
      },
      rest: () => watch.wanted(RULE_MEMBERSHIPS, REST_MS),
    }),
    startRunner({
      ...consumer,
      name: LOGOUT_NOTICES,
      checkpoints: 'work.checkpoint',
      source: openedSource(eventLog, serializer, { wants: logoutNoticeTypes, withOrigin: false }),
      tables: [],
      react: noteLogouts({ pool: consumerPool, waitFor: watch.waitFor, clock }),
      concerns: concernsLogoutNotices,
      rest: () => watch.wanted(LOGOUT_NOTICES, LONG_REST_MS),
    }),
    startRunner({
      ...consumer,
      name: MAIL,
      checkpoints: 'work.checkpoint',
      source: openedSource(eventLog, serializer, { wants: mailTypes, withOrigin: false }),
      tables: [],
      react: queueMail({ vault, mail, clock }, consumerPool, watch.waitFor),
      concerns: concernsMail,
      rest: () => watch.wanted(MAIL, LONG_REST_MS),
    }),
    startRunner({
      ...consumer,
      name: PROVISIONING_MARKS,
      checkpoints: 'work.checkpoint',
      source: openedSource(eventLog, serializer, { wants: provisioningMarkTypes, withOrigin: false }),
      tables: [],
      react: markProvisioning({ pool: consumerPool, waitFor: watch.waitFor }),
      concerns: concernsProvisioning,
      rest: () => watch.wanted(PROVISIONING_MARKS, LONG_REST_MS),
    }),
    startRunner({
      ...consumer,
      name: AUDIT_TREE,
      checkpoints: 'work.checkpoint',
      source: storedSource(eventLog),
      tables: [],
      within: growTree(auditSigner({ pool: workPool, vault, publicUrl })),
      rest: () => watch.wanted(AUDIT_TREE, LONG_REST_MS),
    }),
    ...besides.map(({ name, source, tables }) =>
      startRunner({
        ...consumer,
        name,
        checkpoints: 'checkpoint',
        source,
        tables,
        concerns: ({ type }) => concernsTables(tables)(type),
        rest: () => watch.wanted(name, LONG_REST_MS),
      }),
    ),
  ]
  opened.push(() => Promise.all(runners.map((runner) => runner.stop())))
  const egress = openEgress(egressDeny)
  opened.push(() => egress.close())
  const services: Services = {
    handle,
    handleMany: manyHandler({ log: eventLog, serializer, clock, handle, inForce }),
    inForce,
    pool,
    lookups,
    reservations: reservations({ pool, lookups, hash: (text) => vault.digest('reservation', text), current }),
    locks: postgresLocks(lockPool),
    vault,
    clock,
    random: randomBytes,
    newRsaKey: makeRsaKey,
    configuration,
    egress,
    outbound: outboundSource({
      pool,
      eventLog,
      serializer,
      vault,
      known: () => readCheckpoint(pool, CORE),
    }),
    pastRecord: pastRecords(eventLog, serializer),
    locate,
    mail,
    development: dev,
    tally: newTally(),
    publicUrl,
    version: programVersion(),
  }
  return {
    services,
    eventLog,
    workPool,
    consumers: () => runners.map((runner) => ({ name: runner.name, status: runner.status() })),
    caughtUp: async () => {
      const head = await eventLog.head()
      return head === '' || (await watch.waitFor(CORE, head))
    },
  }
}
