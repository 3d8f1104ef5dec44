import type pg from 'pg'

/** What to revoke when an application signs a user out. */
export interface SignOutState {
  /** The session has not been ended; it may have expired */
  readonly isOpen: boolean
  /** The application received tokens of this user after all earlier ones were revoked. */
  readonly hasTokens: boolean
}

export const signOutState = async (
  pool: pg.Pool,
  applicationId: string,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
): Promise<SignOutState> => {
  const { rows } = await pool.query<SignOutState>(
    `select
       exists (select from sessions where id = $3 and user_id = $2 and ended_at is null) as "isOpen",
       exists (select from sessions s join session_applications a on a.session_id = s.id
         where s.user_id = $2 and a.application_id = $1
           and a.last_at > coalesce((select revoked_at from revoked_applications
             where user_id = $2 and application_id = $1), '-infinity')) as "hasTokens"`,
    [applicationId, userId, sessionId],
  )
  return rows[0] ?? { isOpen: false, hasTokens: false }
}
