/**
 * The JSON API. The order of checks is the same for every route: route, same origin, credential, roles, proof, body,
 * path, values, and finally the checks of the handler. A repeated request with an Idempotency-Key passes all of them
 * again except the last.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestOrigin } from './request-origin.ts'
import { DomainError } from '../../../domain/errors.ts'
import { isId } from '../../../domain/ids.ts'
import { BodyProblem } from './body.ts'
import { clientIp, type IsTrusted } from '../../kernel/client-ip.ts'
import { readCookies, sessionSecretOf } from './cookies.ts'
import { asksForProof, errorsOf, isOpen, isRepeatable, type Method } from './declaration.ts'
import { answerOf, refusalAnswer, type Answer } from './answer.ts'
import { ApiError, toRefusal } from './errors.ts'
import { identify, presented, type Authenticate } from './identify.ts'
import type { IdempotencyStore } from './idempotency.ts'
import { checksOf, receive, valuesOf, type Checks } from './input.ts'
import type { Logger } from './logger.ts'
import { allRoutes } from './openapi.ts'
import { once } from './repeat.ts'
import type { LimitName } from './rate-limit-rules.ts'
import { sendAnswer, sendHtmlPage, setHeaders, type HtmlPage } from './respond.ts'
import {
  BASE_PATH,
  type ApiRequest,
  type HttpContext,
  type Reply,
  type Route,
  type StreamContext,
} from './route.ts'
import { isCrossSite } from './same-origin.ts'
import { apiSecurityHeaders } from './security-headers.ts'
import type { Part, Params } from './table.ts'
import { anonymous, credentialOf, type Caller, type KnownCaller } from './caller.ts'
import { keptUserAgent } from './user-agent.ts'
import { fieldName, unknownField } from './validate.ts'
import { requestIdOf } from './request-id.ts'

type LimitHeaders = Readonly<Record<string, string>>

/** The origin of a request, for rate limits */
export type LimitedOrigin = Pick<HttpContext, 'ip' | 'cookies'>

/**
 * Counts requests. Both return headers with the remaining number, and throw ApiError ERR_RATE_LIMITED if
 * there are too many.
 */
export interface RateLimit {
  readonly request: (bucket: LimitName, caller: Caller, origin: LimitedOrigin) => Promise<LimitHeaders>
  /** Counts by an entered address and its origin. */
  readonly address: (bucket: LimitName, email: string, origin: LimitedOrigin) => Promise<LimitHeaders>
}

export interface ApiOptions {
  /** Public address without a trailing slash */
  readonly publicUrl: string
  /** `info.version` of the OpenAPI document */
  readonly version: string
  readonly authenticate: Authenticate
  /**
   * Called for routes that declare `reauthentication`.
   * @throws DomainError ERR_STRONGER_AUTH_REQUIRED, ERR_REAUTH_REQUIRED
   */
  readonly requireProof: (caller: KnownCaller) => Promise<void>
  readonly logger: Logger
  readonly now: () => Date
  /** If omitted, `Idempotency-Key` is ignored. */
  readonly idempotency?: IdempotencyStore
  readonly rateLimit?: RateLimit
  /** Whether requests without a credential, and sign-ins, from a network are refused. */
  readonly refusesNetwork?: (origin: RequestOrigin) => Promise<boolean>
  /** Whether the `X-Forwarded-For` header of a peer is trusted; default: of none */
  readonly isTrusted?: IsTrusted
  /** For browsers that follow a link to a route which redirects; default: JSON as for everybody */
  readonly errorPage?: (about: ErrorPage) => HtmlPage
  /** Aborted when the service stops; responses that stay open end then. */
  readonly ending?: AbortSignal
  /** Milliseconds for a whole body to arrive; default 30 000 */
  readonly bodyTimeoutMs?: number
  /** For tests: a result that does not match its schema, or an undeclared error, returns 500 with the reason. */
  readonly strict?: boolean
}

/** Errors that a person who follows a link can meet through no fault of the link. */
const shownCodes = ['ERR_RATE_LIMITED', 'ERR_BLOCKED_BY_POLICY', 'ERR_UNAVAILABLE', 'ERR_INTERNAL'] as const

export interface ErrorPage {
  readonly status: number
  readonly code: (typeof shownCodes)[number]
  readonly requestId: string
}

interface Checked {
  readonly declared: Route
  readonly checks: Checks
}

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

const contextOf = (
  request: IncomingMessage,
  options: ApiOptions,
  isTrusted: IsTrusted,
): Omit<HttpContext, 'stream'> => {
  const sentId = headerOf(request, 'x-request-id')
  const origin = headerOf(request, 'origin')
  const correlationId = requestIdOf(request)
  return {
    correlationId,
    requestId: sentId !== undefined && SAFE_REQUEST_ID.test(sentId) ? sentId : correlationId,
    ip: clientIp(request.socket.remoteAddress, request.headers['x-forwarded-for'], isTrusted),
    userAgent: keptUserAgent(headerOf(request, 'user-agent')),
    method: request.method as Method | 'HEAD',
    url: new URL(options.publicUrl + (request.url ?? '')),
    accept: headerOf(request, 'accept') ?? '*/*',
    cookies: readCookies(request.headers.cookie),
    ...(origin === undefined ? {} : { origin }),
    host: headerOf(request, 'host') ?? '',
  }
}

/**
 * The plan that a request of a program carries out: its changes have one correlation id. Proxies send the header with ids
 * of their own, which are ignored.
 */
const planOf = ({ kind }: Caller, sent: string | undefined): string | undefined =>
  (kind === 'api_key' || kind === 'admin_token') && sent !== undefined && isId('configurationPlan', sent)
    ? sent
    : undefined

const GENERAL: LimitName = 'api'
const neverEnding = new AbortController().signal

/** The headers are lists: with two limits, each contributes a member. */
const both = (first: LimitHeaders | undefined, second: LimitHeaders | undefined): LimitHeaders | undefined =>
  first === undefined || second === undefined
    ? (first ?? second)
    : Object.fromEntries(
        Object.entries(first).map(([name, value]) => [name, `${value}, ${second[name] ?? ''}`]),
      )

/**
 * Checks a reply.
 * @throws Error describing how it differs from the declaration
 */
const checkReply = ({ declared, checks }: Checked, reply: Reply): void => {
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
  const problem = checks.result(body)
  if (problem !== undefined) fail(problem.message)
}

/** The routes below `/api/v1`, and the document that describes them at `/api/v1/openapi.yaml`. */
export const jsonApi = (routes: readonly Route[], options: ApiOptions): Part => {
  const securityHeaders = apiSecurityHeaders(options.publicUrl)
  const publicOrigin = new URL(options.publicUrl).origin
  const isTrusted = options.isTrusted ?? (() => false)

  const carryOut = async (route: Checked, request: ApiRequest): Promise<Answer> => {
    const { declared } = route
    try {
      const reply = await declared.handle(request)
      if (options.strict === true) checkReply(route, reply)
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
    http: LimitedOrigin,
  ): Promise<LimitHeaders | undefined> => {
    if (emailBucket === undefined) return undefined
    const { email } = body as { readonly email?: unknown }
    return typeof email === 'string' ? options.rateLimit?.address(emailBucket, email, http) : undefined
  }

  const answer = async (
    route: Checked | null,
    params: Params,
    request: IncomingMessage,
    http: Omit<HttpContext, 'stream'>,
  ): Promise<Answer> => {
    if (route === null) throw new DomainError('ERR_NO_ROUTE')
    const { declared, checks } = route
    const fetchSite = headerOf(request, 'sec-fetch-site')
    if (isCrossSite({ method: http.method, secFetchSite: fetchSite, origin: http.origin }, publicOrigin))
      throw new DomainError('ERR_CROSS_SITE')

    const sent = presented(
      declared.access,
      headerOf(request, 'authorization'),
      sessionSecretOf(request.headers, options.publicUrl),
    )
    const callerNow = async (): Promise<Caller> => {
      const origin = { ...http, requestId: http.correlationId }
      // Access policies decide about a session, except on routes that anyone may use.
      const isAsked = sent === undefined || (sent.kind === 'session' && isOpen(declared))
      if (isAsked && (await options.refusesNetwork?.(origin)) === true)
        throw new DomainError('ERR_BLOCKED_BY_POLICY')
      return identify(declared.access, sent, (presentedOne) => options.authenticate(presentedOne, http))
    }
    const caller = await callerNow().catch(async (error: unknown) => {
      // Rejected requests count too, by origin.
      if (error instanceof DomainError) await options.rateLimit?.request(GENERAL, anonymous, http)
      throw error
    })
    const ofCaller = await options.rateLimit?.request(declared.bucket ?? GENERAL, caller, http)

    const mustProve = async (required: boolean): Promise<void> => {
      const isExempt = caller.kind === 'cli_token' && declared.access.terminalsExempt === true
      if (required && caller.kind !== 'anonymous' && !isExempt) await options.requireProof(caller)
    }
    const always = asksForProof(declared)
    await mustProve(always)

    const received = await receive(request, declared, options.bodyTimeoutMs ?? 30_000)
    const values = valuesOf(declared, checks, params, http.url, received)
    await mustProve(!always && asksForProof(declared, values.body))
    const limits = both(ofCaller, await limitOfAddress(declared, values.body, http))
    const ifMatch = declared.errors.includes('ERR_STALE')
      ? ifMatchOf(headerOf(request, 'if-match'))
      : undefined
    const correlationId = planOf(caller, headerOf(request, 'x-correlation-id')) ?? http.correlationId
    const input = { ...values, caller, ...(received.upload === undefined ? {} : { upload: received.upload }) }
    const stream: StreamContext = {
      lastEventId: headerOf(request, 'last-event-id'),
      stillAllowed: () =>
        callerNow().then(
          () => true,
          (error: unknown) => {
            if (error instanceof DomainError) return false
            throw error
          },
        ),
      ending: options.ending ?? neverEnding,
    }
    const context = { ...http, correlationId, stream, ...(ifMatch === undefined ? {} : { ifMatch }) }

    const run = (idempotencyKey?: string): Promise<Answer> =>
      carryOut(route, {
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
              parts: [declared.method, http.url.pathname, http.url.search, received.bytes],
            },
            run,
          )
    return limits === undefined ? answered : { ...answered, headers: { ...limits, ...answered.headers } }
  }

  const serve = async (
    route: Checked | null,
    params: Params,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    setHeaders(response, securityHeaders)
    const http = contextOf(request, options, isTrusted)
    const { requestId, correlationId } = http
    let answered: Answer
    try {
      answered = await answer(route, params, request, http)
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
      const shown = shownCodes.find((code) => code === refusal.code)
      const followsLink = route?.declared.status === 302 && http.accept.includes('text/html')
      if (followsLink && shown !== undefined && options.errorPage !== undefined) {
        setHeaders(response, answered.headers)
        const { status } = answered
        return sendHtmlPage(response, status, options.errorPage({ status, code: shown, requestId }))
      }
    }
    await sendAnswer(response, answered, requestId)
  }

  /** In tests the response contains the cause; otherwise it never does. */
  const explained = (refusal: DomainError, thrown: unknown): DomainError =>
    options.strict === true && refusal.code === 'ERR_INTERNAL' && thrown instanceof Error
      ? new ApiError('ERR_INTERNAL', thrown.message)
      : refusal

  return {
    area: {
      kind: 'api',
      under: ['/api'],
      // An undeclared method is treated like an unknown path.
      refuse: (request, response) => serve(null, {}, request, response),
      failed: (error, _, response) => {
        options.logger.error({ err: error }, 'response could not be sent')
        response.destroy()
      },
    },
    endpoints: allRoutes(routes, options).map((declared) => {
      const route: Checked = { declared, checks: checksOf(declared) }
      return {
        path: BASE_PATH + declared.path,
        handlers: {
          [declared.method]: (request: IncomingMessage, response: ServerResponse, params: Params) =>
            serve(route, params, request, response),
        },
      }
    }),
  }
}
