import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { EventLog } from '../../adapters/engines/event-log/event-log.ts'
import { notingEventTypes } from '../../adapters/engines/event-log/event-types.ts'
import { logRetention, type LogRetention } from '../../adapters/engines/event-log/retention.ts'
import { watchCheckpoints, type CheckpointWatch } from '../../adapters/engines/postgres/checkpoint-watch.ts'
import { NOTICED_MS, runningName } from '../../adapters/engines/postgres/other-versions.ts'
import { outlivesConnections } from '../../adapters/engines/postgres/pool.ts'
import { holdServiceLock } from '../../adapters/engines/vault/rotate.ts'
import { openVault, type Vault } from '../../adapters/engines/vault/vault.ts'
import type { Closing } from './closing.ts'
import type { Log } from './log.ts'
import { openLog, openReadModels, type Storage } from './storage.ts'
import type { StoreLimits } from './store-limits.ts'

/** Connections to the stores, one pool for each kind of work, so that none can starve another. */
export interface Stores {
  /** For tables that are not read models: stored responses, the vault. With plain `pg` types */
  readonly workPool: pg.Pool
  /** For the read models, in requests */
  readonly pool: pg.Pool
  /** The same, for the few lookups of every request: they use an index and are planned once */
  readonly lookups: pg.Pool
  readonly consumerPool: pg.Pool
  readonly lockPool: pg.Pool
  readonly vault: Vault
  readonly eventLog: EventLog
  /** Of that log */
  readonly retention: LogRetention
  readonly watch: CheckpointWatch
}

/** Prevents a rotation of the secret key while the service runs. */
const serviceLock = async (databaseUrl: string): Promise<pg.Client> => {
  const client = new pg.Client({
    connectionString: databaseUrl,
    keepAlive: true,
    application_name: runningName,
  })
  // If this connection breaks, the rotation notices it during verification, so the process need not end.
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

/**
 * Opens the stores.
 * @param closing collects the functions that close them
 * @param options.acceptingLoss as in `openVault`
 */
export const openStores = async (
  storage: Storage,
  log: Log,
  { limits, acceptingLoss }: { readonly limits: StoreLimits; readonly acceptingLoss: boolean },
  { keep }: Closing,
): Promise<Stores> => {
  const { connect, statement, workStatement, idleTransaction: idleTransactionTimeout } = limits
  const forRequests = { connectTimeout: connect, statementTimeout: statement }
  const forWork = { connectTimeout: connect, statementTimeout: workStatement }
  const ended = (pool: pg.Pool): pg.Pool => keep(pool, () => pool.end())

  keep(await serviceLock(storage.databaseUrl), (client) => client.end())
  const workPool = ended(
    new pg.Pool({
      connectionString: storage.databaseUrl,
      max: 8,
      connectionTimeoutMillis: connect,
      statement_timeout: workStatement,
      query_timeout: workStatement + 1000,
    }),
  )
  outlivesConnections(workPool, (error) => {
    log.warn({ reason: error.message }, 'database connection lost')
  })
  const vault = await openVault({
    pool: workPool,
    secretKey: storage.secretKey,
    now: () => new Date(),
    random: randomBytes,
    acceptingLoss,
  })
  const pool = ended(openReadModels(storage, log, { max: 20, ...forRequests, idleTransactionTimeout }))
  const lookups = ended(openReadModels(storage, log, { max: 8, ...forRequests, lookups: true }))
  const consumerPool = ended(openReadModels(storage, log, { max: 8, ...forWork, idleTransactionTimeout }))
  const lockPool = ended(openReadModels(storage, log, { max: 4, ...forWork }))
  const retention = logRetention(() => new Date())
  const eventLog = keep(
    await openLog(storage, log, {
      retention: retention.policy,
      connectTimeout: limits.logConnect,
      appendTimeout: limits.append,
    }),
    (opened) => opened.close(),
  )
  const watch = keep(await watchCheckpoints(pool, storage.databaseUrl, limits.inForce), (opened) =>
    opened.close(),
  )
  // From then on their commands also wait for the read models of this instance.
  if (watch.otherVersions().length > 0) await delay(NOTICED_MS)
  return {
    workPool,
    pool,
    lookups,
    consumerPool,
    lockPool,
    vault,
    eventLog: notingEventTypes(eventLog, workPool),
    retention,
    watch,
  }
}
