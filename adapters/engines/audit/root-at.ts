/** The root of the audit tree at a log position. */
import type pg from 'pg'
import { nodeBytes } from './bytes.ts'
import { AUDIT_TREE, hashesOf } from './tree.ts'

/** Returns the number of leaves up to a position; null until the tree reaches it. */
export const leavesUpTo = async (pool: pg.Pool | pg.ClientBase, position: string): Promise<number | null> => {
  const { rows } = await pool.query<{ size: string | null }>(
    `select (coalesce((
         select t.index * cardinality(t.positions)
           + (select count(*) from unnest(t.positions) p where p collate "C" <= $1)
         from proof.tile t where t.level = 0 and t.first_position <= $1 order by t.first_position desc limit 1), 0)
       + (select count(*) from proof.open_hash where level = 0 and position <= $1))::text as size
     from work.checkpoint c where c.name = '${AUDIT_TREE}' and c.position >= $1`,
    [position],
  )
  const size = rows[0]?.size
  return size === undefined || size === null ? null : Number(size)
}

/** Base64 (RFC 6962 §2.1); null until the tree reaches the place, and for an empty tree. */
export const rootAt = async (pool: pg.Pool | pg.ClientBase, position: string): Promise<string | null> => {
  const size = await leavesUpTo(pool, position)
  if (size === null || size === 0) return null
  const [root] = await hashesOf(pool, [[0, size]])
  return root === undefined ? null : nodeBytes.toBase64(root)
}
