import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'

/** An account at an identity provider that signs a user in here. */
export interface LinkedAccountRow {
  readonly id: Id<'linkedAccount'>
  readonly identityProviderId: string
  /** As sent by the provider; null if it sent none */
  readonly email: string | null
  readonly linkedAt: Instant
}

/** Returns a user's linked accounts, oldest first. */
export const linkedAccountsOf = async (
  pool: pg.Pool,
  userId: string,
): Promise<readonly LinkedAccountRow[]> => {
  const { rows } = await pool.query<LinkedAccountRow>(
    `select id, identity_provider_id as "identityProviderId", email, linked_at as "linkedAt"
     from linked_accounts where user_id = $1 order by linked_at, id`,
    [userId],
  )
  return rows
}
