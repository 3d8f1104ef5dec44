import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import { ApiError, call } from './api.ts'
import { texts } from './texts.ts'

const words = texts({
  en: {
    android: 'Android device',
    windows: 'Windows computer',
    linux: 'Linux computer',
  },
  de: {
    android: 'Android-Gerät',
    windows: 'Windows-Computer',
    linux: 'Linux-Computer',
  },
})

interface Ceremony<Options> {
  readonly ceremonyId: string
  readonly publicKey: Options
}

export interface SignedIn {
  readonly status: 'signed_in'
  readonly redirectTo: string
}

/** A prompt can stay open after its ceremony has expired; then everything is requested again, but only once. */
const retryExpired = async <T>(ceremony: () => Promise<T>): Promise<T> => {
  try {
    return await ceremony()
  } catch (error) {
    if (error instanceof ApiError && error.code === 'ERR_CEREMONY_EXPIRED') return ceremony()
    throw error
  }
}

interface Prompt {
  readonly request: { readonly authRequestId?: string }
  readonly ceremony: Ceremony<PublicKeyCredentialRequestOptionsJSON>
}

const begin = async (authRequestId: string | undefined): Promise<Prompt> => {
  const request = authRequestId === undefined ? {} : { authRequestId }
  return { request, ceremony: await call('POST', '/auth/passkey/options', request) }
}

const pick = ({ ceremony }: Prompt, useBrowserAutofill: boolean) =>
  startAuthentication({ optionsJSON: ceremony.publicKey, useBrowserAutofill })

const finish = (
  { request, ceremony: { ceremonyId } }: Prompt,
  credential: Awaited<ReturnType<typeof pick>>,
): Promise<SignedIn> => call('POST', '/auth/passkey/verify', { ceremonyId, credential, ...request })

/** Signs in with the passkey that the user picks. */
export const signIn = (authRequestId?: string): Promise<SignedIn> =>
  retryExpired(async () => {
    const prompt = await begin(authRequestId)
    return finish(prompt, await pick(prompt, false))
  })

/**
 * Lets the browser offer passkeys in the address field and waits for a choice: null if the browser does not
 * support it, or the user chose another method.
 * @returns how to sign in with the chosen passkey
 */
export const pickInField = async (authRequestId?: string): Promise<(() => Promise<SignedIn>) | null> => {
  if (!(await browserSupportsWebAuthnAutofill())) return null
  try {
    const prompt = await begin(authRequestId)
    const credential = await pick(prompt, true)
    return async () => {
      try {
        return await finish(prompt, credential)
      } catch (error) {
        // The ceremony has expired because the page was open for too long.
        if (error instanceof ApiError && error.code === 'ERR_CEREMONY_EXPIRED') return signIn(authRequestId)
        throw error
      }
    }
  } catch {
    return null
  }
}

/** The part of a request with the entered profile, if required. */
export interface Introduced {
  readonly profile?: { readonly name: string; readonly email: string }
}

/**
 * Creates a passkey: requests the options from `optionsPath` and sends the new credential to `verifyPath`.
 * @param wish the requested kind
 * @param profile of the user, if the service does not know it
 */
export const createPasskey = <T>(
  optionsPath: string,
  verifyPath: string,
  name: string,
  wish: Readonly<Record<string, string>> = {},
  profile: Introduced = {},
): Promise<T> =>
  retryExpired(async () => {
    const { ceremonyId, publicKey } = await call<Ceremony<PublicKeyCredentialCreationOptionsJSON>>(
      'POST',
      optionsPath,
      { ...wish, ...profile },
    )
    const credential = await startRegistration({ optionsJSON: publicKey })
    return call<T>('POST', verifyPath, {
      ceremonyId,
      credential,
      ...(name === '' ? {} : { name }),
      ...profile,
    })
  })

const systems = (): readonly (readonly [RegExp, string])[] => [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, words().android],
  [/CrOS/, 'Chromebook'],
  [/Windows/, words().windows],
  [/Mac/, 'Mac'],
  [/Linux/, words().linux],
]

/** Proposes the kind of device as the name of a passkey, unless the user has entered one. */
export const proposeName = (input: HTMLInputElement | null): void => {
  const found = systems().find(([pattern]) => pattern.test(navigator.userAgent))
  if (input && found && input.value === input.defaultValue) input.value = found[1]
}
