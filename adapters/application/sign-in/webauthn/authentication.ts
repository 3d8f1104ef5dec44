/**
 * Sign-in with a passkey: WebAuthn Level 3 §7.2, without identifying the user first. Neither the response nor
 * its duration reveals whether a credential is known: an unknown one is checked against a dummy key.
 */
import { generateKeyPairSync } from 'node:crypto'
import {
  generateAuthenticationOptions,
  verifyAuthenticationResponse,
  type AuthenticationResponseJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type VerifiedAuthenticationResponse,
} from '@simplewebauthn/server'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { DomainError } from '../../../../domain/errors.ts'
import type { UserStatus } from '../../../../domain/user/state.ts'
import { findCredential, type CredentialRow } from '../../../../read-models/queries/account.ts'
import type { Services } from '../../services/services.ts'
import { newId } from '../../../kernel/ids.ts'
import { CEREMONY_SECONDS, ceremonies } from '../ceremonies.ts'
import { recordUse } from '../method-use.ts'
import { optionsOf, relyingParty } from './relying-party.ts'

interface AuthenticationCeremony {
  readonly challenge: string
  readonly sessionId: string
}

/** The owner of the passkey; the caller checks whether they may sign in. */
export interface Proven {
  /** Single-use: a session that it starts gets this id. */
  readonly proofId: string
  readonly userId: string
  readonly status: UserStatus
  readonly name: string
  readonly email: string
  readonly methodId: string
  readonly methodType: 'passkey' | 'security_key'
  readonly userVerified: boolean
}

/** A passkey that failed verification */
export class PasskeyRejected extends DomainError {
  /** The claimed owner; null if unknown */
  readonly claimed: Pick<Proven, 'userId' | 'email' | 'methodType'> | null

  /** The method whose signature counter went back although the signature is valid; null if it is not the reason */
  readonly clonedMethodId: string | null

  constructor(claimed: PasskeyRejected['claimed'], clonedMethodId: string | null = null) {
    super('ERR_PASSKEY_REJECTED')
    this.claimed = claimed
    this.clonedMethodId = clonedMethodId
  }
}

/** Anyone can start a sign-in without identification. */
const ANYWHERE = ''

/** The public half of a discarded key pair, as COSE (RFC 9053 §7.1). */
export const nobodysKey = (): string => {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
    format: 'jwk',
  })
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
  const cose = new Map<number, number | Uint8Array<ArrayBuffer>>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, bytes(x)],
    [-3, bytes(y)],
  ])
  return Buffer.from(isoCBOR.encode(cose)).toString('base64url')
}

const isOf = (response: AuthenticationResponseJSON, { userId }: CredentialRow): boolean => {
  const { userHandle } = response.response
  return userHandle !== undefined && Buffer.from(userHandle, 'base64url').toString() === userId
}

export const passkeyAuthentication = (
  deps: Pick<Services, 'vault' | 'clock' | 'random' | 'publicUrl' | 'pool' | 'configuration'>,
) => {
  const { random, publicUrl, pool, clock, configuration } = deps
  const { rpID, origin } = relyingParty(publicUrl)
  const sealed = ceremonies<AuthenticationCeremony>(deps, 'passkey-authentication')
  const decoy = { publicKey: nobodysKey() }

  const check = (
    response: AuthenticationResponseJSON,
    challenge: string,
    known: Pick<CredentialRow, 'publicKey'>,
  ): Promise<VerifiedAuthenticationResponse | null> =>
    // The library throws on every failed check.
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      // Whether user verification may be omitted is checked once the authenticator is known.
      requireUserVerification: false,
      credential: {
        id: response.id,
        publicKey: new Uint8Array(Buffer.from(known.publicKey, 'base64url')),
        // The counter is compared once the signature is known to be valid: only then it says something (§6.1.1).
        counter: 0,
      },
    }).catch(() => null)

  const verificationOf = (type: Proven['methodType']) => {
    const setting = configuration.now().methods[type]
    return setting.enabled ? optionsOf(setting).userVerification : 'required'
  }

  return {
    /** Returns options for the browser, and the reference to send back with the response. */
    begin: async (): Promise<{ ceremonyId: string; publicKey: PublicKeyCredentialRequestOptionsJSON }> => {
      await configuration.fresh()
      const publicKey = await generateAuthenticationOptions({
        rpID,
        challenge: new Uint8Array(random(32)),
        allowCredentials: [],
        timeout: CEREMONY_SECONDS * 1000,
        // The user is not known yet, and may use a security key.
        userVerification: verificationOf('security_key'),
      })
      const ceremony = { challenge: publicKey.challenge, sessionId: newId('session') }
      return { ceremonyId: sealed.begin(ceremony, ANYWHERE), publicKey }
    },

    /** @throws DomainError ERR_CEREMONY_EXPIRED; PasskeyRejected (ERR_PASSKEY_REJECTED) */
    finish: async (input: { readonly ceremonyId: string; readonly credential: unknown }): Promise<Proven> => {
      const { challenge, sessionId } = sealed.open(input.ceremonyId, ANYWHERE)
      const response = input.credential as AuthenticationResponseJSON
      const [known] = await Promise.all([findCredential(pool, response.id), configuration.fresh()])
      const result = await check(response, challenge, known ?? decoy)
      if (known === null || result?.verified !== true || !isOf(response, known))
        throw new PasskeyRejected(known)
      const { newCounter, userVerified } = result.authenticationInfo
      if (!userVerified && verificationOf(known.methodType) === 'required') throw new PasskeyRejected(known)
      // An equal counter is the same response, sent twice.
      if (newCounter < known.signCount) throw new PasskeyRejected(known, known.methodId)
      const isRepeated = newCounter > 0 && newCounter === known.signCount
      if (isRepeated || !(await recordUse(pool, known.methodId, newCounter, clock.now())))
        throw new PasskeyRejected(known)
      const { userId, status, name, email, methodId, methodType } = known
      return { proofId: sessionId, userId, status, name, email, methodId, methodType, userVerified }
    },
  }
}
