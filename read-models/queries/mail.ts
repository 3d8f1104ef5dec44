import type pg from 'pg'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/state.ts'

/** The current data of a user who receives an email. */
export interface Recipient {
  readonly userId: string
  readonly name: string
  readonly email: string
  /** The user's language (BCP 47); null if not set */
  readonly locale: string | null
  readonly status: UserStatus
  readonly emailVerified: boolean
  /** How often roles were added. Links sent before the last addition no longer sign the user in. */
  readonly raises: number
  /** The time of the last addition; null if there was none */
  readonly raisedAt: Instant | null
  /** Whether the user ever finished enrolment */
  readonly enrolled: boolean
  /**
   * The current enrolment link; null if there is none. `mailedTokenHash` is null for a link that is not sent by email.
   */
  readonly link: {
    readonly tokenHash: string
    readonly mailedTokenHash: string | null
    readonly expiresAt: Instant
  } | null
}

interface Row extends Omit<Recipient, 'link'> {
  readonly tokenHash: string | null
  readonly mailedTokenHash: string | null
  readonly expiresAt: Instant | null
}

const select = `select u.id as "userId", u.name, u.email, u.locale, u.status, u.email_verified as "emailVerified",
    r.raises, r.at as "raisedAt", u.activated_at is not null as enrolled, l.token_hash as "tokenHash",
    l.mailed_token_hash as "mailedTokenHash", l.expires_at as "expiresAt"
  from users u left join enrollment_links l on l.user_id = u.id
    cross join lateral (select count(distinct from_position)::int as raises, max(from_at) as at
      from role_intervals where user_id = u.id) r`

const recipient = ({ tokenHash, mailedTokenHash, expiresAt, ...person }: Row): Recipient => ({
  ...person,
  link: tokenHash === null || expiresAt === null ? null : { tokenHash, mailedTokenHash, expiresAt },
})

/** Returns null for unknown and deleted users, whose address may belong to another user by now. */
export const recipientOf = async (pool: pg.Pool, userId: string): Promise<Recipient | null> => {
  const { rows } = await pool.query<Row>(`${select} where u.id = $1 and u.status <> 'deleted'`, [userId])
  return rows[0] === undefined ? null : recipient(rows[0])
}

/** Returns the user with this address, not case-sensitive; null if there is none. */
export const recipientAt = async (pool: pg.Pool, email: string): Promise<Recipient | null> => {
  const { rows } = await pool.query<Row>(`${select} where u.email_key = $1 and u.status <> 'deleted'`, [
    email.toLowerCase(),
  ])
  return rows[0] === undefined ? null : recipient(rows[0])
}
