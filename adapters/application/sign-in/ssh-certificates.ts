/** Issues and revokes SSH certificates of users. */
import { DomainError } from '../../../domain/errors.ts'
import { evaluatePolicies } from '../../../domain/policy/evaluate.ts'
import { SSH } from '../../../domain/policy/events.ts'
import type { SignInDecision } from '../../../domain/sign-in/events.ts'
import { sshCertificateDecider, sshCertificateStream } from '../../../domain/ssh-certificate/decider.ts'
import type { SshCertificateData } from '../../../domain/ssh-certificate/events.ts'
import { VALIDITY } from '../../../domain/ssh-principal-mapping/decider.ts'
import { entitlementOf, type SshEntitlement } from '../../../domain/ssh-principal-mapping/entitlement.ts'
import { mappingsOfUser } from '../../../read-models/queries/ssh.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { readPublicKey, sshSigning } from '../services/ssh-signing.ts'
import { mustBeAllowed } from './access-policies.ts'

/** A user who requests a certificate, with what access policies decided about the session. */
export interface SshRequester {
  readonly userId: string
  readonly email: string
  readonly decision: SignInDecision
}

export interface SshCertificateRequest {
  /** A line of a public key file */
  readonly publicKey: string
  readonly validitySeconds?: number | undefined
  /** Only these principals; default: all that the user's groups map to */
  readonly principals?: readonly string[] | undefined
}

export interface SignedSshCertificate extends SshCertificateData {
  /** A line of a certificate file */
  readonly certificate: string
}

const validityOf = (requested: number | undefined, { maxValiditySeconds: most }: SshEntitlement): number => {
  if (requested !== undefined && requested > most)
    throw new DomainError(
      'ERR_INVALID',
      `validitySeconds: your groups allow at most ${String(most)} seconds`,
      '/validitySeconds',
    )
  return requested ?? Math.min(VALIDITY.usual, most)
}

export const sshCertificateCommands = (
  services: Pick<Services, 'handle' | 'pool' | 'clock' | 'random' | 'configuration'>,
) => {
  const { handle, pool, clock, configuration } = services
  const signing = sshSigning(services)

  /** @throws PolicyRefusal, DomainError ERR_BLOCKED_BY_POLICY for users at high risk */
  const mustBePermitted = async ({ decision: { facts } }: SshRequester): Promise<void> => {
    const { policies, position } = await configuration.fresh()
    const forSsh = { ...facts, applicationId: SSH }
    mustBeAllowed({ ...evaluatePolicies(policies, forSsh), facts: forSsh, position })
    if (facts.risk === 'high' && !facts.isBreakGlass)
      throw new DomainError(
        'ERR_BLOCKED_BY_POLICY',
        'Your account is at high risk. Sign in with a passkey, or ask an administrator to check the risk.',
      )
  }

  /** @throws DomainError ERR_NO_PRINCIPALS saying whom to ask, ERR_INVALID */
  const entitled = async (userId: string, requested: readonly string[] | null): Promise<SshEntitlement> => {
    const entitlement = entitlementOf(await mappingsOfUser(pool, userId, clock.now()), requested)
    if (!('refusal' in entitlement)) return entitlement
    const { code, message, field } = entitlement.refusal
    if (code !== 'ERR_NO_PRINCIPALS') throw new DomainError(code, message, field)
    const { settings } = configuration.now()
    const whom = settings.supportEmail ?? 'an administrator'
    throw new DomainError(
      code,
      `${message ?? 'None of your groups maps to an SSH principal.'} Ask ${whom} for a group that does.`,
      field,
    )
  }

  return {
    entitled,

    /**
     * Records and signs a certificate.
     * @throws PolicyRefusal, DomainError ERR_INVALID, ERR_NO_PRINCIPALS, ERR_BLOCKED_BY_POLICY
     */
    issue: async (
      requester: SshRequester,
      { publicKey, validitySeconds, principals }: SshCertificateRequest,
      actor: Actor,
    ): Promise<SignedSshCertificate> => {
      const key = readPublicKey(publicKey)
      await mustBePermitted(requester)
      const entitlement = await entitled(requester.userId, principals ?? null)
      const validity = validityOf(validitySeconds, entitlement)
      const { draft, auditId, stream, time, idempotencyKey, sign } = await signing.begin(
        key,
        validity,
        sshCertificateStream,
        actor,
      )
      const data: SshCertificateData = {
        ...draft,
        userId: requester.userId,
        keyId: `${requester.email}|${requester.userId}|${auditId}`,
        principals: entitlement.principals,
        sourceAddresses: entitlement.sourceAddresses,
        extensions: entitlement.extensions,
      }
      const { state } = await handle(
        sshCertificateDecider,
        stream,
        { type: 'issue', data },
        { ...actor, idempotencyKey },
        { time },
      )
      // An earlier attempt of this request may have recorded it.
      const issued = state.issued ?? data
      const line = sign({ ...issued, type: 'user' })
      return { ...issued, certificate: `${line} ${requester.email}` }
    },

    /**
     * @param ownerId the only user whose certificate it may be; null for administrators
     * @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT if it has expired
     */
    revoke: (serial: string, ownerId: string | null, reason: string | null, actor: Actor) =>
      handle(
        sshCertificateDecider,
        sshCertificateStream(serial),
        { type: 'revoke', serial, ownerId, reason, now: clock.now() },
        actor,
      ),
  }
}
