/** A GitHub Enterprise Server that knows one user: what its documentation says of OAuth applications and the API. */
import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface GithubServer {
  readonly address: string
  user: Readonly<Record<string, unknown>>
  emails: unknown
  /** Headers of requests to the API */
  readonly apiRequests: { readonly path: string; readonly authorization: string | undefined }[]
  readonly close: () => Promise<void>
}

export const githubServer = async (clientSecret: string): Promise<GithubServer> => {
  const codes = new Map<string, string>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', github.address)
    const json = (body: unknown, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
      response.end(JSON.stringify(body))
    }
    const answer = async (): Promise<void> => {
      if (url.pathname === '/login/oauth/authorize') {
        const code = randomUUID()
        codes.set(code, url.searchParams.get('code_challenge') ?? '')
        const back = new URL(url.searchParams.get('redirect_uri') ?? '')
        back.search = new URLSearchParams({ code, state: url.searchParams.get('state') ?? '' }).toString()
        response.writeHead(302, { location: back.href })
        response.end()
        return
      }
      if (url.pathname === '/login/oauth/access_token') {
        const chunks: Buffer[] = []
        for await (const chunk of request) chunks.push(chunk as Buffer)
        const body = new URLSearchParams(Buffer.concat(chunks).toString())
        const challenge = createHash('sha256')
          .update(body.get('code_verifier') ?? '')
          .digest('base64url')
        const code = body.get('code') ?? ''
        const isValid = codes.get(code) === challenge && body.get('client_secret') === clientSecret
        codes.delete(code)
        // GitHub answers errors with status 200.
        return json(
          isValid
            ? { access_token: 'gho_1', token_type: 'bearer', scope: 'read:user,user:email' }
            : { error: 'bad_verification_code', error_description: 'The code passed is incorrect.' },
        )
      }
      github.apiRequests.push({ path: url.pathname, authorization: request.headers.authorization })
      if (request.headers.authorization !== 'Bearer gho_1') return json({ message: 'Bad credentials' }, 401)
      if (url.pathname === '/api/v3/user') return json(github.user)
      return url.pathname === '/api/v3/user/emails' ? json(github.emails) : json({}, 404)
    }
    answer().catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const github: GithubServer = {
    address: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    user: {},
    emails: [],
    apiRequests: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
  return github
}
