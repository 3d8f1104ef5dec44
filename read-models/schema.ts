/**
 * The schema of the read models. Its name is derived from what its tables are made of, so that two versions of this
 * program whose tables differ use different schemas of the same database, and serve beside each other.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'

/** What a table is made of; see `infra/fingerprints.mjs`. Rows of tables with equal fingerprints are interchangeable. */
export interface Fingerprint {
  /** Hash of the table's definition, without comments and layout. */
  readonly definition: string
  /** Hash of the code that makes rows of events. */
  readonly projection: string
  /** Each event type that rows are made of, with the version of its shape. */
  readonly events: Readonly<Record<string, string>>
}

export type Fingerprints = Readonly<Record<string, Fingerprint>>

/** Of the tables of this version, by name. */
export const fingerprints = JSON.parse(
  readFileSync(new URL('./fingerprints.json', import.meta.url), 'utf8'),
) as Fingerprints

const json = JSON.stringify(fingerprints)

/** The schema that this version reads and fills. */
export const READ_MODELS = `rm_${createHash('sha256').update(json).digest('hex').slice(0, 10)}`
/** The schema that becomes it, while it is filled for the first time. */
export const BUILDING = `${READ_MODELS}_building`
/** The schema that a rebuild fills beside it. */
export const REBUILD = `${READ_MODELS}_rebuild`
/** The schema of releases up to 0.1.0, which had one for all versions. */
export const UNVERSIONED = 'rm'

const folder = new URL('./tables/', import.meta.url)

/** Definitions of all tables, without a schema. */
const definitions = async (): Promise<string> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return (await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')))).join('\n')
}

/** Whether a schema is there. Under the name of {@link READ_MODELS} it is complete: it gets that name at the end. */
export const hasSchema = async (client: pg.ClientBase | pg.Pool, schema: string): Promise<boolean> => {
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema])
  return rowCount === 1
}

/** Fingerprints of the tables in a schema; none for one of an earlier release, which has no record of them. */
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
