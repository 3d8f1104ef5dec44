/** All that applications and browsers ask of the protocols, on one set of sessions, waiting requests and checks. */
import type { Services } from './commands/deps.ts'
import type { Endpoint } from './http/dispatch.ts'
import { authRequests } from './oidc/auth-requests.ts'
import { authorization } from './oidc/authorize.ts'
import { browserEndpoint } from './oidc/browser-endpoint.ts'
import { oidcContext, type OidcDeps } from './oidc/context.ts'
import { oidcEndpoints } from './oidc/endpoints.ts'
import { formOf } from './oidc/form-body.ts'
import { samlEndpoints } from './saml/endpoints.ts'
import { samlMetadataEndpoints } from './saml/metadata-endpoints.ts'
import { isSignOn, type Pending } from './saml/pending-sign-on.ts'
import { samlSignOn } from './saml/sso.ts'

export const protocolEndpoints = (services: Services, deps: OidcDeps): readonly Endpoint[] => {
  const context = oidcContext(services, deps)
  const requests = authRequests<Pending>(services)
  const oidc = authorization(context)
  const saml = samlSignOn({ ...context, requests })
  return [
    ...oidcEndpoints(context, oidc),
    ...samlMetadataEndpoints(services),
    ...samlEndpoints(saml, context),
    {
      // The way back from our pages, whatever protocol led there.
      path: '/sign-in/cancel',
      handlers: {
        POST: browserEndpoint(async (request, browser) => {
          const form = await formOf(request)
          const id = form?.get('authRequest') ?? ''
          const waiting = await requests.find(id)
          return waiting !== null && isSignOn(waiting.parameters)
            ? saml.cancel(id, browser)
            : oidc.cancel(form, browser)
        }, context),
      },
    },
  ]
}
