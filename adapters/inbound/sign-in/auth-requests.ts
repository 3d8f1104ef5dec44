import type pg from 'pg'
import type { Clock } from '../../kernel/clock.ts'
import { waitingRoom, type RoomLimits } from '../../application/sign-in/waiting-room.ts'
import { newSecret } from '../../engines/vault/hash.ts'
import type { ServiceSeals } from '../../engines/vault/service-seals.ts'

/** How long a user has to sign in before the application has to send a new request. */
const LIFETIME_SECONDS = 900
/** Limits for pending requests, because they need no credential. */
const LIMITS: RoomLimits = { ofOneNetwork: 1000, inAll: 50_000 }
const PURPOSE = 'auth-request'
/**
 * The form of their ids. Other values are not looked up, because they may contain characters that the database
 * rejects.
 */
const ID = /^[\w-]{43}$/

/** A pending authorization request. `P` is what the protocol needs to continue. */
export interface AuthRequest<P> {
  readonly id: string
  readonly applicationId: string
  readonly parameters: P
  readonly expiresAt: string
  /** The session of the user who signed in for it; null before that */
  readonly signedIn: string | null
}

type Sealed = Omit<AuthRequest<object>, 'parameters'> & { readonly parameters: string }

/** Pending requests: in a table of expiring rows, so that unauthenticated requests do not make the log grow. */
export const authRequests = <P extends object>(deps: {
  readonly pool: pg.Pool
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
  readonly vault: Pick<ServiceSeals, 'seal' | 'open' | 'digest'>
  /** For tests */
  readonly limits?: RoomLimits
}) => {
  const { pool, clock, random, vault, limits = LIMITS } = deps
  const room = waitingRoom('auth_request', deps, limits)
  const columns = `id, application_id as "applicationId", parameters, expires_at as "expiresAt",
    signed_in as "signedIn"`

  // The login_hint of an application is personal data, so it is encrypted while the request is pending.
  const opened = (row: Sealed | undefined): AuthRequest<P> | null =>
    row === undefined
      ? null
      : { ...row, parameters: JSON.parse(vault.open(PURPOSE, row.parameters, row.id).toString()) as P }

  return {
    /** @param ip of the browser; a network with too many pending requests loses its oldest */
    create: async (applicationId: string, parameters: P, ip: string): Promise<AuthRequest<P>> => {
      const id = newSecret('', random)
      const expiresAt = clock.in(LIFETIME_SECONDS)
      const { network, site } = room.originOf(ip)
      await pool.query(
        `with ${room.makeRoom('$6')}
         insert into work.auth_request (id, application_id, parameters, created_at, expires_at, origin, site)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [
          id,
          applicationId,
          JSON.stringify(vault.seal(PURPOSE, JSON.stringify(parameters), id)),
          clock.now(),
          expiresAt,
          network,
          site,
        ],
      )
      await room.added()
      return { id, applicationId, parameters, expiresAt, signedIn: null }
    },

    /** Returns the request if it is still pending. */
    find: async (id: string): Promise<AuthRequest<P> | null> => {
      if (!ID.test(id)) return null
      const { rows } = await pool.query<Sealed>(
        `select ${columns} from work.auth_request where id = $1 and expires_at > $2`,
        [id, clock.now()],
      )
      return opened(rows[0])
    },

    /** Stores that its user signed in for it, so that continuing is not recorded as another sign-in. */
    signedIn: async (id: string, sessionId: string): Promise<void> => {
      await pool.query('update work.auth_request set signed_in = $2 where id = $1', [id, sessionId])
    },

    /** Removes and returns the request, so that only one caller gets it. */
    take: async (id: string): Promise<AuthRequest<P> | null> => {
      if (!ID.test(id)) return null
      const { rows } = await pool.query<Sealed>(
        `delete from work.auth_request where id = $1 and expires_at > $2 returning ${columns}`,
        [id, clock.now()],
      )
      return opened(rows[0])
    },

    sweep: async (): Promise<void> => {
      await pool.query('delete from work.auth_request where expires_at <= $1', [clock.now()])
      await room.trim()
    },

    trim: room.trim,
  }
}

export type AuthRequests<P extends object> = ReturnType<typeof authRequests<P>>
