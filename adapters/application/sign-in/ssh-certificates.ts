/** Issues and revokes SSH certificates of users. */
import { createHash } from 'node:crypto'
import { auditIdOf } from '../../../domain/audit/id.ts'
import { DomainError } from '../../../domain/errors.ts'
import { evaluatePolicies } from '../../../domain/policy/evaluate.ts'
import { SSH } from '../../../domain/policy/events.ts'
import type { SignInDecision } from '../../../domain/sign-in/events.ts'
import { sshCertificateDecider, sshCertificateStream } from '../../../domain/ssh-certificate/decider.ts'
import type { SshCertificateData } from '../../../domain/ssh-certificate/events.ts'
import { VALIDITY } from '../../../domain/ssh-principal-mapping/decider.ts'
import { entitlementOf, type SshEntitlement } from '../../../domain/ssh-principal-mapping/entitlement.ts'
import type { Instant } from '../../../domain/time.ts'
import { mappingsOfUser } from '../../../read-models/queries/ssh.ts'
import { signCertificate } from '../../engines/ssh/certificate.ts'
import { parseSshPublicKey, SshPublicKeyError, type SshPublicKey } from '../../engines/ssh/public-key.ts'
import { epochSeconds } from '../../kernel/clock.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { mustBeAllowed } from './access-policies.ts'

/** A certificate is valid a little earlier, for servers whose clocks are slow. */
const EARLIER_SECONDS = 60

const NONCE_BYTES = 32
const RANDOM_KEY_BYTES = 16

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

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

const atSecond = (seconds: number): Instant => `${new Date(seconds * 1000).toISOString().slice(0, -1)}000Z`

/** A positive number below 2^63, which databases and OpenSSH can store. */
const serialFrom = (key: string): string => {
  const bits = sha256(`ssh serial|${key}`).readBigUInt64BE() >> 1n
  return (bits === 0n ? 1n : bits).toString()
}

const parsed = (publicKey: string): SshPublicKey => {
  try {
    return parseSshPublicKey(publicKey)
  } catch (error) {
    if (error instanceof SshPublicKeyError)
      throw new DomainError('ERR_INVALID', `publicKey: ${error.message}`, '/publicKey')
    throw error
  }
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

export const sshCertificateCommands = ({
  handle,
  pool,
  clock,
  random,
  configuration,
}: Pick<Services, 'handle' | 'pool' | 'clock' | 'random' | 'configuration'>) => {
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
      const key = parsed(publicKey)
      await mustBePermitted(requester)
      const entitlement = await entitled(requester.userId, principals ?? null)
      const validity = validityOf(validitySeconds, entitlement)
      const { sshAuthority } = await configuration.fresh()
      if (sshAuthority === null)
        throw new DomainError('ERR_UNAVAILABLE', 'The SSH authority has no key yet. Try again in a minute.')

      const idempotencyKey = actor.idempotencyKey ?? random(RANDOM_KEY_BYTES).toString('hex')
      const serial = serialFrom(idempotencyKey)
      const stream = sshCertificateStream(serial)
      const time = clock.now()
      // The id of the audit entry of the event, which is recorded below with this id and at this time.
      const eventId = idsFor(`${idempotencyKey}|${stream}`).eventId('0')
      const auditId = auditIdOf(time, sha256(eventId).toString('hex'))
      const now = epochSeconds(time)
      const data: SshCertificateData = {
        serial,
        userId: requester.userId,
        keyId: `${requester.email}|${requester.userId}|${auditId}`,
        keyType: key.type,
        keyFingerprint: key.fingerprint,
        authorityFingerprint: sshAuthority.id,
        principals: entitlement.principals,
        validAfter: atSecond(now - EARLIER_SECONDS),
        validBefore: atSecond(now + validity),
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
      // An earlier attempt of this request may have recorded it, and a rotation may have followed.
      const issued = state.issued ?? data
      if (issued.authorityFingerprint !== sshAuthority.id)
        throw new DomainError('ERR_CONFLICT', 'The key of the SSH authority has changed. Send a new request.')
      const line = signCertificate(
        sshAuthority.privateKey,
        key,
        {
          type: 'user',
          serial: BigInt(serial),
          keyId: issued.keyId,
          principals: issued.principals,
          validAfter: epochSeconds(issued.validAfter),
          validBefore: epochSeconds(issued.validBefore),
          sourceAddresses: issued.sourceAddresses,
          extensions: issued.extensions,
        },
        random(NONCE_BYTES),
      )
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
