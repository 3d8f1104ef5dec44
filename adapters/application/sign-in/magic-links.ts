/**
 * Sign-in links by email. A request only writes one row and returns nothing; the sender looks up the user later, so
 * that response and duration are the same for all addresses. The token is derived from the row's id under a key of the
 * vault, and starts only one session, with the id `proof_id`.
 */
import { knownDeviceOf } from '../../../read-models/queries/devices.ts'
import { recipientAt, recipientOf, type Recipient } from '../../../read-models/queries/mail.ts'
import type { Services } from '../services/services.ts'
import { networkOf } from '../../kernel/client-ip.ts'
import { newId } from '../../kernel/ids.ts'
import type { NewEmail } from '../../engines/postgres/mail-queue.ts'
import { hashSecret, newSecret, sameHash } from '../../engines/vault/hash.ts'
import { methodAllowed } from './allowed-methods.ts'
import { needsProvider } from './federation/required-provider.ts'
import { addressHash } from './verify-address.ts'

/** How many links to one user a requester can get within the window. */
const LIMIT = 3
const WINDOW_SECONDS = 900

/**
 * How many links to one user all unknown devices together can get: this prevents flooding a mailbox from many
 * networks.
 */
const STRANGERS_LIMIT = 10
const STRANGERS_SECONDS = 3600

/** Maximum number of unprocessed requests from one network; further ones are dropped silently. */
const MAX_WAITING_OF_NETWORK = 50

/** An expired link is kept for a while, so that a late click is recognized. */
const KEPT_SECONDS = 86_400

const AT_ONCE = 20
const PURPOSE = 'magic-link'

/** Whether sign-in links are available. */
export const magicLinksOffered = async ({
  mail,
  configuration,
}: Pick<Services, 'mail' | 'configuration'>): Promise<boolean> =>
  mail.available && (await configuration.fresh()).methods.magic_link.enabled

interface LinkRequest {
  /** The address as entered; removed once the user is known. */
  readonly email?: string
  /** How often roles were added to the user; set once the user is known. */
  readonly raises?: number
  readonly authRequestId: string | null
}

/** The requester of a link */
export interface LinkAsker {
  readonly ip: string
  /** Hash of the device cookie; null for none. */
  readonly deviceHash: string | null
  /** The secret from this browser's previous request */
  readonly browser: string | undefined
}

interface WaitingRow {
  readonly id: string
  readonly network: string
  readonly deviceHash: string | null
  readonly request: string
  readonly expiresAt: string
}

/** A link that a client presented. */
export interface ComeBack {
  readonly person: Recipient
  readonly proofId: string
  /**
   * True if the link has not expired, is the newest of its browser, is for the verified address, and was sent after
   * the last role change.
   */
  readonly good: boolean
  /** The application's request; null in any browser except the requesting one. */
  readonly authRequestId: string | null
}

type Deps = Pick<Services, 'pool' | 'vault' | 'clock' | 'random' | 'configuration' | 'mail'>

const tokenOf = (vault: Pick<Services['vault'], 'digest'>, id: string): string => vault.digest(PURPOSE, id)

/** A newer link of a browser replaces its older one; requests from other browsers do not. */
const isNewest = `not exists (select from work.magic_link n where n.user_id = l.user_id and n.replaces = l.browser)`

const DEVICE = 'device|'
const NETWORK = 'network|'

export const magicLinks = (services: Deps) => {
  const { pool, vault, clock, random, configuration, mail } = services
  const sealed = (id: string, request: LinkRequest): string =>
    vault.seal(PURPOSE, JSON.stringify(request), id)
  const opened = (id: string, request: string): LinkRequest =>
    JSON.parse(vault.open(PURPOSE, request, id).toString()) as LinkRequest

  /**
   * An unverified address gets no link, and neither does one of a domain that requires its provider: the link would open
   * nothing. Unknown devices are limited by network and in total; each known device
   * separately.
   */
  const mayBeSent = async (
    id: string,
    { userId, email, status, emailVerified }: Recipient,
    asker: string,
    limit: number,
  ): Promise<boolean> => {
    if (status !== 'active' || !emailVerified || !(await methodAllowed(services, 'magic_link', userId)))
      return false
    if (await needsProvider(services, { userId, email, methods: ['magic_link'] })) return false
    const { rows } = await pool.query<{ own: number; strangers: number }>(
      `select count(*) filter (where asker = $2 and requested_at > $3)::int as own,
         count(*) filter (where starts_with(asker, $4) and requested_at > $5)::int as strangers
       from work.magic_link where user_id = $1 and id <> $6`,
      [userId, asker, clock.in(-WINDOW_SECONDS), NETWORK, clock.in(-STRANGERS_SECONDS), id],
    )
    const { own, strangers } = rows[0] ?? { own: 0, strangers: 0 }
    if (own >= limit) return false
    return asker.startsWith(DEVICE) || limit === Infinity || strangers < STRANGERS_LIMIT
  }

  const askerOf = async ({ network, deviceHash }: WaitingRow, email: string): Promise<string> => {
    const deviceId = deviceHash === null ? null : await knownDeviceOf(pool, deviceHash, email)
    return deviceId === null ? NETWORK + network : DEVICE + deviceId
  }

  /**
   * Whether a link created at the count `raises` is for the current verified address, and newer than the last role
   * change.
   */
  const isFor = (
    person: Pick<Recipient, 'email' | 'emailVerified' | 'raises'>,
    { address, raises }: { readonly address: string; readonly raises: number },
  ): boolean =>
    person.emailVerified && address === addressHash(vault, person.email) && raises === person.raises

  const resolveOne = async (
    row: WaitingRow,
    queue: (emails: readonly NewEmail[]) => Promise<void>,
    limit: number,
  ): Promise<void> => {
    const { id, request, expiresAt } = row
    const { email = '', authRequestId } = opened(id, request)
    const [person, asker] = await Promise.all([recipientAt(pool, email), askerOf(row, email)])
    if (person === null || !(await mayBeSent(id, person, asker, limit))) {
      await pool.query('delete from work.magic_link where id = $1 and user_id is null', [id])
      return
    }
    const { userId, raises } = person
    await queue([{ cause: id, userId, subject: { kind: 'magic_link' }, at: clock.now(), expiresAt }])
    await pool.query('update work.magic_link set user_id = $2, request = $3, asker = $4 where id = $1', [
      id,
      userId,
      sealed(id, { authRequestId, raises }),
      asker,
    ])
  }

  return {
    /** @returns the secret that identifies this browser later, and its expiry */
    ask: async (
      email: string,
      authRequestId: string | undefined,
      asker: LinkAsker,
    ): Promise<{ readonly browser: string; readonly expiresAt: string }> => {
      const id = newSecret('', random)
      const browser = newSecret('', random)
      const { magicLinkMinutes } = (await configuration.fresh()).settings
      const expiresAt = clock.in(magicLinkMinutes * 60)
      await pool.query(
        `insert into work.magic_link
           (id, token_hash, request, address, browser, proof_id, requested_at, expires_at, network, device, replaces)
         select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
         where (select count(*) from work.magic_link where network = $9 and user_id is null) < $12`,
        [
          id,
          hashSecret(tokenOf(vault, id)),
          sealed(id, { email, authRequestId: authRequestId ?? null }),
          addressHash(vault, email),
          hashSecret(browser),
          newId('session'),
          clock.now(),
          expiresAt,
          vault.digest('magic-link-network', networkOf(asker.ip)),
          asker.deviceHash,
          asker.browser === undefined ? null : hashSecret(asker.browser),
          MAX_WAITING_OF_NETWORK,
        ],
      )
      mail.queued.wake()
      return { browser, expiresAt }
    },

    /**
     * Looks up the users of pending requests, and queues their emails. Two instances that process the same row produce
     * the same result.
     * @param limit how many links to one user a requester can get within a quarter of an hour; further requests send
     * nothing
     */
    resolve: async (
      queue: (emails: readonly NewEmail[]) => Promise<void>,
      limit: number = LIMIT,
    ): Promise<void> => {
      for (let count = AT_ONCE; count === AT_ONCE;) {
        const { rows } = await pool.query<WaitingRow>(
          `select id, request, network, device as "deviceHash", expires_at as "expiresAt" from work.magic_link where user_id is null
           order by requested_at limit $1`,
          [AT_ONCE],
        )
        for (const row of rows) await resolveOne(row, queue, limit)
        count = rows.length
      }
    },

    /**
     * Returns the token of a link that can still be sent; null for one that is invalid, expired, or replaced by a
     * newer one of its browser.
     */
    tokenToSend: async (
      id: string,
      person: Pick<Recipient, 'email' | 'emailVerified' | 'raises'>,
    ): Promise<{ readonly token: string; readonly minutes: number } | null> => {
      const { rows } = await pool.query<{
        request: string
        address: string
        tokenHash: string
        minutes: number
      }>(
        `select l.request, l.address, l.token_hash as "tokenHash",
           round(extract(epoch from l.expires_at - l.requested_at) / 60)::int as minutes
         from work.magic_link l where l.id = $1 and l.expires_at > $2 and ${isNewest}`,
        [id, clock.now()],
      )
      const [row] = rows
      const token = tokenOf(vault, id)
      if (row === undefined) return null
      // An email may be queued just before the user is stored in its row.
      const { raises = person.raises } = opened(id, row.request)
      if (!isFor(person, { address: row.address, raises })) return null
      return sameHash(hashSecret(token), row.tokenHash) ? { token, minutes: row.minutes } : null
    },

    /** Null for an unknown token. */
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
      const isSameBrowser = browser !== undefined && sameHash(hashSecret(browser), row.browser)
      const { authRequestId, raises = 0 } = opened(row.id, row.request)
      return {
        person,
        proofId: row.proofId,
        good: row.inForce && isFor(person, { address: row.address, raises }),
        authRequestId: isSameBrowser ? authRequestId : null,
      }
    },

    /**
     * Revokes the other links of a user who signs in with one.
     * @param proofId of the used link
     */
    endOthers: async (userId: string, proofId: string): Promise<void> => {
      await pool.query(
        'update work.magic_link set expires_at = $3 where user_id = $1 and proof_id <> $2 and expires_at > $3',
        [userId, proofId, clock.now()],
      )
    },

    sweep: async (): Promise<void> => {
      await pool.query('delete from work.magic_link where expires_at <= $1', [clock.in(-KEPT_SECONDS)])
    },
  }
}

export type MagicLinks = ReturnType<typeof magicLinks>
