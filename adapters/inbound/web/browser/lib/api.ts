import type { ErrorCode } from '../../../../../domain/errors.ts'

/** A code of the API, or `ERR_NETWORK` if there was no usable response */
export type ApiErrorCode = ErrorCode | 'ERR_NETWORK'

/** An error that the JSON API returned, or `ERR_NETWORK`. */
export class ApiError extends Error {
  readonly code: ApiErrorCode
  /** How long to wait before a retry; null if the response does not say */
  readonly retryAfterSeconds: number | null
  /** JSON pointer of the field that is wrong; null if none is named */
  readonly field: string | null
  /** The risk for which a policy refused a sign-in; null if none is named */
  readonly risk: string | null

  constructor(
    code: ApiErrorCode,
    message: string,
    retryAfterSeconds: number | null = null,
    field: string | null = null,
    risk: string | null = null,
  ) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
    this.field = field
    this.risk = risk
  }
}

const unusable = (): ApiError =>
  new ApiError('ERR_NETWORK', 'The service could not be reached. Check your connection and try again.')

const secondsIn = (retryAfter: string | null): number | null =>
  retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null

const errorOf = (answer: unknown, headers: Headers): ApiError => {
  const error = (
    answer as { error?: Readonly<Record<'code' | 'message' | 'field' | 'risk', unknown>> } | undefined
  )?.error
  if (typeof error?.code !== 'string' || typeof error.message !== 'string') return unusable()
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  const wait = secondsIn(headers.get('retry-after'))
  return new ApiError(error.code as ErrorCode, error.message, wait, text(error.field), text(error.risk))
}

export interface CallOptions {
  /** A file is sent as it is, everything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Aborts the request, besides the time limit */
  readonly signal?: AbortSignal
}

const typeOf = (body: unknown): string =>
  body instanceof Blob ? body.type || 'application/octet-stream' : 'application/json'

/**
 * Calls the JSON API on this origin and returns the parsed response (undefined for 204) with its headers.
 * @throws ApiError
 */
export const send = async <T>(
  method: string,
  path: string,
  { body, headers = {}, signal }: CallOptions = {},
): Promise<{ readonly body: T; readonly headers: Headers }> => {
  const limit = AbortSignal.timeout(30_000)
  let response: Response
  try {
    response = await fetch(`/api/v1${path}`, {
      method,
      credentials: 'same-origin',
      redirect: 'error',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': typeOf(body) }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    })
  } catch {
    throw unusable()
  }
  if (response.status === 204) return { body: undefined as T, headers: response.headers }
  const answer: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw errorOf(answer, response.headers)
  if (answer === undefined) throw unusable()
  return { body: answer as T, headers: response.headers }
}

/** Like {@link send}; returns the response alone. */
export const call = async <T>(method: string, path: string, body?: unknown): Promise<T> =>
  (await send<T>(method, path, { body })).body
