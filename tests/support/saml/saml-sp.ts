import { SAML, type SamlConfig } from '@node-saml/node-saml'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** A service provider with a few pages, built on another SAML implementation than ours. */
export interface WebServiceProvider {
  readonly origin: string
  readonly entityId: string
  readonly acsUrl: string
  /** Configures the identity provider that it trusts. */
  readonly trust: (config: Pick<SamlConfig, 'entryPoint' | 'idpCert'> & Partial<SamlConfig>) => void
  /** From now on `/acs` and `/callback` redirect to another origin, which is the same server. */
  readonly landElsewhere: () => string
  readonly stop: () => Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

const page = (response: ServerResponse, text: string): void => {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(`<h1 id="said">${escaped}</h1>`)
}

/**
 * `/redirect` and `/post` request a sign-in with one binding each and with RelayState `r`. The response is shown at
 * `/welcome`, after a redirect, as in real applications. So is a code that is posted to `/callback`.
 * @param port on 127.0.0.1, which is a different site from localhost
 */
export const webServiceProvider = async (port: number): Promise<WebServiceProvider> => {
  const origin = `http://127.0.0.1:${String(port)}`
  const entityId = `${origin}/metadata`
  const acsUrl = `${origin}/acs`
  const elsewhere = `http://localhost:${String(port)}`
  let config: SamlConfig | null = null
  let landing = ''

  const saml = (binding?: string): SAML => {
    if (config === null) throw new Error('trusts nobody yet')
    return new SAML({ ...config, ...(binding === undefined ? {} : { authnRequestBinding: binding }) })
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', origin)
    switch (pathname) {
      case '/redirect': {
        const Location = await saml().getAuthorizeUrlAsync('r', undefined, {})
        response.writeHead(302, { Location }).end()
        return
      }
      case '/post': {
        const form = await saml('HTTP-POST').getAuthorizeFormAsync('r')
        response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(form)
        return
      }
      case '/acs': {
        const form = await bodyOf(request)
        const said = await saml()
          .validatePostResponseAsync({ SAMLResponse: form.get('SAMLResponse') ?? '' })
          .then(
            ({ profile }) => `${profile?.nameID ?? ''} ${form.get('RelayState') ?? '-'}`,
            (error: unknown) => String(error),
          )
        response.writeHead(303, { Location: `${landing}/welcome?said=${encodeURIComponent(said)}` }).end()
        return
      }
      case '/callback': {
        const code = (await bodyOf(request)).get('code') ?? ''
        response
          .writeHead(303, { Location: `${landing}/welcome?said=${encodeURIComponent(`code ${code}`)}` })
          .end()
        return
      }
      default:
        page(response, searchParams.get('said') ?? '')
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      page(response, String(error))
    })
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin,
    entityId,
    acsUrl,
    trust: (trusted) => {
      config = { issuer: entityId, callbackUrl: acsUrl, wantAuthnResponseSigned: false, ...trusted }
    },
    landElsewhere: () => (landing = elsewhere),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
