/** Which sign-in methods are enabled, and for whom. */
import { DomainError } from '../../../domain/errors.ts'
import type { MethodType } from '../../../domain/method-settings/events.ts'
import { isInAnyGroup } from '../../../read-models/queries/method-settings.ts'
import type { Services } from '../services/services.ts'

type Deps = Pick<Services, 'pool' | 'clock' | 'configuration'>

/** Whether a user may use a sign-in method: it is enabled, for one of their current groups. */
export const methodAllowed = async (services: Deps, type: MethodType, userId: string): Promise<boolean> => {
  const { enabled, allowedGroupIds } = (await services.configuration.fresh()).methods[type]
  if (!enabled || allowedGroupIds === null) return enabled
  return isInAnyGroup(services.pool, userId, allowedGroupIds, services.clock.now())
}

/** The methods from the list that a user may use, in the same order. */
export const allowedOf = async (
  services: Deps,
  types: readonly MethodType[],
  userId: string,
): Promise<readonly MethodType[]> => {
  const allowed = await Promise.all(types.map((type) => methodAllowed(services, type, userId)))
  return types.filter((_, index) => allowed[index])
}

const names: Readonly<Record<MethodType, string>> = {
  passkey: 'Passkeys',
  security_key: 'Security keys',
  authenticator_code: 'Authenticator apps',
  recovery_codes: 'Recovery codes',
  magic_link: 'Email links',
  identity_provider: 'Linked accounts',
}

/**
 * For adding a sign-in method.
 * @throws DomainError ERR_FORBIDDEN naming the method
 */
export const mustBeAllowed = async (services: Deps, type: MethodType, userId: string): Promise<void> => {
  if (!(await methodAllowed(services, type, userId)))
    throw new DomainError('ERR_FORBIDDEN', `${names[type]} are disabled, or not allowed for your groups.`)
}
