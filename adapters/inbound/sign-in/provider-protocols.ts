/** Leaving for identity providers and reading their responses, whatever protocol they speak. */
import type { IdentityProviderConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Services } from '../../application/services/services.ts'
import { githubProviders } from '../../application/sign-in/federation/github-provider.ts'
import { openidProviders } from '../../application/sign-in/federation/openid-provider.ts'
import {
  ProviderFailed,
  type AuthorizationSecrets,
  type AuthorizationWish,
  type ProvenIdentity,
} from '../../application/sign-in/federation/provider-protocol.ts'
import { samlProviders } from '../../application/sign-in/federation/saml-provider.ts'
import { idsFor } from '../../kernel/ids.ts'
import { callbackUrl, samlNamesAt } from './callback-url.ts'

/** What a provider sent, through the browser. */
export type ProviderResponse =
  /** The query of the redirect URI as received, with `?` */
  | { readonly protocol: 'oauth'; readonly query: string }
  | {
      readonly protocol: 'saml'
      /** XML as received */
      readonly response: string
      readonly relayState: string | null
    }

/** Returns the handle of the sign-in that a response belongs to. */
export const stateOf = (response: ProviderResponse): string | null =>
  response.protocol === 'oauth' ? new URLSearchParams(response.query).get('state') : response.relayState

export const providerProtocols = (
  services: Pick<Services, 'egress' | 'vault' | 'configuration' | 'clock' | 'publicUrl'>,
) => {
  const { publicUrl } = services
  const openid = openidProviders(services, (id) => callbackUrl(publicUrl, id))
  const github = githubProviders(services, (id) => callbackUrl(publicUrl, id))
  const saml = samlProviders(services, (id) => samlNamesAt(publicUrl, id))

  return {
    /**
     * Returns the address of the provider where the browser continues.
     * @throws ProviderFailed
     */
    authorizationUrl: (
      provider: IdentityProviderConfiguration,
      secrets: AuthorizationSecrets,
      wish: AuthorizationWish,
    ): Promise<string> => {
      if (provider.type === 'saml') return saml.authnRequestUrl(provider, secrets, wish)
      const client = provider.type === 'github' ? github : openid
      return client.authorizationUrl(provider, secrets, wish)
    },

    /** @throws ProviderDenied, ProviderFailed */
    identity: (
      provider: IdentityProviderConfiguration,
      response: ProviderResponse,
      secrets: AuthorizationSecrets,
      wish: Pick<AuthorizationWish, 'fresh'>,
    ): Promise<ProvenIdentity> => {
      if (provider.type === 'saml')
        return response.protocol === 'saml'
          ? saml.identity(provider, response.response, secrets, wish)
          : Promise.reject(new ProviderFailed('expected a SAML response'))
      const client = provider.type === 'github' ? github : openid
      return response.protocol === 'oauth'
        ? client.identity(provider, response.query, secrets, wish)
        : Promise.reject(new ProviderFailed('expected an authorization response'))
    },

    /**
     * Verifies a SAML response that no request asked for.
     * @returns also a `ses_` id of this assertion, so that it opens one session at most
     * @throws ProviderDenied, ProviderFailed
     */
    unsolicited: async (
      provider: Extract<IdentityProviderConfiguration, { readonly type: 'saml' }>,
      response: string,
    ): Promise<ProvenIdentity & { readonly proofId: string }> => {
      const { assertionId, ...identity } = await saml.identity(provider, response, null, { fresh: false })
      const key = JSON.stringify(['saml-assertion', provider.id, assertionId])
      return { ...identity, proofId: idsFor(key).newId('session') }
    },
  }
}
