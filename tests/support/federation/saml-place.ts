/** A service with a verified domain, and a scripted SAML identity provider of that domain. */
import { startPlace, success, type Json, type Place } from '../../http/api/support.ts'
import { plainBrowser, type PlainBrowser } from './browser.ts'
import { DOMAIN, trusted, verifiedDomain } from './place.ts'
import {
  scriptedSamlProvider,
  type ReceivedRequest,
  type ScriptedSamlProvider,
} from './scripted-saml-provider.ts'

export interface SamlPlace extends Place {
  readonly provider: ScriptedSamlProvider
  readonly record: Json
  readonly configure: (change: Readonly<Record<string, unknown>>) => Promise<void>
  readonly browser: () => PlainBrowser
  /** Opens the provider from the sign-in page. */
  readonly leave: (browser: PlainBrowser, query?: string) => Promise<ReceivedRequest>
  /** Posts a response to the assertion consumer service, as the provider's page would. @returns where the browser continues */
  readonly consume: (browser: PlainBrowser, xml: string, relayState: string | null) => Promise<string>
  /** The whole sign-in. @returns where the browser ends up on this service, as a path */
  readonly signIn: (browser?: PlainBrowser, query?: string) => Promise<{ to: string; browser: PlainBrowser }>
  readonly stop: () => Promise<void>
}

const unescaped = (text: string): string =>
  text
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll('&amp;', '&')

const dataOf = (page: string, name: string): string =>
  unescaped(new RegExp(` data-${name}="([^"]*)"`).exec(page)?.[1] ?? '')

/**
 * Posts a response to the assertion consumer service, as the provider's page would, and continues like the page there.
 * @returns where the browser continues
 */
export const consumeAt =
  (callbackUrl: string, publicUrl: string): SamlPlace['consume'] =>
  async (from, xml, relayState) => {
    const page = await fetch(callbackUrl, {
      method: 'POST',
      headers: { origin: 'https://saml.contoso.example', 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({
        SAMLResponse: Buffer.from(xml).toString('base64'),
        ...(relayState === null ? {} : { RelayState: relayState }),
      }),
    })
    const text = await page.text()
    if (page.status !== 200) throw new Error(`${String(page.status)} ${text}`)
    const state = dataOf(text, 'relay-state')
    const body = { samlResponse: dataOf(text, 'response'), ...(state === '' ? {} : { relayState: state }) }
    const { status, json } = await from.post(
      `${publicUrl}/api/v1/auth/providers/${dataOf(text, 'provider')}/saml-response`,
      body,
    )
    if (status !== 200) throw new Error(`${String(status)} ${JSON.stringify(json)}`)
    return (json as { readonly redirectTo: string }).redirectTo.replace(publicUrl, '')
  }

export const samlPlace = async (): Promise<SamlPlace> => {
  const place = await startPlace()
  const { send, service } = place
  const { publicUrl } = service.core.services
  const provider = await scriptedSamlProvider()
  await verifiedDomain(place, DOMAIN)
  const record: Json = success(
    await send('POST', '/identity-providers', {
      ...trusted,
      ...{ type: 'saml', metadataXml: provider.metadataXml },
      attributeMapping: { email: 'mail', name: 'displayName', groups: 'groups' },
    }),
    201,
  )
  const leave: SamlPlace['leave'] = async (from, query = '') => {
    const { location } = await from.open(`${publicUrl}/api/v1/auth/providers/${record.id}/start${query}`)
    if (location?.startsWith(provider.ssoUrl) !== true) throw new Error(`did not leave: ${String(location)}`)
    return provider.read(location)
  }
  const consume = consumeAt(record.callbackUrl as string, publicUrl)
  const browser = () => plainBrowser(publicUrl)
  return {
    ...place,
    ...{ provider, record, browser, leave, consume },
    configure: async (change) => {
      success(await send('PATCH', `/identity-providers/${record.id}`, change))
    },
    signIn: async (from = browser(), query = '') => {
      const request = await leave(from, query)
      const to = await consume(from, await provider.respond(request), request.relayState)
      return { to, browser: from }
    },
    stop: () => service.stop(),
  }
}
