import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { oidcWorld, pkce } from '../oidc/oidc.ts'
import type { Json } from '../../http/api/support.ts'
import type { TestService } from '../service/service.ts'

/** An application that sends a browser to sign in, and responds when the browser returns. */
export interface AskingApplication {
  readonly name: string
  /** From now on the user may use it. */
  readonly admit: (userId: string) => Promise<void>
  /** Sends the browser to the service, which shows its sign-in page. */
  readonly ask: (page: Page, extra?: Readonly<Record<string, string>>) => Promise<void>
  /** Waits until the browser has brought back a code. */
  readonly answered: (page: Page) => Promise<void>
  /** The same; redeems the code and returns the claims of the user that the application gets. */
  readonly claims: (page: Page) => Promise<Json>
  /** Waits until the browser has brought back an error, and returns it. */
  readonly refused: (page: Page) => Promise<string>
  readonly close: () => Promise<void>
}

export const askingApplication = async (service: TestService): Promise<AskingApplication> => {
  const server = createServer((_, response) => response.end('back')).listen(0, 'localhost')
  await once(server, 'listening')
  const callback = `http://localhost:${String((server.address() as AddressInfo).port)}/callback`
  const oidc = oidcWorld(service)
  const application = await oidc.application('web', { redirectUris: [callback] })
  const { clientId, groupId, name } = application
  const { challenge, verifier } = pkce()
  const broughtBack = (page: Page, what: string): Promise<void> =>
    page.waitForURL((url) => url.href.startsWith(`${callback}?`) && url.searchParams.has(what))
  return {
    name,
    admit: async (userId) => {
      await oidc.join(groupId, userId)
    },
    ask: async (page, extra = {}) => {
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: callback,
        response_type: 'code',
        scope: 'openid profile email groups',
        state: 'xyz',
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...extra,
      })
      await page.goto(`${service.publicUrl}/oauth2/authorize?${query.toString()}`)
    },
    answered: (page) => broughtBack(page, 'code'),
    claims: async (page) => {
      await broughtBack(page, 'code')
      const { status, body } = await oidc.asClient(application, '/oauth2/token', {
        grant_type: 'authorization_code',
        code: new URL(page.url()).searchParams.get('code') ?? '',
        redirect_uri: callback,
        code_verifier: verifier,
      })
      if (status !== 200) throw new Error(`no tokens: ${String(status)} ${JSON.stringify(body)}`)
      return (await oidc.userinfo(String(body.access_token))).body
    },
    refused: async (page) => {
      await broughtBack(page, 'error')
      return new URL(page.url()).searchParams.get('error') ?? ''
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
