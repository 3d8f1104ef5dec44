import type pg from 'pg'
import type { ExportFormat, ExportKind } from '../../domain/export/events.ts'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'

export type ExportStatus = 'queued' | 'running' | 'ready' | 'failed'

export interface ExportTaskRow {
  readonly id: Id<'export'>
  readonly requestedBy: Id<'user'> | null
  readonly requestedAt: Instant
  readonly kinds: readonly ExportKind[]
  readonly format: ExportFormat
  /** Null until the export starts, if none was requested */
  readonly at: Instant | null
  readonly status: ExportStatus
  readonly attempt: number
  readonly position: string | null
  readonly rows: number
  readonly total: number
  readonly finishedAt: Instant | null
  readonly expiresAt: Instant
  readonly bytes: number
  /** Hexadecimal; null until the file is complete */
  readonly sha256: string | null
  /** Null if there is no file */
  readonly sealedKey: string | null
  readonly checkpoint: string | null
  readonly downloadedAt: Instant | null
}

const columns = `
  id, requested_by as "requestedBy", requested_at as "requestedAt", kinds, format, at, status, attempt, position,
  rows, total, finished_at as "finishedAt", expires_at as "expiresAt", bytes, sha256, sealed_key as "sealedKey",
  checkpoint, downloaded_at as "downloadedAt"`

/** Newest first. */
export const listExports = async (pool: pg.Pool, now: Instant): Promise<readonly ExportTaskRow[]> => {
  const { rows } = await pool.query<ExportTaskRow>(
    `select ${columns} from work.export where expires_at > $1 order by requested_at desc, id desc`,
    [now],
  )
  return rows
}

export const findExport = async (pool: pg.Pool, id: string, now: Instant): Promise<ExportTaskRow | null> => {
  const { rows } = await pool.query<ExportTaskRow>(
    `select ${columns} from work.export where id = $1 and expires_at > $2`,
    [id, now],
  )
  return rows[0] ?? null
}

/** Returns the oldest export that no instance works on, for this instance, as its next attempt. */
export const takeExport = async (
  pool: pg.Pool,
  now: Instant,
  leasedUntil: Instant,
): Promise<ExportTaskRow | null> => {
  const { rows } = await pool.query<ExportTaskRow>({
    name: 'take export',
    text: `update work.export set status = 'running', leased_until = $2, attempt = attempt + 1, rows = 0, bytes = 0
     where id = (
       select id from work.export
       where status in ('queued', 'running') and (leased_until is null or leased_until <= $1) and expires_at > $1
       order by requested_at limit 1 for update skip locked)
     returning ${columns}`,
    values: [now, leasedUntil],
  })
  return rows[0] ?? null
}
