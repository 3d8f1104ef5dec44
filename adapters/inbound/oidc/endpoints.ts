/** The OpenID Connect endpoints, each with the error format of its standard. */
import type { ServerResponse } from 'node:http'
import { discoveryDocument } from '../../../domain/oidc/discovery.ts'
import { readParameters } from '../../../domain/oidc/parameters.ts'
import type { Configuration } from '../../application/services/configuration.ts'
import { neverStored, sendDocument, sendEmpty, sendJson, setHeaders } from '../http/respond.ts'
import { apiSecurityHeaders } from '../http/security-headers.ts'
import type { Area, Endpoint, Handler } from '../http/table.ts'
import { isFormFromElsewhere } from '../http/same-origin.ts'
import { languageOf } from '../../kernel/language.ts'
import { resumePaths } from '../sign-in/pending-sign-on.ts'
import type { Authorization } from './authorize.ts'
import { browserEndpoint } from '../sign-in/browser-endpoint.ts'
import { clientEndpoint } from './client-endpoint.ts'
import type { OidcContext, OidcDeps } from './context.ts'
import { openToApplications, openToEveryone } from './cross-origin.ts'
import { deviceAuthorizationEndpoint } from './device-authorization.ts'
import { endSessionEndpoint } from './end-session.ts'
import { formOf, queryOf } from '../http/form-body.ts'
import { introspectionEndpoint } from './introspection.ts'
import { revocationEndpoint } from './revocation.ts'
import { keySet } from './signing-keys.ts'
import { tokenEndpoint } from './token.ts'
import { userinfoEndpoint } from './userinfo.ts'
import { requestIdOf } from '../http/request-id.ts'

const DOCUMENT_SECONDS = 300

const tell = (response: ServerResponse, json: string): void => {
  sendDocument(response, json, {
    type: 'application/json; charset=utf-8',
    cache: `public, max-age=${String(DOCUMENT_SECONDS)}`,
  })
}

/** RFC 6749 §5.2: the clients are programs, so errors are in JSON. */
export const oauthArea = ({
  publicUrl,
  onError,
}: Pick<OidcDeps, 'onError'> & { readonly publicUrl: string }): Area => {
  const securityHeaders = apiSecurityHeaders(publicUrl)
  return {
    kind: 'oauth',
    under: ['/oauth2', '/ssf', '/.well-known'],
    refuse: (request, response, allowed) => {
      setHeaders(response, securityHeaders)
      neverStored(response, requestIdOf(request))
      const refused = (status: number, error_description: string): void => {
        sendJson(response, status, { error: 'invalid_request', error_description })
      }
      if (allowed === null) return refused(404, 'nothing was found at this address')
      response.setHeader('Allow', allowed.join(', '))
      if (request.method === 'OPTIONS') sendEmpty(response, 204)
      else refused(405, 'the method is not supported here')
    },
    failed: (error, request, response) => {
      const requestId = requestIdOf(request)
      onError(error, requestId)
      if (response.headersSent) {
        response.destroy()
        return
      }
      neverStored(response, requestId)
      sendJson(response, 500, { error: 'server_error' })
    },
  }
}

export const oidcEndpoints = (
  context: OidcContext,
  { begin, resume }: Pick<Authorization, 'begin' | 'resume'>,
): readonly Endpoint[] => {
  const { services, pages } = context
  const { configuration: cache, publicUrl } = services

  const discovery = JSON.stringify(discoveryDocument(publicUrl))
  const sendDiscovery: Handler = (_, response) => {
    tell(response, discovery)
  }
  let keys: { readonly of: Configuration; readonly json: string } | null = null
  const sendKeys: Handler = async (_, response) => {
    // Even older keys verify signatures, so the keys in memory are used while the database is unavailable.
    const configuration = await cache.fresh().catch(() => cache.now())
    if (keys?.of !== configuration) keys = { of: configuration, json: JSON.stringify(keySet(configuration)) }
    tell(response, keys.json)
  }

  const browse = (work: Parameters<typeof browserEndpoint>[0]): Handler => browserEndpoint(work, context)
  const logout = endSessionEndpoint(context)
  const forApplications = openToApplications(cache)
  const client = (answer: Parameters<typeof clientEndpoint>[0]): Handler => clientEndpoint(answer, context)
  const userinfo = userinfoEndpoint(context)

  return [
    openToEveryone('/.well-known/openid-configuration', sendDiscovery),
    openToEveryone('/.well-known/oauth-authorization-server', sendDiscovery),
    openToEveryone('/oauth2/keys', sendKeys),
    {
      path: '/oauth2/authorize',
      handlers: {
        GET: browse((request, browser) => begin(queryOf(request), browser, false)),
        POST: browse(async (request, browser) => {
          const form = (await formOf(request)) ?? readParameters([])
          return begin(form, browser, true)
        }),
      },
    },
    {
      path: resumePaths.oidc,
      handlers: {
        GET: browse((request, browser) => {
          const query = queryOf(request)
          return resume(query.get('authRequest'), { ...browser, language: languageOf(query.get('language')) })
        }),
      },
    },
    {
      path: '/oauth2/logout',
      handlers: {
        GET: browse((request, browser) => logout.begin(queryOf(request), browser, false)),
        POST: browse(async (request, browser) => {
          const form = (await formOf(request)) ?? readParameters([])
          return logout.begin(form, browser, true)
        }),
      },
    },
    {
      path: '/oauth2/logout/confirm',
      handlers: {
        POST: browse(async (request, browser) =>
          isFormFromElsewhere(request, publicUrl)
            ? {
                status: 403,
                page: pages.error({ status: 403, code: 'ERR_CROSS_SITE', requestId: browser.requestId }),
              }
            : logout.confirm(await formOf(request), browser),
        ),
      },
    },
    forApplications('/oauth2/token', { POST: client(tokenEndpoint(context)) }),
    forApplications('/oauth2/revoke', { POST: client(revocationEndpoint(context)) }),
    forApplications('/oauth2/userinfo', { GET: userinfo, POST: userinfo }),
    {
      path: '/oauth2/device_authorization',
      handlers: { POST: client(deviceAuthorizationEndpoint(context)) },
    },
    { path: '/oauth2/introspect', handlers: { POST: client(introspectionEndpoint(context)) } },
  ]
}
