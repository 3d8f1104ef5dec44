/** npm's `oidc-provider` with its own pages for signing in: an OpenID provider that is not ours. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import Provider, { errors } from 'oidc-provider'

export interface OutsideProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Registers the redirect URI; without it the provider refuses the client. */
  readonly register: (redirectUri: string) => void
  /** Claims by the name that the user enters there */
  readonly users: Map<string, Readonly<Record<string, unknown>>>
  /** Signs in on the provider's pages. */
  readonly signIn: (page: Page, login: string) => Promise<void>
  readonly close: () => Promise<void>
}

export const outsideProvider = async (): Promise<OutsideProvider> => {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const issuer = `http://localhost:${String((server.address() as AddressInfo).port)}`
  const [clientId, clientSecret] = ['svc', 'a-secret-of-the-outside-provider']
  const users: OutsideProvider['users'] = new Map()
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return {
    issuer,
    clientId,
    clientSecret,
    users,
    register: (redirectUri) => {
      const provider = new Provider(issuer, {
        clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
        jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
        cookies: { keys: ['a key for the cookies of a test'] },
        findAccount: (_, id) => {
          if (!users.has(id)) throw new errors.AccessDenied('the account is disabled')
          return { accountId: id, claims: () => ({ sub: id, ...users.get(id) }) }
        },
        claims: {
          openid: ['sub'],
          email: ['email', 'email_verified'],
          profile: ['name', 'given_name', 'family_name', 'groups'],
        },
        features: { devInteractions: { enabled: true } },
      })
      server.removeAllListeners('request')
      server.on('request', (request, response) => {
        void provider.callback()(request, response)
      })
    },
    signIn: async (page, login) => {
      await page.waitForURL((url) => url.href.startsWith(`${issuer}/interaction/`))
      await page.fill('[name="login"]', login)
      await page.fill('[name="password"]', 'anything')
      await page.click('button[type="submit"]')
      await page.click('button:has-text("Continue")')
    },
    close,
  }
}
