/** Which ways to sign in are switched on, and for whom. */
import { DomainError } from '../../../domain/errors.ts'
import type { MethodType } from '../../../domain/method-settings/events.ts'
import { isInAnyGroup } from '../../../read-models/queries/method-settings.ts'
import type { Services } from '../services/services.ts'

type Deps = Pick<Services, 'pool' | 'clock' | 'configuration'>

/** Whether a person may use a way to sign in: it is switched on, and for a group that they are in now. */
export const methodAllowed = async (services: Deps, type: MethodType, userId: string): Promise<boolean> => {
  const { enabled, allowedGroupIds } = (await services.configuration.fresh()).methods[type]
  if (!enabled || allowedGroupIds === null) return enabled
  return isInAnyGroup(services.pool, userId, allowedGroupIds, services.clock.now())
}

/** Those of the ways to sign in that a person may use, in the order given. */
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
  magic_link: 'Links by e-mail',
  identity_provider: 'Accounts at identity providers',
}

/**
 * For adding a way to sign in.
 * @throws DomainError ERR_FORBIDDEN saying which is not allowed
 */
export const mustBeAllowed = async (services: Deps, type: MethodType, userId: string): Promise<void> => {
  if (!(await methodAllowed(services, type, userId)))
    throw new DomainError('ERR_FORBIDDEN', `${names[type]} are switched off, or not meant for your groups.`)
}
