/** A database with a long log whose read models were made by another version. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { notingEventTypes } from '../../../adapters/engines/event-log/event-types.ts'
import { eventSerializer } from '../../../adapters/engines/event-log/serializer.ts'
import { openVault } from '../../../adapters/engines/vault/vault.ts'
import { systemClock } from '../../../adapters/kernel/clock.ts'
import type { Config } from '../../../cli/server/config.ts'
import { migrate } from '../../../cli/server/migrate.ts'
import { openLog, openStorage } from '../../../cli/server/storage.ts'
import { generateHistory } from '../../../infra/bench/history.ts'
import { BUILDING, READ_MODELS } from '../../../read-models/schema.ts'
import type { Setting } from '../service/processes.ts'
import { recordingLog, testPlace } from '../service/service.ts'

/** The schema of the other version. */
export const OTHER = 'rm_0123456789'

export interface OlderPlace {
  readonly config: Config
  readonly setting: Setting
  /** Events in the log. */
  readonly events: number
  readonly sql: (statement: string) => Promise<readonly Record<string, unknown>[]>
  /** Removes what this version has built, even if unfinished. */
  readonly forgetBuilt: () => Promise<void>
  drop(): Promise<void>
}

/**
 * @param options.events about how many events the log gets; at least a thousand
 * @param options.changed the tables that differ in the other version; by default all
 * @param options.databaseUrl an existing database; by default a new one for the test
 */
export const olderPlace = async ({
  events: wanted,
  changed,
  databaseUrl,
}: {
  readonly events: number
  readonly changed?: readonly string[]
  readonly databaseUrl?: string
}): Promise<OlderPlace> => {
  const log = recordingLog()
  const place = await testPlace({
    eventStore: { kind: 'database' },
    eventStorePrefix: '',
    ...(databaseUrl === undefined ? {} : { database: { kind: 'postgres', url: databaseUrl } }),
  })
  const { config } = place
  const url = databaseUrl ?? place.databaseUrl
  const storage = await openStorage(config, log, { attach: false })
  await migrate(storage, log)
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  const sql: OlderPlace['sql'] = async (statement) =>
    (await pool.query<Record<string, unknown>>(statement)).rows
  pool.on('error', () => undefined)
  const vault = await openVault({
    pool,
    secretKey: storage.secretKey,
    now: () => new Date(),
    random: randomBytes,
  })
  const eventLog = notingEventTypes(await openLog(storage, log), pool)
  const events = await generateHistory(eventLog, eventSerializer(vault), { clock: systemClock() }, wanted)
  await eventLog.close()

  const forgetBuilt = async (): Promise<void> => {
    for (const schema of [BUILDING, READ_MODELS]) await sql(`drop schema if exists ${schema} cascade`)
  }
  // The tables of the test's database are empty.
  await forgetBuilt()
  await migrate(storage, log)
  await sql(`alter schema ${READ_MODELS} rename to ${OTHER}`)
  await sql(
    `update ${OTHER}.fingerprint set fingerprint = jsonb_set(fingerprint, '{projection}', '"other"')
     ${changed === undefined ? '' : `where name in ('${changed.join("', '")}')`}`,
  )
  return {
    config,
    setting: { databaseUrl: url, secretKey: storage.secretKey },
    events,
    sql,
    forgetBuilt,
    drop: async () => {
      await pool.end()
      await place.drop()
    },
  }
}
