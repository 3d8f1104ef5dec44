/**
 * Tracks the request for which the current code runs, across calls, awaits and timers, so that an uncaught error can be
 * logged with its request.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import { isAnyId } from '../../../domain/ids.ts'
import { requestIdOf } from './request-id.ts'

/** What log lines contain about a request. */
export interface LoggedRequest {
  readonly requestId: string
  readonly method: string
  /** The path without the query and without possible one-time links or codes */
  readonly path: string
}

interface Tracked {
  readonly requestId: string
  readonly method: string
  /** As sent: it may contain secrets */
  readonly url: string
}

export interface RequestTracking {
  /** Runs the work of a request, so that `loggedRequest` describes it everywhere inside. */
  readonly withRequest: <Result>(request: IncomingMessage, work: () => Result) => Result
  /** Describes the current request; undefined for work without a request, and where requests are not tracked. */
  readonly loggedRequest: () => LoggedRequest | undefined
}

/** Matches the words of our own paths. Any other path segment may be a secret. */
const WORD = /^[a-z][a-z0-9._-]{0,30}$/

/** Returns the path of a request for the log, without segments that are neither words nor ids. */
export const loggedPath = (url: string): string =>
  (url.split('?', 1)[0] ?? '')
    .slice(0, 500)
    .split('/')
    .map((segment) => (segment === '' || WORD.test(segment) || isAnyId(segment) ? segment : '…'))
    .join('/')

/** @param isTracked false to do nothing but run the work */
export const requestTracking = (isTracked: boolean): RequestTracking => {
  if (!isTracked) return { withRequest: (_, work) => work(), loggedRequest: () => undefined }
  const current = new AsyncLocalStorage<Tracked>()
  return {
    withRequest: (request, work) => {
      const { method = '', url = '' } = request
      return current.run({ requestId: requestIdOf(request), method, url }, work)
    },
    loggedRequest: () => {
      const tracked = current.getStore()
      if (tracked === undefined) return undefined
      const { requestId, method, url } = tracked
      return { requestId, method, path: loggedPath(url) }
    },
  }
}

/**
 * Node 24 and later track an async context at no cost. Earlier releases observe every promise for it, which takes a
 * tenth of the processor time of a sign-in, so there an uncaught error is logged without its request.
 */
export const { withRequest, loggedRequest } = requestTracking(
  Number(process.versions.node.split('.', 1)[0]) >= 24,
)
