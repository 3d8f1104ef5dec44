/** A service with a verified domain, and a scripted provider of that domain. */
import { dnsDomainDecider, dnsDomainStream } from '../../../domain/dns-domain/decider.ts'
import { startPlace, success, type Json, type Place } from '../../http/api/support.ts'
import { system } from '../service/service.ts'
import { until } from '../until.ts'
import { plainBrowser, type PlainBrowser } from './browser.ts'
import { scriptedProvider, type ScriptedProvider } from './scripted-provider.ts'

export interface FederationPlace extends Place {
  readonly provider: ScriptedProvider
  /** The record of the provider, as created */
  readonly record: Json
  readonly configure: (change: Readonly<Record<string, unknown>>) => Promise<void>
  /** Opens the provider from the sign-in page. @returns the address that the provider sends the browser back to */
  readonly leave: (browser: PlainBrowser, query?: string) => Promise<string>
  /** The whole sign-in. @returns where the browser ends up on this service, as a path */
  readonly signIn: (browser?: PlainBrowser, query?: string) => Promise<{ to: string; browser: PlainBrowser }>
  readonly browser: () => PlainBrowser
  readonly stop: () => Promise<void>
}

/** Adds a domain and verifies it. */
export const verifiedDomain = async (
  { send, service }: Pick<Place, 'send' | 'service'>,
  name: string,
): Promise<string> => {
  const { id } = success(await send('POST', '/domains', { name }), 201)
  const check = {
    type: 'check',
    domainId: id,
    found: true,
    requested: true,
    now: service.core.services.clock.now(),
  } as const
  await service.core.services.handle(dnsDomainDecider, dnsDomainStream(id), check, system)
  return id as string
}

export const DOMAIN = 'contoso.example'

/** As an administrator sets up the provider of the organization's own domain. */
export const trusted = {
  name: 'Contoso',
  domains: [DOMAIN],
  trustEmailVerified: true,
  linking: 'email_verified',
  provisioning: 'jit',
} as const

export const federationPlace = async (): Promise<FederationPlace> => {
  const place = await startPlace()
  const { send, service } = place
  const provider = await scriptedProvider()
  const { issuer, clientId, clientSecret } = provider
  await verifiedDomain(place, DOMAIN)
  await verifiedDomain(place, 'example.com')
  const record: Json = success(
    await send('POST', '/identity-providers', { type: 'oidc', issuer, clientId, clientSecret, ...trusted }),
    201,
  )
  const { publicUrl } = service.core.services
  const browser = () => plainBrowser(publicUrl)
  const leave: FederationPlace['leave'] = async (from, query = '') => {
    const { location } = await from.open(`${publicUrl}/api/v1/auth/providers/${record.id}/start${query}`)
    if (location?.startsWith(issuer) !== true) throw new Error(`did not leave: ${String(location)}`)
    const back = await from.open(location)
    return back.location ?? ''
  }
  return {
    ...place,
    provider,
    record,
    browser,
    leave,
    configure: async (change) => {
      success(await send('PATCH', `/identity-providers/${record.id}`, change))
    },
    signIn: async (from = browser(), query = '') => {
      const { location } = await from.open(await leave(from, query))
      return { to: (location ?? '').replace(publicUrl, ''), browser: from }
    },
    stop: async () => {
      await service.stop()
      await provider.close()
    },
  }
}

let newcomers = 0

/** Claims of somebody whom no test has seen. */
export const newcomer = () => {
  newcomers += 1
  const n = String(newcomers)
  return { sub: `subject-of-${n}`, email: `person${n}@${DOMAIN}`, email_verified: true }
}

/** Returns the last attempt, once the list shows it: attempts are visible a moment later. */
export const lastAttempt = async (
  { send }: Place,
  expected: Readonly<Record<string, unknown>>,
): Promise<Json> => {
  let last: Json
  await until(async () => {
    ;[last] = success(await send('GET', '/sign-ins?method=identity_provider&limit=1'))
    return Object.entries(expected).every(([field, value]) => last?.[field] === value)
  })
  return last
}
