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

/** No getter computes the path here: each would be a shape of its own, which a full garbage collection must free. */
interface Tracked {
  readonly requestId: string
  readonly method: string
  /** As sent: it may contain secrets */
  readonly url: string
}

const current = new AsyncLocalStorage<Tracked>()

/** Matches the words of our own paths. Any other path segment may be a secret. */
const WORD = /^[a-z][a-z0-9._-]{0,30}$/

/** Returns the path of a request for the log, without segments that are neither words nor ids. */
export const loggedPath = (url: string): string =>
  (url.split('?', 1)[0] ?? '')
    .slice(0, 500)
    .split('/')
    .map((segment) => (segment === '' || WORD.test(segment) || isAnyId(segment) ? segment : '…'))
    .join('/')

/** Runs the work of a request, so that {@link loggedRequest} describes it everywhere inside. */
export const withRequest = <Result>(request: IncomingMessage, work: () => Result): Result => {
  const { method = '', url = '' } = request
  return current.run({ requestId: requestIdOf(request), method, url }, work)
}

/** Describes the current request for the log; undefined for work without a request. */
export const loggedRequest = (): LoggedRequest | undefined => {
  const tracked = current.getStore()
  if (tracked === undefined) return undefined
  const { requestId, method, url } = tracked
  return { requestId, method, path: loggedPath(url) }
}
