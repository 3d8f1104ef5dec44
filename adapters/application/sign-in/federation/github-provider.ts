/**
 * The service as an OAuth 2.0 client of GitHub, or of a GitHub Enterprise Server: authorization code flow with PKCE,
 * and the API in place of an ID token. GitHub verifies addresses and says which of them are verified.
 */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  Configuration as ClientConfiguration,
  customFetch,
} from 'openid-client'
import type { Claims } from '../../../../domain/identity-provider/claims.ts'
import { GITHUB_ISSUER } from '../../../../domain/identity-provider/issuer.ts'
import { isLocalHost } from '../../../../domain/local-host.ts'
import type { Services } from '../../services/services.ts'
import { clientAuthenticationOf } from './client-authentication.ts'
import { fetchBy, messageOf, responseErrorOf } from './openid-client.ts'
import {
  ProviderFailed,
  type AuthorizationSecrets,
  type AuthorizationWish,
  type OauthProvider,
  type ProvenIdentity,
} from './provider-protocol.ts'

interface Address {
  readonly email: string
  readonly primary: boolean
  readonly verified: boolean
}

const isAddress = (value: unknown): value is Address => {
  const { email, primary, verified } = (value ?? {}) as Partial<Record<keyof Address, unknown>>
  return typeof email === 'string' && typeof primary === 'boolean' && typeof verified === 'boolean'
}

/** Returns the address of a server without a slash at its end. */
const serverOf = ({ issuer }: Pick<OauthProvider, 'issuer'>): string => issuer.replace(/\/$/, '')

/** Returns the address of the API: a host of its own at GitHub, a path at an Enterprise Server. */
const apiOf = (server: string): string =>
  server === GITHUB_ISSUER ? 'https://api.github.com' : `${server}/api/v3`

/** @param callbackUrl the registered redirect URI for a provider's id */
export const githubProviders = (
  { egress, vault, configuration }: Pick<Services, 'egress' | 'vault' | 'configuration'>,
  callbackUrl: (identityProviderId: string) => string,
) => {
  const send = fetchBy(egress)

  const clientFor = async (provider: OauthProvider): Promise<ClientConfiguration> => {
    const { issuer, clientId } = provider
    const at = serverOf(provider)
    const authentication = await clientAuthenticationOf(provider, {
      vault,
      activeKey: configuration.now().activeKey,
    })
    const client = new ClientConfiguration(
      {
        issuer,
        authorization_endpoint: `${at}/login/oauth/authorize`,
        token_endpoint: `${at}/login/oauth/access_token`,
      },
      clientId,
      {},
      authentication,
    )
    client[customFetch] = send
    // oxlint-disable-next-line typescript/no-deprecated -- marked to stand out; other issuers need https
    if (isLocalHost(new URL(issuer).hostname)) allowInsecureRequests(client)
    return client
  }

  const read = async (url: string, accessToken: string): Promise<unknown> => {
    const response = await send(url, {
      method: 'GET',
      headers: {
        ...{ accept: 'application/vnd.github+json', authorization: `Bearer ${accessToken}` },
        ...{ 'user-agent': 'svc', 'x-github-api-version': '2022-11-28' },
      },
      body: undefined,
      redirect: 'manual',
    })
    if (response.status !== 200)
      throw new ProviderFailed(`${url} returned status ${String(response.status)}; check the scopes`)
    return response.json()
  }

  return {
    /**
     * Returns the address of GitHub where the browser continues.
     * @throws ProviderFailed if the user must authenticate now: GitHub cannot prove it
     */
    authorizationUrl: async (
      provider: OauthProvider,
      { state, verifier }: AuthorizationSecrets,
      { loginHint, fresh }: AuthorizationWish,
    ): Promise<string> => {
      if (fresh) throw new ProviderFailed('GitHub cannot prove that a user authenticates again')
      const url = buildAuthorizationUrl(await clientFor(provider), {
        ...{ redirect_uri: callbackUrl(provider.id), scope: provider.scopes.join(' '), state },
        ...{ code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
        ...(loginHint === null ? {} : { login: loginHint }),
      })
      return url.href
    },

    /**
     * Reads the response: exchanges the code, asks the API who the user is.
     * @param query of the callback, as received
     * @throws ProviderDenied, ProviderFailed
     */
    identity: async (
      provider: OauthProvider,
      query: string,
      { state, verifier }: AuthorizationSecrets,
    ): Promise<ProvenIdentity> => {
      try {
        const client = await clientFor(provider)
        const tokens = await authorizationCodeGrant(client, new URL(`${callbackUrl(provider.id)}${query}`), {
          expectedState: state,
          pkceCodeVerifier: verifier,
        })
        const api = apiOf(serverOf(provider))
        const [user, addresses] = await Promise.all([
          read(`${api}/user`, tokens.access_token),
          read(`${api}/user/emails`, tokens.access_token),
        ])
        const { id, ...claims } = (user ?? {}) as Claims
        // The login can change and be taken by somebody else; the id cannot.
        if (typeof id !== 'number' || !Number.isSafeInteger(id))
          throw new ProviderFailed('its API returned a user without an id')
        const primary = (Array.isArray(addresses) ? addresses : [])
          .filter(isAddress)
          .find((one) => one.primary)
        return {
          claims: {
            ...claims,
            ...{ sub: String(id), email: primary?.email, email_verified: primary?.verified ?? false },
            ...{ acr: undefined, amr: undefined },
          },
          authTime: null,
        }
      } catch (error) {
        throw responseErrorOf(error) ?? new ProviderFailed(messageOf(error))
      }
    },
  }
}
