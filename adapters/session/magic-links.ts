/**
 * Links to sign in, by e-mail. Whoever asks has one row written and hears nothing; whose address it is, if anyone's, is
 * looked up afterwards by whoever sends the letter, so that the answer and its duration are the same for all. The token
 * is made anew from the row's id under a key of the vault, and good for one session: the one of `proof_id`.
 */
import { recipientAt, recipientOf, type Recipient } from '../../read-models/queries/mail.ts'
import type { Services } from '../commands/deps.ts'
import { newId } from '../ids.ts'
import type { NewLetter } from '../mail/queue.ts'
import { hashSecret, newSecret, sameHash } from '../vault/hash.ts'
import { methodAllowed } from './allowed-methods.ts'
import { addressHash } from './verify-address.ts'

/** Links that one person is sent within the window. */
const LIMIT = 3
const WINDOW_SECONDS = 900

/** A link that is over is kept a while, so that a late click is known as what it is. */
const KEPT_SECONDS = 86_400

const AT_ONCE = 20
const PURPOSE = 'magic-link'

/** Whether links by e-mail are a way to sign in here. */
export const magicLinksOffered = async ({
  mail,
  configuration,
}: Pick<Services, 'mail' | 'configuration'>): Promise<boolean> =>
  mail.available && (await configuration.fresh()).methods.magic_link.enabled

interface Asked {
  /** As typed; left out once it is known whose it is. */
  readonly email?: string
  readonly authRequestId: string | null
}

interface WaitingRow {
  readonly id: string
  readonly request: string
  readonly expiresAt: string
}

/** A link that somebody has come with. */
export interface ComeBack {
  readonly person: Recipient
  readonly proofId: string
  /** Not over, the person's newest, and for the address that is theirs now. */
  readonly good: boolean
  /** The application's request; null in another browser than the one that asked. */
  readonly authRequestId: string | null
}

type Deps = Pick<Services, 'pool' | 'vault' | 'clock' | 'random' | 'configuration' | 'mail'>

const tokenOf = (vault: Pick<Services['vault'], 'digest'>, id: string): string => vault.digest(PURPOSE, id)

const isNewest = `not exists (select from work.magic_link n where n.user_id = l.user_id
  and (n.requested_at, n.id) > (l.requested_at, l.id))`

export const magicLinks = (services: Deps) => {
  const { pool, vault, clock, random, configuration, mail } = services
  const sealed = (id: string, asked: Asked): string => vault.seal(PURPOSE, JSON.stringify(asked), id)
  const opened = (id: string, request: string): Asked =>
    JSON.parse(vault.open(PURPOSE, request, id).toString()) as Asked

  const mayBeSent = async (id: string, { userId, status }: Recipient, limit: number): Promise<boolean> => {
    if (status !== 'active' || !(await methodAllowed(services, 'magic_link', userId))) return false
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from work.magic_link where user_id = $1 and requested_at > $2 and id <> $3`,
      [userId, clock.in(-WINDOW_SECONDS), id],
    )
    return (rows[0]?.count ?? 0) < limit
  }

  const resolveOne = async (
    { id, request, expiresAt }: WaitingRow,
    queue: (letters: readonly NewLetter[]) => Promise<void>,
    limit: number,
  ): Promise<void> => {
    const { email = '', authRequestId } = opened(id, request)
    const person = await recipientAt(pool, email)
    if (person === null || !(await mayBeSent(id, person, limit))) {
      await pool.query('delete from work.magic_link where id = $1 and user_id is null', [id])
      return
    }
    const { userId } = person
    await queue([{ cause: id, userId, subject: { kind: 'magic_link' }, at: clock.now(), expiresAt }])
    await pool.query('update work.magic_link set user_id = $2, request = $3 where id = $1', [
      id,
      userId,
      sealed(id, { authRequestId }),
    ])
  }

  return {
    /** @returns the secret by which this browser will be known again, and until when */
    ask: async (
      email: string,
      authRequestId: string | undefined,
    ): Promise<{ readonly browser: string; readonly expiresAt: string }> => {
      const id = newSecret('', random)
      const browser = newSecret('', random)
      const { magicLinkMinutes } = (await configuration.fresh()).settings
      const expiresAt = clock.in(magicLinkMinutes * 60)
      await pool.query(
        `insert into work.magic_link
           (id, token_hash, request, address, browser, proof_id, requested_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          id,
          hashSecret(tokenOf(vault, id)),
          sealed(id, { email, authRequestId: authRequestId ?? null }),
          addressHash(vault, email),
          hashSecret(browser),
          newId('session'),
          clock.now(),
          expiresAt,
        ],
      )
      mail.queued.wake()
      return { browser, expiresAt }
    },

    /**
     * Finds out who has asked, and queues their letters. Two instances that come to the same row do the same.
     * @param limit links that one person is sent within a quarter of an hour; further requests come to nothing
     */
    resolve: async (
      queue: (letters: readonly NewLetter[]) => Promise<void>,
      limit: number = LIMIT,
    ): Promise<void> => {
      for (let found = AT_ONCE; found === AT_ONCE;) {
        const { rows } = await pool.query<WaitingRow>(
          `select id, request, expires_at as "expiresAt" from work.magic_link where user_id is null
           order by requested_at limit $1`,
          [AT_ONCE],
        )
        for (const row of rows) await resolveOne(row, queue, limit)
        found = rows.length
      }
    },

    /** The token of a link that may still be sent; null for one that is over, or older than another. */
    tokenToSend: async (
      id: string,
      email: string,
    ): Promise<{ readonly token: string; readonly minutes: number } | null> => {
      const { rows } = await pool.query<{ address: string; tokenHash: string; minutes: number }>(
        `select l.address, l.token_hash as "tokenHash",
           round(extract(epoch from l.expires_at - l.requested_at) / 60)::int as minutes
         from work.magic_link l where l.id = $1 and l.expires_at > $2 and ${isNewest}`,
        [id, clock.now()],
      )
      const [row] = rows
      const token = tokenOf(vault, id)
      if (row?.address !== addressHash(vault, email)) return null
      return sameHash(hashSecret(token), row.tokenHash) ? { token, minutes: row.minutes } : null
    },

    /** Null for a token that is nobody's. */
    comeBack: async (token: string, browser: string | undefined): Promise<ComeBack | null> => {
      const { rows } = await pool.query<{
        id: string
        request: string
        address: string
        browser: string
        proofId: string
        userId: string
        inForce: boolean
      }>(
        `select l.id, l.request, l.address, l.browser, l.proof_id as "proofId", l.user_id as "userId",
           l.expires_at > $2 and ${isNewest} as "inForce"
         from work.magic_link l where l.token_hash = $1 and l.user_id is not null`,
        [hashSecret(token), clock.now()],
      )
      const [row] = rows
      const person = row === undefined ? null : await recipientOf(pool, row.userId)
      if (row === undefined || person === null) return null
      const asked = browser !== undefined && sameHash(hashSecret(browser), row.browser)
      return {
        person,
        proofId: row.proofId,
        good: row.inForce && row.address === addressHash(vault, person.email),
        authRequestId: asked ? opened(row.id, row.request).authRequestId : null,
      }
    },

    sweep: async (): Promise<void> => {
      await pool.query('delete from work.magic_link where expires_at <= $1', [clock.in(-KEPT_SECONDS)])
    },
  }
}

export type MagicLinks = ReturnType<typeof magicLinks>
