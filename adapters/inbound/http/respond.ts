/** Answers on their way out. */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
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

export const refusalAnswer = (error: DomainError, requestId: string): Answer => ({
  status: statusOf(error.code),
  headers: error instanceof ApiError ? error.headers : {},
  json: JSON.stringify(errorBody(error, requestId)),
})

/** Writes an answer; `headOnly` leaves the body out and its length in. */
export const send = async (
  response: ServerResponse,
  answer: Answer,
  requestId: string,
  headOnly: boolean,
): Promise<void> => {
  response.statusCode = answer.status
  response.setHeader('Cache-Control', 'no-store')
  response.setHeader('X-Request-Id', requestId)
  for (const [name, value] of Object.entries(answer.headers))
    response.setHeader(name, typeof value === 'string' ? value : [...value])
  const { content, json } = answer
  const data = content?.data ?? json ?? undefined
  if (data === undefined) {
    response.end()
    return
  }
  response.setHeader('Content-Type', content?.type ?? 'application/json')
  if (data instanceof Readable) {
    if (headOnly) {
      data.destroy()
      response.end()
    } else await pipeline(data, response)
    return
  }
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  response.setHeader('Content-Length', bytes.byteLength)
  response.end(headOnly ? undefined : bytes)
}
