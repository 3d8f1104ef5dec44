/**
 * Letters waiting to be sent (`work.mail`). Nothing of what they say is kept, and no address in clear: a row names the
 * person, and what else the letter needs is looked up when it goes out. Several instances may work at the same time;
 * each row is one's own until its time is over.
 */
import type pg from 'pg'
import type { Clock } from '../../kernel/clock.ts'

export type MethodKind = 'passkey' | 'security_key' | 'authenticator_code' | 'linked_account'

/** What a letter is about. Tokens are made anew from what is here, under a key of the vault. */
export type Subject =
  | { readonly kind: 'invitation' | 'methods_reset'; readonly tokenHash: string }
  | { readonly kind: 'magic_link' }
  /** `address` is a keyed hash: another address by now makes the letter pointless. */
  | { readonly kind: 'verify_address'; readonly address: string }
  /** The address that it was, under the person's key. */
  | { readonly kind: 'address_changed'; readonly sealedAddress: string }
  | { readonly kind: 'method_added'; readonly method: MethodKind }
  | { readonly kind: 'method_removed' | 'recovery_codes_generated' | 'recovery_code_used' }
  | { readonly kind: 'locked_out'; readonly until: string }

export interface NewLetter {
  /** Id of the event or link that it is about; one letter of a kind each. */
  readonly cause: string
  readonly userId: string
  readonly subject: Subject
  /** When what it tells of happened. */
  readonly at: string
  /** From then on it is pointless; a day from now at the latest. */
  readonly expiresAt?: string
}

export interface ClaimedLetter extends NewLetter {
  /** This one included. */
  readonly attempts: number
  readonly isOver: boolean
}

export type Outcome = 'sent' | 'failed' | 'unwanted'

/** Seconds for which a letter is tried; also the age from which an event is no news any more. */
export const FRESH_SECONDS = 86_400

/** For which a letter is one instance's own: longer than sending may take. Whoever dies with it leaves it to the others. */
export const CLAIM_SECONDS = 120

/** Seconds before the second attempt and each that follows. */
const RETRY_SECONDS = [30, 60, 120, 300, 600, 1800, 3600] as const
const LAST_RETRY_SECONDS = 7200

interface Row {
  readonly cause: string
  readonly user_id: string
  readonly parameters: Subject & { readonly at: string }
  readonly attempts: number
  readonly over: boolean
}

export const mailQueue = (pool: pg.Pool, clock: Clock) => ({
  /** What is queued already stays as it is. */
  add: async (letters: readonly NewLetter[]): Promise<void> => {
    if (letters.length === 0) return
    const latest = clock.in(FRESH_SECONDS)
    const ends = letters.map(({ expiresAt = latest }) => (expiresAt < latest ? expiresAt : latest))
    await pool.query(
      `insert into work.mail (cause, kind, user_id, parameters, queued_at, expires_at, next_attempt_at)
       select cause, kind, user_id, parameters::jsonb, $6, expires_at, $6
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
         as queued (cause, kind, user_id, parameters, expires_at)
       on conflict do nothing`,
      [
        letters.map(({ cause }) => cause),
        letters.map(({ subject }) => subject.kind),
        letters.map(({ userId }) => userId),
        letters.map(({ subject, at }) => JSON.stringify({ ...subject, at })),
        ends,
        clock.now(),
      ],
    )
  },

  /** Letters that are due, links to sign in first: somebody waits for those. */
  claim: async (limit: number): Promise<readonly ClaimedLetter[]> => {
    const { rows } = await pool.query<Row>(
      `update work.mail m set attempts = m.attempts + 1, next_attempt_at = $2
       from (select cause, kind from work.mail where outcome is null and next_attempt_at <= $1
         order by (kind = 'magic_link') desc, next_attempt_at limit $3 for update skip locked) due
       where m.cause = due.cause and m.kind = due.kind
       returning m.cause, m.user_id, m.parameters, m.attempts, m.expires_at <= $1 as over`,
      [clock.now(), clock.in(CLAIM_SECONDS), limit],
    )
    return rows.map(({ cause, user_id: userId, parameters: { at, ...subject }, attempts, over }) => ({
      cause,
      userId,
      subject,
      at,
      attempts,
      isOver: over,
    }))
  },

  settle: async ({ cause, subject }: ClaimedLetter, outcome: Outcome): Promise<void> => {
    await pool.query('update work.mail set outcome = $3 where cause = $1 and kind = $2', [
      cause,
      subject.kind,
      outcome,
    ])
  },

  /** To be tried again after a while. */
  postpone: async ({ cause, subject, attempts }: ClaimedLetter): Promise<void> => {
    await pool.query(
      'update work.mail set next_attempt_at = $3 where cause = $1 and kind = $2 and outcome is null',
      [cause, subject.kind, clock.in(RETRY_SECONDS[attempts - 1] ?? LAST_RETRY_SECONDS)],
    )
  },
})
