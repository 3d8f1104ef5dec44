import pg from 'pg'
import { dumpTables, type Dumped } from '../../adapters/engines/backup/dump.ts'
import {
  backupBytes,
  FORMAT,
  type BackupHeader,
  type BackupTree,
} from '../../adapters/engines/backup/format.ts'
import { writtenBeyond } from '../../adapters/engines/event-log/event-types.ts'
import {
  appliedMigrations,
  lastingSchemas,
  migratedBeyond,
  NewerDatabase,
  newestVersion,
} from '../../adapters/engines/postgres/migrate.ts'
import { programVersion } from '../../adapters/kernel/project.ts'
import { passphraseIn, writeBackupFile } from './backup-file.ts'
import type { Config } from './config.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'
import { withStorage } from './offline.ts'
import { existingDatabaseDir, type Storage } from './storage.ts'

export interface BackupOptions {
  readonly out: string
  readonly passphraseFile: string | undefined
  /** Called with the table that is being written, and the number of its rows so far */
  readonly progressed: (table: string, rows: number) => void
}

export interface BackupReport {
  readonly out: string
  readonly bytes: number
  readonly events: number
  /** Number of rows of all tables, including events */
  readonly rows: number
  readonly tree: BackupTree
  readonly secretKey: boolean
  readonly encrypted: boolean
}

/** @throws CliError if the log is in another store, so that one file cannot contain everything */
export const refuseOtherLog = ({ eventStore }: Pick<Config, 'eventStore'>, command: string): void => {
  if (eventStore.kind === 'database') return
  const where = eventStore.kind === 'eventstoredb' ? 'EventStoreDB' : 'another database'
  throw new CliError(
    exitCodes.usage,
    `${command} needs the event log in the database of SVC_DATABASE_URL, but SVC_EVENTSTORE_URL names ${where}. ` +
      'Stop the service and back up both with their own tools: see infra/docs/backup.md.',
  )
}

const refuseNewer = async (client: pg.ClientBase): Promise<void> => {
  const versions = [await migratedBeyond(client, lastingSchemas), await writtenBeyond(client)]
  const newest = newestVersion(versions.filter((version) => version !== null))
  if (newest !== null) throw new CliError(exitCodes.usage, new NewerDatabase(newest).message)
}

const lastMigrations = async (client: pg.ClientBase): Promise<BackupHeader['migrations']> => {
  const last = async (schema: (typeof lastingSchemas)[number]): Promise<string> => {
    const name = (await appliedMigrations(client, schema)).at(-1)?.name
    if (name === undefined)
      throw new CliError(exitCodes.usage, `There is nothing to back up: the database has no schema ${schema}`)
    return name
  }
  return {
    log: await last('log'),
    vault: await last('vault'),
    work: await last('work'),
    proof: await last('proof'),
  }
}

const write = async (
  config: Config,
  storage: Storage,
  client: pg.ClientBase,
  { out, progressed }: BackupOptions,
  passphrase: string | undefined,
): Promise<BackupReport> => {
  // The first query takes the snapshot, so the data is consistent even while the service runs.
  await client.query('begin transaction isolation level repeatable read read only')
  await refuseNewer(client)
  const header: BackupHeader = {
    backup: FORMAT,
    writtenBy: programVersion(),
    takenAt: new Date().toISOString(),
    prefix: storage.eventStorePrefix,
    migrations: await lastMigrations(client),
    secretKey: config.secretKey === undefined ? storage.secretKey : null,
  }
  const dumped: Dumped = { rows: {}, tree: { size: 0, root: null } }
  const lines = async function* (): AsyncGenerator<string> {
    yield JSON.stringify(header)
    yield* dumpTables(client, dumped, progressed)
  }
  const bytes = await writeBackupFile(
    out,
    backupBytes(lines(), () => dumped),
    passphrase,
  )
  return {
    out,
    bytes,
    events: dumped.rows['log.event'] ?? 0,
    rows: Object.values(dumped.rows).reduce((sum, count) => sum + count, 0),
    tree: dumped.tree,
    secretKey: header.secretKey !== null,
    encrypted: passphrase !== undefined,
  }
}

/**
 * Writes all durable data to one file, from one snapshot, whether the service runs or not.
 * @throws CliError if the log is in another store, there is no database, or the file exists
 */
export const backUp = async (config: Config, log: Log, options: BackupOptions): Promise<BackupReport> => {
  refuseOtherLog(config, 'svc backup')
  const { passphraseFile } = options
  const passphrase = passphraseFile === undefined ? undefined : await passphraseIn(passphraseFile)
  if (config.database.kind === 'embedded' && (await existingDatabaseDir(config, log)) === null)
    throw new CliError(exitCodes.usage, `There is nothing to back up: ${config.dataDir} contains no database`)
  return withStorage(config, log, async (storage) => {
    const client = new pg.Client({ connectionString: storage.databaseUrl, application_name: 'svc backup' })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return await write(config, storage, client, options, passphrase)
    } finally {
      await client.end()
    }
  })
}
