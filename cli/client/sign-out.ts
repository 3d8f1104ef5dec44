import { CliError } from '../server/exit-codes.ts'
import type { AdminSignIn, Credentials, SignInStore } from './credentials.ts'
import { ask, errorIn } from './http.ts'

export interface SignedOut {
  /** Null if no user was signed in */
  readonly server: string | null
  /** What failed: the credentials are deleted here, but may remain valid for a while */
  readonly warning: string | null
}

type SignIn = Credentials | AdminSignIn

/** Returns why the tokens could not be revoked; null if they were. */
const revocationProblem = async (signIn: SignIn): Promise<string | null> => {
  const { server, clientId } = signIn
  const what =
    'refreshToken' in signIn
      ? { token: signIn.refreshToken, token_type_hint: 'refresh_token' }
      : { token: signIn.accessToken, token_type_hint: 'access_token' }
  try {
    const answer = await ask(`${server}/oauth2/revoke`, { form: { ...what, client_id: clientId } })
    const error = errorIn(answer)
    return error === '' ? null : `${server} returned ${error}`
  } catch (error) {
    if (error instanceof CliError) return error.message
    throw error
  }
}

const read = <S extends SignIn>(store: SignInStore<S>): Promise<S | 'damaged' | null> =>
  store.read().catch((error: unknown) => {
    if (error instanceof CliError) return 'damaged' as const
    throw error
  })

/**
 * Stores a new sign-in in place of the previous one, whose tokens are revoked.
 * @returns what failed; null if everything succeeded
 */
export const replaceSignIn = <S extends SignIn>(
  store: SignInStore<S>,
  credentials: S,
): Promise<string | null> =>
  store.alone(async () => {
    const before = await read(store)
    await store.write(credentials)
    if (before === null || before === 'damaged') return null
    const problem = await revocationProblem(before)
    return problem === null
      ? null
      : `The previous sign-in could not be revoked: ${problem}. It was deleted from this computer and will expire on the server.`
  })

/** Revokes the tokens at the service and deletes them here, even if the revocation fails. */
export const signOut = <S extends SignIn>(store: SignInStore<S>): Promise<SignedOut> =>
  store.alone(async () => {
    const credentials = await read(store)
    if (credentials === null) return { server: null, warning: null }
    if (credentials === 'damaged') {
      await store.remove()
      return { server: null, warning: `${store.path} was damaged and has been deleted.` }
    }
    const problem = await revocationProblem(credentials)
    await store.remove()
    return {
      server: credentials.server,
      warning:
        problem === null
          ? null
          : `The sign-in could not be revoked: ${problem}. It was deleted from this computer and will expire on the server.`,
    }
  })
