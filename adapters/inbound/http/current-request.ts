/** The request for which the current code runs, across calls, awaits and timers. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { isAnyId } from '../../../domain/ids.ts'

export interface CurrentRequest {
  readonly requestId: string
  readonly method: string
  /** Without the query, and without what may be a one-time link or code. */
  readonly path: string
}

const current = new AsyncLocalStorage<CurrentRequest>()

/** Words of our own paths. Any other path segment may be a secret. */
const WORD = /^[a-z][a-z0-9._-]{0,30}$/

/** The path of a request for the log: segments that are neither words nor ids are omitted. */
export const loggedPath = (url: string): string =>
  (url.split('?', 1)[0] ?? '')
    .slice(0, 500)
    .split('/')
    .map((segment) => (segment === '' || WORD.test(segment) || isAnyId(segment) ? segment : '…'))
    .join('/')

/** Runs the work of a request, so that {@link currentRequest} returns it everywhere inside. */
export const withRequest = <Result>(request: CurrentRequest, work: () => Result): Result =>
  current.run(request, work)

/** Undefined for work without a request. */
export const currentRequest = (): CurrentRequest | undefined => current.getStore()
