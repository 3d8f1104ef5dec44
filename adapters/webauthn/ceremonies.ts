/**
 * WebAuthn ceremonies under way (Level 3 §7.1, §7.2). Nothing is stored: the reference is the ceremony, sealed. It
 * carries the id that its outcome will have, and the log takes a record of that id once, so no ceremony counts twice.
 */
import { DomainError } from '../../domain/errors.ts'
import type { AuthenticatorOptions, MethodSetting } from '../../domain/method-settings/events.ts'
import { epochSeconds, type Clock } from '../clock.ts'
import { SealBroken } from '../vault/aead.ts'
import type { ServiceSeals } from '../vault/service-seals.ts'

/** How long a person may take from the offer of a ceremony to its end. */
export const CEREMONY_SECONDS = 300

export interface CeremonyDeps {
  readonly vault: Pick<ServiceSeals, 'seal' | 'open'>
  readonly clock: Clock
}

export interface Ceremonies<T> {
  /** @param place to whom it is offered; it opens for the same only */
  readonly begin: (ceremony: T, place: string) => string
  /** @throws DomainError ERR_CEREMONY_EXPIRED for one that is over, and for whatever is no ceremony of this place */
  readonly open: (ceremonyId: string, place: string) => T
}

export const ceremonies = <T extends object>(
  { vault, clock }: CeremonyDeps,
  purpose: 'passkey-registration' | 'passkey-authentication',
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

/** Who asks browsers for passkeys: the host and origin of the public address (Level 3 §5.4.2, §5.8.1). */
export const relyingParty = (publicUrl: string): { readonly rpID: string; readonly origin: string } => {
  const { hostname, origin } = new URL(publicUrl)
  return { rpID: hostname, origin }
}

/** What is asked of authenticators that come under a setting. */
export const optionsOf = ({ options }: MethodSetting): AuthenticatorOptions => {
  if (options === null) throw new Error('this method has no authenticator')
  return options
}
