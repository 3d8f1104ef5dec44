/** A separate process that repeats token, userinfo or introspection requests. */
import { createHash, randomBytes } from 'node:crypto'
import { openLane, type Answer, type Lane } from './lane.ts'
import { throughput } from './measure.ts'
import type { Client, DriverResult, DriverTask, Operation, Target } from './oidc-target.ts'

const SCOPE = 'openid profile email groups'
const VERIFIER = randomBytes(32).toString('base64url')
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

type Headers = Readonly<Record<string, string>>

const requestText = (method: string, path: string, target: Target, headers: Headers, body = ''): string => {
  const lines = Object.entries({
    Host: `localhost:${String(target.port)}`,
    ...headers,
    ...(body === '' ? {} : { 'Content-Length': String(body.length) }),
  }).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n')
}

const post = (
  path: string,
  target: Target,
  client: Client,
  fields: Readonly<Record<string, string>>,
): string =>
  requestText(
    'POST',
    path,
    target,
    {
      'Content-Type': 'application/x-www-form-urlencoded',
      Authorization: `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')}`,
    },
    new URLSearchParams(fields).toString(),
  )

const authorizeRequest = (target: Target, cookie: string, scope: string): string => {
  const query = new URLSearchParams({
    client_id: target.web.clientId,
    redirect_uri: target.redirectUri,
    response_type: 'code',
    scope,
    state: 'bench',
    nonce: VERIFIER,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  })
  return requestText('GET', `/oauth2/authorize?${query.toString()}`, target, { Cookie: cookie })
}

class NotServed extends Error {}

const expectStatus = (what: string, answer: Answer, expected: number): Answer => {
  if (answer.status === expected) return answer
  const message = `${what} answered ${String(answer.status)} ${answer.body.slice(0, 200)}`
  throw /unsupported_grant_type|invalid_scope|ERR_NO_ROUTE/.test(answer.body) || answer.status === 404
    ? new NotServed(message)
    : new Error(message)
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
  readonly id_token?: string
}

const signIn = async (lane: Lane, target: Target, authorize: string): Promise<string> => {
  const { location } = expectStatus('authorize', await lane.send(authorize), 303)
  const code = /[?&]code=([^&]+)/.exec(location)?.[1]
  if (code === undefined) throw new Error(`authorize sent the browser to ${location.slice(0, 300)}`)
  const exchange = post('/oauth2/token', target, target.web, {
    grant_type: 'authorization_code',
    code: decodeURIComponent(code),
    redirect_uri: target.redirectUri,
    code_verifier: VERIFIER,
  })
  return expectStatus('token', await lane.send(exchange), 200).body
}

/**
 * Prepares a lane.
 * @returns one operation
 */
type Prepare = (lane: Lane, target: Target, cookie: string) => Promise<() => Promise<unknown>>

const repeated = (lane: Lane, request: string, accept: (answer: Answer) => unknown) => async () =>
  accept(await lane.send(request))

const tokensOf = async (lane: Lane, target: Target, cookie: string, scope: string): Promise<Tokens> =>
  JSON.parse(await signIn(lane, target, authorizeRequest(target, cookie, scope))) as Tokens

const prepare: Record<Operation, Prepare> = {
  authorize: (lane, target, cookie) =>
    Promise.resolve(
      repeated(lane, authorizeRequest(target, cookie, SCOPE), (answer) => {
        const { location } = expectStatus('authorize', answer, 303)
        if (!/[?&]code=/.test(location)) throw new Error(`no code: ${location.slice(0, 300)}`)
      }),
    ),
  'client credentials': (lane, target) => {
    const request = post('/oauth2/token', target, target.service, { grant_type: 'client_credentials' })
    return Promise.resolve(
      repeated(lane, request, (answer) => {
        const { body } = expectStatus('token', answer, 200)
        if (!/"access_token":"eyJ/.test(body)) throw new Error(`not a JWT: ${body.slice(0, 200)}`)
      }),
    )
  },
  'code flow': (lane, target, cookie) => {
    const authorize = authorizeRequest(target, cookie, SCOPE)
    return Promise.resolve(async () => {
      if (!/"id_token":"eyJ/.test(await signIn(lane, target, authorize))) throw new Error('no ID token')
    })
  },
  refresh: async (lane, target, cookie) => {
    let { refresh_token: token } = await tokensOf(lane, target, cookie, `${SCOPE} ${target.refreshScope}`)
    if (token === undefined) throw new NotServed('no refresh token was issued')
    return async () => {
      const request = post('/oauth2/token', target, target.web, {
        grant_type: 'refresh_token',
        refresh_token: token ?? '',
      })
      const { body } = expectStatus('token', await lane.send(request), 200)
      const next = (JSON.parse(body) as Tokens).refresh_token
      if (next === undefined || next === token) throw new Error('the refresh token was not rotated')
      if (!body.includes('"id_token":"eyJ')) throw new Error('no ID token')
      token = next
    }
  },
  userinfo: async (lane, target, cookie) => {
    const { access_token: token } = await tokensOf(lane, target, cookie, SCOPE)
    const request = requestText('GET', '/oauth2/userinfo', target, { Authorization: `Bearer ${token}` })
    return repeated(lane, request, (answer) => {
      if (!expectStatus('userinfo', answer, 200).body.includes('"email":')) throw new Error('no email')
    })
  },
  introspection: async (lane, target, cookie) => {
    const { access_token: token } = await tokensOf(lane, target, cookie, SCOPE)
    const request = post('/oauth2/introspect', target, target.web, { token })
    return repeated(lane, request, (answer) => {
      if (!expectStatus('introspect', answer, 200).body.includes('"active":true'))
        throw new Error(`not active: ${answer.body.slice(0, 200)}`)
    })
  },
}

const drive = async ({ target, operation, atOnce, seconds }: DriverTask): Promise<DriverResult> => {
  const lanes = await Promise.all(Array.from({ length: atOnce }, () => openLane(target.port)))
  try {
    const idle = await Promise.all(
      lanes.map((lane, n) =>
        prepare[operation](lane, target, target.cookies[n % target.cookies.length] ?? ''),
      ),
    )
    let sent = 0
    const latencies: number[] = []
    const perSecond = await throughput(atOnce, seconds, async () => {
      const once = idle.pop()
      if (once === undefined) throw new Error('more concurrent operations than lanes')
      const began = performance.now()
      await once()
      latencies.push(performance.now() - began)
      sent++
      idle.push(once)
    })
    return { perSecond, sent, latencies }
  } catch (error) {
    if (error instanceof NotServed) return { notServed: error.message }
    throw error
  } finally {
    for (const lane of lanes) lane.close()
  }
}

process.once('message', (task: DriverTask) => {
  void drive(task).then((result) => {
    // A long message is still being sent when send returns.
    process.send?.(result, undefined, undefined, () => {
      process.disconnect()
    })
  })
})
