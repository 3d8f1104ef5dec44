import { DomainError } from '../../../domain/errors.ts'
import {
  proofLacks,
  RECENT_PROOF_SECONDS,
  strongestHeld,
  type ProofStrength,
} from '../../../domain/session/proof.ts'
import { waysHeld } from '../../../read-models/queries/ways-held.ts'
import type { Services } from '../../application/services/services.ts'
import type { KnownCaller } from '../http/caller.ts'
import { allowedOf } from '../../application/sign-in/allowed-methods.ts'

type Deps = Pick<Services, 'pool' | 'clock' | 'configuration'>

const waysOf: Readonly<Record<ProofStrength, string>> = {
  none: 'any sign-in method',
  mailbox: 'a sign-in link sent by email',
  code: 'a code from your authenticator app, or a recovery code',
  federated: 'your linked account',
  phishing_resistant: 'your passkey or security key',
}

const AGAIN = 'This change needs a sign-in in the last ten minutes. Run "svc login --admin" again.'

/**
 * The strongest proof that a user can give now: a sign-in method that is disabled, or not allowed for their groups,
 * does not count.
 */
export const strongestProofOf = async (services: Deps, userId: string): Promise<ProofStrength> => {
  const { methodTypes, linkedAccounts, recoveryCodes } = await waysHeld(services.pool, userId)
  const allowed = await allowedOf(
    services,
    [
      ...methodTypes,
      ...(linkedAccounts ? (['identity_provider'] as const) : []),
      ...(recoveryCodes ? (['recovery_codes'] as const) : []),
    ],
    userId,
  )
  return strongestHeld({
    methodTypes: methodTypes.filter((type) => allowed.includes(type)),
    linkedAccounts: allowed.includes('identity_provider'),
    recoveryCodes: allowed.includes('recovery_codes'),
  })
}

/**
 * Enforces the proof that a change requires. API keys belong to programs and are exempt; tokens of the command-line
 * client cannot provide a proof, except the one that their user gave before approving a token with the scope `admin`.
 * @throws DomainError ERR_STRONGER_AUTH_REQUIRED naming the sign-in method, ERR_REAUTH_REQUIRED
 */
export const proofRequirement =
  (services: Deps) =>
  async (caller: KnownCaller): Promise<void> => {
    if (caller.kind === 'api_key') return
    if (caller.kind === 'cli_token') throw new DomainError('ERR_REAUTH_REQUIRED')
    const { methods, authTime } = caller
    // A token has none of the roles that were granted after its approval.
    const raisedSince = caller.kind === 'session' && caller.newRoles.length > 0
    const held = await strongestProofOf(services, caller.userId)
    const notBefore = services.clock.in(-RECENT_PROOF_SECONDS)
    switch (proofLacks({ methods, authTime, raisedSince }, held, notBefore)) {
      case 'stronger':
        throw new DomainError(
          'ERR_STRONGER_AUTH_REQUIRED',
          `This change requires your strongest sign-in method. Sign in again with ${waysOf[held]}.`,
        )
      case 'again':
        throw new DomainError('ERR_REAUTH_REQUIRED', caller.kind === 'admin_token' ? AGAIN : undefined)
      case null:
    }
  }
