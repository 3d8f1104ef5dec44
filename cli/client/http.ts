import { CliError, exitCodes } from '../server/exit-codes.ts'

const TIMEOUT_MS = 10_000

export interface Answer {
  readonly status: number
  /** Empty if the body is not a JSON object */
  readonly body: Readonly<Record<string, unknown>>
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no response within ${String(TIMEOUT_MS / 1000)} seconds`
  const { cause } = error
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  return code ?? (cause instanceof Error ? cause.message : error.message)
}

/** Returns the error for a request that got no response. */
export const unreachable = (server: string, error: unknown): CliError =>
  new CliError(exitCodes.unreachable, `cannot reach ${server}: ${reasonOf(error)}`)

const objectIn = (text: string): Answer['body'] => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Answer['body']) : {}
  } catch {
    return {}
  }
}

/**
 * Sends a request to the service. Does not follow redirects, so that no secret is sent elsewhere.
 * @throws CliError with exit code 5 if the service cannot be reached or is unavailable
 */
export const ask = async (
  url: string,
  options: {
    readonly form?: Readonly<Record<string, string>>
    /** Sent as JSON */
    readonly json?: object
    readonly accessToken?: string
  } = {},
): Promise<Answer> => {
  const { form, json, accessToken } = options
  const { origin } = new URL(url)
  let status: number
  let text: string
  try {
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        Accept: 'application/json',
        'User-Agent': 'svc',
        ...(accessToken === undefined ? {} : { Authorization: `Bearer ${accessToken}` }),
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    })
    status = response.status
    text = await response.text()
  } catch (error) {
    throw unreachable(origin, error)
  }
  if (status >= 500)
    throw new CliError(exitCodes.unreachable, `${origin} is unavailable (status ${String(status)})`)
  return { status, body: objectIn(text) }
}

/**
 * Returns a text field.
 * @throws CliError naming the missing field
 */
export const textIn = ({ body }: Answer, name: string): string => {
  const value = body[name]
  if (typeof value === 'string' && value !== '') return value
  throw new CliError(exitCodes.error, `The service sent no ${name}. Check the address of the service.`)
}

/** Returns the text of an OAuth error response; empty if there is none. */
export const errorIn = ({ status, body }: Answer): string => {
  if (status < 400) return ''
  return typeof body['error'] === 'string' ? body['error'] : `status ${String(status)}`
}

/**
 * Checks a response.
 * @throws CliError for an error response
 */
export const expectGood = (answer: Answer, what: string): Answer => {
  const error = errorIn(answer)
  if (error === '') return answer
  const { error_description: description } = answer.body
  throw new CliError(
    exitCodes.error,
    `${what} failed: ${printable(error)}${typeof description === 'string' ? `, ${printable(description)}` : ''}`,
  )
}

/** Errors that the user cannot change: a policy, missing groups. */
const DENIED = 403

/**
 * Checks a response of the JSON API.
 * @throws CliError with the message of the error
 */
export const expectDone = (answer: Answer, what: string): Answer => {
  if (answer.status < 400) return answer
  const { error } = answer.body
  const { message } = typeof error === 'object' && error !== null ? (error as Answer['body']) : {}
  throw new CliError(
    answer.status === DENIED ? exitCodes.denied : exitCodes.error,
    `${what} failed: ${typeof message === 'string' ? printable(message) : `status ${String(answer.status)}`}`,
  )
}

/** Removes characters from untrusted text that move a terminal's cursor or change its writing direction. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, '')
