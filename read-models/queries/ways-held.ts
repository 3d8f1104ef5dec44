import type pg from 'pg'
import type { HeldWays } from '../../domain/session/proof.ts'

/** Returns the kinds of sign-in methods and linked accounts that a user has. */
export const waysHeld = async (pool: pg.Pool, userId: string): Promise<HeldWays> => {
  const { rows } = await pool.query<HeldWays>(
    `select array(select distinct m.type from methods m where m.user_id = $1 order by m.type) as "methodTypes",
       exists (select from linked_accounts l where l.user_id = $1) as "linkedAccounts",
       exists (select from recovery_codes r where r.user_id = $1 and cardinality(r.hashes) > 0) as "recoveryCodes"`,
    [userId],
  )
  return rows[0] ?? { methodTypes: [], linkedAccounts: false, recoveryCodes: false }
}
