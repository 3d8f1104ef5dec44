import type pg from 'pg'
import type { Logo } from '../../domain/branding/events.ts'

/** Returns the logo; null for none. */
export const readLogo = async (pool: pg.Pool): Promise<Logo | null> => {
  const { rows } = await pool.query<Logo>(
    'select media_type as "mediaType", digest, content from branding where digest is not null',
  )
  return rows[0] ?? null
}
