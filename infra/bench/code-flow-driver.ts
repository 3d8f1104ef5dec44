/** A process of its own that signs in again and again, so that the service has its event loop to itself. */
import { createHash, randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { throughput } from './measure.ts'

export interface DriverTask {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
  /** `Cookie` headers of people who may use the application. */
  readonly cookies: readonly string[]
  readonly atOnce: number
  readonly seconds: number
}

const agent = new Agent({ keepAlive: true })

const send = (
  url: string,
  options: { method?: string; headers: Record<string, string>; body?: string },
): Promise<{ status: number; location: string; body: string }> =>
  new Promise((resolve, reject) => {
    const sent = request(
      url,
      { agent, method: options.method ?? 'GET', headers: options.headers },
      (response) => {
        let body = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (body += chunk))
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? '', body })
        })
      },
    )
    sent.on('error', reject)
    sent.end(options.body)
  })

const flow = async (task: DriverTask, cookie: string): Promise<void> => {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: task.clientId,
    redirect_uri: task.redirectUri,
    response_type: 'code',
    scope: 'openid profile email groups',
    state: 'bench',
    nonce: verifier,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const authorized = await send(`${task.issuer}/oauth2/authorize?${query.toString()}`, {
    headers: { Cookie: cookie },
  })
  const code = new URL(authorized.location || 'http://none').searchParams.get('code')
  if (code === null)
    throw new Error(`authorize answered ${String(authorized.status)}: ${authorized.body.slice(0, 300)}`)
  const tokens = await send(`${task.issuer}/oauth2/token`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Authorization: `Basic ${Buffer.from(`${task.clientId}:${task.clientSecret}`).toString('base64')}`,
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: task.redirectUri,
      code_verifier: verifier,
    }).toString(),
  })
  if (tokens.status !== 200)
    throw new Error(`token answered ${String(tokens.status)}: ${tokens.body.slice(0, 300)}`)
}

process.once('message', (task: DriverTask) => {
  void throughput(task.atOnce, task.seconds, (n) =>
    flow(task, task.cookies[n % task.cookies.length] ?? ''),
  ).then((rate) => {
    process.send?.(rate)
    process.disconnect()
  })
})
