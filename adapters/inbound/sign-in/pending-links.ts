/**
 * An account at an identity provider that waits for its user: they have an account here, and confirm with an existing
 * sign-in method that both are theirs. The browser keeps it, encrypted, in a cookie.
 */
import { DomainError } from '../../../domain/errors.ts'
import { proofOf, strongerOf } from '../../../domain/session/proof.ts'
import type { SignInMethod } from '../../../domain/session/events.ts'
import type { LinkedAccount } from '../../../domain/user/events.ts'
import { userCommands, type UserServices } from '../../application/commands/users.ts'
import type { Actor } from '../../application/services/handle.ts'
import { SealBroken } from '../../engines/vault/aead.ts'
import { epochSeconds } from '../../kernel/clock.ts'
import { ownCookie, setCookie, type Cookies } from '../http/cookies.ts'
import { strongestProofOf } from './required-proof.ts'

export interface PendingLink {
  readonly userId: string
  readonly account: LinkedAccount
}

const LIFETIME_SECONDS = 600
const COOKIE = 'svc_pending_link'
const PURPOSE = 'pending-link'

export const pendingLinks = (services: UserServices) => {
  const { vault, clock, configuration, publicUrl } = services
  const users = userCommands(services)
  const forget = setCookie({ name: COOKIE, value: '', end: { maxAge: 0 } }, publicUrl)

  /** @returns null if there is none, it has expired, or the provider does not link accounts any more */
  const find = (cookies: Cookies): PendingLink | null => {
    const sealed = ownCookie(cookies, COOKIE, publicUrl)
    if (sealed === undefined) return null
    try {
      const { link, expires } = JSON.parse(vault.open(PURPOSE, sealed, COOKIE).toString()) as {
        readonly link: PendingLink
        readonly expires: number
      }
      const { identityProviderId } = link.account
      const provider = configuration.now().identityProviders.find(({ id }) => id === identityProviderId)
      return expires > epochSeconds(clock.now()) && provider?.linking === 'email_verified' ? link : null
    } catch (error) {
      if (error instanceof SealBroken) return null
      throw error
    }
  }

  return {
    find,

    /** Returns `Set-Cookie` for an account that waits. */
    keep: (link: PendingLink): string => {
      const expires = epochSeconds(clock.now()) + LIFETIME_SECONDS
      const value = vault.seal(PURPOSE, JSON.stringify({ link, expires }), COOKIE)
      return setCookie({ name: COOKIE, value, end: { maxAge: LIFETIME_SECONDS } }, publicUrl)
    },

    /**
     * Links the account that waits for a user who has just signed in. A sign-in that is weaker than the user's
     * strongest method links nothing: adding a sign-in method requires the strongest.
     * @returns `Set-Cookie` values
     */
    confirm: async (
      { userId, methods }: { readonly userId: string; readonly methods: readonly SignInMethod[] },
      cookies: Cookies,
      actor: Actor,
    ): Promise<readonly string[]> => {
      const link = find(cookies)
      if (link?.userId !== userId) return []
      const proof = proofOf(methods)
      if (strongerOf(proof, await strongestProofOf(services, userId)) !== proof) return [forget]
      try {
        await users.linkAccount(userId, link.account, actor)
      } catch (error) {
        // The sign-in succeeded, whatever keeps the account from being linked: it can be linked later.
        if (!(error instanceof DomainError)) throw error
      }
      return [forget]
    },
  }
}
