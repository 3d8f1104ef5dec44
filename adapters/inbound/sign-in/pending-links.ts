/**
 * An account at an identity provider that waits for its user: they have an account here, and confirm with an existing
 * sign-in method that both are theirs. The browser keeps it, encrypted, in a cookie.
 */
import { DomainError } from '../../../domain/errors.ts'
import type { AssertedIdentity } from '../../../domain/identity-provider/claims.ts'
import { proofOf, strongerOf } from '../../../domain/session/proof.ts'
import type { SignInMethod } from '../../../domain/session/events.ts'
import type { Instant } from '../../../domain/time.ts'
import type { LinkedAccount } from '../../../domain/user/events.ts'
import { raisesUntil } from '../../../read-models/queries/account.ts'
import { userCommands, type UserServices } from '../../application/commands/users.ts'
import type { Actor } from '../../application/services/handle.ts'
import { federatedAccounts } from '../../application/sign-in/federation/federated-accounts.ts'
import { SealBroken } from '../../engines/vault/aead.ts'
import { epochSeconds } from '../../kernel/clock.ts'
import { ownCookie, setCookie, type Cookies } from '../http/cookies.ts'
import { strongestProofOf } from './required-proof.ts'

export interface PendingLink {
  readonly userId: string
  readonly account: LinkedAccount
  /** As the provider asserted it. Missing in cookies of previous releases, which assert nothing. */
  readonly emailVerified?: AssertedIdentity['emailVerified']
}

interface Kept {
  readonly link: PendingLink
  readonly expires: number
  /** When it began to wait. Missing in cookies of previous releases. */
  readonly since?: Instant
}

const LIFETIME_SECONDS = 600
const COOKIE = 'svc_pending_link'
const PURPOSE = 'pending-link'

export const pendingLinks = (services: UserServices) => {
  const { vault, clock, configuration, publicUrl, pool } = services
  const accounts = federatedAccounts(services)
  const users = userCommands(services)
  const forget = setCookie({ name: COOKIE, value: '', end: { maxAge: 0 } }, publicUrl)

  const keptIn = (cookies: Cookies): Kept | null => {
    const sealed = ownCookie(cookies, COOKIE, publicUrl)
    if (sealed === undefined) return null
    try {
      const kept = JSON.parse(vault.open(PURPOSE, sealed, COOKIE).toString()) as Kept
      return kept.expires > epochSeconds(clock.now()) ? kept : null
    } catch (error) {
      if (error instanceof SealBroken) return null
      throw error
    }
  }

  /** Whether the account would wait for the same user if they came back from the provider now. */
  const stillHolds = async ({ link, since }: Kept): Promise<boolean> => {
    const { userId, account, emailVerified = null } = link
    const { identityProviderId, subject, email } = account
    const { identityProviders, methods } = await configuration.fresh()
    const provider = identityProviders.find(({ id }) => id === identityProviderId)
    if (provider === undefined || !methods.identity_provider.enabled) return false
    const decided = await accounts.decide(provider, { subject, email, emailVerified })
    if (decided.decision !== 'confirm' || decided.userId !== userId) return false
    // Whoever has a copy of it must not gain what the user was granted since.
    if (since === undefined) return true
    const [before, now] = await Promise.all([since, clock.now()].map((at) => raisesUntil(pool, userId, at)))
    return before === now
  }

  /** @returns null if there is none, it has expired, or it would not be asked for any more */
  const find = async (cookies: Cookies): Promise<PendingLink | null> => {
    const kept = keptIn(cookies)
    return kept !== null && (await stillHolds(kept)) ? kept.link : null
  }

  return {
    find,

    /** Returns `Set-Cookie` for an account that waits. */
    keep: (link: PendingLink): string => {
      const since = clock.now()
      const kept: Kept = { link, expires: epochSeconds(since) + LIFETIME_SECONDS, since }
      const value = vault.seal(PURPOSE, JSON.stringify(kept), COOKIE)
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
      const link = await find(cookies)
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
