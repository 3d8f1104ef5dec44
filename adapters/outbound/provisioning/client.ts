/** Requests to the SCIM service of an application (RFC 7644 §3), and their results. */
import type { ProvisioningFailure } from '../../../domain/provisioning/events.ts'
import { EgressError, type Egress, type EgressAnswer } from '../../engines/egress/client.ts'

const SCIM_TYPE = 'application/scim+json'
const ANSWER_LIMIT = 1024 * 1024
const TEXT_LIMIT = 300

/** Seconds for one request, from name resolution to the end of the response. */
export const REQUEST_SECONDS = 10

/** Seconds to wait if an application requests a pause without a duration; also the maximum. */
const HOLD_SECONDS = 60
const MOST_HOLD_SECONDS = 3600

/** Why a request failed. */
export class ScimFailure extends Error {
  /** `rejected`: affects only this user. Any other: no request would succeed now */
  readonly failure: ProvisioningFailure | 'rejected' | 'failed'
  readonly httpStatus: number | null
  /** Seconds to wait, if the application requests it */
  readonly holdSeconds: number | null

  constructor(
    failure: ScimFailure['failure'],
    message: string,
    httpStatus: number | null = null,
    holdSeconds: number | null = null,
  ) {
    super(message)
    this.name = 'ScimFailure'
    this.failure = failure
    this.httpStatus = httpStatus
    this.holdSeconds = holdSeconds
  }
}

type Json = Readonly<Record<string, unknown>>

export interface ScimAnswer {
  readonly status: number
  /** Null if there is none */
  readonly body: Json | null
  readonly location: string | null
}

/** Client of one SCIM service. Statuses in `expected` are results; all others are failures. */
export type ScimRequest = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH',
  path: string,
  expected: readonly number[],
  body?: Json,
) => Promise<ScimAnswer>

const parsed = (text: string): Json | null => {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : null
  } catch {
    return null
  }
}

/** RFC 9110 §10.2.3. */
const holdSeconds = (header: string | undefined, now: number): number => {
  const text = header?.trim() ?? ''
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000
  return Number.isNaN(seconds) ? HOLD_SECONDS : Math.min(MOST_HOLD_SECONDS, Math.max(1, Math.ceil(seconds)))
}

/** The error detail of a response (RFC 7644 §3.12), without control characters. */
const detailOf = ({ status, text }: EgressAnswer): string => {
  const detail = parsed(text)?.['detail']
  const said = typeof detail === 'string' ? `: ${detail.replaceAll(/\p{Cc}+/gu, ' ')}` : ''
  return `returned ${String(status)}${said}`.slice(0, TEXT_LIMIT)
}

const failureOf = (answer: EgressAnswer, now: number): ScimFailure => {
  const { status, headers } = answer
  const retryAfter = headers['retry-after']
  const text = detailOf(answer)
  if (status >= 300 && status < 400)
    return new ScimFailure('redirect', `returned ${String(status)}; redirects are not followed`, status)
  if (status === 401 || status === 403) return new ScimFailure('unauthorized', text, status)
  if (status === 429) return new ScimFailure('rate_limited', text, status, holdSeconds(retryAfter, now))
  if (status === 503)
    return new ScimFailure(
      'unavailable',
      text,
      status,
      retryAfter === undefined ? null : holdSeconds(retryAfter, now),
    )
  return new ScimFailure(status >= 500 ? 'failed' : 'rejected', text, status)
}

/**
 * Creates a client.
 * @param baseUrl without a trailing slash
 * @param now milliseconds since 1970
 */
export const scimClient = (deps: {
  readonly egress: Pick<Egress, 'send'>
  readonly baseUrl: string
  readonly token: string
  readonly now: () => number
  /** Seconds for one request */
  readonly timeout?: number
}): ScimRequest => {
  const { egress, baseUrl, token, now, timeout = REQUEST_SECONDS } = deps
  return async (method, path, expected, body) => {
    let answer: EgressAnswer
    try {
      answer = await egress.send(`${baseUrl}${path}`, {
        method,
        headers: {
          Accept: SCIM_TYPE,
          Authorization: `Bearer ${token}`,
          'User-Agent': 'Svc-Provisioning',
          ...(body === undefined ? {} : { 'Content-Type': SCIM_TYPE }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeout: timeout * 1000,
        limit: ANSWER_LIMIT,
      })
    } catch (error) {
      if (!(error instanceof EgressError)) throw error
      throw new ScimFailure(
        error.failure === 'refused' ? 'connection' : error.failure,
        error.message.slice(0, TEXT_LIMIT),
      )
    }
    if (!expected.includes(answer.status)) throw failureOf(answer, now())
    return {
      status: answer.status,
      body: parsed(answer.text),
      location: answer.headers['location'] ?? null,
    }
  }
}

/**
 * Checks whether the service responds like a SCIM service.
 * @throws ScimFailure
 */
export const probe = async (request: ScimRequest): Promise<void> => {
  const { body } = await request('GET', '/Users?startIndex=1&count=1', [200])
  if (typeof body?.['totalResults'] !== 'number')
    throw new ScimFailure('malformed', 'returned 200, but not a SCIM list of users', 200)
}
