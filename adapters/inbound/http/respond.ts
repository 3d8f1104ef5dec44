/**
 * The one place that writes responses. Each kind of response has a function here, with the headers that it always
 * needs. Headers that depend on the request are set on the response beforehand or passed in. For HEAD, Node omits the
 * body and keeps its length.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { languageOfHeader, type Language } from '../../kernel/language.ts'
import type { Answer } from './answer.ts'

export type Headers = Readonly<Record<string, string>>

const write = (response: ServerResponse, status: number, headers: Headers, body: string | Buffer): void => {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body)
}

/** Marks responses that must not be stored: all except documents and files. */
export const neverStored = (response: ServerResponse, requestId: string): void => {
  response.setHeader('Cache-Control', 'no-store')
  response.setHeader('Pragma', 'no-cache')
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('X-Request-Id', requestId)
}

/** Sets headers for every outcome of a request. */
export const setHeaders = (
  response: ServerResponse,
  headers: Readonly<Record<string, string | readonly string[]>>,
): void => {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}

export const sendEmpty = (response: ServerResponse, status: number, headers: Headers = {}): void => {
  const length: Headers = status === 204 ? {} : { 'Content-Length': '0' }
  response.writeHead(status, { ...headers, ...length }).end()
}

export const sendText = (
  response: ServerResponse,
  status: number,
  text: string,
  headers: Headers = {},
): void => {
  write(
    response,
    status,
    { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff', ...headers },
    text,
  )
}

export const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  type = 'application/json; charset=utf-8',
): void => {
  write(response, status, { 'Content-Type': type }, JSON.stringify(body))
}

/** A page with its headers. */
export interface HtmlPage {
  /** The document, or how to draw it in a language */
  readonly html: string | ((language: Language) => string)
  /** The language of its reader, if it is known; default: that of the request */
  readonly language?: Language | null
  /** Content-Security-Policy and other headers that the page needs */
  readonly headers: Headers
}

export const sendHtmlPage = (
  response: ServerResponse,
  status: number,
  { html, language, headers }: HtmlPage,
): void => {
  const all = { ...headers, 'Content-Type': 'text/html; charset=utf-8' }
  if (typeof html === 'string') return write(response, status, all, html)
  const chosen = language ?? languageOfHeader(response.req.headers['accept-language'])
  write(response, status, { ...all, 'Content-Language': chosen, Vary: 'Accept-Language' }, html(chosen))
}

/** Redirects with GET. A redirect target may contain a one-time secret of one user. */
export const redirect = (
  response: ServerResponse,
  location: string,
  status: 302 | 303 | 307 = 303,
  headers: Headers = {},
): void => {
  sendEmpty(response, status, {
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    ...headers,
    Location: location,
  })
}

/** Sends responses that are the same for all users and may be cached for a while. */
export const sendDocument = (
  response: ServerResponse,
  body: string | Buffer,
  document: { readonly type: string; readonly cache: string; readonly headers?: Headers },
): void => {
  write(
    response,
    200,
    {
      'Cache-Control': document.cache,
      'Content-Type': document.type,
      'X-Content-Type-Options': 'nosniff',
      ...document.headers,
    },
    body,
  )
}

/** Sends text in chunks, as fast as the client reads it. */
export const sendPieces = async (
  response: ServerResponse,
  status: number,
  type: string,
  pieces: AsyncIterable<string>,
): Promise<void> => {
  response.writeHead(status, { 'Content-Type': type })
  for await (const piece of pieces) {
    if (response.destroyed) return
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')])
  }
  response.end()
}

/** Sends a response of the JSON API. */
export const sendAnswer = async (
  response: ServerResponse,
  answer: Answer,
  requestId: string,
): Promise<void> => {
  const { status, headers, content, json } = answer
  response.setHeader('Cache-Control', 'no-store')
  response.setHeader('X-Request-Id', requestId)
  for (const [name, value] of Object.entries(headers))
    response.setHeader(name, typeof value === 'string' ? value : [...value])
  const data = content?.data ?? json
  const type = { 'Content-Type': content?.type ?? 'application/json' }
  if (data === null) sendEmpty(response, status)
  else if (!(data instanceof Readable))
    write(response, status, type, typeof data === 'string' ? data : Buffer.from(data))
  else {
    response.writeHead(status, type)
    if (response.req.method !== 'HEAD')
      return pipeline(data, response).catch((error: unknown) => {
        // The client left, which is how most event streams end.
        if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
      })
    data.destroy()
    response.end()
  }
}
