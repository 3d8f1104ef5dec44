import { DomainError } from '../../domain/errors.ts'
import type { Services } from '../commands/deps.ts'
import { sealedJson } from '../oidc/sealed-json.ts'
import { FRESH_SECONDS } from '../mail/queue.ts'

interface Confirmation {
  readonly userId: string
  readonly email: string
  /** An instant. */
  readonly expiresAt: string
}

/** Nothing is stored: the link names the person and the address, sealed. It says nothing any more once that is another. */
export const addressConfirmations = ({ vault, clock }: Pick<Services, 'vault' | 'clock'>) => {
  const sealed = sealedJson<Confirmation>(vault, 'verify-address')
  return {
    issue: (userId: string, email: string): { token: string; expiresAt: string } => {
      const expiresAt = clock.in(FRESH_SECONDS)
      return { token: sealed.seal({ userId, email, expiresAt }), expiresAt }
    },

    /** @throws DomainError ERR_LINK_EXPIRED */
    open: (token: string): Confirmation => {
      const confirmation = sealed.open(token)
      if (confirmation === null || confirmation.expiresAt <= clock.now())
        throw new DomainError('ERR_LINK_EXPIRED')
      return confirmation
    },
  }
}

/** Names an address without telling it, in any letter case. */
export const addressHash = (vault: Pick<Services['vault'], 'digest'>, email: string): string =>
  vault.digest('mail-address', email.toLowerCase())
