import { DomainError } from '../../domain/errors.ts'
import type { MethodType } from '../../domain/method-settings/events.ts'
import { openLink, type OpenLink } from '../../read-models/queries/account.ts'
import type { Services } from '../commands/deps.ts'
import { hashSecret } from '../vault/hash.ts'
import { allowedOf } from './allowed-methods.ts'

/** Ways to sign in that an enrolment link can set up. */
const enrollmentMethods: readonly MethodType[] = ['passkey', 'security_key', 'authenticator_code']

/** What a person may set up by an enrolment link now. */
export const enrollmentMethodsOf = (
  services: Pick<Services, 'pool' | 'clock' | 'configuration'>,
  userId: string,
): Promise<readonly MethodType[]> => allowedOf(services, enrollmentMethods, userId)

/** @throws DomainError ERR_LINK_EXPIRED for null, ERR_ACCOUNT_SUSPENDED */
export const usableLink = (link: OpenLink | null): OpenLink => {
  if (link === null) throw new DomainError('ERR_LINK_EXPIRED')
  if (link.status === 'suspended') throw new DomainError('ERR_ACCOUNT_SUSPENDED')
  return link
}

/** @throws DomainError ERR_LINK_EXPIRED for a link unknown, used, replaced or over; ERR_ACCOUNT_SUSPENDED */
export const enrollmentBehind = async (
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  token: string,
): Promise<OpenLink> => usableLink(await openLink(pool, hashSecret(token), clock.now()))
