/** A web application that signs users in with the service: authorization code flow with PKCE. */
import { randomUUID } from 'node:crypto'
import express, { type Express } from 'express'
import * as oidc from 'openid-client'

export interface DemoAppOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
}

interface Pending {
  readonly codeVerifier: string
  readonly state: string
  readonly nonce: string
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const page = (body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Demo application</title></head><body><main><h1>Demo application</h1>${body}</main></body></html>`

const table = (claims: object): string =>
  `<table>${Object.entries(claims)
    .map(
      ([name, value]) =>
        `<tr><th scope="row">${escape(name)}</th><td>${escape(typeof value === 'string' ? value : JSON.stringify(value))}</td></tr>`,
    )
    .join('')}</table>`

const cookieOf = (header: string | undefined): string | undefined =>
  /(?:^|; )demo=([\w-]+)/.exec(header ?? '')?.[1]

/** Creates the application. It looks up its provider at the first sign-in, so either can be started first. */
export const demoApp = ({ issuer, clientId, clientSecret, redirectUri }: DemoAppOptions): Express => {
  const pending = new Map<string, Pending>()
  const signedIn = new Map<string, object>()
  let discovered: Promise<oidc.Configuration> | undefined
  const configuration = (): Promise<oidc.Configuration> => {
    // The demonstration runs on this machine without TLS.
    // oxlint-disable-next-line typescript/no-deprecated
    const insecure = issuer.startsWith('http:') ? { execute: [oidc.allowInsecureRequests] } : {}
    discovered ??= oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, insecure)
    discovered.catch(() => (discovered = undefined))
    return discovered
  }

  const app = express()
  app.get('/', (request, response) => {
    const claims = signedIn.get(cookieOf(request.headers.cookie) ?? '')
    response.send(
      page(
        claims === undefined
          ? '<p>You are not signed in.</p><p><a href="/sign-in">Sign in</a></p>'
          : `<p>You are signed in. These are your claims:</p>${table(claims)}<p><a href="/sign-out">Sign out here</a></p>`,
      ),
    )
  })
  app.get('/sign-in', async (_, response) => {
    const codeVerifier = oidc.randomPKCECodeVerifier()
    const attempt = { codeVerifier, state: oidc.randomState(), nonce: oidc.randomNonce() }
    const id = randomUUID()
    pending.set(id, attempt)
    const url = oidc.buildAuthorizationUrl(await configuration(), {
      redirect_uri: redirectUri,
      scope: 'openid profile email groups',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    })
    response.cookie('demo', id, { httpOnly: true, sameSite: 'lax' }).redirect(url.href)
  })
  app.get('/callback', async (request, response) => {
    const id = cookieOf(request.headers.cookie) ?? ''
    const attempt = pending.get(id)
    pending.delete(id)
    if (attempt === undefined)
      return response.status(400).send(page('<p>This sign-in was not started here.</p>'))
    try {
      const tokens = await oidc.authorizationCodeGrant(
        await configuration(),
        new URL(request.url, redirectUri),
        {
          pkceCodeVerifier: attempt.codeVerifier,
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
        },
      )
      const claims = tokens.claims()
      const userinfo = await oidc.fetchUserInfo(await configuration(), tokens.access_token, claims?.sub ?? '')
      const session = randomUUID()
      signedIn.set(session, { ...claims, ...userinfo })
      return response.cookie('demo', session, { httpOnly: true, sameSite: 'lax' }).redirect('/')
    } catch (error) {
      const reason =
        error instanceof oidc.AuthorizationResponseError
          ? `${error.error}: ${error.error_description ?? ''}`
          : error instanceof Error
            ? error.message
            : String(error)
      return response
        .status(403)
        .send(page(`<p>Signing in failed: ${escape(reason)}</p><p><a href="/">Back</a></p>`))
    }
  })
  app.get('/sign-out', (request, response) => {
    signedIn.delete(cookieOf(request.headers.cookie) ?? '')
    response.clearCookie('demo').redirect('/')
  })
  return app
}
