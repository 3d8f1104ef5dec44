import { DomainError } from '../../domain/errors.ts'
import { openLink, type OpenLink } from '../../read-models/queries/account.ts'
import type { Services } from '../commands/deps.ts'
import { hashSecret } from '../vault/hash.ts'

/** What an enrolment link allows. */
export const enrollmentMethods: readonly string[] = ['passkey', 'authenticator_code']

/** @throws DomainError ERR_LINK_EXPIRED for a link unknown, used, replaced or over; ERR_ACCOUNT_SUSPENDED */
export const enrollmentBehind = async (
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  token: string,
): Promise<OpenLink> => {
  const link = await openLink(pool, hashSecret(token), clock.now())
  if (link === null) throw new DomainError('ERR_LINK_EXPIRED')
  if (link.status === 'suspended') throw new DomainError('ERR_ACCOUNT_SUSPENDED')
  return link
}
