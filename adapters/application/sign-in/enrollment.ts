import { DomainError } from '../../../domain/errors.ts'
import type { MethodType } from '../../../domain/method-settings/events.ts'
import { introductionProblem } from '../../../domain/user/enrollment.ts'
import type { OwnProfile } from '../../../domain/user/events.ts'
import { isPlaceholderAddress } from '../../../domain/user/placeholder.ts'
import { openLink, type OpenLink } from '../../../read-models/queries/account.ts'
import type { Services } from '../services/services.ts'
import { hashSecret } from '../../engines/vault/hash.ts'
import { allowedOf } from './allowed-methods.ts'
import { needsProvider } from './federation/required-provider.ts'

/** Sign-in methods that an enrolment link can set up. */
const enrollmentMethods: readonly MethodType[] = ['passkey', 'security_key', 'authenticator_code']

/** The methods that a user may currently set up with an enrolment link. */
export const enrollmentMethodsOf = (
  services: Pick<Services, 'pool' | 'clock' | 'configuration'>,
  userId: string,
): Promise<readonly MethodType[]> => allowedOf(services, enrollmentMethods, userId)

/** @throws DomainError ERR_LINK_EXPIRED for null, ERR_ACCOUNT_SUSPENDED, ERR_PROVIDER_REQUIRED */
export const usableLink = async (
  services: Pick<Services, 'pool' | 'configuration'>,
  link: OpenLink | null,
): Promise<OpenLink> => {
  if (link === null) throw new DomainError('ERR_LINK_EXPIRED')
  if (link.status === 'suspended') throw new DomainError('ERR_ACCOUNT_SUSPENDED')
  // The strongest method that an enrolment can set up
  const { userId, email } = link
  if (await needsProvider(services, { userId, email, methods: ['passkey'] }))
    throw new DomainError('ERR_PROVIDER_REQUIRED')
  return link
}

/**
 * The profile for the enrolment: the account's profile, or the submitted one for an account without a profile.
 * @throws DomainError ERR_INVALID if it is missing or not allowed
 */
export const introduced = (link: OpenLink, profile: OwnProfile | undefined): OpenLink => {
  const problem = introductionProblem(link.email, profile)
  if (problem !== null)
    throw new DomainError(problem.refusal.code, problem.refusal.message, problem.refusal.field)
  if (profile !== undefined && isPlaceholderAddress(profile.email))
    throw new DomainError(
      'ERR_INVALID',
      'profile.email: expected an address that can receive email',
      '/profile/email',
    )
  return { ...link, ...profile }
}

/**
 * @throws DomainError ERR_LINK_EXPIRED for an unknown, used, replaced or expired link, ERR_ACCOUNT_SUSPENDED,
 * ERR_PROVIDER_REQUIRED
 */
export const enrollmentBehind = async (
  services: Pick<Services, 'pool' | 'clock' | 'configuration'>,
  token: string,
): Promise<OpenLink> =>
  usableLink(services, await openLink(services.pool, hashSecret(token), services.clock.now()))
