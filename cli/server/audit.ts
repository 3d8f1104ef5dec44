import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { nodeBytes } from '../../adapters/engines/audit/bytes.ts'
import { engineRows, postgresRows, type LogRows } from '../../adapters/engines/audit/verify/leaves.ts'
import { atOneMoment, onlyThis } from '../../adapters/engines/audit/verify/snapshot.ts'
import type { Makes } from '../../adapters/engines/audit/verify/trail.ts'
import { verifyAudit, type Verification } from '../../adapters/engines/audit/verify/verify.ts'
import { preparePostgresLog } from '../../adapters/engines/event-log/postgres.ts'
import { eventSerializer } from '../../adapters/engines/event-log/serializer.ts'
import { openPool } from '../../adapters/engines/postgres/pool.ts'
import { openVault } from '../../adapters/engines/vault/vault.ts'
import { parseVerifier, type Verifier } from '../../domain/audit/signed-note.ts'
import type { Recorded } from '../../domain/catalogue.ts'
import { auditEvents } from '../../projections/tables/audit-events.ts'
import { auditNames } from '../../projections/tables/audit-names.ts'
import { Rows, type Row } from '../../projections/rows.ts'
import { reactionTo, type Table } from '../../projections/table.ts'
import { READ_MODELS } from '../../read-models/schema.ts'
import type { Config } from './config.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'
import { withStorage } from './offline.ts'
import { migrate } from './migrate.ts'
import { openLog, type Storage } from './storage.ts'

/** Statement timeout: reading a large log takes long. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000

const rowsMade = (table: Table, event: Recorded): readonly Row[] => {
  const reaction = reactionTo(table, event.type)
  if (reaction === undefined) return []
  const rows = new Rows(table.key)
  for (const selector of reaction.reads?.(event) ?? []) rows.index(selector)
  reaction.apply(event, rows)
  return rows.changes().upserts
}

const makes: Makes = (event) => ({
  entries: rowsMade(auditEvents, event),
  names: rowsMade(auditNames, event),
})

const readable = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    throw new CliError(exitCodes.usage, `${path}: ${error instanceof Error ? error.message : String(error)}`)
  })

/**
 * Reads a public key.
 * @throws CliError for a file without a key
 */
export const keyIn = async (path: string): Promise<Verifier> => {
  const key = parseVerifier(nodeBytes, (await readable(path)).trim())
  if (key === null)
    throw new CliError(
      exitCodes.usage,
      `${path}: expected one line <name>+<key id>+<key>, as returned by /api/v1/audit/key.pub`,
    )
  return key
}

/** Files from the user of the command. */
export interface Kept {
  readonly key: string | undefined
  /** Signed checkpoints */
  readonly checkpoint: readonly string[]
}

export const keptOf = async ({ key, checkpoint }: Kept) => ({
  key: key === undefined ? null : await keyIn(key),
  checkpoints: await Promise.all(checkpoint.map(readable)),
})

const isPostgres = (url: string): boolean => /^\s*postgres(?:ql)?:/i.test(url)

/**
 * A snapshot of the log in Postgres, taken after the one of the database, so that it contains everything that the
 * database refers to.
 */
const withLogTables = async <T>(
  { databaseUrl, eventStoreUrl, eventStorePrefix: prefix }: Storage,
  database: pg.ClientBase,
  work: (tables: { client: pg.ClientBase; prefix: string } | null) => Promise<T>,
): Promise<T> => {
  if (!isPostgres(eventStoreUrl)) return work(null)
  if (eventStoreUrl === databaseUrl) return work({ client: database, prefix })
  const pool = new pg.Pool({ connectionString: eventStoreUrl, max: 1 })
  try {
    const client = await pool.connect()
    try {
      await client.query('begin transaction isolation level repeatable read read only')
      return await work({ client, prefix })
    } finally {
      client.release(true)
    }
  } finally {
    await pool.end()
  }
}

/** The data of a database that an audit needs, in one snapshot. */
export interface AuditView {
  readonly client: pg.PoolClient
  readonly logRows: LogRows
  readonly logTables: { readonly client: pg.ClientBase; readonly prefix: string } | null
  readonly vault: Awaited<ReturnType<typeof openVault>>
}

/** Reads the database of a service, which may be running. */
export const withAuditView = <T>(
  config: Config,
  log: Log,
  work: (view: AuditView) => Promise<T>,
): Promise<T> =>
  withStorage(config, log, async (storage) => {
    await migrate(storage, log)
    if (isPostgres(storage.eventStoreUrl)) await preparePostgresLog(storage.eventStoreUrl)
    const pool = openPool(storage.databaseUrl, READ_MODELS, {
      max: 1,
      statementTimeout: STATEMENT_TIMEOUT_MS,
      idleTransactionTimeout: STATEMENT_TIMEOUT_MS,
    })
    const engine = isPostgres(storage.eventStoreUrl) ? null : await openLog(storage, log)
    try {
      return await atOneMoment(pool, (client) =>
        withLogTables(storage, client, async (logTables) => {
          const vault = await openVault({
            pool: onlyThis(client),
            secretKey: storage.secretKey,
            now: () => new Date(),
            random: randomBytes,
          })
          const logRows =
            logTables !== null
              ? postgresRows(logTables.client, logTables.prefix)
              : engine !== null
                ? engineRows(engine)
                : { page: () => Promise.resolve([]), periods: () => Promise.resolve([]) }
          return work({ client, logRows, logTables, vault })
        }),
      )
    } finally {
      await engine?.close()
      await pool.end()
    }
  })

/**
 * Verifies the log, its tree and the audit trail.
 * @param now reference time for retention
 * @throws CliError for invalid files
 */
export const verifyLive = async (
  config: Config,
  log: Log,
  kept: Kept,
  now = new Date(),
): Promise<Verification> => {
  const evidence = await keptOf(kept)
  return withAuditView(config, log, (view) =>
    verifyAudit({ ...view, ...evidence, serializer: eventSerializer(view.vault), makes, now }),
  )
}
