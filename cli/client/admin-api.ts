/** The JSON API as administrators use it at a terminal: with an API key, or with their own sign-in for administration. */
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError, exitCodes, type ExitCode } from '../server/exit-codes.ts'
import { printable, unreachable } from './http.ts'

/** What a user calls a record of the API. */
export type ApiRecord = Readonly<Record<string, unknown>>

export interface AdminApi {
  /** Address of the service */
  readonly server: string
  /** The same, for the changes of a configuration plan: its id is the correlation id of their audit entries. */
  readonly for: (planId: string) => AdminApi
  /**
   * @param ifVersion the version of the record that the change is based on
   * @returns the body of the response
   * @throws ApiFailure for an error response
   */
  readonly send: (method: string, path: string, body?: unknown, ifVersion?: number) => Promise<ApiRecord>
  /** Returns all records of a list, from all its pages. */
  readonly list: (path: string) => Promise<readonly ApiRecord[]>
  /** Yields the records of an event stream as they are recorded, until the connection ends. */
  readonly stream: (path: string) => AsyncIterable<ApiRecord>
}

/** An error response of the API. */
export class ApiFailure extends CliError {
  readonly status: number

  constructor(status: number, exitCode: ExitCode, message: string) {
    super(exitCode, message)
    this.status = status
  }
}

const TIMEOUT_MS = 60_000
const PAGE = 200
/** A response of 429 says how long to wait. */
const LONGEST_WAIT_SECONDS = 120

const exitCodeOf: Readonly<Record<number, ExitCode>> = {
  401: exitCodes.notSignedIn,
  403: exitCodes.denied,
}

const messageIn = (body: unknown, status: number): string => {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { readonly error?: unknown }
  const { message } = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly message?: unknown
  }
  return typeof message === 'string' ? printable(message) : `status ${String(status)}`
}

const parsed = (text: string): unknown => {
  try {
    return text === '' ? {} : (JSON.parse(text) as unknown)
  } catch {
    return {}
  }
}

/** The data of the events of a stream (HTML Standard §9.2.6), each of which is one line of JSON here. */
const dataIn = async function* (body: AsyncIterable<Uint8Array>): AsyncGenerator<ApiRecord> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines)
      if (line.startsWith('data:')) yield JSON.parse(line.slice('data:'.length)) as ApiRecord
  }
}

/**
 * @param server address without a trailing slash
 * @param token an API key, or an access token with the scope admin
 * @param planId the configuration plan that the requests carry out
 */
export const adminApi = (server: string, token: string, planId?: string): AdminApi => {
  const request = async (
    method: string,
    url: string,
    body: unknown,
    ifVersion: number | undefined,
  ): Promise<{ readonly body: unknown; readonly headers: Headers }> => {
    for (;;) {
      const response = await fetch(url, {
        method,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          Accept: 'application/json',
          Authorization: `Bearer ${token}`,
          'User-Agent': 'svc',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(planId === undefined ? {} : { 'X-Correlation-Id': planId }),
          ...(ifVersion === undefined ? {} : { 'If-Match': `"${String(ifVersion)}"` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }).catch((error: unknown) => {
        throw unreachable(server, error)
      })
      const text = await response.text()
      const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
      if (response.status === 429 && wait >= 0 && wait <= LONGEST_WAIT_SECONDS) {
        await sleep(wait * 1000)
        continue
      }
      const { status } = response
      if (status >= 500)
        throw new CliError(exitCodes.unreachable, `${server} is unavailable (status ${String(status)})`)
      if (status >= 400)
        throw new ApiFailure(
          status,
          exitCodeOf[status] ?? exitCodes.error,
          `${method} ${new URL(url).pathname}: ${messageIn(parsed(text), status)}`,
        )
      return { body: parsed(text), headers: response.headers }
    }
  }

  return {
    server,
    for: (other) => adminApi(server, token, other),
    stream: async function* (path) {
      const response = await fetch(`${server}/api/v1${path}`, {
        redirect: 'error',
        headers: { Accept: 'text/event-stream', Authorization: `Bearer ${token}`, 'User-Agent': 'svc' },
      }).catch((error: unknown) => {
        throw unreachable(server, error)
      })
      const { status, body } = response
      if (status >= 500)
        throw new CliError(exitCodes.unreachable, `${server} is unavailable (status ${String(status)})`)
      if (status >= 400)
        throw new ApiFailure(
          status,
          exitCodeOf[status] ?? exitCodes.error,
          messageIn(parsed(await response.text()), status),
        )
      try {
        if (body !== null) yield* dataIn(body)
      } catch (error) {
        if (error instanceof CliError) throw error
        throw unreachable(server, error)
      }
    },
    send: async (method, path, body, ifVersion) => {
      const answer = await request(method, `${server}/api/v1${path}`, body, ifVersion)
      return answer.body as ApiRecord
    },
    list: async (path) => {
      const records: ApiRecord[] = []
      for (
        let next: string | undefined =
          `${server}/api/v1${path}${path.includes('?') ? '&' : '?'}limit=${String(PAGE)}`;
        next !== undefined;
      ) {
        const { body, headers } = await request('GET', next, undefined, undefined)
        records.push(...(body as readonly ApiRecord[]))
        const target = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
        // The path of the next page, on the address that the user named.
        next =
          target === undefined
            ? undefined
            : server + new URL(target, server).pathname + new URL(target, server).search
      }
      return records
    },
  }
}

/**
 * Returns the key in SVC_API_KEY, which is not an argument, because other users of the machine can see arguments; null if
 * the variable is not set.
 * @throws CliError for something else than a key
 */
const keyOfEnvironment = (): string | null => {
  const apiKey = process.env['SVC_API_KEY'] ?? ''
  if (apiKey === '') return null
  if (!/^svk_\w+$/.test(apiKey))
    throw new CliError(
      exitCodes.notSignedIn,
      'SVC_API_KEY: expected an API key of a service account that has the necessary roles',
    )
  return apiKey
}

/**
 * Returns the API for a server with the key in SVC_API_KEY, or with the sign-in of `svc login --admin`.
 * @throws CliError if there is neither, or no server
 */
export const ownAdminApi = async (server: string | undefined): Promise<AdminApi> => {
  const { currentAdminSignIn } = await import('./own-store.ts')
  const { namedServer } = await import('./server-address.ts')
  const address = await namedServer(server)
  const token = keyOfEnvironment() ?? (await currentAdminSignIn(address))?.accessToken
  if (token === undefined)
    throw new CliError(
      exitCodes.notSignedIn,
      `You are not signed in for administration at ${address}. Run "svc login --admin", or set SVC_API_KEY to an API key ` +
        'of a service account that has the necessary roles.',
    )
  return adminApi(address, token)
}
