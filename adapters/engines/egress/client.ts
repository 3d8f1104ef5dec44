/**
 * Requests to addresses that users configured. The client resolves a name once, checks its addresses and connects to a
 * checked address. It follows no redirects and ignores proxy settings of the environment.
 */
import { lookup as resolve, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, request } from 'undici'
import { addressRule } from './addresses.ts'

/** Why there was no response */
export type EgressFailure = 'refused' | 'timeout' | 'dns' | 'tls' | 'connection'

export class EgressError extends Error {
  readonly failure: EgressFailure

  constructor(failure: EgressFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'EgressError'
    this.failure = failure
  }
}

export interface OutgoingPost {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Milliseconds for the whole request, from name resolution to the status of the response */
  readonly timeout: number
}

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Milliseconds for the whole request, from name resolution to the end of the response */
  readonly timeout: number
  /** Maximum number of bytes of a response */
  readonly limit: number
}

export interface EgressAnswer {
  readonly status: number
  /** Headers by name in lower case */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export interface Egress {
  /**
   *
   * @returns the whole response, including redirects
   * @throws EgressError if there was none, or it was too long
   */
  readonly send: (url: string, request: OutgoingRequest) => Promise<EgressAnswer>
  /**
   * @returns the status of the response, including redirects
   * @throws EgressError if there was no response
   */
  readonly post: (url: string, post: OutgoingPost) => Promise<{ readonly status: number }>
  close(): Promise<void>
}

type Resolve = (
  hostname: string,
  /** Receives no addresses with an error. */
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void

/** How much of a response body is read, and for how many milliseconds, before the connection is closed. */
const BODY_LIMIT = 64 * 1024
const BODY_MS = 1000

/**
 * Milliseconds that an idle connection stays open: less than servers usually wait, because they could close it during
 * a request.
 */
const KEEP_ALIVE_MS = 1000

/** Names that always resolve to this machine without a DNS lookup (RFC 6761 §6.3). */
const isThisMachine = (hostname: string): boolean => /^(?:.*\.)?localhost\.?$/i.test(hostname)

const thisMachine: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

const refused = (host: string): EgressError =>
  new EgressError('refused', `the service does not connect to the address of ${host}`)

const failureOf = (error: unknown): EgressError => {
  const causes: unknown[] = [error]
  for (let at = error; at instanceof Error && at.cause !== undefined; at = at.cause) causes.push(at.cause)
  const known = causes.find((cause) => cause instanceof EgressError)
  if (known !== undefined) return known
  const codes = causes.map((cause) => (cause as { code?: string } | null)?.code ?? '')
  const names = causes.map((cause) => (cause instanceof Error ? cause.name : ''))
  const is = (pattern: RegExp): boolean => [...codes, ...names].some((text) => pattern.test(text))
  const message = error instanceof Error ? error.message : String(error)
  if (is(/TIMEOUT|TimeoutError|ETIMEDOUT/)) return new EgressError('timeout', 'no response in time', error)
  if (is(/^(ENOTFOUND|EAI_\w+)$/)) return new EgressError('dns', message, error)
  if (is(/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|EPROTO)/))
    return new EgressError('tls', message, error)
  return new EgressError('connection', message, error)
}

/** The signal cannot abort a request that waits for DNS or a connection, so this only rejects for the caller. */
const before = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const late = (): void => {
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', late, { once: true })
    void work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', late)
    })
  })

/** @param deny networks as `address/prefix` that the operator excludes */
export const openEgress = (
  deny: readonly string[],
  resolveName: Resolve = (hostname, done) => {
    resolve(hostname, { all: true }, done)
  },
): Egress => {
  const allows = addressRule(deny)
  const addressesOf: Resolve = (hostname, done) => {
    if (isThisMachine(hostname)) done(null, thisMachine)
    else resolveName(hostname, done)
  }
  const lookup: LookupFunction = (hostname, options, done) => {
    addressesOf(hostname, (error, addresses) => {
      if (error !== null) {
        done(error, [])
        return
      }
      const allowed = addresses.filter(({ address }) => allows(address))
      const [first] = allowed
      if (first === undefined) done(refused(hostname), [])
      else if (options.all === true) done(null, allowed)
      else done(null, first.address, first.family)
    })
  }
  const agent = new Agent({ connect: { lookup }, keepAliveTimeout: KEEP_ALIVE_MS })

  // A literal address is used without a lookup, so it is checked here.
  const checkAddress = (url: string): void => {
    const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
    if (isIP(host) !== 0 && !allows(host)) throw refused(host)
  }

  return {
    send: async (url, { method, headers, body, timeout, limit }) => {
      checkAddress(url)
      const signal = AbortSignal.timeout(timeout)
      try {
        const response = request(url, {
          dispatcher: agent,
          method,
          headers,
          signal,
          ...(body === undefined ? {} : { body }),
        })
        const answer = await before(signal, response)
        const chunks: Buffer[] = []
        let length = 0
        for await (const chunk of answer.body as AsyncIterable<Buffer>) {
          length += chunk.length
          if (length > limit)
            throw new EgressError('connection', `the response is longer than ${String(limit)} bytes`)
          chunks.push(chunk)
        }
        const entries = Object.entries(answer.headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
        )
        return {
          status: answer.statusCode,
          headers: Object.fromEntries(entries) as Record<string, string>,
          text: Buffer.concat(chunks).toString('utf8'),
        }
      } catch (error) {
        throw failureOf(error)
      }
    },
    post: async (url, { headers, body, timeout }) => {
      checkAddress(url)
      const signal = AbortSignal.timeout(timeout)
      try {
        const response = request(url, { dispatcher: agent, method: 'POST', headers, body, signal })
        const answer = await before(signal, response)
        const enough = AbortSignal.any([signal, AbortSignal.timeout(BODY_MS)])
        await answer.body.dump({ limit: BODY_LIMIT, signal: enough }).catch(() => undefined)
        return { status: answer.statusCode }
      } catch (error) {
        throw failureOf(error)
      }
    },
    close: () => agent.destroy(),
  }
}
