import { readUserCode } from '../../../domain/device-authorization/user-code.ts'
import { DomainError } from '../../../domain/errors.ts'
import { isAdminGrant } from '../../../domain/oidc/scopes.ts'
import type { SignInAttempt } from '../../../domain/sign-in/events.ts'
import type { Services } from '../../application/services/services.ts'
import { signInRecorder } from '../../application/commands/sign-ins.ts'
import type { Actor } from '../../application/services/handle.ts'
import {
  deviceAuthorizations,
  type DeviceApprover,
  type PendingDeviceAuthorization,
} from '../../application/sign-in/device-authorizations.ts'
import { PolicyRefusal, refusalReasons } from '../../application/sign-in/access-policies.ts'
import type { SessionCaller } from '../http/caller.ts'
import { STRONGER } from '../http/identify.ts'
import { proofRequirement } from './required-proof.ts'
import { wrongCodes } from './wrong-codes.ts'

/** The user at the browser. */
type Approver = DeviceApprover & { readonly email: string }

const NO_ROLE = 'You have no administrator role, so you cannot approve a sign-in for administration.'

/** The services that device approvals need. */
export type DeviceApprovalServices = Pick<
  Services,
  | 'handle'
  | 'pool'
  | 'lookups'
  | 'vault'
  | 'clock'
  | 'random'
  | 'configuration'
  | 'locate'
  | 'development'
  | 'tally'
>

/** Returns the record of an approval that was refused; null if it failed otherwise. */
const refusalOf = (error: unknown): Pick<SignInAttempt, 'result' | 'reason' | 'decision'> | null => {
  if (error instanceof PolicyRefusal) {
    const { outcome, decision } = error
    const reason = refusalReasons[outcome]
    return { result: outcome === 'block' ? 'failure' : 'interrupted', reason, decision }
  }
  const isUnassigned = error instanceof DomainError && error.code === 'ERR_NOT_ASSIGNED'
  return isUnassigned ? { result: 'failure', reason: 'not_assigned', decision: null } : null
}

/**
 * Lets a signed-in user decide on a sign-in on another device: finds the request by the entered code, and records the
 * decision. Every wrong code counts.
 */
export const deviceApprovals = (services: DeviceApprovalServices) => {
  const logins = deviceAuthorizations(services)
  const codes = wrongCodes(services)
  const record = signInRecorder(services)
  const prove = proofRequirement(services)

  /** A sign-in for administration gives a terminal the roles of the user: it needs one, and a recent proof. */
  const mustAdminister = async (person: SessionCaller): Promise<void> => {
    const { roles, newRoles, withheldRoles = [] } = person
    if (withheldRoles.length > 0) throw new DomainError('ERR_STRONGER_AUTH_REQUIRED', STRONGER)
    if (roles.length + newRoles.length === 0) throw new DomainError('ERR_FORBIDDEN', NO_ROLE)
    await prove(person)
  }

  /** @throws DomainError ERR_DEVICE_CODE, ERR_TOO_MANY_ATTEMPTS */
  const waiting = async (typed: string, userId: string): Promise<PendingDeviceAuthorization> => {
    const isCode = readUserCode(typed) !== null
    const login = isCode ? await codes.tried(userId, 'device_user_code', () => logins.find(typed)) : null
    if (login === null) throw new DomainError('ERR_DEVICE_CODE')
    return login
  }

  /** The sign-in happens on the device, so it is recorded with the device's address; nothing else is known about it. */
  const recorded = async (
    { applicationId: appId, ip }: PendingDeviceAuthorization,
    { userId, email, sessionId }: Approver,
    what: Pick<SignInAttempt, 'result' | 'reason' | 'decision'>,
    { correlationId }: Actor,
  ): Promise<void> => {
    await record(
      { userId, email, appId, method: 'device_code', sessionId, ...what },
      { ip, userAgent: null, correlationId },
    )
  }

  return {
    waiting,

    /**
     * @throws DomainError ERR_DEVICE_CODE, ERR_TOO_MANY_ATTEMPTS, ERR_NOT_ASSIGNED, ERR_UNAUTHENTICATED; for
     * administration also ERR_FORBIDDEN, ERR_STRONGER_AUTH_REQUIRED, ERR_REAUTH_REQUIRED
     * @throws PolicyRefusal
     */
    approve: async (typed: string, person: SessionCaller, actor: Actor): Promise<void> => {
      const login = await waiting(typed, person.userId)
      if (isAdminGrant(login)) await mustAdminister(person)
      const decision = await logins.approve(login, person, actor).catch(async (error: unknown) => {
        const refused = refusalOf(error)
        if (refused !== null) await recorded(login, person, refused, actor)
        throw error
      })
      await recorded(login, person, { result: 'success', reason: null, decision }, actor)
    },

    /** @throws DomainError ERR_DEVICE_CODE, ERR_TOO_MANY_ATTEMPTS */
    deny: async (typed: string, person: Approver, actor: Actor): Promise<void> => {
      const login = await waiting(typed, person.userId)
      await logins.deny(login, person, actor)
      await recorded(login, person, { result: 'interrupted', reason: 'cancelled', decision: null }, actor)
    },
  }
}
