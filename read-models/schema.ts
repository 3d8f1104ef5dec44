/**
 * The schema of the read models. Its name is derived from the fingerprints of its tables, so that two versions of the
 * service with different tables use different schemas of the same database and can run at the same time.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'

/**
 * Identifies how a table is defined and filled; see `infra/fingerprints.mjs`. Tables with equal fingerprints have
 * interchangeable rows.
 */
export interface Fingerprint {
  /** Hash of the table's definition, without comments and layout */
  readonly definition: string
  /** Hash of the code that converts events to rows */
  readonly projection: string
  /** Each event type that affects the rows, with the version of its shape */
  readonly events: Readonly<Record<string, string>>
}

export type Fingerprints = Readonly<Record<string, Fingerprint>>

/** Fingerprints of the tables of this version, by name. */
export const fingerprints = JSON.parse(
  readFileSync(new URL('./fingerprints.json', import.meta.url), 'utf8'),
) as Fingerprints

const json = JSON.stringify(fingerprints)

/** The schema that this version reads and writes. */
export const READ_MODELS = `rm_${createHash('sha256').update(json).digest('hex').slice(0, 10)}`
/** The name of that schema while it is built. */
export const BUILDING = `${READ_MODELS}_building`
/** The schema that a rebuild fills. */
export const REBUILD = `${READ_MODELS}_rebuild`
/** The schema of releases up to 0.1.0, which used the same name for all versions. */
export const UNVERSIONED = 'rm'

const folder = new URL('./tables/', import.meta.url)

/** Returns the definitions of all tables, without a schema. */
const definitions = async (): Promise<string> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return (await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')))).join('\n')
}

/** Whether a schema exists. A schema with the name {@link READ_MODELS} is complete, because it gets that name last. */
export const hasSchema = async (client: pg.ClientBase | pg.Pool, schema: string): Promise<boolean> => {
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema])
  return rowCount === 1
}

/**
 * Returns the fingerprints of the tables in a schema; none for the schema of an earlier release that did not store
 * them.
 */
export const fingerprintsIn = async (
  client: pg.ClientBase | pg.Pool,
  schema: string,
): Promise<Fingerprints> => {
  const { rows: recorded } = await client.query<{ there: boolean }>(
    'select to_regclass($1) is not null as there',
    [`${schema}.fingerprint`],
  )
  if (recorded[0]?.there !== true) return {}
  const { rows } = await client.query<{ name: string; fingerprint: Fingerprint }>(
    `select name, fingerprint from ${schema}.fingerprint`,
  )
  return Object.fromEntries(rows.map(({ name, fingerprint }) => [name, fingerprint]))
}

/** Creates a schema with the empty tables of this version, inside the current transaction of the client. */
export const createSchema = async (client: pg.ClientBase, schema: string): Promise<void> => {
  await client.query(`create schema ${schema}`)
  await client.query(`set local search_path to ${schema}`)
  await client.query(await definitions())
  await client.query(
    'insert into fingerprint (name, fingerprint) select key, value from jsonb_each($1::jsonb)',
    [json],
  )
}
