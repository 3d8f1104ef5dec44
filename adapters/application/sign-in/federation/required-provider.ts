/** Domains whose users can sign in only with their identity provider. */
import { domainOf } from '../../../../domain/identity-provider/claims.ts'
import { proofOf } from '../../../../domain/session/proof.ts'
import type { SignInMethod } from '../../../../domain/session/events.ts'
import { isGlobalAdmin } from '../../../../read-models/queries/administrators.ts'
import type { Services } from '../../services/services.ts'

/**
 * Whether a sign-in is refused because the domain of the user requires its provider. The break-glass account, and
 * global administrators with a passkey or security key, can always sign in: a broken provider must not lock everybody
 * out.
 */
export const needsProvider = async (
  { configuration, pool }: Pick<Services, 'configuration' | 'pool'>,
  signIn: {
    readonly userId: string
    readonly email: string
    readonly methods: readonly SignInMethod[]
    readonly identityProviderId?: string
  },
): Promise<boolean> => {
  const { userId, email, methods, identityProviderId } = signIn
  const { identityProviderByDomain, settings } = await configuration.fresh()
  const provider = identityProviderByDomain.get(domainOf(email))
  if (provider?.requiredForDomains !== true || provider.id === identityProviderId) return false
  if (userId === settings.breakGlassUserId) return false
  return proofOf(methods) !== 'phishing_resistant' || !(await isGlobalAdmin(pool, userId))
}
