/** An error that the JSON API returned, or `ERR_NETWORK` if there was no usable response. */
export class ApiError extends Error {
  readonly code: string
  /** How long to wait before a retry; null if the response does not say */
  readonly retryAfterSeconds: number | null

  constructor(code: string, message: string, retryAfterSeconds: number | null = null) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

const unusable = (): ApiError =>
  new ApiError('ERR_NETWORK', 'The service could not be reached. Check your connection and try again.')

const secondsIn = (retryAfter: string | null): number | null =>
  retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null

const errorOf = (answer: unknown, headers: Headers): ApiError => {
  const error = (answer as { error?: { code?: unknown; message?: unknown } } | undefined)?.error
  return typeof error?.code === 'string' && typeof error.message === 'string'
    ? new ApiError(error.code, error.message, secondsIn(headers.get('retry-after')))
    : unusable()
}

/** Calls the JSON API on this origin; returns the parsed response (undefined for 204). Throws {@link ApiError}. */
export const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  let response: Response
  try {
    response = await fetch(`/api/v1${path}`, {
      method,
      credentials: 'same-origin',
      redirect: 'error',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    })
  } catch {
    throw unusable()
  }
  if (response.status === 204) return undefined as T
  const answer: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw errorOf(answer, response.headers)
  if (answer === undefined) throw unusable()
  return answer as T
}
