import {
  startAuthentication,
  startRegistration,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import { ApiError, call } from './api.ts'

interface Ceremony<Options> {
  readonly ceremonyId: string
  readonly publicKey: Options
}

export interface SignedIn {
  readonly status: 'signed_in'
  readonly redirectTo: string
}

/** A prompt left open for long outlives its ceremony; then everything is asked once more, not more often. */
const retryExpired = async <T>(ceremony: () => Promise<T>): Promise<T> => {
  try {
    return await ceremony()
  } catch (error) {
    if (error instanceof ApiError && error.code === 'ERR_CEREMONY_EXPIRED') return ceremony()
    throw error
  }
}

/** Signs in with whichever passkey the person picks. */
export const signIn = (authRequestId?: string): Promise<SignedIn> =>
  retryExpired(async () => {
    const request = authRequestId === undefined ? {} : { authRequestId }
    const { ceremonyId, publicKey } = await call<Ceremony<PublicKeyCredentialRequestOptionsJSON>>(
      'POST',
      '/auth/passkey/options',
      request,
    )
    const credential = await startAuthentication({ optionsJSON: publicKey })
    return call<SignedIn>('POST', '/auth/passkey/verify', { ceremonyId, credential, ...request })
  })

/**
 * Creates a passkey: asks `optionsPath` for the options and sends the new credential to `verifyPath`.
 * @param wish what kind it should be, where the service asks
 */
export const createPasskey = <T>(
  optionsPath: string,
  verifyPath: string,
  name: string,
  wish: Readonly<Record<string, string>> = {},
): Promise<T> =>
  retryExpired(async () => {
    const { ceremonyId, publicKey } = await call<Ceremony<PublicKeyCredentialCreationOptionsJSON>>(
      'POST',
      optionsPath,
      wish,
    )
    const credential = await startRegistration({ optionsJSON: publicKey })
    return call<T>('POST', verifyPath, { ceremonyId, credential, ...(name === '' ? {} : { name }) })
  })

const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android device'],
  [/CrOS/, 'Chromebook'],
  [/Windows/, 'Windows computer'],
  [/Mac/, 'Mac'],
  [/Linux/, 'Linux computer'],
]

/** Proposes the kind of device as the name of a passkey, unless the person has typed one. */
export const proposeName = (input: HTMLInputElement | null): void => {
  const found = systems.find(([pattern]) => pattern.test(navigator.userAgent))
  if (input && found && input.value === input.defaultValue) input.value = found[1]
}
