/**
 * Queue of emails (`work.mail`). It contains neither their text nor plain addresses: a row refers to the
 * user, and the rest is looked up when the email is sent. Several instances can work in parallel; each claims
 * rows until the claim expires.
 */
import type pg from 'pg'
import type { Clock } from '../../kernel/clock.ts'

export type MethodKind = 'passkey' | 'security_key' | 'authenticator_code' | 'linked_account'

/** The subject of an email. Tokens are derived from this data, under a key of the vault. */
export type Subject =
  | { readonly kind: 'invitation' | 'methods_reset'; readonly tokenHash: string }
  | { readonly kind: 'magic_link' }
  /** `address` is a keyed hash: the email is not sent if the address has changed. */
  | { readonly kind: 'verify_address'; readonly address: string }
  /** The former address, encrypted under the user's key */
  | { readonly kind: 'address_changed'; readonly sealedAddress: string }
  | { readonly kind: 'method_added'; readonly method: MethodKind }
  | { readonly kind: 'method_removed' | 'recovery_codes_generated' | 'recovery_code_used' }
  | { readonly kind: 'locked_out'; readonly until: string }
  | { readonly kind: 'new_sign_in'; readonly signInId: string }
  /** Sent to an administrator; the id of the sign-in to the break-glass account */
  | { readonly kind: 'break_glass_used'; readonly signInId: string }
  /** Sent to an approver */
  | { readonly kind: 'approval_requested' | 'approval_reminder'; readonly requestId: string }
  /** Sent to the requester and to the user who gets the access */
  | { readonly kind: 'access_request_decided'; readonly requestId: string }
  /** Sent to each reviewer with undecided items */
  | { readonly kind: 'access_review_opened'; readonly reviewId: string }
  /** Written by administrators for a lifecycle rule; the user whom it is about, and the texts with placeholders */
  | {
      readonly kind: 'lifecycle_message'
      readonly aboutUserId: string
      readonly title: string
      readonly text: string
    }
  /** Sent to the administrators of users */
  | { readonly kind: 'lifecycle_rule_paused'; readonly ruleId: string }

export interface NewEmail {
  /** Id of the event, sign-in or link; each id has at most one email of each kind */
  readonly cause: string
  readonly userId: string
  readonly subject: Subject
  /** Time of the event */
  readonly at: string
  /** When the email expires; at most a day from now */
  readonly expiresAt?: string
}

export interface ClaimedEmail extends NewEmail {
  /** Number of attempts, including this one */
  readonly attempts: number
  readonly isOver: boolean
}

export type Outcome = 'sent' | 'failed' | 'unwanted'

/** How long an email is retried, in seconds; also the age from which an event is too old for an email. */
export const FRESH_SECONDS = 86_400

/** How long a claim lasts: longer than sending can take. If the instance crashes, others continue. */
export const CLAIM_SECONDS = 120

/** Seconds before the second and each later attempt. */
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
  /** Does not change emails that are already queued. */
  add: async (emails: readonly NewEmail[]): Promise<void> => {
    if (emails.length === 0) return
    const latest = clock.in(FRESH_SECONDS)
    const ends = emails.map(({ expiresAt = latest }) => (expiresAt < latest ? expiresAt : latest))
    await pool.query(
      `insert into work.mail (cause, kind, user_id, parameters, queued_at, expires_at, next_attempt_at)
       select cause, kind, user_id, parameters::jsonb, $6, expires_at, $6
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
         as queued (cause, kind, user_id, parameters, expires_at)
       on conflict do nothing`,
      [
        emails.map(({ cause }) => cause),
        emails.map(({ subject }) => subject.kind),
        emails.map(({ userId }) => userId),
        emails.map(({ subject, at }) => JSON.stringify({ ...subject, at })),
        ends,
        clock.now(),
      ],
    )
  },

  /** Due emails, sign-in links first, because a user waits for those. */
  claim: async (limit: number): Promise<readonly ClaimedEmail[]> => {
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

  recordOutcome: async ({ cause, subject }: ClaimedEmail, outcome: Outcome): Promise<void> => {
    await pool.query('update work.mail set outcome = $3 where cause = $1 and kind = $2', [
      cause,
      subject.kind,
      outcome,
    ])
  },

  /** Schedules another attempt. */
  postpone: async ({ cause, subject, attempts }: ClaimedEmail): Promise<void> => {
    await pool.query(
      'update work.mail set next_attempt_at = $3 where cause = $1 and kind = $2 and outcome is null',
      [cause, subject.kind, clock.in(RETRY_SECONDS[attempts - 1] ?? LAST_RETRY_SECONDS)],
    )
  },
})
