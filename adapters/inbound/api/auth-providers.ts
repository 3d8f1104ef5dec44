import { Type } from 'typebox'
import { domainOf } from '../../../domain/identity-provider/claims.ts'
import type { Id } from '../../../domain/ids.ts'
import type { IdentityProviderConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Services } from '../../application/services/services.ts'
import { CONTROLS } from '../http/character-classes.ts'
import { BASE_PATH, fields, idOf, route, type Route } from '../http/route.ts'
import { nullable, printable, proven } from '../http/schemas.ts'
import { MAX_SAML_RESPONSE } from '../saml/binding.ts'
import { federatedSignIn } from '../sign-in/federated-sign-in.ts'
import { ownPath } from '../sign-in/own-path.ts'
import { AuthRequestId, TypedAddress } from './auth-schemas.ts'
import { ProviderType } from './identity-provider-schemas.ts'

const tag = 'Sign-in'
const bucket = 'sign-in'
const anyone = { credentials: ['none'] } as const
/** A second sign-in in the same browser ends the earlier session, or continues it. */
const anyoneOrSession = { credentials: ['none', 'session'] } as const
const params = fields({ id: idOf('identityProvider') })

const SignInProvider = Type.Object(
  {
    id: idOf('identityProvider'),
    name: Type.String(),
    type: ProviderType,
    startUrl: Type.String({ description: 'open it in the browser to sign in' }),
  },
  { title: 'SignInProvider' },
)

/** Values of the protocol: other parameters of the provider are ignored. */
const parameter = Type.Optional(Type.String({ maxLength: 4096, pattern: `^[^${CONTROLS}]*$` }))

/** Routes for signing in with an identity provider. */
export const authProviderRoutes = (services: Services): readonly Route[] => {
  const { publicUrl, configuration } = services
  const federation = federatedSignIn(services)
  const shown = ({ id, name, type }: IdentityProviderConfiguration) => ({
    ...{ id: id as Id<'identityProvider'>, name, type },
    startUrl: `${publicUrl}${BASE_PATH}/auth/providers/${id}/start`,
  })

  return [
    route({
      method: 'GET',
      path: '/auth/providers',
      tag,
      summary: 'List identity providers for sign-in',
      access: anyone,
      result: Type.Array(SignInProvider),
      status: 200,
      errors: [],
      handle: async () => {
        const { identityProviders, methods } = await configuration.fresh()
        return { body: methods.identity_provider.enabled ? identityProviders.map(shown) : [] }
      },
    }),
    route({
      method: 'POST',
      path: '/auth/home-realm',
      tag,
      summary: 'Find the identity provider of an email domain',
      description: 'The response depends only on the domain, never on whether the address has an account.',
      access: anyone,
      bucket,
      body: fields({ email: TypedAddress }),
      result: Type.Object({
        provider: nullable(SignInProvider),
        required: Type.Boolean({ description: 'users of the domain can sign in only with the provider' }),
      }),
      status: 200,
      errors: [],
      handle: async ({ body: { email } }) => {
        const { identityProviderByDomain, methods } = await configuration.fresh()
        const provider = methods.identity_provider.enabled
          ? identityProviderByDomain.get(domainOf(email.trim()))
          : undefined
        return {
          body: {
            provider: provider === undefined ? null : shown(provider),
            required: provider?.requiredForDomains ?? false,
          },
        }
      },
    }),
    route({
      method: 'GET',
      path: '/auth/providers/{id}/start',
      tag,
      summary: 'Sign in with an identity provider',
      description:
        'Redirects the browser to the provider. A user who is signed in must authenticate there again.',
      access: anyoneOrSession,
      bucket,
      params,
      query: fields({
        authRequestId: Type.Optional(AuthRequestId),
        return: Type.Optional(printable(2048, 'a page of this service to continue to')),
        loginHint: Type.Optional(TypedAddress),
        again: Type.Optional(
          Type.Literal('1', { description: 'the user must authenticate at the provider now' }),
        ),
      }),
      status: 302,
      errors: [],
      handle: (request) => {
        const { authRequestId = null, return: next, loginHint = null, again } = request.query
        const purpose = { authRequestId, next: ownPath(next, publicUrl) ?? null }
        return federation.start(request, request.params.id, purpose, loginHint, again !== undefined)
      },
    }),
    route({
      method: 'GET',
      path: '/auth/providers/{id}/callback',
      tag,
      summary: 'Return from an identity provider',
      description:
        'Providers redirect here (OpenID Connect Core §3.1.2.5). Redirects to the application or page that the user wanted, or to the sign-in page with an error. A browser (`Accept: text/html`) gets too many requests, a blocked network and an outage as a page.',
      access: anyoneOrSession,
      bucket,
      params,
      query: Type.Object(
        { state: parameter, code: parameter, iss: parameter, error: parameter, error_description: parameter },
        { additionalProperties: true },
      ),
      status: 302,
      errors: [],
      audit: ['user.invite', 'user.enroll', 'linked_account.add', 'group.member.add', 'group.member.remove'],
      handle: (request) =>
        federation.callback(request, request.params.id, {
          protocol: 'oauth',
          query: request.http.url.search,
        }),
    }),
    route({
      method: 'POST',
      path: '/auth/providers/{id}/saml-response',
      tag,
      summary: 'Continue with the response of a SAML identity provider',
      description:
        'The page at the assertion consumer service sends here what the provider has posted to it, because browsers omit cookies of this service from a post of another site. The browser continues at `redirectTo`, which may be the sign-in page with an error.',
      access: anyoneOrSession,
      bucket,
      params,
      body: fields({
        samlResponse: Type.String({
          maxLength: MAX_SAML_RESPONSE,
          pattern: '^[A-Za-z0-9+/]+={0,2}$',
          description: 'SAMLResponse: a response in base64 (SAML 2.0 Bindings §3.5.4), without line breaks',
        }),
        relayState: Type.Optional(printable(2048, 'RelayState as received')),
      }),
      result: Type.Object({ redirectTo: Type.String() }),
      status: 200,
      errors: [],
      audit: ['user.invite', 'user.enroll', 'linked_account.add', 'group.member.add', 'group.member.remove'],
      handle: async (request) => {
        const { samlResponse, relayState = null } = request.body
        const { headers = {} } = await federation.callback(request, request.params.id, {
          protocol: 'saml',
          response: Buffer.from(samlResponse, 'base64').toString(),
          relayState,
        })
        const { Location: redirectTo, ...others } = headers
        return { body: { redirectTo: String(redirectTo) }, headers: others }
      },
    }),
    route({
      method: 'POST',
      path: '/me/linked-accounts',
      tag: 'Account',
      summary: 'Link an account at an identity provider',
      description:
        'Open `redirectTo` in the same browser: after the sign-in at the provider, the account is linked.',
      access: proven({ credentials: ['session'] } as const),
      body: fields({ identityProviderId: idOf('identityProvider') }),
      result: Type.Object({ redirectTo: Type.String() }),
      status: 200,
      errors: ['ERR_NOT_FOUND', 'ERR_CONFLICT', 'ERR_PROVIDER_FAILED'],
      handle: async (request) => {
        const { identityProviderId } = request.body
        const { location, setCookies } = await federation.startLinking(request, identityProviderId)
        return { body: { redirectTo: location }, headers: { 'Set-Cookie': setCookies } }
      },
    }),
  ]
}
