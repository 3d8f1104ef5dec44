/** The OpenID Connect endpoints, each with the error shape its standard asks for. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { discoveryDocument } from '../../domain/oidc/discovery.ts'
import { readParameters } from '../../domain/oidc/parameters.ts'
import type { Services } from '../commands/deps.ts'
import type { Configuration } from '../configuration.ts'
import type { Endpoint, Handler } from '../http/dispatch.ts'
import { networkOf } from '../http/client-ip.ts'
import { keptUserAgent } from '../http/user-agent.ts'
import { isFormFromElsewhere } from '../http/same-origin.ts'
import { authorization, type BrowserAnswer } from './authorize.ts'
import { clientEndpoint } from './client-endpoint.ts'
import { oidcContext, type OidcDeps } from './context.ts'
import { openToApplications, openToEveryone } from './cross-origin.ts'
import { deviceAuthorizationEndpoint } from './device-authorization.ts'
import { endSessionEndpoint } from './end-session.ts'
import { formOf, queryOf } from './form-body.ts'
import { introspectionEndpoint } from './introspection.ts'
import { isUnavailable, neverStored } from './respond.ts'
import { revocationEndpoint } from './revocation.ts'
import { keySet } from './signing-keys.ts'
import { tokenEndpoint } from './token.ts'
import { userinfoEndpoint } from './userinfo.ts'

const DOCUMENT_SECONDS = 300

const sendDocument = (response: ServerResponse, json: string): void => {
  response
    .writeHead(200, {
      'Cache-Control': `public, max-age=${String(DOCUMENT_SECONDS)}`,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(json),
      'X-Content-Type-Options': 'nosniff',
    })
    .end(json)
}

/** An endpoint that answers browsers: with a redirect or a page. */
const browserEndpoint =
  (
    work: (request: IncomingMessage, requestId: string) => Promise<BrowserAnswer>,
    { newRequestId, onError, pages, limits, clientIp }: OidcDeps,
  ): Handler =>
  async (request, response) => {
    const requestId = newRequestId()
    neverStored(response, requestId)
    const network = networkOf(clientIp(request))
    if (!limits.browser.take(network)) {
      const { html, headers } = pages.error({ status: 429, code: 'ERR_RATE_LIMITED', requestId })
      response
        .writeHead(429, {
          ...headers,
          ...limits.browser.headers(network),
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Length': Buffer.byteLength(html),
        })
        .end(html)
      return
    }
    const answer = await work(request, requestId).catch((error: unknown): BrowserAnswer => {
      const outage = isUnavailable(error)
      if (!outage) onError(error, requestId)
      const status = outage ? 503 : 500
      const code = outage ? 'ERR_UNAVAILABLE' : 'ERR_INTERNAL'
      return { status, page: pages.error({ status, code, requestId }) }
    })
    if ('location' in answer) {
      if (answer.cookie !== undefined) response.setHeader('Set-Cookie', answer.cookie)
      response.writeHead(303, { Location: answer.location, 'Referrer-Policy': 'no-referrer' }).end()
      return
    }
    const { html, headers } = answer.page
    response
      .writeHead(answer.status, {
        ...headers,
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Length': Buffer.byteLength(html),
      })
      .end(html)
  }

export const oidcEndpoints = (services: Services, deps: OidcDeps): readonly Endpoint[] => {
  const context = oidcContext(services, deps)
  const { configuration: cache, publicUrl } = services

  const discovery = JSON.stringify(discoveryDocument(publicUrl))
  const sendDiscovery: Handler = (_, response) => {
    sendDocument(response, discovery)
  }
  let keys: { readonly of: Configuration; readonly json: string } | null = null
  const sendKeys: Handler = async (_, response) => {
    // Keys verify what was signed long ago: while the database is away, those in memory serve.
    const configuration = await cache.fresh().catch(() => cache.now())
    if (keys?.of !== configuration) keys = { of: configuration, json: JSON.stringify(keySet(configuration)) }
    sendDocument(response, keys.json)
  }

  const { begin, resume, cancel } = authorization(context)
  const browse = (work: (request: IncomingMessage, requestId: string) => Promise<BrowserAnswer>): Handler =>
    browserEndpoint(work, deps)
  const browserOf = (request: IncomingMessage, requestId: string) => ({
    cookie: request.headers.cookie,
    requestId,
    ip: deps.clientIp(request),
    userAgent: keptUserAgent(request.headers['user-agent']),
  })

  const logout = endSessionEndpoint(context)
  const forApplications = openToApplications(cache)
  const client = (answer: Parameters<typeof clientEndpoint>[0]): Handler => clientEndpoint(answer, deps)
  const userinfo = userinfoEndpoint(context)

  return [
    openToEveryone('/.well-known/openid-configuration', sendDiscovery),
    openToEveryone('/.well-known/oauth-authorization-server', sendDiscovery),
    openToEveryone('/oauth2/keys', sendKeys),
    {
      path: '/oauth2/authorize',
      handlers: {
        GET: browse((request, requestId) => begin(queryOf(request), browserOf(request, requestId), false)),
        POST: browse(async (request, requestId) => {
          const form = (await formOf(request)) ?? readParameters([])
          return begin(form, browserOf(request, requestId), true)
        }),
      },
    },
    {
      path: '/oauth2/authorize/resume',
      handlers: {
        GET: browse((request, requestId) => resume(queryOf(request), browserOf(request, requestId))),
      },
    },
    {
      path: '/sign-in/cancel',
      handlers: {
        POST: browse(async (request, requestId) =>
          cancel(await formOf(request), browserOf(request, requestId)),
        ),
      },
    },
    {
      path: '/oauth2/logout',
      handlers: {
        GET: browse((request, requestId) =>
          logout.begin(queryOf(request), browserOf(request, requestId), false),
        ),
        POST: browse(async (request, requestId) => {
          const form = (await formOf(request)) ?? readParameters([])
          return logout.begin(form, browserOf(request, requestId), true)
        }),
      },
    },
    {
      path: '/oauth2/logout/confirm',
      handlers: {
        POST: browse(async (request, requestId) =>
          isFormFromElsewhere(request, publicUrl)
            ? { status: 403, page: deps.pages.error({ status: 403, code: 'ERR_CROSS_SITE', requestId }) }
            : logout.confirm(await formOf(request), browserOf(request, requestId)),
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
