import pg from 'pg'
import { writtenBeyond } from '../../adapters/engines/event-log/event-types.ts'
import { attachEmbeddedPostgres } from '../../adapters/engines/postgres/attach.ts'
import {
  appliedMigrations,
  lastingSchemas,
  migratedBeyond,
  newestVersion,
  type AppliedMigration,
  type LastingSchema,
} from '../../adapters/engines/postgres/migrate.ts'
import { programVersion } from '../../adapters/kernel/project.ts'
import { otherSchemas } from '../../projections/build.ts'
import { hasSchema, READ_MODELS, UNVERSIONED } from '../../read-models/schema.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { existingDatabaseDir } from './storage.ts'

const CONNECT_TIMEOUT_MS = 3_000

/** The versions in a database; null for anything that is missing or in another database. */
export interface DatabaseVersions {
  /** The last migration of each schema, and the release that applied it */
  readonly schemas: Readonly<Record<LastingSchema, AppliedMigration | null>>
  readonly readModels: {
    /** The schema that this release reads, and whether it is built */
    readonly schema: string
    readonly built: boolean
    /** Schemas of other releases */
    readonly others: readonly string[]
  }
  /** Number of events ever appended; null for a log in another store */
  readonly head: number | null
  /** Number of events in the audit tree */
  readonly treeSize: number | null
  /** The release that upgraded the database, if this program is too old for it */
  readonly needs: string | null
}

export interface Versions {
  readonly version: string
  readonly node: string
  /** Why the database could not be read; null if it could */
  readonly noDatabase: string | null
  readonly database: DatabaseVersions | null
}

const isThere = async (client: pg.ClientBase, table: string): Promise<boolean> => {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    table,
  ])
  return rows[0]?.there === true
}

const numberIn = async (client: pg.ClientBase, table: string, column: string): Promise<number | null> => {
  if (!(await isThere(client, table))) return null
  const { rows } = await client.query<{ value: string }>(`select ${column}::text as value from ${table}`)
  return Number(rows[0]?.value ?? 0)
}

const readModelsOf = async (client: pg.ClientBase): Promise<DatabaseVersions['readModels']> => ({
  schema: READ_MODELS,
  built: await hasSchema(client, READ_MODELS),
  others: [...((await hasSchema(client, UNVERSIONED)) ? [UNVERSIONED] : []), ...(await otherSchemas(client))],
})

const versionsIn = async (client: pg.ClientBase): Promise<DatabaseVersions> => {
  const last = async (schema: LastingSchema): Promise<AppliedMigration | null> =>
    (await appliedMigrations(client, schema)).at(-1) ?? null
  const newer = [await migratedBeyond(client, lastingSchemas), await writtenBeyond(client)]
  return {
    schemas: {
      log: await last('log'),
      vault: await last('vault'),
      work: await last('work'),
      proof: await last('proof'),
    },
    readModels: await readModelsOf(client),
    head: await numberIn(client, 'log.head', 'position'),
    treeSize: await numberIn(client, 'proof.tree', 'size'),
    needs: newestVersion(newer.filter((version) => version !== null)),
  }
}

/** Returns the URL of a running database. */
const runningDatabase = async (config: Config, log: Log): Promise<{ url: string } | { why: string }> => {
  if (config.database.kind === 'postgres') return { url: config.database.url }
  const dir = await existingDatabaseDir(config, log)
  if (dir === null) return { why: `${config.dataDir} contains no database` }
  const url = await attachEmbeddedPostgres(dir)
  return url === null ? { why: 'the service does not run' } : { url }
}

/** Returns the versions of the program and of the database. Starts and changes nothing. */
export const versions = async (config: Config, log: Log): Promise<Versions> => {
  const program = { version: programVersion(), node: process.version }
  const running = await runningDatabase(config, log)
  if ('why' in running) return { ...program, noDatabase: running.why, database: null }
  const client = new pg.Client({
    connectionString: running.url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: CONNECT_TIMEOUT_MS,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return { ...program, noDatabase: null, database: await versionsIn(client) }
  } catch (error) {
    const reason = error instanceof Error && error.message !== '' ? error.message : 'no response'
    return { ...program, noDatabase: `the database is unavailable: ${reason}`, database: null }
  } finally {
    await client.end().catch(() => undefined)
  }
}
