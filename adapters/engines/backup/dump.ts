/** Writes every row of the durable schemas from one snapshot. Keeps one page of rows in memory. */
import type pg from 'pg'
import { nodeBytes } from '../audit/bytes.ts'
import { openHashes, rootOf, treeState } from '../audit/tree.ts'
import { lastingSchemas } from '../postgres/migrate.ts'
import type { BackupTable, BackupTree } from './format.ts'

const PAGE = 200

/**
 * Tables in the order of their creation: a table comes after those that it refers to. Exports and imports are left out:
 * they are large, can be requested again, and have personal data that no key protects.
 */
const TABLES = `select n.nspname || '.' || c.relname as "table", array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where n.nspname = any ($1) and c.relkind = 'r' and c.relname not in ('migration', 'export', 'export_piece', 'import', 'import_line')
  group by c.oid, n.nspname, c.relname order by c.oid`

/** Makes the text of values independent of the defaults of the database. */
export const PRINTED = `set local timezone = 'UTC'; set local datestyle = 'ISO'; set local bytea_output = 'hex';
  set local extra_float_digits = 1`

export interface Dumped {
  /** Number of rows by table */
  readonly rows: Record<string, number>
  tree: BackupTree
}

const treeOf = async (client: pg.ClientBase): Promise<BackupTree> => {
  const { size } = await treeState(client)
  return {
    size,
    root: size === 0 ? null : nodeBytes.toBase64(rootOf(await openHashes(client), size)),
  }
}

/**
 * Yields the lines of a backup after its header.
 * @param client in a transaction with one snapshot
 * @param dumped collects what was written
 * @param progressed called with the table and the number of its rows so far
 */
export const dumpTables = async function* (
  client: pg.ClientBase,
  dumped: Dumped,
  progressed: (table: string, rows: number) => void,
): AsyncGenerator<string> {
  await client.query(PRINTED)
  const { rows: tables } = await client.query<BackupTable>(TABLES, [lastingSchemas])
  for (const { table, columns } of tables) {
    yield JSON.stringify({ table, columns } satisfies BackupTable)
    const list = columns.map((column) => `"${column}"::text`).join(', ')
    await client.query(
      `declare dump no scroll cursor for select json_build_array(${list})::text as line from ${table}`,
    )
    let count = 0
    for (;;) {
      const { rows } = await client.query<{ line: string }>(`fetch ${String(PAGE)} from dump`)
      if (rows.length === 0) break
      for (const { line } of rows) yield line
      progressed(table, (count += rows.length))
    }
    await client.query('close dump')
    dumped.rows[table] = count
  }
  dumped.tree = await treeOf(client)
}
