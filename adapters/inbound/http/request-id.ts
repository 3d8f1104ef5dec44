import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const REQUEST_ID = Symbol('request id')

/**
 * Returns the id of a request: unguessable, and the same each time. It is the correlation id of the events that the
 * request causes.
 */
export const requestIdOf = (request: IncomingMessage & { [REQUEST_ID]?: string }): string =>
  (request[REQUEST_ID] ??= randomUUID())
