/** RFC 8628, device side: starts a sign-in, shows the code, and polls until the user has decided. */
import { CliError, exitCodes } from '../server/exit-codes.ts'
import type { Credentials } from './credentials.ts'
import { ask, errorIn, expectGood, textIn, type Answer } from './http.ts'
import { CLIENT_ID, tokensIn } from './tokens.ts'

const SCOPE = 'openid profile email groups offline_access'
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'
const DEFAULT_INTERVAL_SECONDS = 5
const SLOW_DOWN_SECONDS = 5

/** The data that the user needs to approve the sign-in. */
export interface Verification {
  readonly verificationUri: string
  readonly verificationUriComplete: string
  readonly userCode: string
  readonly expiresInSeconds: number
}

export interface SignedIn {
  readonly credentials: Credentials
  readonly name: string
}

interface Endpoints {
  readonly deviceAuthorization: string
  readonly token: string
  readonly userinfo: string
}

/** OpenID Connect Discovery §4.3: the issuer must be the address that was requested, and its endpoints must exist. */
const discover = async (server: string): Promise<Endpoints> => {
  const answer = await ask(`${server}/.well-known/openid-configuration`)
  if (errorIn(answer) !== '')
    throw new CliError(exitCodes.error, `No identity service was found at ${server}.`)
  const issuer = textIn(answer, 'issuer')
  if (issuer !== server)
    throw new CliError(
      exitCodes.error,
      `The service at ${server} uses another address. Ask your administrator for it, and pass it with --server.`,
    )
  return {
    deviceAuthorization: ownAddress(server, textIn(answer, 'device_authorization_endpoint')),
    token: ownAddress(server, textIn(answer, 'token_endpoint')),
    userinfo: ownAddress(server, textIn(answer, 'userinfo_endpoint')),
  }
}

/**
 * Returns the address.
 * @throws CliError if it is not the service's own
 */
const ownAddress = (server: string, url: string): string => {
  if (URL.canParse(url) && new URL(url).origin === server) return new URL(url).href
  throw new CliError(exitCodes.error, `The service at ${server} returned an address that is not its own.`)
}

const seconds = ({ body }: Answer, name: string, otherwise: number): number => {
  const value = body[name]
  return typeof value === 'number' && value > 0 ? value : otherwise
}

const userCodeIn = (answer: Answer): string => {
  const code = textIn(answer, 'user_code')
  if (/^[A-Z0-9-]{4,20}$/.test(code)) return code
  throw new CliError(exitCodes.error, 'The service sent an invalid code.')
}

const expired = (): CliError => new CliError(exitCodes.denied, 'The code has expired. Run "svc login" again.')

/**
 * Polls until the user decides.
 * @throws CliError with exit code 4 if the user denies the sign-in, or does not decide in time
 */
const awaitTokens = async (
  endpoint: string,
  begun: Answer,
  sleep: (ms: number) => Promise<unknown>,
): Promise<ReturnType<typeof tokensIn>> => {
  const form = { grant_type: GRANT_TYPE, device_code: textIn(begun, 'device_code'), client_id: CLIENT_ID }
  const deadline = Date.now() + seconds(begun, 'expires_in', 600) * 1000
  let interval = seconds(begun, 'interval', DEFAULT_INTERVAL_SECONDS)
  for (;;) {
    await sleep(interval * 1000)
    const requestedAt = Date.now()
    const answer = await ask(endpoint, { form }).catch((error: unknown) => {
      // The connection may recover while the user is still opening the page.
      if (!(error instanceof CliError) || requestedAt > deadline) throw error
      return null
    })
    switch (answer === null ? 'slow_down' : errorIn(answer)) {
      case 'authorization_pending':
        break
      case 'slow_down':
        interval += SLOW_DOWN_SECONDS
        break
      case 'access_denied':
        throw new CliError(exitCodes.denied, 'The sign-in was denied.')
      case 'expired_token':
        throw expired()
      default:
        if (answer !== null) return tokensIn(expectGood(answer, 'Signing in'), requestedAt)
    }
    if (requestedAt > deadline) throw expired()
  }
}

/** @param show called once with the code and address for the user */
export const deviceSignIn = async (
  server: string,
  show: (verification: Verification) => void,
  sleep: (ms: number) => Promise<unknown>,
): Promise<SignedIn> => {
  const endpoints = await discover(server)
  const begun = expectGood(
    await ask(endpoints.deviceAuthorization, { form: { client_id: CLIENT_ID, scope: SCOPE } }),
    'Starting the sign-in',
  )
  show({
    verificationUri: ownAddress(server, textIn(begun, 'verification_uri')),
    verificationUriComplete: ownAddress(server, textIn(begun, 'verification_uri_complete')),
    userCode: userCodeIn(begun),
    expiresInSeconds: seconds(begun, 'expires_in', 600),
  })
  const tokens = await awaitTokens(endpoints.token, begun, sleep)
  const person = expectGood(
    await ask(endpoints.userinfo, { accessToken: tokens.accessToken }),
    'Reading your profile',
  )
  return {
    credentials: {
      server,
      clientId: CLIENT_ID,
      ...tokens,
      userId: textIn(person, 'sub'),
      email: textIn(person, 'email'),
    },
    name: textIn(person, 'name'),
  }
}
