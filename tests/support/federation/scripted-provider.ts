/** An OpenID provider that says what a test wants, also what no provider may say. */
import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose'

type Claims = Readonly<Record<string, unknown>>

interface Key {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
}

const newKey = async (kid: string): Promise<Key> => ({ kid, ...(await generateKeyPair('RS256')) })

const bodyOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

export interface ScriptedProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** What the next ID tokens say of the user */
  claims: Claims
  /** Claims of userinfo besides the subject */
  userinfo: Claims
  /** Changes the claims of an ID token before it is signed */
  alter: (claims: JWTPayload) => JWTPayload
  /** Signs an ID token differently */
  sign: ((claims: JWTPayload) => Promise<string>) | null
  /** Changes the parameters of the authorization response */
  respond: (parameters: URLSearchParams) => void
  /** Requests to the authorization endpoint, as received */
  readonly authorizations: URLSearchParams[]
  /** Bodies and headers of token requests */
  readonly tokenRequests: { readonly body: URLSearchParams; readonly authorization: string | undefined }[]
  /** Replaces the signing key */
  rotate: () => Promise<void>
  /** The provider answers every request with this status; null for normal operation */
  failing: number | null
  /** A careless provider: a code can be exchanged again */
  repeatsCodes: boolean
  readonly key: () => Key
  /** Restores what the tests have changed */
  readonly reset: () => void
  close(): Promise<void>
}

export const scriptedProvider = async (): Promise<ScriptedProvider> => {
  let key = await newKey('first')
  const codes = new Map<string, URLSearchParams>()
  const accessToken = 'access-token'
  const state = { clientId: 'us', clientSecret: 'a secret with : and %' }
  const normal = {
    claims: { sub: 'subject-1' },
    userinfo: {},
    alter: (claims: JWTPayload) => claims,
    sign: null,
    respond: () => undefined,
    failing: null,
    repeatsCodes: false,
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', provider.issuer)
    const json = (body: unknown, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    const idToken = (authorization: URLSearchParams): Promise<string> => {
      const now = Math.floor(Date.now() / 1000)
      const claims = provider.alter({
        iss: provider.issuer,
        aud: state.clientId,
        iat: now,
        exp: now + 300,
        auth_time: now,
        nonce: authorization.get('nonce') ?? '',
        ...provider.claims,
      })
      if (provider.sign !== null) return provider.sign(claims)
      return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: key.kid }).sign(key.privateKey)
    }
    const answer = async (): Promise<void> => {
      if (provider.failing !== null) {
        response.writeHead(provider.failing)
        response.end()
        return
      }
      switch (url.pathname) {
        case '/.well-known/openid-configuration':
          return json({
            issuer: provider.issuer,
            authorization_endpoint: `${provider.issuer}/authorize`,
            token_endpoint: `${provider.issuer}/token`,
            jwks_uri: `${provider.issuer}/jwks`,
            userinfo_endpoint: `${provider.issuer}/userinfo`,
            response_types_supported: ['code'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: ['RS256', 'HS256'],
            authorization_response_iss_parameter_supported: true,
          })
        case '/jwks':
          return json({
            keys: [{ ...(await exportJWK(key.publicKey)), kid: key.kid, alg: 'RS256', use: 'sig' }],
          })
        case '/authorize': {
          provider.authorizations.push(url.searchParams)
          const code = randomUUID()
          codes.set(code, url.searchParams)
          const back = new URL(url.searchParams.get('redirect_uri') ?? '')
          back.search = new URLSearchParams({
            code,
            state: url.searchParams.get('state') ?? '',
            iss: provider.issuer,
          }).toString()
          provider.respond(back.searchParams)
          response.writeHead(302, { location: back.href })
          response.end()
          return
        }
        case '/token': {
          const body = await bodyOf(request)
          provider.tokenRequests.push({ body, authorization: request.headers.authorization })
          const authorization = codes.get(body.get('code') ?? '')
          if (!provider.repeatsCodes) codes.delete(body.get('code') ?? '')
          const challenge = createHash('sha256')
            .update(body.get('code_verifier') ?? '')
            .digest('base64url')
          if (authorization?.get('code_challenge') !== challenge) return json({ error: 'invalid_grant' }, 400)
          return json({
            access_token: accessToken,
            token_type: 'Bearer',
            id_token: await idToken(authorization),
          })
        }
        case '/userinfo':
          return json({ sub: provider.claims['sub'], ...provider.userinfo })
        default:
          return json({ error: 'not_found' }, 404)
      }
    }
    answer().catch((error: unknown) => {
      response.destroy(error as Error)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const provider: ScriptedProvider = {
    issuer,
    ...state,
    ...normal,
    authorizations: [],
    tokenRequests: [],
    key: () => key,
    rotate: async () => {
      key = await newKey(`key-${randomUUID()}`)
    },
    reset: () => {
      Object.assign(provider, normal)
      provider.authorizations.length = 0
      provider.tokenRequests.length = 0
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
  return provider
}
