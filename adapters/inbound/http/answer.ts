/** What a route of the JSON API replied, or how it refused, as it is answered. */
import type { DomainError } from '../../../domain/errors.ts'
import { ApiError, errorBody, statusOf } from './errors.ts'
import type { Content, Reply, ReplyHeaders } from './route.ts'

export interface Answer {
  readonly status: number
  readonly headers: ReplyHeaders
  /** JSON text; null for none. */
  readonly json: string | null
  readonly content?: Content
}

const versionOf = (body: unknown): number | undefined =>
  typeof body === 'object' && body !== null && 'version' in body && typeof body.version === 'number'
    ? body.version
    : undefined

/** @param publicUrl without a trailing slash; `Location` paths are put below it */
export const answerOf = (status: number, reply: Reply, publicUrl: string): Answer => {
  const version = versionOf(reply.body)
  const location = reply.headers?.['Location']
  return {
    status,
    headers: {
      ...(version === undefined ? {} : { ETag: `"${version}"` }),
      ...reply.headers,
      ...(typeof location === 'string' && location.startsWith('/') ? { Location: publicUrl + location } : {}),
    },
    json: reply.body === undefined ? null : JSON.stringify(reply.body),
    ...(reply.content === undefined ? {} : { content: reply.content }),
  }
}

export const refusalAnswer = (error: DomainError, requestId: string): Answer => {
  const status = statusOf(error.code)
  return {
    status,
    headers: {
      // RFC 9110 §15.5.2: on every 401. It names the one scheme here that HTTP knows.
      ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
      ...(error instanceof ApiError ? error.headers : {}),
    },
    json: JSON.stringify(errorBody(error, requestId)),
  }
}
