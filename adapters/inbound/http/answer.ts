/** The response to a request to the JSON API, from the reply or the error of its route. */
import type { DomainError } from '../../../domain/errors.ts'
import { ApiError, errorBody, statusOf } from './errors.ts'
import type { Content, Reply, ReplyHeaders } from './route.ts'

export interface Answer {
  readonly status: number
  readonly headers: ReplyHeaders
  /** JSON text; null for no body */
  readonly json: string | null
  readonly content?: Content
}

const versionOf = (body: unknown): number | undefined =>
  typeof body === 'object' && body !== null && 'version' in body && typeof body.version === 'number'
    ? body.version
    : undefined

/** @param publicUrl without a trailing slash; `Location` paths are appended to it */
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
      // RFC 9110 §15.5.2 requires it on every 401. Bearer is the only standard HTTP scheme that the API accepts.
      ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
      ...(error instanceof ApiError ? error.headers : {}),
    },
    json: JSON.stringify(errorBody(error, requestId)),
  }
}
