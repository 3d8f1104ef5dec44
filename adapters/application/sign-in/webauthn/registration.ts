/**
 * Registration of a passkey or security key: WebAuthn Level 3 §7.1. Requires a discoverable credential, and user
 * verification unless the settings exempt security keys; requests the authenticator model (attestation) only if the
 * settings require it.
 */
import {
  generateRegistrationOptions,
  verifyRegistrationResponse,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { DomainError } from '../../../../domain/errors.ts'
import type { AuthenticatorOptions } from '../../../../domain/method-settings/events.ts'
import type { PasskeyMethod } from '../../../../domain/user/events.ts'
import type { Services } from '../../services/services.ts'
import { newId } from '../../../kernel/ids.ts'
import { mustBeAllowed } from '../allowed-methods.ts'
import { CEREMONY_SECONDS, ceremonies } from '../ceremonies.ts'
import { isAttestedByMaker } from './attestation.ts'
import { optionsOf, relyingParty } from './relying-party.ts'

/** The requested kind. A security key may respond to a request for a passkey, and the reverse. */
export type AuthenticatorKind = PasskeyMethod['methodType']

interface RegistrationCeremony {
  readonly challenge: string
  readonly kind: AuthenticatorKind
  readonly methodId: string
  /** Id of the session that the enrolment starts */
  readonly sessionId: string
}

export interface Registrant {
  readonly userId: string
  readonly name: string
  readonly email: string
}

const transportNames = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])

const transportsOf = ({ response }: RegistrationResponseJSON): readonly string[] => [
  ...new Set((response.transports ?? []).filter((name) => transportNames.has(name))),
]

/** A portable key does not become the user's device: its credential stays on the key. */
const isSecurityKey = (
  { authenticatorAttachment }: RegistrationResponseJSON,
  transports: readonly string[],
  deviceType: string,
): boolean =>
  deviceType === 'singleDevice' &&
  authenticatorAttachment === 'cross-platform' &&
  !transports.some((name) => name === 'internal' || name === 'hybrid' || name === 'cable')

/** @throws DomainError ERR_REGISTRATION_FAILED naming an authenticator model that is not allowed */
const mustBeOfAllowedMake = (
  { attestation, allowedAaguids }: AuthenticatorOptions,
  isProven: () => boolean,
  aaguid: string,
): void => {
  if (attestation === 'none') return
  if (!isProven())
    throw new DomainError(
      'ERR_REGISTRATION_FAILED',
      `This authenticator (AAGUID ${aaguid}) does not prove its model, which your organization requires.`,
    )
  if (allowedAaguids.length > 0 && !allowedAaguids.includes(aaguid))
    throw new DomainError(
      'ERR_REGISTRATION_FAILED',
      `Your organization does not allow authenticators of this model (AAGUID ${aaguid}).`,
    )
}

export const passkeyRegistration = (
  deps: Pick<Services, 'vault' | 'clock' | 'random' | 'publicUrl' | 'configuration' | 'pool'>,
) => {
  const { random, publicUrl, configuration, clock } = deps
  const { rpID, origin } = relyingParty(publicUrl)
  const sealed = ceremonies<RegistrationCeremony>(deps, 'passkey-registration')

  return {
    /**
     * Returns options for the browser, and the reference to send back with the response.
     * @param place the link or session that registers the passkey
     * @param existing credentials of the user
     * @throws DomainError ERR_FORBIDDEN if the user may not use such an authenticator
     */
    begin: async (
      { userId, name, email }: Registrant,
      place: string,
      existing: readonly { readonly credentialId: string | null }[],
      kind: AuthenticatorKind = 'passkey',
    ): Promise<{ ceremonyId: string; publicKey: PublicKeyCredentialCreationOptionsJSON }> => {
      await mustBeAllowed(deps, kind, userId)
      const { settings, methods } = configuration.now()
      const ofKey = optionsOf(methods.security_key)
      const attestations = [ofKey, ...(kind === 'passkey' ? [optionsOf(methods.passkey)] : [])]
      const publicKey = await generateRegistrationOptions({
        rpName: settings.organizationName,
        rpID,
        userID: new TextEncoder().encode(userId),
        userName: email,
        userDisplayName: name,
        challenge: new Uint8Array(random(32)),
        timeout: CEREMONY_SECONDS * 1000,
        attestationType: attestations.some(({ attestation }) => attestation === 'direct') ? 'direct' : 'none',
        authenticatorSelection: {
          residentKey: 'required',
          userVerification: kind === 'security_key' ? ofKey.userVerification : 'required',
        },
        ...(kind === 'security_key' ? { preferredAuthenticatorType: 'securityKey' } : {}),
        excludeCredentials: existing.flatMap(({ credentialId }) =>
          credentialId === null ? [] : [{ id: credentialId }],
        ),
      })
      const ceremony = {
        challenge: publicKey.challenge,
        kind,
        methodId: newId('method'),
        sessionId: newId('session'),
      }
      return { ceremonyId: sealed.begin(ceremony, place), publicKey }
    },

    /** @throws DomainError ERR_CEREMONY_EXPIRED, ERR_REGISTRATION_FAILED, ERR_FORBIDDEN */
    finish: async (
      input: { readonly ceremonyId: string; readonly credential: unknown; readonly name: string },
      place: string,
      userId: string,
    ): Promise<{ method: PasskeyMethod; proofId: string; userVerified: boolean }> => {
      const { challenge, kind, methodId, sessionId } = sealed.open(input.ceremonyId, place)
      const response = input.credential as RegistrationResponseJSON
      // The library throws on every failed check.
      const result = await verifyRegistrationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpID,
        // Whether user verification may be omitted depends on the kind of authenticator.
        requireUserVerification: false,
      }).catch(() => null)
      if (result?.verified !== true) throw new DomainError('ERR_REGISTRATION_FAILED')
      const {
        credential,
        aaguid,
        credentialBackedUp,
        credentialDeviceType,
        attestationObject,
        userVerified,
      } = result.registrationInfo
      const transports = transportsOf(response)
      const methodType = isSecurityKey(response, transports, credentialDeviceType)
        ? 'security_key'
        : 'passkey'
      await mustBeAllowed(deps, methodType, userId)
      const options = optionsOf(configuration.now().methods[methodType])
      const mayBeUnverified = kind === 'security_key' && options.userVerification === 'preferred'
      if (!userVerified && !mayBeUnverified) throw new DomainError('ERR_REGISTRATION_FAILED')
      const isProven = (): boolean =>
        isAttestedByMaker(attestationObject, options.attestationRoots, clock.now())
      mustBeOfAllowedMake(options, isProven, aaguid)
      return {
        proofId: sessionId,
        userVerified,
        method: {
          methodId,
          methodType,
          name: input.name,
          credentialId: credential.id,
          publicKey: Buffer.from(credential.publicKey).toString('base64url'),
          signCount: credential.counter,
          transports,
          aaguid,
          backedUp: credentialBackedUp,
        },
      }
    },
  }
}
