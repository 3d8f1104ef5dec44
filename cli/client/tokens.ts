import { CliError, exitCodes } from '../server/exit-codes.ts'
import type { Credentials, CredentialStore } from './credentials.ts'
import { ask, errorIn, expectGood, textIn, type Answer } from './http.ts'

export const CLIENT_ID = 'svc-cli'

/** An access token with less left than this is renewed before it is used. */
const RENEW_BEFORE_MS = 30_000

/**
 * Returns the access token of a response of the token endpoint.
 * @throws CliError for an incomplete response
 */
export const accessTokenIn = (
  answer: Answer,
  requestedAt: number,
): Pick<Credentials, 'accessToken' | 'expiresAt'> => {
  const seconds = Number(answer.body['expires_in'])
  return {
    accessToken: textIn(answer, 'access_token'),
    expiresAt: new Date(requestedAt + (Number.isFinite(seconds) ? seconds : 0) * 1000).toISOString(),
  }
}

/**
 * Converts a response of the token endpoint to credentials.
 * @throws CliError for an incomplete response
 */
export const tokensIn = (
  answer: Answer,
  requestedAt: number,
): Pick<Credentials, 'accessToken' | 'refreshToken' | 'idToken' | 'expiresAt'> => {
  const { id_token: idToken } = answer.body
  return {
    ...accessTokenIn(answer, requestedAt),
    refreshToken: textIn(answer, 'refresh_token'),
    ...(typeof idToken === 'string' ? { idToken } : {}),
  }
}

const notSignedIn = (server: string | null): CliError =>
  new CliError(
    exitCodes.notSignedIn,
    server === null
      ? 'You are not signed in. Run "svc login --server URL".'
      : `Your sign-in at ${server} has expired. Run "svc login --server ${server}".`,
  )

/**
 * Returns the credentials.
 * @throws CliError with exit code 3 if no user is signed in
 */
const stored = async (store: CredentialStore): Promise<Credentials> => {
  const credentials = await store.read()
  if (credentials === null) throw notSignedIn(null)
  return credentials
}

const renewed = async (credentials: Credentials): Promise<Credentials> => {
  const { server, clientId, refreshToken } = credentials
  const requestedAt = Date.now()
  const answer = await ask(`${server}/oauth2/token`, {
    form: { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId },
  })
  if (errorIn(answer) === 'invalid_grant') throw notSignedIn(server)
  return { ...credentials, ...tokensIn(expectGood(answer, 'Renewing the sign-in'), requestedAt) }
}

/**
 * Returns credentials whose access token is valid for a while. A refresh token works once, so one of several processes
 * renews it, and the others use the result.
 */
const usable = async (
  store: CredentialStore,
  isUsable: (credentials: Credentials) => boolean,
): Promise<Credentials> => {
  const credentials = await stored(store)
  if (isUsable(credentials)) return credentials
  return store.alone(async () => {
    const current = await stored(store)
    if (isUsable(current)) return current
    const next = await renewed(current)
    await store.write(next)
    return next
  })
}

const lasts = ({ expiresAt }: Credentials): boolean => Date.parse(expiresAt) - Date.now() >= RENEW_BEFORE_MS

/**
 * Sends a request as the signed-in user.
 * @param path below the service's address
 * @param json the body of a POST request; default: a GET request
 * @throws CliError with exit code 3 if no user is signed in
 */
export const askSignedIn = async (
  store: CredentialStore,
  path: string,
  json?: object,
): Promise<{ readonly answer: Answer; readonly credentials: Credentials }> => {
  const first = await usable(store, lasts)
  const body = json === undefined ? {} : { json }
  const answer = await ask(`${first.server}${path}`, { ...body, accessToken: first.accessToken })
  if (answer.status !== 401) return { answer, credentials: first }
  // The clocks may differ, or the token may be revoked: a refresh will show.
  const second = await usable(store, ({ accessToken }) => accessToken !== first.accessToken)
  const again = await ask(`${second.server}${path}`, { ...body, accessToken: second.accessToken })
  if (again.status === 401) throw notSignedIn(second.server)
  return { answer: again, credentials: second }
}
