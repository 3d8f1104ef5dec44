import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'

/** An account at an identity provider that opens a person's account here. */
export interface LinkedAccountRow {
  readonly id: Id<'linkedAccount'>
  readonly identityProviderId: string
  /** As the provider sent it; null if it sent none. */
  readonly email: string | null
  readonly linkedAt: Instant
}

/** A person's linked accounts, oldest first. */
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
