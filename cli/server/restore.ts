import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import pg from 'pg'
import { BackupDamaged, type BackupHeader, type BackupTree } from '../../adapters/engines/backup/format.ts'
import { loadBackup } from '../../adapters/engines/backup/load.ts'
import { onlyThis } from '../../adapters/engines/audit/verify/snapshot.ts'
import { NewerDatabase } from '../../adapters/engines/postgres/migrate.ts'
import { SecretKeyError } from '../../adapters/engines/vault/secret-key.ts'
import { openVault } from '../../adapters/engines/vault/vault.ts'
import { passphraseIn, readBackupFile } from './backup-file.ts'
import { refuseOtherLog } from './backup.ts'
import type { Config } from './config.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'
import { unreachable } from './once-reachable.ts'
import { placeSecretKey } from './secret-key-file.ts'
import { migrate } from './migrate.ts'
import { databaseDirOf, openStorage, type Storage } from './storage.ts'

export interface RestoreOptions {
  readonly file: string
  readonly passphraseFile: string | undefined
  /** Called with the current step and its progress */
  readonly progressed: (what: string, done: number) => void
}

export interface RestoreReport {
  readonly takenAt: string
  readonly writtenBy: string
  readonly events: number
  readonly rows: number
  /** Recomputed from the restored log */
  readonly tree: BackupTree
}

/**
 * Reads the whole file once before anything is changed.
 * @returns its header
 */
const verifiedHeader = async (
  { file, progressed }: RestoreOptions,
  passphrase: string | undefined,
): Promise<BackupHeader> => {
  let header: BackupHeader | undefined
  let lines = 0
  for await (const part of readBackupFile(file, passphrase)) {
    if ('header' in part) header = part.header
    progressed('verifying the file', ++lines)
  }
  if (header === undefined) throw new BackupDamaged('it has no header')
  return header
}

const mustBeEmpty = async (client: pg.ClientBase, where: string): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(
    `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)' limit 1`,
  )
  const [first] = rows
  if (first !== undefined)
    throw new CliError(
      exitCodes.usage,
      `Restore needs an empty database, but ${where} contains ${first.name}. Nothing was changed.`,
    )
}

/** Loads everything in one transaction, and verifies the tree and the vault before the commit. */
const load = async (
  storage: Storage,
  header: BackupHeader,
  options: RestoreOptions,
  passphrase: string | undefined,
  where: string,
) => {
  const client = new pg.Client({ connectionString: storage.databaseUrl, application_name: 'svc restore' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await mustBeEmpty(client, where)
    await client.query('begin')
    const end = await loadBackup(client, header, readBackupFile(options.file, passphrase), {
      now: new Date(),
      progressed: options.progressed,
    })
    const { secretKey } = storage
    await openVault({ pool: onlyThis(client), secretKey, now: () => new Date(), random: randomBytes })
    await client.query('set local synchronous_commit = on')
    await client.query('commit')
    return end
  } finally {
    await client.end()
  }
}

const explained = (error: unknown, file: string): unknown => {
  if (error instanceof BackupDamaged)
    return new CliError(exitCodes.error, `${file}: ${error.message} Nothing was restored.`, { cause: error })
  if (error instanceof NewerDatabase)
    return new CliError(
      exitCodes.usage,
      error.message.replace('This database was upgraded by', 'This backup was written by'),
    )
  if (error instanceof SecretKeyError) return new CliError(exitCodes.usage, error.message, { cause: error })
  return unreachable('The database is unavailable', error) ?? error
}

/**
 * Restores a backup of this release or an earlier one into an empty database, migrates it to this release and rebuilds
 * the read models.
 * @throws CliError for a file that is not a complete backup, a database that is not empty, and another secret key
 */
export const restore = async (config: Config, log: Log, options: RestoreOptions): Promise<RestoreReport> => {
  refuseOtherLog(config, 'svc restore')
  const { file, passphraseFile, progressed } = options
  const passphrase = passphraseFile === undefined ? undefined : await passphraseIn(passphraseFile)
  try {
    const header = await verifiedHeader(options, passphrase)
    if (header.prefix !== config.eventStorePrefix)
      throw new CliError(
        exitCodes.usage,
        `Set SVC_EVENTSTORE_PREFIX to ${header.prefix === '' ? 'nothing' : header.prefix}, as it was for the backup`,
      )
    const databaseDir = await databaseDirOf(config, log)
    if (config.secretKey === undefined && databaseDir !== null) {
      if (header.secretKey === null)
        throw new CliError(
          exitCodes.usage,
          'Set SVC_SECRET_KEY: the backup does not contain the key, because the key was set there too',
        )
      await placeSecretKey({ dataDir: dirname(databaseDir), databaseDir, randomBytes }, header.secretKey)
    }
    const storage = await openStorage(config, log, { attach: false })
    try {
      const end = await load(storage, header, options, passphrase, databaseDir ?? 'the database')
      await migrate(storage, log, {
        progressed: ({ events }) => {
          progressed('rebuilding the read models', events)
        },
      })
      return {
        takenAt: header.takenAt,
        writtenBy: header.writtenBy,
        events: end.rows['log.event'] ?? 0,
        rows: Object.values(end.rows).reduce((sum, count) => sum + count, 0),
        tree: end.tree,
      }
    } finally {
      await storage.stop()
    }
  } catch (error) {
    throw explained(error, file)
  }
}
