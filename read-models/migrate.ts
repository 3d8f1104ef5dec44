import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'

/** The schema that serves, and the one a rebuild fills beside it. */
export const READ_MODELS = 'rm'
export const REBUILD = 'rm_rebuild'

const folder = new URL('./migrations/', import.meta.url)

const files = async (): Promise<readonly { name: string; sql: string; checksum: string }[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** The read models in the database were built by another version of this program. */
export class SchemaMismatch extends Error {
  readonly migration: string
  /** Whether a replay of the log mends it. */
  readonly wantsReplay: boolean

  constructor(schema: string, name: string, what: string) {
    super(`schema ${schema}: migration ${name} ${what}`)
    this.name = 'SchemaMismatch'
    this.migration = name
    this.wantsReplay = what === WANTS_REPLAY
  }
}

const WANTS_REPLAY =
  'differs from this version, and only a replay can update it; run "svc projections rebuild"'
const OF_ANOTHER =
  'is not known to this version; run a newer release, or rebuild the tables with "svc projections rebuild"'

/** Whether a schema is there and has every migration that this version carries, as it carries them. */
export const fitsReadModels = async (client: pg.ClientBase | pg.Pool, schema: string): Promise<boolean> => {
  const { rows: found } = await client.query<{ there: boolean }>(
    'select to_regclass($1) is not null as there',
    [`${schema}.migration`],
  )
  if (found[0]?.there !== true) return false
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `select name, checksum from ${schema}.migration`,
  )
  const known = new Map(rows.map(({ name, checksum }) => [name, checksum]))
  return (await files()).every(({ name, checksum }) => known.get(name) === checksum)
}

/** How a migration begins whose tables or columns would lack what is in the log already. */
const NEEDS_REPLAY = '-- rebuild:'

const showsSomething = async (client: pg.ClientBase): Promise<boolean> => {
  const { rowCount } = await client.query(`select from checkpoint where position <> '' limit 1`)
  return rowCount !== 0
}

/**
 * Brings a schema of read models to this version's shape. Idempotent; two at once are safe.
 * @returns names of the migrations applied now
 * @throws SchemaMismatch when an applied migration differs from the file of its name or has none, or when one that wants a
 *   replay is to be applied to tables that show events already
 */
export const migrateReadModels = async (
  client: pg.ClientBase,
  schema: string,
): Promise<readonly string[]> => {
  const applied: string[] = []
  await client.query('begin')
  try {
    await client.query(`select pg_advisory_xact_lock(hashtext('svc.migrate.' || $1))`, [schema])
    await client.query(`create schema if not exists ${schema}`)
    await client.query(`set local search_path to ${schema}`)
    await client.query('create table if not exists migration (name text primary key, checksum text not null)')
    const { rows } = await client.query<{ name: string; checksum: string }>(
      'select name, checksum from migration',
    )
    const known = new Map(rows.map(({ name, checksum }) => [name, checksum]))
    const carried = await files()
    const later = [...known.keys()].find((name) => !carried.some((file) => file.name === name))
    if (later !== undefined) throw new SchemaMismatch(schema, later, OF_ANOTHER)
    for (const { name, sql, checksum } of carried) {
      const before = known.get(name)
      if (before === checksum) continue
      if (before !== undefined) throw new SchemaMismatch(schema, name, WANTS_REPLAY)
      if (sql.startsWith(NEEDS_REPLAY) && (await showsSomething(client)))
        throw new SchemaMismatch(schema, name, WANTS_REPLAY)
      await client.query(sql)
      await client.query('insert into migration (name, checksum) values ($1, $2)', [name, checksum])
      applied.push(name)
    }
    await client.query('commit')
    return applied
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
