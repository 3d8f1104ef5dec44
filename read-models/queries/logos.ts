import type pg from 'pg'
import type { Logo } from '../../domain/logo.ts'

/** Returns the logo of the organization; null for none. */
export const readLogo = async (pool: pg.Pool): Promise<Logo | null> => {
  const { rows } = await pool.query<Logo>(
    'select media_type as "mediaType", digest, content from branding where digest is not null',
  )
  return rows[0] ?? null
}

/** Returns the uploaded logo of an application; null for none. */
export const readApplicationLogo = async (pool: pg.Pool, applicationId: string): Promise<Logo | null> => {
  const { rows } = await pool.query<Logo>(
    'select media_type as "mediaType", digest, content from application_logos where application_id = $1',
    [applicationId],
  )
  return rows[0] ?? null
}
