/** Which request the code that runs now works for, however it came to run: called, awaited, or by a timer. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { isAnyId } from '../../../domain/ids.ts'

export interface CurrentRequest {
  readonly requestId: string
  readonly method: string
  /** Without the query, and without what may be a one-time link or code. */
  readonly path: string
}

const current = new AsyncLocalStorage<CurrentRequest>()

/** Words of our own paths. Whatever else stands in a path may be a secret. */
const WORD = /^[a-z][a-z0-9._-]{0,30}$/

/** The path of a request as it may be logged: segments that are neither words nor ids are left out. */
export const loggedPath = (url: string): string =>
  (url.split('?', 1)[0] ?? '')
    .slice(0, 500)
    .split('/')
    .map((segment) => (segment === '' || WORD.test(segment) || isAnyId(segment) ? segment : '…'))
    .join('/')

/** Runs the work on a request, so that {@link currentRequest} tells of it wherever that work leads. */
export const withRequest = <Result>(request: CurrentRequest, work: () => Result): Result =>
  current.run(request, work)

/** Undefined for work that no request asked for. */
export const currentRequest = (): CurrentRequest | undefined => current.getStore()
