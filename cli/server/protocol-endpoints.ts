/** All protocol endpoints for applications and browsers, which share sessions, pending requests and checks. */
import type { Services } from '../../adapters/application/services/services.ts'
import type { Endpoint } from '../../adapters/inbound/http/table.ts'
import { authorization } from '../../adapters/inbound/oidc/authorize.ts'
import { browserEndpoint } from '../../adapters/inbound/sign-in/browser-endpoint.ts'
import { oidcContext, type OidcDeps } from '../../adapters/inbound/oidc/context.ts'
import { oidcEndpoints } from '../../adapters/inbound/oidc/endpoints.ts'
import { formOf, queryOf } from '../../adapters/inbound/http/form-body.ts'
import { samlEndpoints } from '../../adapters/inbound/saml/endpoints.ts'
import { samlMetadataEndpoints } from '../../adapters/inbound/saml/metadata-endpoints.ts'
import { ssfEndpoints } from '../../adapters/inbound/ssf/endpoints.ts'
import { providerEventEndpoints } from '../../adapters/inbound/ssf/provider-events.ts'
import { isSignOn, isTest, resumePaths } from '../../adapters/inbound/sign-in/pending-sign-on.ts'
import { samlSignOn } from '../../adapters/inbound/saml/sso.ts'
import { testSignOn } from '../../adapters/inbound/test-sign-in/test-sign-on.ts'

export const protocolEndpoints = (services: Services, deps: OidcDeps): readonly Endpoint[] => {
  const context = oidcContext(services, deps)
  const oidc = authorization(context)
  const saml = samlSignOn(context)
  const test = testSignOn(context)
  return [
    ...oidcEndpoints(context, oidc),
    ...ssfEndpoints(context),
    ...providerEventEndpoints(context),
    ...samlMetadataEndpoints(services),
    ...samlEndpoints(saml, context),
    {
      path: resumePaths.test,
      handlers: {
        GET: browserEndpoint(
          (request, browser) => test.resume(queryOf(request).get('authRequest'), browser),
          context,
        ),
      },
    },
    {
      // Cancelling on our pages, for any protocol.
      path: '/sign-in/cancel',
      handlers: {
        POST: browserEndpoint(async (request, browser) => {
          const form = await formOf(request)
          const id = form?.get('authRequest') ?? ''
          const waiting = await context.requests.find(id)
          if (waiting !== null && isTest(waiting.parameters)) return test.cancel(id, browser)
          return waiting !== null && isSignOn(waiting.parameters)
            ? saml.cancel(id, browser)
            : oidc.cancel(id, browser)
        }, context),
      },
    },
  ]
}
