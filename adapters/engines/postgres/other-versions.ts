/** Finds instances of other versions of the service on the same database by their connections. */
import type pg from 'pg'
import { READ_MODELS, UNVERSIONED } from '../../../read-models/schema.ts'

/** The name of the connection that a running instance keeps open. Releases up to 0.1.0 do not append a schema name. */
const RUNNING = 'svc running'
export const runningName = `${RUNNING} ${READ_MODELS}`

/** Milliseconds after which every running instance has noticed one that starts. */
export const NOTICED_MS = 2000
const LOOK_MS = 700

export interface OtherVersions {
  /** The schemas that these instances read */
  readonly schemas: () => readonly string[]
  readonly stop: () => void
}

/** Returns the schemas that running instances read. */
export const schemasInUse = `
  select distinct n.nspname::text as schema from pg_stat_activity a
  join pg_namespace n on n.nspname = coalesce(substring(a.application_name from '^${RUNNING} (rm_[0-9a-f]+)$'), '${UNVERSIONED}')
  where a.datname = current_database() and a.application_name like '${RUNNING}%'`

const look = async (pool: pg.Pool): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ schema: string }>({
    name: 'schemas in use',
    text: schemasInUse,
  })
  return rows.map(({ schema }) => schema).filter((schema) => schema !== READ_MODELS)
}

/**
 * Checks once, then regularly. While the database is unavailable, the last result remains valid.
 * @param changed called with the schemas that are no longer read
 */
export const watchOtherVersions = async (
  pool: pg.Pool,
  changed: (gone: readonly string[]) => void,
): Promise<OtherVersions> => {
  let schemas = await look(pool)
  const timer = setInterval(() => {
    look(pool).then(
      (now) => {
        const gone = schemas.filter((schema) => !now.includes(schema))
        schemas = now
        if (gone.length > 0) changed(gone)
      },
      () => undefined,
    )
  }, LOOK_MS)
  timer.unref()
  return {
    schemas: () => schemas,
    stop: () => {
      clearInterval(timer)
    },
  }
}
