import type pg from 'pg'
import { READ_MODELS } from '../../../read-models/schema.ts'
import { schemasInUse } from './other-versions.ts'

/** Schemas of read models of any version, and leftovers of interrupted builds. */
const ANY_VERSION = '^rm(_[0-9a-f]{10}(_building|_rebuild|_old)?)?$'

/** During this time the previous release can be started again without a rebuild. */
const KEPT_HOURS = 24

/**
 * Drops read models of other versions that no instance has read for a day. Unread ones are not updated either, so
 * after the erasure of a user they are dropped immediately, because they still contain that user.
 * @param pool connections with the read models of this version as their schema
 */
export const dropUnusedReadModels = async (pool: pg.Pool): Promise<void> => {
  await pool.query(
    `insert into work.read_model_use as u (schema, last_used_at)
     select n.nspname, clock_timestamp() from pg_namespace n where n.nspname ~ $1
     on conflict (schema) do update set last_used_at = excluded.last_used_at
       where u.schema in (${schemasInUse})`,
    [ANY_VERSION],
  )
  const { rows } = await pool.query<{ schema: string }>(
    `select u.schema from work.read_model_use u join pg_namespace n on n.nspname = u.schema
     where u.schema not like $1 || '%' and u.schema not in (${schemasInUse})
       and (u.last_used_at < clock_timestamp() - make_interval(hours => $2)
         or exists (select from users where erased and updated_at > u.last_used_at))`,
    [READ_MODELS, KEPT_HOURS],
  )
  for (const { schema } of rows) await pool.query(`drop schema if exists "${schema}" cascade`)
  await pool.query('delete from work.read_model_use where schema not in (select nspname from pg_namespace)')
}
