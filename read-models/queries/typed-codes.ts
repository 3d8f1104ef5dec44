import type pg from 'pg'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/state.ts'

/** The data of a user that checking a typed code needs. */
export interface CodeHolder {
  readonly userId: string
  readonly status: UserStatus
  readonly name: string
  readonly email: string
  readonly authenticators: readonly { readonly methodId: string; readonly sealedSecret: string }[]
  /** Keyed hashes of the remaining codes */
  readonly recoveryCodes: readonly string[]
}

/** Returns the user with this address, not case-sensitive; null if there is none. */
export const codeHolder = async (pool: pg.Pool, email: string): Promise<CodeHolder | null> => {
  const { rows } = await pool.query<CodeHolder>(
    `select u.id as "userId", u.status, u.name, u.email,
       coalesce((select json_agg(json_build_object('methodId', m.id, 'sealedSecret', m.sealed_secret)
           order by m.created_at, m.id)
         from methods m where m.user_id = u.id and m.sealed_secret is not null), '[]') as authenticators,
       coalesce((select r.hashes from recovery_codes r where r.user_id = u.id), '{}') as "recoveryCodes"
     from users u where u.email_key = $1`,
    [email.toLowerCase()],
  )
  return rows[0] ?? null
}

/** Returns how many recovery codes a user has left, and when they were created; null if the user never had any. */
export const recoveryCodesOf = async (
  pool: pg.Pool,
  userId: string,
): Promise<{ readonly remaining: number; readonly generatedAt: Instant } | null> => {
  const { rows } = await pool.query<{ remaining: number; generatedAt: Instant }>(
    `select cardinality(hashes) as remaining, generated_at as "generatedAt"
     from recovery_codes where user_id = $1`,
    [userId],
  )
  return rows[0] ?? null
}
