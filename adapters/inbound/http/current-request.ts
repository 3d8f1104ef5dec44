/** Tracks the request for which the current code runs, across calls, awaits and timers. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { isAnyId } from '../../../domain/ids.ts'

export interface CurrentRequest {
  readonly requestId: string
  readonly method: string
  /** As sent: it may contain secrets */
  readonly url: string
}

/** What log lines contain about a request. */
export interface LoggedRequest {
  readonly requestId: string
  readonly method: string
  /** The path without the query and without possible one-time links or codes */
  readonly path: string
}

const current = new AsyncLocalStorage<CurrentRequest>()

/** Matches the words of our own paths. Any other path segment may be a secret. */
const WORD = /^[a-z][a-z0-9._-]{0,30}$/

/** Returns the path of a request for the log, without segments that are neither words nor ids. */
export const loggedPath = (url: string): string =>
  (url.split('?', 1)[0] ?? '')
    .slice(0, 500)
    .split('/')
    .map((segment) => (segment === '' || WORD.test(segment) || isAnyId(segment) ? segment : '…'))
    .join('/')

/** Runs the work of a request, so that the functions below know it everywhere inside. */
export const withRequest = <Result>(request: CurrentRequest, work: () => Result): Result =>
  current.run(request, work)

/** Returns the id of the current request; undefined for work without a request. */
export const currentRequestId = (): string | undefined => current.getStore()?.requestId

/** Describes the current request for the log; undefined for work without a request. */
export const loggedRequest = (): LoggedRequest | undefined => {
  const request = current.getStore()
  return request && { requestId: request.requestId, method: request.method, path: loggedPath(request.url) }
}
