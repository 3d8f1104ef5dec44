import { DomainError } from '../../../domain/errors.ts'
import { epochSeconds } from '../../kernel/clock.ts'
import type { Services } from '../services/services.ts'
import { sealedJson } from '../../engines/vault/sealed-json.ts'
import { FRESH_SECONDS, mailQueue } from '../../engines/postgres/mail-queue.ts'

interface Confirmation {
  readonly userId: string
  readonly email: string
  /** How often roles had been added to the user when the email was sent. */
  readonly raises: number
  /** RFC 3339 */
  readonly expiresAt: string
}

/**
 * Nothing is stored: the encrypted link contains the user and the address. It becomes invalid when the
 * address changes or roles are added.
 */
export const addressConfirmations = ({ vault, clock }: Pick<Services, 'vault' | 'clock'>) => {
  // Links of earlier versions contain no role count.
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

/** Identifies an address without revealing it; ignores case. */
export const addressHash = (vault: Pick<Services['vault'], 'digest'>, email: string): string =>
  vault.digest('mail-address', email.toLowerCase())

/** Further requests within this time send nothing. */
const AGAIN_SECONDS = 300

/**
 * Sends the confirmation email again.
 * @throws DomainError ERR_CONFLICT if the address is confirmed, or if the service sends no email
 */
export const sendConfirmation =
  ({ pool, vault, clock, mail }: Pick<Services, 'pool' | 'vault' | 'clock' | 'mail'>) =>
  async (person: { readonly userId: string; readonly email: string; readonly emailVerified: boolean }) => {
    if (person.emailVerified) throw new DomainError('ERR_CONFLICT', 'Your address is already confirmed.')
    if (!mail.available) throw new DomainError('ERR_CONFLICT', 'This service does not send email.')
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
