/** RFC 8628, device side: starts a sign-in, shows the code, and polls until the user has decided. */
import { CliError, exitCodes } from '../server/exit-codes.ts'
import type { AdminSignIn, Credentials } from './credentials.ts'
import { ask, errorIn, expectGood, textIn, type Answer } from './http.ts'
import { accessTokenIn, CLIENT_ID, tokensIn } from './tokens.ts'

const SCOPE = 'openid profile email groups offline_access'
const ADMIN_SCOPE = 'openid profile email admin'
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

export interface SignedIn<SignIn> {
  readonly credentials: SignIn
  readonly name: string
}

/** @param show called once with the code and address for the user */
type DeviceSignIn<SignIn> = (
  server: string,
  show: (verification: Verification) => void,
  sleep: (ms: number) => Promise<unknown>,
) => Promise<SignedIn<SignIn>>

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

const expired = (): CliError => new CliError(exitCodes.denied, 'The code has expired. Run the command again.')

/**
 * Polls until the user decides.
 * @throws CliError with exit code 4 if the user denies the sign-in, or does not decide in time
 */
const awaitTokens = async (
  endpoint: string,
  begun: Answer,
  sleep: (ms: number) => Promise<unknown>,
): Promise<{ readonly answer: Answer; readonly requestedAt: number }> => {
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
        if (answer !== null) return { answer: expectGood(answer, 'Signing in'), requestedAt }
    }
    if (requestedAt > deadline) throw expired()
  }
}

const signInFor =
  <Tokens extends Pick<Credentials, 'accessToken' | 'expiresAt'>>(
    scope: string,
    read: (answer: Answer, requestedAt: number) => Tokens,
  ): DeviceSignIn<Tokens & Omit<AdminSignIn, keyof Tokens>> =>
  async (server, show, sleep) => {
    const endpoints = await discover(server)
    const begun = expectGood(
      await ask(endpoints.deviceAuthorization, { form: { client_id: CLIENT_ID, scope } }),
      'Starting the sign-in',
    )
    show({
      verificationUri: ownAddress(server, textIn(begun, 'verification_uri')),
      verificationUriComplete: ownAddress(server, textIn(begun, 'verification_uri_complete')),
      userCode: userCodeIn(begun),
      expiresInSeconds: seconds(begun, 'expires_in', 600),
    })
    const { answer, requestedAt } = await awaitTokens(endpoints.token, begun, sleep)
    const tokens = read(answer, requestedAt)
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

/** Signs the user in, until they sign out. */
export const deviceSignIn: DeviceSignIn<Credentials> = signInFor(SCOPE, tokensIn)

/** Signs the user in with their roles, for as long as one access token lasts. */
export const adminDeviceSignIn: DeviceSignIn<AdminSignIn> = signInFor(ADMIN_SCOPE, (answer, requestedAt) => {
  // Earlier versions of the service ignore the scope.
  if (!textIn(answer, 'scope').split(' ').includes('admin'))
    throw new CliError(exitCodes.error, 'The service does not offer sign-ins for administration.')
  return accessTokenIn(answer, requestedAt)
})
