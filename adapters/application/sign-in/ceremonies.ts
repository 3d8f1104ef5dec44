/**
 * Ceremonies in progress: creating or using passkeys (WebAuthn Level 3 §7.1, §7.2), setting up authenticator
 * apps. Nothing is stored: the reference is the encrypted ceremony. It contains the id of its outcome, which
 * the log records only once, so no ceremony counts twice.
 */
import { DomainError } from '../../../domain/errors.ts'
import { epochSeconds, type Clock } from '../../kernel/clock.ts'
import { SealBroken } from '../../engines/vault/aead.ts'
import type { ServiceSeals } from '../../engines/vault/service-seals.ts'

/** How long a user can take to complete a ceremony. */
export const CEREMONY_SECONDS = 300

export interface CeremonyDeps {
  readonly vault: Pick<ServiceSeals, 'seal' | 'open'>
  readonly clock: Clock
}

export interface Ceremonies<T> {
  /** @param place the client that may complete it */
  readonly begin: (ceremony: T, place: string) => string
  /**
   * @throws DomainError ERR_CEREMONY_EXPIRED for an expired one, and for anything that is not a ceremony of
   * this place
   */
  readonly open: (ceremonyId: string, place: string) => T
}

export const ceremonies = <T extends object>(
  { vault, clock }: CeremonyDeps,
  purpose: 'passkey-registration' | 'passkey-authentication' | 'authenticator-setup',
): Ceremonies<T> => ({
  begin: (ceremony, place) =>
    vault.seal(
      purpose,
      JSON.stringify({ ceremony, exp: epochSeconds(clock.now()) + CEREMONY_SECONDS }),
      place,
    ),
  open: (ceremonyId, place) => {
    try {
      const opened = vault.open(purpose, ceremonyId, place).toString()
      const { ceremony, exp } = JSON.parse(opened) as { ceremony: T; exp: number }
      if (exp > epochSeconds(clock.now())) return ceremony
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
    }
    throw new DomainError('ERR_CEREMONY_EXPIRED')
  },
})
