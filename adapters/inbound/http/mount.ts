/**
 * The JSON API on Express. The order of checks is the same for every route: route, same origin, credential, roles,
 * proof, body, path, values, and then what the handler itself refuses. A repeat by Idempotency-Key passes all of them
 * but the last again.
 */
import type { IncomingMessage } from 'node:http'
import type { IRouter, Request, Response } from 'express'
import { DomainError } from '../../../domain/errors.ts'
import { BodyProblem } from './body.ts'
import { trustedProxies } from '../../kernel/address-ranges.ts'
import { clientIp, type IsTrusted } from '../../kernel/client-ip.ts'
import { readCookies, sessionSecretOf } from './cookies.ts'
import { asksForProof, errorsOf, isRepeatable, type Method } from './declaration.ts'
import { ApiError, toRefusal } from './errors.ts'
import { identify, presented, type Authenticate } from './identify.ts'
import type { IdempotencyStore } from './idempotency.ts'
import { checksOf, receive, valuesOf, type Checks } from './input.ts'
import type { Logger } from './logger.ts'
import { matcher } from './match.ts'
import { allRoutes } from './openapi.ts'
import { once } from './repeat.ts'
import type { LimitName } from './rate-limit-rules.ts'
import { answerOf, refusalAnswer, send, type Answer } from './respond.ts'
import { BASE_PATH, type ApiRequest, type HttpContext, type Reply, type Route } from './route.ts'
import { isCrossSite } from './same-origin.ts'
import { apiSecurityHeaders } from './security-headers.ts'
import { anonymous, credentialOf, type Caller, type KnownCaller } from './caller.ts'
import { keptUserAgent } from './user-agent.ts'
import { fieldName, unknownField, validators } from './validate.ts'

type LimitHeaders = Readonly<Record<string, string>>

/** The origin of a request, for rate limits. */
export type LimitedOrigin = Pick<HttpContext, 'ip' | 'cookies'>

/**
 * Counts requests. Both return headers with the remaining number, and throw ApiError ERR_RATE_LIMITED if
 * there are too many.
 */
export interface RateLimit {
  readonly request: (bucket: LimitName, caller: Caller, origin: LimitedOrigin) => Promise<LimitHeaders>
  /** By an entered address, and its origin. */
  readonly address: (bucket: LimitName, email: string, origin: LimitedOrigin) => Promise<LimitHeaders>
}

export interface ApiOptions {
  /** Public address without a trailing slash. */
  readonly publicUrl: string
  /** `info.version` of the OpenAPI document. */
  readonly version: string
  readonly authenticate: Authenticate
  /**
   * Called for routes that declare `reauthentication`.
   * @throws DomainError ERR_STRONGER_AUTH_REQUIRED, ERR_REAUTH_REQUIRED
   */
  readonly requireProof: (caller: KnownCaller) => Promise<void>
  readonly logger: Logger
  readonly now: () => Date
  /** A new, unguessable id for each request. */
  readonly newCorrelationId: () => string
  /** Left out: `Idempotency-Key` is ignored. */
  readonly idempotency?: IdempotencyStore
  readonly rateLimit?: RateLimit
  /** Addresses or CIDR ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies?: readonly string[]
  /** Milliseconds for a whole body to arrive; 30 000 when left out. */
  readonly bodyTimeoutMs?: number
  /** For tests: a result that does not match its schema, or an undeclared error, returns 500 with the reason. */
  readonly strict?: boolean
}

interface Mounted extends Pick<Route, 'method' | 'path'> {
  readonly declared: Route
  readonly checks: Checks
}

/** Compiled once, however often the same routes are mounted in a process. */
const compiled = validators()

const SAFE_REQUEST_ID = /^[A-Za-z0-9._:~-]{1,128}$/

const headerOf = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

const ifMatchOf = (written: string | undefined): number | undefined => {
  if (written === undefined || written.trim() === '*') return undefined
  const version = /^\s*(?:W\/)?"?(\d{1,15})"?\s*$/.exec(written)?.[1]
  if (version === undefined) throw new DomainError('ERR_STALE')
  return Number(version)
}

const contextOf = (request: Request, options: ApiOptions, isTrusted: IsTrusted): HttpContext => {
  const asked = headerOf(request, 'x-request-id')
  const origin = headerOf(request, 'origin')
  const correlationId = options.newCorrelationId()
  return {
    correlationId,
    requestId: asked !== undefined && SAFE_REQUEST_ID.test(asked) ? asked : correlationId,
    ip: clientIp(request.socket.remoteAddress, request.headers['x-forwarded-for'], isTrusted),
    userAgent: keptUserAgent(headerOf(request, 'user-agent')),
    method: request.method as Method | 'HEAD',
    url: new URL(options.publicUrl + BASE_PATH + request.url),
    accept: headerOf(request, 'accept') ?? '*/*',
    cookies: readCookies(request.headers.cookie),
    ...(origin === undefined ? {} : { origin }),
    host: headerOf(request, 'host') ?? '',
  }
}

const GENERAL: LimitName = 'api'

/** Of two limits, each has its member in the lists that the headers are. */
const both = (first: LimitHeaders | undefined, second: LimitHeaders | undefined): LimitHeaders | undefined =>
  first === undefined || second === undefined
    ? (first ?? second)
    : Object.fromEntries(
        Object.entries(first).map(([name, value]) => [name, `${value}, ${second[name] ?? ''}`]),
      )

/** @throws Error saying how the reply differs from the declaration */
const checkReply = ({ declared, checks }: Mounted, reply: Reply): void => {
  const fail = (what: string): never => {
    throw new Error(`${declared.method} ${declared.path} violated its declaration: ${what}`)
  }
  if (reply.content !== undefined) {
    const type = reply.content.type.split(';', 1)[0] ?? ''
    if (declared.produces?.includes(type) !== true) fail(`content of type ${type}`)
    return
  }
  if (declared.result === undefined) {
    if (reply.body !== undefined) fail('a body although no result is declared')
    return
  }
  const body: unknown = JSON.parse(JSON.stringify(reply.body ?? null))
  const unknown = unknownField(declared.result, body, true)
  if (unknown !== undefined) fail(`undeclared field ${fieldName(unknown)}`)
  const problem = checks.result()(body)
  if (problem !== undefined) fail(problem.message)
}

/**
 * Serves routes below `/api/v1`, and the document that describes them at `/api/v1/openapi.yaml`.
 * @throws Error when two routes share a method and path
 */
export const mountApi = (app: IRouter, routes: readonly Route[], options: ApiOptions): void => {
  const all = allRoutes(routes, options)
  const match = matcher(
    all.map((declared): Mounted => {
      const { method, path } = declared
      return { method, path, declared, checks: checksOf(declared, compiled) }
    }),
  )
  const publicOrigin = new URL(options.publicUrl).origin
  const isTrusted = trustedProxies(options.trustedProxies ?? [])

  const carryOut = async (mounted: Mounted, request: ApiRequest): Promise<Answer> => {
    const { declared } = mounted
    try {
      const reply = await declared.handle(request)
      if (options.strict === true) checkReply(mounted, reply)
      return answerOf(declared.status, reply, options.publicUrl)
    } catch (error) {
      if (options.strict === true && error instanceof DomainError && !errorsOf(declared).includes(error.code))
        throw new Error(
          `${declared.method} ${declared.path} violated its declaration: undeclared ${error.code}`,
        )
      throw error
    }
  }

  const limitOfAddress = async (
    { emailBucket }: Route,
    body: unknown,
    http: HttpContext,
  ): Promise<LimitHeaders | undefined> => {
    if (emailBucket === undefined) return undefined
    const { email } = body as { readonly email?: unknown }
    return typeof email === 'string' ? options.rateLimit?.address(emailBucket, email, http) : undefined
  }

  const answer = async (request: Request, http: HttpContext): Promise<Answer> => {
    const path = request.url.split('?', 1)[0] ?? ''
    const method = http.method === 'HEAD' ? 'GET' : http.method
    const found = request.originalUrl.startsWith(BASE_PATH) ? match(method, path) : undefined
    if (found === undefined) throw new DomainError('ERR_NO_ROUTE')
    const { declared, checks } = found.route
    const fetchSite = headerOf(request, 'sec-fetch-site')
    if (isCrossSite({ method: request.method, secFetchSite: fetchSite, origin: http.origin }, publicOrigin))
      throw new DomainError('ERR_CROSS_SITE')

    const sent = presented(
      declared.access,
      headerOf(request, 'authorization'),
      sessionSecretOf(request.headers, options.publicUrl),
    )
    const caller = await identify(declared.access, sent, (presentedOne) =>
      options.authenticate(presentedOne, http),
    ).catch(async (error: unknown) => {
      // Rejected requests count too, by origin.
      if (error instanceof DomainError) await options.rateLimit?.request(GENERAL, anonymous, http)
      throw error
    })
    const ofCaller = await options.rateLimit?.request(declared.bucket ?? GENERAL, caller, http)

    const mustProve = async (asked: boolean): Promise<void> => {
      if (asked && caller.kind !== 'anonymous') await options.requireProof(caller)
    }
    const always = asksForProof(declared)
    await mustProve(always)

    const received = await receive(request, declared, options.bodyTimeoutMs ?? 30_000)
    const values = valuesOf(declared, checks, found.params, http.url, received)
    await mustProve(!always && asksForProof(declared, values.body))
    const limits = both(ofCaller, await limitOfAddress(declared, values.body, http))
    const ifMatch = declared.errors.includes('ERR_STALE')
      ? ifMatchOf(headerOf(request, 'if-match'))
      : undefined
    const input = { ...values, caller, ...(received.upload === undefined ? {} : { upload: received.upload }) }
    const context = { ...http, ...(ifMatch === undefined ? {} : { ifMatch }) }

    const run = (idempotencyKey?: string): Promise<Answer> =>
      carryOut(found.route, {
        ...input,
        http: idempotencyKey === undefined ? context : { ...context, idempotencyKey },
      } as ApiRequest)
    const key = headerOf(request, 'idempotency-key')
    const credential = credentialOf(caller)
    const answered =
      key === undefined || options.idempotency === undefined || !isRepeatable(declared) || credential === null
        ? await run()
        : await once(
            {
              store: options.idempotency,
              now: options.now,
              logger: options.logger,
              requestId: http.requestId,
            },
            {
              key,
              credential,
              asked: [method, http.url.pathname, http.url.search, received.bytes],
            },
            run,
          )
    return limits === undefined ? answered : { ...answered, headers: { ...limits, ...answered.headers } }
  }

  const serve = async (request: Request, response: Response): Promise<void> => {
    const http = contextOf(request, options, isTrusted)
    const { requestId, correlationId } = http
    let answered: Answer
    try {
      answered = await answer(request, http)
    } catch (thrown) {
      if (thrown instanceof BodyProblem) {
        response.destroy()
        return
      }
      const refusal = toRefusal(thrown)
      if (refusal !== thrown)
        options.logger.error(
          { err: thrown, requestId, correlationId, method: request.method, code: refusal.code },
          'request failed',
        )
      answered = refusalAnswer(explained(refusal, thrown), requestId)
    }
    await send(response, answered, requestId, request.method === 'HEAD')
  }

  /** In tests the response contains the cause; otherwise it never does. */
  const explained = (refusal: DomainError, thrown: unknown): DomainError =>
    options.strict === true && refusal.code === 'ERR_INTERNAL' && thrown instanceof Error
      ? new ApiError('ERR_INTERNAL', thrown.message)
      : refusal

  app.use(BASE_PATH, apiSecurityHeaders(options.publicUrl), (request: Request, response: Response) => {
    serve(request, response).catch((error: unknown) => {
      options.logger.error({ err: error }, 'response could not be sent')
      response.destroy()
    })
  })
}
