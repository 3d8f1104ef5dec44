import type pg from 'pg'
import type { OrganizationSettings } from '../../domain/organization/events.ts'
import type { Instant } from '../../domain/time.ts'

export interface SettingsRow {
  readonly settings: OrganizationSettings
  readonly updatedAt: Instant
  readonly version: number
}

/** Returns the settings as changed by an administrator; null if unchanged. */
export const readSettings = async (pool: pg.Pool): Promise<SettingsRow | null> => {
  const { rows } = await pool.query<SettingsRow>(
    'select settings, updated_at as "updatedAt", version from organization',
  )
  return rows[0] ?? null
}
