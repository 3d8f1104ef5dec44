/**
 * Registering a passkey: WebAuthn Level 3 §7.1. A discoverable credential and user verification are required; which
 * make of authenticator it is nobody asks (attestation `none`).
 */
import {
  generateRegistrationOptions,
  verifyRegistrationResponse,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { DomainError } from '../../domain/errors.ts'
import type { PasskeyMethod } from '../../domain/user/events.ts'
import type { Services } from '../commands/deps.ts'
import { newId } from '../ids.ts'
import { CEREMONY_SECONDS, ceremonies } from '../session/ceremonies.ts'
import { relyingParty } from './relying-party.ts'

interface RegistrationCeremony {
  readonly challenge: string
  readonly methodId: string
  /** Of the session that enrolment opens. */
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

/** A key to carry about: its credential stays on it, and it is not the device that the person works on. */
const isSecurityKey = (
  { authenticatorAttachment }: RegistrationResponseJSON,
  transports: readonly string[],
  deviceType: string,
): boolean =>
  deviceType === 'singleDevice' &&
  authenticatorAttachment === 'cross-platform' &&
  !transports.some((name) => name === 'internal' || name === 'hybrid' || name === 'cable')

export const passkeyRegistration = (
  deps: Pick<Services, 'vault' | 'clock' | 'random' | 'publicUrl' | 'configuration'>,
) => {
  const { random, publicUrl, configuration } = deps
  const { rpID, origin } = relyingParty(publicUrl)
  const sealed = ceremonies<RegistrationCeremony>(deps, 'passkey-registration')

  return {
    /**
     * Options for the browser, and the reference to send back with the answer.
     * @param place the link or session that the passkey is created under
     * @param existing credentials that the person has already
     */
    begin: async (
      { userId, name, email }: Registrant,
      place: string,
      existing: readonly { readonly credentialId: string | null }[],
    ): Promise<{ ceremonyId: string; publicKey: PublicKeyCredentialCreationOptionsJSON }> => {
      const publicKey = await generateRegistrationOptions({
        rpName: configuration.now().settings.organizationName,
        rpID,
        userID: new TextEncoder().encode(userId),
        userName: email,
        userDisplayName: name,
        challenge: new Uint8Array(random(32)),
        timeout: CEREMONY_SECONDS * 1000,
        attestationType: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        excludeCredentials: existing.flatMap(({ credentialId }) =>
          credentialId === null ? [] : [{ id: credentialId }],
        ),
      })
      const ceremony = {
        challenge: publicKey.challenge,
        methodId: newId('method'),
        sessionId: newId('session'),
      }
      return { ceremonyId: sealed.begin(ceremony, place), publicKey }
    },

    /** @throws DomainError ERR_CEREMONY_EXPIRED, ERR_REGISTRATION_FAILED */
    finish: async (
      input: { readonly ceremonyId: string; readonly credential: unknown; readonly name: string },
      place: string,
    ): Promise<{ method: PasskeyMethod; proofId: string; userVerified: boolean }> => {
      const { challenge, methodId, sessionId } = sealed.open(input.ceremonyId, place)
      const response = input.credential as RegistrationResponseJSON
      // The library throws on whatever is not as it should be.
      const result = await verifyRegistrationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpID,
        requireUserVerification: true,
      }).catch(() => null)
      if (result?.verified !== true) throw new DomainError('ERR_REGISTRATION_FAILED')
      const { credential, aaguid, credentialBackedUp, credentialDeviceType, userVerified } =
        result.registrationInfo
      const transports = transportsOf(response)
      return {
        proofId: sessionId,
        userVerified,
        method: {
          methodId,
          methodType: isSecurityKey(response, transports, credentialDeviceType) ? 'security_key' : 'passkey',
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
