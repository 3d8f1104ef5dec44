/**
 * Tracks requests, so that an uncaught error can be logged with its request: the one for which the code ran, across
 * calls, awaits and timers. That is cheap since Node.js 24. Before, it takes a tenth of a sign-in's time (a hook for every
 * promise), so the error is logged with the requests that it may belong to.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
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

/** Matches the words of our own paths. Any other path segment may be a secret. */
const WORD = /^[a-z][a-z0-9._-]{0,30}$/

/** Returns the path of a request for the log, without segments that are neither words nor ids. */
export const loggedPath = (url: string): string =>
  (url.split('?', 1)[0] ?? '')
    .slice(0, 500)
    .split('/')
    .map((segment) => (segment === '' || WORD.test(segment) || isAnyId(segment) ? segment : '…'))
    .join('/')

/** The requests that an error may belong to, for the log. */
export interface LoggedRequests {
  readonly request?: LoggedRequest
  readonly requests?: readonly LoggedRequest[]
}

export interface RequestTracking {
  /** Runs the work of a request, so that {@link logged} describes it everywhere inside. */
  run<Result>(request: IncomingMessage, response: ServerResponse, work: () => Result): Result
  /** Describes the current request; nothing for work without a request. */
  logged(): LoggedRequests
}

const trackedOf = (request: IncomingMessage): Tracked => {
  const { method = '', url = '' } = request
  return { requestId: requestIdOf(request), method, url }
}

const described = ({ requestId, method, url }: Tracked): LoggedRequest => ({
  requestId,
  method,
  path: loggedPath(url),
})

/** Knows exactly which request the current code belongs to. */
export const exactTracking = (): RequestTracking => {
  const current = new AsyncLocalStorage<Tracked>()
  return {
    run: (request, _response, work) => current.run(trackedOf(request), work),
    logged: () => {
      const tracked = current.getStore()
      return tracked === undefined ? {} : { request: described(tracked) }
    },
  }
}

const MAX_LOGGED = 20
/** Work that a request leaves behind, such as a timer, can fail after its response. */
const MAX_ENDED = 5

/** Knows the requests in progress, and those that ended last. */
export const approximateTracking = (): RequestTracking => {
  const running = new Set<Tracked>()
  const ended: Tracked[] = []
  return {
    run: (request, response, work) => {
      const tracked = trackedOf(request)
      running.add(tracked)
      response.on('close', () => {
        running.delete(tracked)
        if (ended.push(tracked) > MAX_ENDED) ended.shift()
      })
      return work()
    },
    logged: () => {
      const newest = [...running].reverse().slice(0, MAX_LOGGED - ended.length)
      const requests = [...newest, ...ended.toReversed()].map(described)
      return requests.length === 0 ? {} : { requests }
    },
  }
}

const CHEAP_FROM = 24

/** The tracking of this process. */
export const requestTracking: RequestTracking =
  Number.parseInt(process.versions.node) >= CHEAP_FROM ? exactTracking() : approximateTracking()
