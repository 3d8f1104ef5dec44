/** The OpenID Connect endpoints as one router, each with the error shape its standard asks for. */
import { Router, type Request, type Response } from 'express'
import { DomainError } from '../../domain/errors.ts'
import { discoveryDocument } from '../../domain/oidc/discovery.ts'
import { readParameters } from '../../domain/oidc/parameters.ts'
import type { Services } from '../commands/deps.ts'
import type { Configuration } from '../configuration.ts'
import { isOutage } from '../http/errors.ts'
import { authorization, type BrowserAnswer } from './authorize.ts'
import { oidcContext, type OidcDeps } from './context.ts'
import { openToApplications, openToEveryone } from './cross-origin.ts'
import { formOf, queryOf } from './form-body.ts'
import { keySet } from './signing-keys.ts'
import { TokenError, tokenEndpoint } from './token.ts'
import { BearerError, userinfoEndpoint } from './userinfo.ts'

const DOCUMENT_SECONDS = 300

const isUnavailable = (error: unknown): boolean =>
  isOutage(error) || (error instanceof DomainError && error.code === 'ERR_UNAVAILABLE')

const sendJson = (response: Response, status: number, body: object): void => {
  response.status(status).type('application/json').send(JSON.stringify(body))
}

const neverStored = (response: Response, requestId: string): void => {
  response.set({
    'Cache-Control': 'no-store',
    Pragma: 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  })
}

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
  router.get('/.well-known/openid-configuration', openToEveryone, (_, response) => {
    sendDocument(response, discovery)
  })

  let keys: { readonly of: Configuration; readonly json: string } | null = null
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

  const token = tokenEndpoint(context)
  router.options('/oauth2/token', openToApplications(cache, 'POST'))
  router.post('/oauth2/token', openToApplications(cache, 'POST'), async (request, response) => {
    const requestId = deps.newRequestId()
    neverStored(response, requestId)
    try {
      const ip = deps.clientIp(request)
      const { authorization: header } = request.headers
      sendJson(response, 200, await token(await formOf(request), { authorization: header, ip, requestId }))
    } catch (error) {
      if (!(error instanceof TokenError) && !isUnavailable(error)) deps.onError(error, requestId)
      const refusal =
        error instanceof TokenError
          ? error
          : isUnavailable(error)
            ? new TokenError('temporarily_unavailable', 'try again', { 'Retry-After': '1' })
            : new TokenError('server_error', 'the request could not be completed')
      response.set(refusal.headers)
      sendJson(response, refusal.status, { error: refusal.code, error_description: refusal.message })
    }
  })

  const userinfo = userinfoEndpoint(context)
  const answerUserinfo = async (request: Request, response: Response): Promise<void> => {
    const requestId = deps.newRequestId()
    neverStored(response, requestId)
    try {
      sendJson(response, 200, await userinfo(request))
    } catch (error) {
      if (error instanceof BearerError) {
        response.set('WWW-Authenticate', error.challenge)
        sendJson(response, error.status, {
          error: error.code ?? 'invalid_token',
          error_description: error.message,
        })
        return
      }
      const outage = isUnavailable(error)
      if (outage) response.set('Retry-After', '1')
      else deps.onError(error, requestId)
      sendJson(response, outage ? 503 : 500, { error: outage ? 'temporarily_unavailable' : 'server_error' })
    }
  }
  const crossOrigin = openToApplications(cache, 'GET, POST')
  router.options('/oauth2/userinfo', crossOrigin)
  router.get('/oauth2/userinfo', crossOrigin, answerUserinfo)
  router.post('/oauth2/userinfo', crossOrigin, answerUserinfo)

  return router
}
