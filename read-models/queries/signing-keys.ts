import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'

export interface PublicSigningKey {
  readonly id: Id<'signingKey'>
  readonly kid: string
  readonly alg: 'RS256'
  readonly status: 'next' | 'active' | 'previous' | 'retired'
  readonly createdAt: Instant
  readonly activatedAt: Instant | null
  readonly retiresAt: Instant | null
}

/** Returns all keys, newest first, without their private halves. */
export const listSigningKeys = async (pool: pg.Pool): Promise<readonly PublicSigningKey[]> => {
  const { rows } = await pool.query<PublicSigningKey>(
    `select id, kid, alg, status, created_at as "createdAt", activated_at as "activatedAt",
       retires_at as "retiresAt"
     from signing_keys order by created_at desc, id desc`,
  )
  return rows
}

/** Returns the ids of previous keys whose time in the key set has ended. */
export const overdueSigningKeys = async (pool: pg.Pool, now: Instant): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select id from signing_keys where status = 'previous' and retires_at <= $1`,
    [now],
  )
  return rows.map(({ id }) => id)
}
