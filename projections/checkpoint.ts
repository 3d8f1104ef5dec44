import type pg from 'pg'
import { READ_MODELS } from '../read-models/schema.ts'

/** The channel on which a new checkpoint is announced; the payload is `<public name> <position>`. */
export const CHECKPOINT_CHANNEL = 'svc_checkpoint'

/** The consumer of every table that the API and the token paths read. */
export const CORE = 'core'

/** The consumer of the audit trail, which no command waits for. */
export const AUDIT = 'audit'

/**
 * Where a consumer stores its position: with its rows, so that both are rebuilt together, or, for subscribers with
 * external effects, in a schema that a rebuild does not change.
 */
export type CheckpointTable = 'checkpoint' | 'work.checkpoint'

/**
 * The name of a consumer that all versions of the service see, in leases and notifications. Each version has its own
 * consumers for its read models; the others are shared.
 */
export const publicName = (name: string, table: CheckpointTable): string =>
  table === 'checkpoint' ? `${READ_MODELS}.${name}` : name

/** Returns the position of a consumer; '' before the first event. */
export const readCheckpoint = async (
  client: pg.ClientBase | pg.Pool,
  name: string,
  table: CheckpointTable = 'checkpoint',
): Promise<string> => {
  const { rows } = await client.query<{ position: string }>(`select position from ${table} where name = $1`, [
    name,
  ])
  return rows[0]?.position ?? ''
}

/** The same, and locks it until the transaction ends. */
export const lockCheckpoint = async (
  client: pg.ClientBase,
  name: string,
  table: CheckpointTable = 'checkpoint',
): Promise<string> => {
  const select = {
    name: `lock ${table}`,
    text: `select position from ${table} where name = $1 for update`,
    values: [name],
  }
  const { rows } = await client.query<{ position: string }>(select)
  if (rows[0] !== undefined) return rows[0].position
  await client.query(`insert into ${table} (name, position) values ($1, '') on conflict do nothing`, [name])
  const { rows: made } = await client.query<{ position: string }>(select)
  return made[0]?.position ?? ''
}

/** Writes a consumer's position without a notification, for rows that are not active yet. */
export const writeCheckpoint = async (
  client: pg.ClientBase,
  name: string,
  position: string,
  table: CheckpointTable = 'checkpoint',
): Promise<void> => {
  await client.query(`update ${table} set position = $2 where name = $1`, [name, position])
}

/** Advances a consumer's position. The notification is sent when the transaction commits. */
export const advanceCheckpoint = async (
  client: pg.ClientBase,
  name: string,
  position: string,
  table: CheckpointTable = 'checkpoint',
): Promise<void> => {
  await client.query({
    name: `advance ${table}`,
    text: `with moved as (update ${table} set position = $2 where name = $1)
      select pg_notify('${CHECKPOINT_CHANNEL}', $3::text || ' ' || $2)`,
    values: [name, position, publicName(name, table)],
  })
}

/**
 * Advances a consumer's position past events that change no row, in one statement instead of a transaction:
 * for the holder of this lease, from its current position.
 * @returns false if the position differs, or the lease is not held
 */
export const passOver = async (
  pool: pg.Pool,
  name: string,
  fence: string,
  from: string,
  to: string,
  table: CheckpointTable = 'checkpoint',
): Promise<boolean> => {
  const { rowCount } = await pool.query({
    name: `pass over ${table}`,
    text: `with held as (
        select from work.lease where name = $5 and fence = $2 and expires_at > clock_timestamp() for share
      ), moved as (
        update ${table} set position = $4 where name = $1 and position = $3 and exists (select from held) returning position
      )
      select pg_notify('${CHECKPOINT_CHANNEL}', $5::text || ' ' || position) from moved`,
    values: [name, fence, from, to, publicName(name, table)],
  })
  return rowCount === 1
}
