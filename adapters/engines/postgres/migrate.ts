/**
 * The schemas with durable data: the log, the vault, the working tables and the audit proof. Each has numbered
 * migrations in `migrations/<schema>/`, which only run forwards; `<schema>.migration` records the applied ones. A
 * migration only adds, so that the previous release keeps working afterwards.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'
import { programVersion } from '../../kernel/project.ts'

export const lastingSchemas = ['log', 'vault', 'work', 'proof'] as const
export type LastingSchema = (typeof lastingSchemas)[number]

export interface Migration {
  /** Its file name without `.sql`; starts with the number */
  readonly name: string
  readonly sql: string
  /** SHA-256 of the file, hexadecimal */
  readonly checksum: string
}

export interface AppliedMigration {
  readonly name: string
  /** The version of `svc` that applied it */
  readonly version: string
}

/** The database has migrations or events of a later release. */
export class NewerDatabase extends Error {
  /** @param version the release that upgraded the database */
  constructor(version: string) {
    super(`This database was upgraded by svc ${version}. Run svc ${version} or newer.`)
    this.name = 'NewerDatabase'
  }
}

/** The release that had no record of migrations. Its tables are those of the first migration of each schema. */
const FIRST_RELEASE = '0.1.0'

/** Release 0.1.0 takes the same locks, so that the two never change a schema at the same time. */
const locks: Readonly<Record<LastingSchema, string>> = {
  log: '7301984226001',
  vault: String(0x73766302),
  work: `hashtext('svc.migrate.work')`,
  proof: `hashtext('svc.migrate.proof')`,
}

/** Returns the migrations that this release has for a schema, in order. */
export const migrationsOf = async (schema: LastingSchema): Promise<readonly Migration[]> => {
  const folder = new URL(`./migrations/${schema}/`, import.meta.url)
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(new URL(file, folder), 'utf8')
      return {
        name: file.slice(0, -'.sql'.length),
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
      }
    }),
  )
}

/** Returns the migrations that were applied to a schema, in order; a schema of release 0.1.0 has the first one. */
export const appliedMigrations = async (
  client: pg.ClientBase | pg.Pool,
  schema: LastingSchema,
): Promise<readonly AppliedMigration[]> => {
  const { rows: found } = await client.query<{ present: boolean; recorded: boolean }>(
    `select to_regnamespace('${schema}') is not null as present, to_regclass('${schema}.migration') is not null as recorded`,
  )
  if (found[0]?.recorded === true) {
    const { rows } = await client.query<AppliedMigration>(
      `select name, version from ${schema}.migration order by name`,
    )
    return rows
  }
  const [first] = await migrationsOf(schema)
  return found[0]?.present === true && first !== undefined
    ? [{ name: first.name, version: FIRST_RELEASE }]
    : []
}

/** Returns the newest of several versions; null if there are none. */
export const newestVersion = (versions: readonly string[]): string | null =>
  [...versions].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1) ?? null

/** Returns the release that applied migrations which this release does not have; null if there are none. */
export const migratedBeyond = async (
  client: pg.ClientBase | pg.Pool,
  schemas: readonly LastingSchema[],
): Promise<string | null> => {
  const unknown: string[] = []
  for (const schema of schemas) {
    const names = (await migrationsOf(schema)).map(({ name }) => name)
    const applied = await appliedMigrations(client, schema)
    unknown.push(...applied.filter(({ name }) => !names.includes(name)).map(({ version }) => version))
  }
  return newestVersion(unknown)
}

const isPresent = async (client: pg.ClientBase, schema: LastingSchema): Promise<boolean> => {
  // Reads the table, because `to_regnamespace` may return the state before the wait for the lock.
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema])
  return rowCount === 1
}

/** Applies missing migrations inside a transaction. */
const applyMissing = async (
  client: pg.ClientBase,
  schema: LastingSchema,
  upTo: string | undefined,
): Promise<readonly string[]> => {
  const adopted = await isPresent(client, schema)
  await client.query(`create schema if not exists ${schema}`)
  await client.query(
    `create table if not exists ${schema}.migration (
       name text primary key, checksum text not null, version text not null, applied_at timestamptz not null)`,
  )
  const { rows } = await client.query<AppliedMigration>(`select name, version from ${schema}.migration`)
  const done = new Map(rows.map(({ name, version }) => [name, version]))
  const carried = await migrationsOf(schema)
  const later = [...done].filter(([name]) => carried.every((each) => each.name !== name))
  const newest = newestVersion(later.map(([, version]) => version))
  if (newest !== null) throw new NewerDatabase(newest)
  const applied: string[] = []
  for (const { name, sql, checksum } of carried) {
    if (done.has(name) || (upTo !== undefined && name > upTo)) continue
    await client.query(sql)
    const version = adopted && done.size === 0 && name === carried[0]?.name ? FIRST_RELEASE : programVersion()
    await client.query(
      `insert into ${schema}.migration (name, checksum, version, applied_at) values ($1, $2, $3, clock_timestamp())`,
      [name, checksum, version],
    )
    applied.push(`${schema}/${name}`)
  }
  return applied
}

/**
 * Applies the migrations that a schema lacks, in the client's current transaction.
 * @param upTo the last one to apply; default: all
 * @returns what was applied now, as `<schema>/<name>`
 * @throws NewerDatabase
 */
export const migrateWithin = async (
  client: pg.ClientBase,
  schema: LastingSchema,
  upTo?: string,
): Promise<readonly string[]> => {
  await client.query(`select pg_advisory_xact_lock(${locks[schema]})`)
  return applyMissing(client, schema, upTo)
}

/**
 * The same in a separate transaction that is durable when this resolves. Does nothing if the schema is up to date.
 * Several processes may run it at the same time.
 */
export const migrateOn = async (client: pg.ClientBase, schema: LastingSchema): Promise<readonly string[]> => {
  const wanted = await migrationsOf(schema)
  const { rows } = await client.query<{ recorded: boolean }>(
    `select to_regclass('${schema}.migration') is not null as recorded`,
  )
  const names =
    rows[0]?.recorded === true ? (await appliedMigrations(client, schema)).map(({ name }) => name) : []
  if (names.join() === wanted.map(({ name }) => name).join()) return []
  await client.query('begin; set local synchronous_commit = on')
  try {
    const applied = await migrateWithin(client, schema)
    await client.query('commit')
    return applied
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** The same on a connection from a pool. */
export const migrateSchema = async (pool: pg.Pool, schema: LastingSchema): Promise<readonly string[]> => {
  const client = await pool.connect()
  let broken = true
  try {
    const applied = await migrateOn(client, schema)
    broken = false
    return applied
  } finally {
    client.release(broken)
  }
}
