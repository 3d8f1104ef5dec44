import type pg from 'pg'
import type { Clock } from '../clock.ts'
import { newSecret } from '../vault/hash.ts'

/** How long a person has to sign in before the application has to ask again. */
const LIFETIME_SECONDS = 900

/** An authorization request that waits for its person. `P` is what the protocol needs to go on. */
export interface AuthRequest<P> {
  readonly id: string
  readonly applicationId: string
  readonly parameters: P
  readonly expiresAt: string
}

/** Requests that wait for a sign-in: an expiring table, so that nobody unauthenticated makes the log grow. */
export const authRequests = <P extends object>(deps: {
  readonly pool: pg.Pool
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
}) => {
  const { pool, clock, random } = deps
  const columns = `id, application_id as "applicationId", parameters, expires_at as "expiresAt"`

  return {
    create: async (applicationId: string, parameters: P): Promise<AuthRequest<P>> => {
      const id = newSecret('', random)
      const expiresAt = clock.in(LIFETIME_SECONDS)
      await pool.query(
        `insert into work.auth_request (id, application_id, parameters, created_at, expires_at)
         values ($1, $2, $3, $4, $5)`,
        [id, applicationId, JSON.stringify(parameters), clock.now(), expiresAt],
      )
      return { id, applicationId, parameters, expiresAt }
    },

    /** The request, if it still waits. */
    find: async (id: string): Promise<AuthRequest<P> | null> => {
      const { rows } = await pool.query<AuthRequest<P>>(
        `select ${columns} from work.auth_request where id = $1 and expires_at > $2`,
        [id, clock.now()],
      )
      return rows[0] ?? null
    },

    /** The request, for one caller only: whoever comes second finds nothing. */
    take: async (id: string): Promise<AuthRequest<P> | null> => {
      const { rows } = await pool.query<AuthRequest<P>>(
        `delete from work.auth_request where id = $1 and expires_at > $2 returning ${columns}`,
        [id, clock.now()],
      )
      return rows[0] ?? null
    },

    sweep: async (): Promise<void> => {
      await pool.query('delete from work.auth_request where expires_at <= $1', [clock.now()])
    },
  }
}

export type AuthRequests<P extends object> = ReturnType<typeof authRequests<P>>
