/**
 * The service as a client of OpenID providers: authorization code flow with PKCE (OpenID Connect Core §3.1,
 * RFC 7636), `nonce`, `state` and the `iss` parameter (RFC 9207). ID tokens must be signed with a key of the provider.
 */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type Configuration as ClientConfiguration,
} from 'openid-client'
import type { Claims } from '../../../../domain/identity-provider/claims.ts'
import { isLocalHost } from '../../../../domain/local-host.ts'
import { boundedCache } from '../../../kernel/bounded-cache.ts'
import type { Services } from '../../services/services.ts'
import { clientAuthenticationOf } from './client-authentication.ts'
import { fetchBy, messageOf, responseErrorOf } from './openid-client.ts'
import {
  CLOCK_TOLERANCE,
  FRESH_SECONDS,
  ProviderFailed,
  type AuthorizationSecrets,
  type AuthorizationWish,
  type OauthProvider,
  type ProvenIdentity,
} from './provider-protocol.ts'

/** How long metadata of a provider is used before it is read again. */
const METADATA_MS = 600_000
/** How long a failed provider is not asked again: anyone can start a sign-in. */
const FAILURE_MS = 5000
/** `max_age` obliges a provider to say when the user authenticated; this one never asks them to do it again. */
const ANY_AGE_SECONDS = 365 * 86_400

/**
 * Merges the claims of the ID token and of userinfo. The ID token wins; a verification belongs to the address that it
 * came with.
 */
const merged = (idToken: Claims, userinfo: Claims, emailClaim: string): Claims => {
  const claims = { ...userinfo, ...idToken }
  if (idToken[emailClaim] === undefined || idToken[emailClaim] === userinfo[emailClaim]) return claims
  const { email_verified: verified, xms_edov: owned } = idToken
  return { ...claims, email_verified: verified, xms_edov: owned }
}

/** Whether a token was signed with a key that the provider did not publish when its keys were read. */
const isUnknownKey = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as { code?: unknown }).code === 'OAUTH_KEY_SELECTION_FAILED' || isUnknownKey(error.cause))

/** @param callbackUrl the registered redirect URI for a provider's id */
export const openidProviders = (
  services: Pick<Services, 'egress' | 'vault' | 'configuration'>,
  callbackUrl: (identityProviderId: string) => string,
) => {
  const { egress, vault, configuration } = services
  const known = boundedCache<Promise<ClientConfiguration>>(200, { ttl: METADATA_MS })
  const failed = boundedCache<ProviderFailed>(200, { ttl: FAILURE_MS })

  const discover = async (provider: OauthProvider): Promise<ClientConfiguration> => {
    const issuer = new URL(provider.issuer)
    const { activeKey } = configuration.now()
    const authentication = await clientAuthenticationOf(provider, { vault, activeKey })
    return discovery(issuer, provider.clientId, { [clockTolerance]: CLOCK_TOLERANCE }, authentication, {
      [customFetch]: fetchBy(egress),
      execute: [
        enableNonRepudiationChecks,
        // oxlint-disable-next-line typescript/no-deprecated -- marked to stand out; other issuers need https
        ...(issuer.protocol === 'http:' && isLocalHost(issuer.hostname) ? [allowInsecureRequests] : []),
      ],
    })
  }

  const keyOf = (provider: OauthProvider): string => {
    const { id, issuer, clientId, clientAuthentication, sealedSecret } = provider
    const kid = clientAuthentication === 'private_key_jwt' ? configuration.now().activeKey?.kid : null
    return JSON.stringify([id, issuer, clientId, clientAuthentication, sealedSecret, kid])
  }

  const clientFor = async (provider: OauthProvider): Promise<ClientConfiguration> => {
    const key = keyOf(provider)
    const failure = failed.get(key)
    if (failure !== undefined) throw failure
    const discovered = known.get(key) ?? discover(provider)
    known.set(key, discovered)
    return discovered.catch((error: unknown) => {
      const failure = new ProviderFailed(`its metadata could not be read: ${messageOf(error)}`)
      known.delete(key)
      failed.set(key, failure)
      throw failure
    })
  }

  return {
    /** Returns who the provider says it is, and where its keys are. @throws ProviderFailed */
    metadata: async (
      provider: OauthProvider,
    ): Promise<{ readonly issuer: string; readonly jwksUri: string }> => {
      const { issuer, jwks_uri: jwksUri } = (await clientFor(provider)).serverMetadata()
      if (jwksUri === undefined) throw new ProviderFailed('its metadata names no keys')
      return { issuer, jwksUri }
    },

    /**
     * Returns the address of the provider where the browser continues.
     * @throws ProviderFailed
     */
    authorizationUrl: async (
      provider: OauthProvider,
      { state, nonce, verifier }: AuthorizationSecrets,
      { loginHint, fresh }: AuthorizationWish,
    ): Promise<string> => {
      const client = await clientFor(provider)
      const url = buildAuthorizationUrl(client, {
        redirect_uri: callbackUrl(provider.id),
        scope: ['openid', ...provider.scopes].join(' '),
        ...{ state, nonce, code_challenge_method: 'S256' },
        code_challenge: await calculatePKCECodeChallenge(verifier),
        max_age: String(fresh ? 0 : ANY_AGE_SECONDS),
        ...(fresh ? { prompt: 'login' } : {}),
        ...(loginHint === null ? {} : { login_hint: loginHint }),
      })
      return url.href
    },

    /**
     * Reads the provider's response: checks it, exchanges the code, checks the ID token.
     * @param query of the callback, as received
     * @throws ProviderDenied, ProviderFailed
     */
    identity: async (
      provider: OauthProvider,
      query: string,
      { state, nonce, verifier }: AuthorizationSecrets,
      { fresh }: Pick<AuthorizationWish, 'fresh'>,
    ): Promise<ProvenIdentity> => {
      const client = await clientFor(provider)
      try {
        const tokens = await authorizationCodeGrant(client, new URL(`${callbackUrl(provider.id)}${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
          ...(fresh ? { maxAge: FRESH_SECONDS } : {}),
        })
        const idToken: Claims = tokens.claims() ?? {}
        const { email = 'email', ...others } = provider.attributeMapping
        const isComplete = [email, ...Object.values(others)].every((name) => idToken[name] !== undefined)
        const endpoint = client.serverMetadata().userinfo_endpoint
        const userinfo: Claims =
          isComplete || endpoint === undefined
            ? {}
            : await fetchUserInfo(client, tokens.access_token, String(idToken['sub']))
        const { auth_time: authTime, sid } = idToken
        return {
          claims: merged(idToken, userinfo, email),
          authTime: typeof authTime === 'number' ? authTime : null,
          ...(typeof sid === 'string' ? { sid } : {}),
        }
      } catch (error) {
        const failure = responseErrorOf(error)
        if (failure !== null) throw failure
        // The provider has rotated its keys; the code is used up, but the next sign-in reads them again.
        if (isUnknownKey(error)) known.delete(keyOf(provider))
        throw new ProviderFailed(messageOf(error))
      }
    },
  }
}
