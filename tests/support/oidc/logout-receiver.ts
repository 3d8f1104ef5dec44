import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createRemoteJWKSet, jwtVerify, type JWTVerifyResult } from 'jose'

/** A request as an application's logout endpoint got it. */
export interface ReceivedLogout {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly token: string
}

/** The response: a status, or never any. */
export type Answers = (path: string, nth: number) => number | 'hang'

/** An application's back-channel logout endpoint, on its own port. */
export const logoutReceiver = async (answers: Answers = () => 200) => {
  const received: ReceivedLogout[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const path = request.url ?? ''
      const token = new URLSearchParams(body).get('logout_token') ?? ''
      received.push({ path, headers: request.headers, body, token })
      const answer = answers(path, received.filter((each) => each.path === path).length)
      if (answer !== 'hang') response.writeHead(answer, { Location: '/elsewhere' }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    received,
    at: (path: string): readonly ReceivedLogout[] => received.filter((each) => each.path === path),
    url: (path: string): string => `http://127.0.0.1:${String(port)}${path}`,
    close: (): void => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type LogoutReceiver = Awaited<ReturnType<typeof logoutReceiver>>

/** Checks a logout token as an application must (Back-Channel Logout 1.0 §2.6). */
export const verifyLogoutToken = (
  token: string,
  issuer: string,
  clientId: string,
): Promise<JWTVerifyResult> =>
  jwtVerify(token, createRemoteJWKSet(new URL(`${issuer}/oauth2/keys`)), {
    issuer,
    audience: clientId,
    typ: 'logout+jwt',
    algorithms: ['RS256'],
    requiredClaims: ['iat', 'exp', 'jti', 'events', 'sub', 'sid'],
  })
