import { readUserCode } from '../../domain/device-login/user-code.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Services } from '../commands/deps.ts'
import type { Actor } from '../event-log/handle.ts'
import { deviceLogins, type DeviceApprover, type WaitingDeviceLogin } from '../oidc/device-logins.ts'
import { wrongCodes } from './wrong-codes.ts'

/**
 * A signed-in person's side of a sign-in on another device: what waits behind the code they typed, and their word on
 * it. Every use of a wrong code counts.
 */
export const deviceApprovals = (services: Services) => {
  const logins = deviceLogins(services)
  const codes = wrongCodes(services)

  /** @throws DomainError ERR_DEVICE_CODE, ERR_TOO_MANY_ATTEMPTS */
  const waiting = async (typed: string, userId: string): Promise<WaitingDeviceLogin> => {
    const isCode = readUserCode(typed) !== null
    const found = isCode ? await codes.tried(userId, 'device_user_code', () => logins.find(typed)) : null
    if (found === null) throw new DomainError('ERR_DEVICE_CODE')
    return found
  }

  return {
    waiting,

    /** @throws DomainError ERR_DEVICE_CODE, ERR_TOO_MANY_ATTEMPTS, ERR_NOT_ASSIGNED, ERR_UNAUTHENTICATED */
    approve: async (typed: string, person: DeviceApprover, actor: Actor): Promise<void> =>
      logins.approve(await waiting(typed, person.userId), person, actor),

    /** @throws DomainError ERR_DEVICE_CODE, ERR_TOO_MANY_ATTEMPTS */
    deny: async (typed: string, person: DeviceApprover, actor: Actor): Promise<void> =>
      logins.deny(await waiting(typed, person.userId), person, actor),
  }
}
