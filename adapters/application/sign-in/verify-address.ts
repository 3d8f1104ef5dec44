import { DomainError } from '../../../domain/errors.ts'
import { epochSeconds } from '../../kernel/clock.ts'
import type { Services } from '../services/services.ts'
import { sealedJson } from '../../engines/vault/sealed-json.ts'
import { FRESH_SECONDS, mailQueue } from '../../engines/postgres/mail-queue.ts'

interface Confirmation {
  readonly userId: string
  readonly email: string
  /** How often the person had been given roles when the letter was sent. */
  readonly raises: number
  /** An instant. */
  readonly expiresAt: string
}

/**
 * Nothing is stored: the link names the person and the address, sealed. It is void once the address is another, or the
 * person was given roles.
 */
export const addressConfirmations = ({ vault, clock }: Pick<Services, 'vault' | 'clock'>) => {
  // One that an earlier version sealed tells of no roles.
  const sealed = sealedJson<Omit<Confirmation, 'raises'> & Partial<Pick<Confirmation, 'raises'>>>(
    vault,
    'verify-address',
  )
  return {
    issue: ({
      userId,
      email,
      raises,
    }: Omit<Confirmation, 'expiresAt'>): { token: string; expiresAt: string } => {
      const expiresAt = clock.in(FRESH_SECONDS)
      return { token: sealed.seal({ userId, email, raises, expiresAt }), expiresAt }
    },

    /** @throws DomainError ERR_LINK_EXPIRED */
    open: (token: string): Confirmation => {
      const confirmation = sealed.open(token)
      if (confirmation === null || confirmation.expiresAt <= clock.now())
        throw new DomainError('ERR_LINK_EXPIRED')
      return { ...confirmation, raises: confirmation.raises ?? 0 }
    },
  }
}

/** Names an address without telling it, in any letter case. */
export const addressHash = (vault: Pick<Services['vault'], 'digest'>, email: string): string =>
  vault.digest('mail-address', email.toLowerCase())

/** Asking again within this time sends nothing more. */
const AGAIN_SECONDS = 300

/**
 * Sends the letter that confirms a person's address once more.
 * @throws DomainError ERR_CONFLICT when it is confirmed, or when no letter leaves the house
 */
export const sendConfirmation =
  ({ pool, vault, clock, mail }: Pick<Services, 'pool' | 'vault' | 'clock' | 'mail'>) =>
  async (person: { readonly userId: string; readonly email: string; readonly emailVerified: boolean }) => {
    if (person.emailVerified) throw new DomainError('ERR_CONFLICT', 'Your address is confirmed already.')
    if (!mail.available) throw new DomainError('ERR_CONFLICT', 'This service sends no mail.')
    const at = clock.now()
    const address = addressHash(vault, person.email)
    const window = String(Math.floor(epochSeconds(at) / AGAIN_SECONDS))
    await mailQueue(pool, clock).add([
      {
        cause: `${person.userId}.${address}.${window}`,
        userId: person.userId,
        subject: { kind: 'verify_address', address },
        at,
      },
    ])
    mail.queued.wake()
  }
