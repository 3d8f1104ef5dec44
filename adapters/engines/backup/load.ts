/** Loads the rows of a backup into an empty database, with the tables of the release that wrote it. */
import type pg from 'pg'
import { nodeBytes } from '../audit/bytes.ts'
import { rootOf, treeState } from '../audit/tree.ts'
import { deletable, joinLeaves, postgresRows } from '../audit/verify/leaves.ts'
import type { Hash } from '../../../domain/audit/merkle.ts'
import { grow, type TileHash } from '../../../domain/audit/tiles.ts'
import { writtenBeyond } from '../event-log/event-types.ts'
import { microsecondsOf } from '../event-log/retention.ts'
import { lastingSchemas, migrateWithin, migrationsOf, NewerDatabase } from '../postgres/migrate.ts'
import {
  BackupDamaged,
  type BackupEnd,
  type BackupHeader,
  type BackupPart,
  type BackupTable,
  type BackupTree,
  type Row,
} from './format.ts'
import { PRINTED } from './dump.ts'

const BATCH_ROWS = 500
const BATCH_CHARACTERS = 2_000_000

/**
 * Creates the tables of the release that wrote the backup.
 * @throws NewerDatabase
 */
const createTables = async (client: pg.ClientBase, header: BackupHeader): Promise<void> => {
  for (const schema of lastingSchemas) {
    const last = header.migrations[schema]
    if ((await migrationsOf(schema)).every(({ name }) => name !== last))
      throw new NewerDatabase(header.writtenBy)
    await migrateWithin(client, schema, last)
  }
}

/** Inserts the rows of one table in batches. */
const inserter = async (client: pg.ClientBase, { table, columns }: BackupTable) => {
  if (!/^(?:log|vault|work|proof)\.[a-z_]+$/.test(table))
    throw new BackupDamaged(`${table} is not a table of it`)
  const { rows: types } = await client.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = to_regclass($1) and attnum > 0 and not attisdropped`,
    [table],
  )
  const typeOf = new Map(types.map(({ name, type }) => [name, type]))
  const values = columns.map((column, at) => {
    const type = typeOf.get(column)
    if (type === undefined) throw new BackupDamaged(`${table} has no column ${column}`)
    return `(row->>${String(at)})::${type}`
  })
  // A migration may have inserted initial rows.
  await client.query(`delete from ${table}`)
  const insert = `insert into ${table} (${columns.map((column) => `"${column}"`).join(', ')})
    select ${values.join(', ')} from json_array_elements($1::json) as row`
  let batch: string[] = []
  let characters = 0
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await client.query(insert, [`[${batch.join(',')}]`])
    batch = []
    characters = 0
  }
  return {
    add: async (row: Row): Promise<void> => {
      const text = JSON.stringify(row)
      batch.push(text)
      characters += text.length
      if (batch.length >= BATCH_ROWS || characters > BATCH_CHARACTERS) await flush()
    },
    flush,
  }
}

/**
 * Computes the head of the audit tree from the events of the log. Events that were deleted after their retention are
 * represented by the hashes of the tree.
 * @throws BackupDamaged if an event is missing or differs from its leaf
 */
const treeOfLog = async (client: pg.ClientBase, prefix: string, now: Date): Promise<BackupTree> => {
  const rows = postgresRows(client, prefix)
  const mayBeGone = deletable(await rows.periods(), microsecondsOf(now))
  const { size: leaves, position } = await treeState(client)
  let open: readonly TileHash[] = []
  let size = 0
  for await (const joined of joinLeaves(client, rows)) {
    const hashes: { hash: Hash; position: null }[] = []
    for (const { record, stored } of joined) {
      if (record === null && stored !== null && stored.position > position) continue
      const hash = stored?.hash ?? (record !== null && mayBeGone(record) ? record.hash : null)
      if (hash === null || record === null)
        throw new BackupDamaged(
          `the log and the audit tree differ at ${stored?.position ?? record?.position ?? ''}`,
        )
      hashes.push({ hash, position: null })
    }
    open = grow(nodeBytes.sha256, open, size, hashes).open
    size += hashes.length
  }
  if (size !== leaves)
    throw new BackupDamaged(`the audit tree has ${String(leaves)} leaves, the log ${String(size)}`)
  return { size, root: size === 0 ? null : nodeBytes.toBase64(rootOf(open, size)) }
}

/**
 * Loads a backup, migrates it to this release, and recomputes the audit tree from its log.
 * @param client in a transaction, on a database without these schemas
 * @param parts everything after the header
 * @throws BackupDamaged, NewerDatabase
 */
export const loadBackup = async (
  client: pg.ClientBase,
  header: BackupHeader,
  parts: AsyncIterable<BackupPart>,
  { now, progressed }: { readonly now: Date; readonly progressed: (table: string, rows: number) => void },
): Promise<BackupEnd['end']> => {
  await client.query(PRINTED)
  await createTables(client, header)
  let current: { readonly name: string; readonly rows: Awaited<ReturnType<typeof inserter>> } | undefined
  let count = 0
  for await (const part of parts) {
    if ('row' in part) {
      if (current === undefined) throw new BackupDamaged('a row belongs to no table')
      await current.rows.add(part.row)
      progressed(current.name, ++count)
      continue
    }
    await current?.rows.flush()
    if ('table' in part) {
      current = { name: part.table.table, rows: await inserter(client, part.table) }
      count = 0
    }
    if (!('end' in part)) continue
    for (const schema of lastingSchemas) await migrateWithin(client, schema)
    const newer = await writtenBeyond(client)
    if (newer !== null) throw new NewerDatabase(newer)
    const { size, root } = await treeOfLog(client, header.prefix, now)
    if (size !== part.end.tree.size || root !== part.end.tree.root)
      throw new BackupDamaged('its log has another audit root than the backup states')
    return part.end
  }
  throw new BackupDamaged('it is cut off')
}
