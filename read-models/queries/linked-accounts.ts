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
  readonly lastUsedAt: Instant | null
  /** Name of the provider; null if it no longer exists */
  readonly providerName: string | null
}

/** Returns a user's linked accounts, oldest first. */
export const linkedAccountsOf = async (
  pool: pg.Pool,
  userId: string,
): Promise<readonly LinkedAccountRow[]> => {
  const { rows } = await pool.query<LinkedAccountRow>(
    `select l.id, l.identity_provider_id as "identityProviderId", l.email, l.linked_at as "linkedAt",
       w.last_used_at as "lastUsedAt", p.fields ->> 'name' as "providerName"
     from linked_accounts l left join identity_providers p on p.id = l.identity_provider_id
       left join work.method_use w on w.method_id = l.id
     where l.user_id = $1 order by l.linked_at, l.id`,
    [userId],
  )
  return rows
}
