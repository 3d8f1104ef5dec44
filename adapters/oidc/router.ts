/** The OpenID Connect endpoints as one router, each with the error shape its standard asks for. */
import { Router, type Request, type Response } from 'express'
import { discoveryDocument } from '../../domain/oidc/discovery.ts'
import { readParameters } from '../../domain/oidc/parameters.ts'
import type { Services } from '../commands/deps.ts'
import type { Configuration } from '../configuration.ts'
import { authorization, type BrowserAnswer } from './authorize.ts'
import { clientEndpoint } from './client-endpoint.ts'
import { oidcContext, type OidcDeps } from './context.ts'
import { openToApplications, openToEveryone } from './cross-origin.ts'
import { formOf, queryOf } from './form-body.ts'
import { keySet } from './signing-keys.ts'
import { introspectionEndpoint } from './introspection.ts'
import { isUnavailable, neverStored } from './respond.ts'
import { revocationEndpoint } from './revocation.ts'
import { tokenEndpoint } from './token.ts'
import { userinfoEndpoint } from './userinfo.ts'

const DOCUMENT_SECONDS = 300

export const oidcRouter = (services: Services, deps: OidcDeps): Router => {
  const context = oidcContext(services, deps)
  const { configuration: cache, publicUrl } = services
  const router = Router()

  const sendDocument = (response: Response, json: string): void => {
    response
      .set({
        'Cache-Control': `public, max-age=${String(DOCUMENT_SECONDS)}`,
        'X-Content-Type-Options': 'nosniff',
      })
      .type('application/json')
      .send(json)
  }
  const discovery = JSON.stringify(discoveryDocument(publicUrl))
  router.options('/.well-known/openid-configuration', openToEveryone)
  router.get('/.well-known/openid-configuration', openToEveryone, (_, response) => {
    sendDocument(response, discovery)
  })

  let keys: { readonly of: Configuration; readonly json: string } | null = null
  router.options('/oauth2/keys', openToEveryone)
  router.get('/oauth2/keys', openToEveryone, async (_, response) => {
    // Keys verify what was signed long ago: while the database is away, those in memory serve.
    const configuration = await cache.fresh().catch(() => cache.now())
    if (keys?.of !== configuration) keys = { of: configuration, json: JSON.stringify(keySet(configuration)) }
    sendDocument(response, keys.json)
  })

  const { begin, resume, cancel } = authorization(context)
  const browse =
    (work: (request: Request, requestId: string) => Promise<BrowserAnswer>) =>
    async (request: Request, response: Response): Promise<void> => {
      const requestId = deps.newRequestId()
      neverStored(response, requestId)
      const answer = await work(request, requestId).catch((error: unknown): BrowserAnswer => {
        const outage = isUnavailable(error)
        if (!outage) deps.onError(error, requestId)
        const status = outage ? 503 : 500
        const code = outage ? 'ERR_UNAVAILABLE' : 'ERR_INTERNAL'
        return { status, page: deps.pages.error({ status, code, requestId }) }
      })
      if ('location' in answer)
        response.status(303).set({ Location: answer.location, 'Referrer-Policy': 'no-referrer' }).end()
      else response.status(answer.status).set(answer.page.headers).type('html').send(answer.page.html)
    }
  const browserOf = (request: Request, requestId: string) => ({ cookie: request.headers.cookie, requestId })

  router.get(
    '/oauth2/authorize',
    browse((request, requestId) => begin(queryOf(request), browserOf(request, requestId), false)),
  )
  router.post(
    '/oauth2/authorize',
    browse(async (request, requestId) => {
      const form = (await formOf(request)) ?? readParameters([])
      return begin(form, browserOf(request, requestId), true)
    }),
  )
  router.get(
    '/oauth2/authorize/resume',
    browse((request, requestId) => resume(queryOf(request), browserOf(request, requestId))),
  )
  router.post(
    '/sign-in/cancel',
    browse(async (request, requestId) => cancel(await formOf(request), requestId)),
  )

  const fromApplications = openToApplications(cache, 'POST')
  for (const [path, answer] of [
    ['/oauth2/token', tokenEndpoint(context)],
    ['/oauth2/revoke', revocationEndpoint(context)],
  ] as const) {
    router.options(path, fromApplications)
    router.post(path, fromApplications, clientEndpoint(answer, deps))
  }
  router.post('/oauth2/introspect', clientEndpoint(introspectionEndpoint(context), deps))

  const userinfo = userinfoEndpoint(context)
  const crossOrigin = openToApplications(cache, 'GET, POST')
  router.options('/oauth2/userinfo', crossOrigin)
  router.get('/oauth2/userinfo', crossOrigin, userinfo)
  router.post('/oauth2/userinfo', crossOrigin, userinfo)

  return router
}
