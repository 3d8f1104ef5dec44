import type pg from 'pg'

/** What an administrator must repair after the loss of the secret key. */
export interface Unreadable {
  /** Number of users without a readable name and address */
  readonly people: number
  readonly authenticators: number
  readonly webhooks: number
  readonly provisioning: number
}

/** Counts them. Call it right after the loss, when every existing secret was encrypted before it. */
export const countUnreadable = async (pool: pg.Pool): Promise<Unreadable> => {
  const { rows } = await pool.query<Unreadable>(
    `select
       (select count(*)::integer from users where email_key is null and status <> 'deleted') as people,
       (select count(*)::integer from methods where type = 'authenticator_code') as authenticators,
       (select count(*)::integer from webhooks where status <> 'deleted') as webhooks,
       (select count(*)::integer from provisioning where status = 'configured') as provisioning`,
  )
  return rows[0] ?? { people: 0, authenticators: 0, webhooks: 0, provisioning: 0 }
}
