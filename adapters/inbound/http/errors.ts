/** Error responses: what the caller sees, and what is only logged. */
import { DomainError, errors, type ErrorCode } from '../../../domain/errors.ts'
import type { RiskType } from '../../../domain/risk/events.ts'
import { PolicyRefusal } from '../../application/sign-in/access-policies.ts'
import { EventLogUnavailable } from '../../engines/event-log/event-log.ts'

/** An error with additional headers, such as `Retry-After`. */
export class ApiError extends DomainError {
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ErrorCode,
    message?: string,
    options: { field?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(code, message, options.field)
    this.name = 'ApiError'
    this.headers = options.headers ?? {}
  }
}

/** The body of every error response. */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode
    readonly message: string
    readonly field?: string
    /** The risk that made a policy refuse a sign-in */
    readonly risk?: RiskType
    readonly requestId?: string
  }
}

export const errorBody = (error: DomainError, requestId: string): ErrorBody => ({
  error: {
    code: error.code,
    message: error.message,
    ...(error.field === undefined ? {} : { field: error.field }),
    ...(error instanceof PolicyRefusal && error.risk !== null ? { risk: error.risk } : {}),
    requestId,
  },
})

export const statusOf = (code: ErrorCode): number => errors[code].status

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
])
/**
 * Postgres errors: connection lost (08), timeout (57014, 25P03), shutting down or starting (57P), no free connection
 * (53300), standby (25006).
 */
const databaseCode = /^(08...|57014|57P0[1-5]|25P03|53300|25006)$/
/** Messages of pg without a code: connect timeout, query timeout, lost connection. */
const driverMessage =
  /^(timeout exceeded when trying to connect|timeout expired|Query read timeout$|Connection terminated|Client has encountered a connection error|Client was closed and is not queryable)/

/** Whether an error is an outage of a part of the service rather than a bug. */
export const isOutage = (error: unknown): boolean => {
  if (error instanceof EventLogUnavailable) return true
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  // The socket of a server does not exist while the server starts (ENOENT), or its queue is full (EAGAIN).
  if ('syscall' in error && error.syscall === 'connect') return true
  return networkCodes.has(code) || databaseCode.test(code) || driverMessage.test(error.message)
}

/** Postgres rejects U+0000 in text (22021) and as an escape in JSON (22P05). */
const UNSTORABLE_CODES: ReadonlySet<unknown> = new Set(['22021', '22P05'])

/**
 * Whether a request failed because of text that no column can store. Every input validates such text; if one
 * does not, the caller still gets a client error instead of a server error.
 */
export const isUnstorable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && UNSTORABLE_CODES.has(error.code)

/** Whether the client should retry soon. */
export const isUnavailable = (error: unknown): boolean =>
  isOutage(error) || (error instanceof DomainError && error.code === 'ERR_UNAVAILABLE')

/**
 * Returns the error for the caller: domain errors unchanged, outages as ERR_UNAVAILABLE, everything else as
 * ERR_INTERNAL.
 */
export const toRefusal = (thrown: unknown): DomainError => {
  if (thrown instanceof DomainError) return thrown
  if (isOutage(thrown)) return new ApiError('ERR_UNAVAILABLE', undefined, { headers: { 'Retry-After': '1' } })
  if (isUnstorable(thrown)) return new DomainError('ERR_INVALID', 'expected text without U+0000')
  return new DomainError('ERR_INTERNAL')
}
