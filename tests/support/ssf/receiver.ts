/** A receiver of shared signals that knows nothing but the specifications: SSF 1.0, RFC 8417, RFC 8935, RFC 8936. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose'
import type { OidcWorld, TestApplication } from '../oidc/oidc.ts'
import type { TestService } from '../service/service.ts'
import { until } from '../until.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

export interface ReceivedSet extends JWTPayload {
  readonly sub_id: Json
  readonly events: Readonly<Record<string, Json>>
}

export const CAEP = 'https://schemas.openid.net/secevent/caep/event-type'
export const RISC = 'https://schemas.openid.net/secevent/risc/event-type'
export const SSF = 'https://schemas.openid.net/secevent/ssf/event-type'

/** @param app has the scopes of the transmitter */
export const ssfReceiver = async (
  service: TestService,
  oidc: OidcWorld,
  app: TestApplication,
  scopes = 'ssf.manage ssf.read',
) => {
  const metadata: Json = await (await fetch(`${service.publicUrl}/.well-known/ssf-configuration`)).json()
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri))

  const token = async (scope = scopes): Promise<string> => {
    const { body } = await oidc.asClient(app, '/oauth2/token', { grant_type: 'client_credentials', scope })
    return body.access_token ?? expect.fail(JSON.stringify(body))
  }

  const call = async (method: string, url: string, body?: unknown, bearer?: string) => {
    const response = await fetch(url, {
      method,
      headers: {
        Authorization: `Bearer ${bearer ?? (await token())}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    }
  }

  /** RFC 8417 §2, SSF §4: what a receiver checks before it believes an event. */
  const verify = async (set: string): Promise<ReceivedSet> => {
    const { payload, protectedHeader } = await jwtVerify(set, keys, {
      issuer: metadata.issuer,
      audience: app.clientId,
    })
    expect(protectedHeader.typ).to.equal('secevent+jwt')
    expect(payload).not.to.have.any.keys('sub', 'exp')
    expect(payload.jti).to.be.a('string').that.is.not.equal('')
    expect(Object.keys(payload['events'] as object)).to.have.length(1)
    return payload as unknown as ReceivedSet
  }

  /** An endpoint for pushed events; answers as told. */
  const endpoint = async (
    answer: () => { readonly status: number; readonly body?: object } = () => ({ status: 202 }),
  ) => {
    const received: {
      readonly at: number
      readonly set: ReceivedSet
      readonly authorization: string | undefined
    }[] = []
    const problems: unknown[] = []
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { status, body } = answer()
        const at = performance.now()
        expect(request.headers['content-type']).to.equal('application/secevent+jwt')
        verify(Buffer.concat(chunks).toString()).then(
          (set) => {
            if (status === 202) received.push({ at, set, authorization: request.headers.authorization })
            response.writeHead(status, { 'Content-Type': 'application/json' })
            response.end(body === undefined ? '' : JSON.stringify(body))
          },
          (error: unknown) => {
            problems.push(error)
            response.writeHead(400)
            response.end()
          },
        )
      })
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const { port } = server.address() as AddressInfo
    return {
      url: `http://127.0.0.1:${String(port)}/events`,
      received,
      problems,
      close: () => server.close(),
      /** Waits for an event of a type about a user. */
      about: async (type: string, userId: string, claims: Json = {}) => {
        const isWanted = ({ events, sub_id: subject }: ReceivedSet): boolean =>
          (subject.sub ?? subject.user?.sub) === userId &&
          Object.entries(claims).every(([name, value]) => events[type]?.[name] === value) &&
          type in events
        const found = () => received.find(({ set }) => isWanted(set))
        await until(() => found() !== undefined, 10_000, `${type} about ${userId}`)
        return found() ?? expect.fail('unreachable')
      },
    }
  }

  return { metadata, token, call, verify, endpoint }
}
