/** Copies of what waits for an identity provider, or for its user, and what withdraws what they rest on. */
import { expect } from 'chai'
import { dnsDomainDecider, dnsDomainStream } from '../../../domain/dns-domain/decider.ts'
import { readCookies } from '../../../adapters/inbound/http/cookies.ts'
import { pendingLinks } from '../../../adapters/inbound/sign-in/pending-links.ts'
import { linkedUser } from '../../../read-models/queries/identity-providers.ts'
import { plainBrowser, type PlainBrowser } from '../federation/browser.ts'
import type { ScriptedProvider } from '../federation/scripted-provider.ts'
import { system, type TestPerson, type TestService } from '../service/service.ts'

/** What a browser keeps, and a provider's account. */
interface OfProvider {
  readonly cookie: string
  readonly account: string
}

export type FederatedCopy = OfProvider &
  (
    | { readonly kind: 'pending link' }
    /** The address that the provider sends the browser back to */
    | { readonly kind: 'federated sign-in' | 'linking'; readonly back: string }
  )

interface Owner {
  readonly id: string
  readonly email: string
}

const DOMAIN = 'example.com'
const trusted = { linking: 'email_verified', trustEmailVerified: true, domains: [DOMAIN] }

let made = 0

/** A provider of the organization's own domain, in a service. @param root may change the settings */
export const federation = async (service: TestService, provider: ScriptedProvider, root: TestPerson) => {
  const { services } = service.core
  provider.repeatsCodes = true

  const send = async (as: TestPerson, method: string, path: string, body?: object) => {
    const answer = await service.api(method, path, { as, ...(body === undefined ? {} : { body }) })
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.be.lessThan(300)
    return answer
  }
  const { id: domainId } = (await send(root, 'POST', '/domains', { name: DOMAIN })).body
  const check = { type: 'check', domainId, found: true, requested: true, now: services.clock.now() } as const
  await services.handle(dnsDomainDecider, dnsDomainStream(domainId), check, system)
  const { issuer, clientId, clientSecret } = provider
  const settings = { type: 'oidc', name: 'Example', issuer, clientId, clientSecret, ...trusted }
  const { id } = (await send(root, 'POST', '/identity-providers', settings)).body
  const path = `/identity-providers/${String(id)}`

  const browserWith = (...cookies: readonly string[]): PlainBrowser => {
    const browser = plainBrowser(service.publicUrl)
    for (const [name, value] of readCookies(cookies.join('; '))) browser.set(name, value)
    return browser
  }
  const cookieOf = (line: string): string => line.split(';', 1)[0] ?? ''
  const linkedTo = async (account: string) =>
    (await linkedUser(services.pool, id as string, account))?.userId ?? null
  const assert = (account: string, email: string): void => {
    provider.claims = { sub: account, email, email_verified: true }
  }

  /** Leaves for the provider to sign in. @returns the address that it sends the browser back to */
  const leave = async (browser: PlainBrowser): Promise<string> => {
    const { location } = await browser.open(`${service.publicUrl}/api/v1/auth/providers/${String(id)}/start`)
    return (await browser.open(location ?? '')).location ?? ''
  }

  const confirm = async ({ cookie }: OfProvider, userId: string): Promise<void> => {
    // As every sign-in of the user ends; this one is with their strongest method.
    await pendingLinks(services).confirm({ userId, methods: ['passkey'] }, readCookies(cookie), system)
  }

  return {
    /** The user comes back from the provider, and has yet to confirm that the account is theirs. */
    arrive: async ({ email }: Owner): Promise<FederatedCopy | null> => {
      const account = `account-${String(++made)}`
      assert(account, email)
      const browser = browserWith()
      await browser.open(await leave(browser))
      return browser.has('svc_pending_link')
        ? { kind: 'pending link', cookie: browser.cookies(), account }
        : null
    },

    /** The user confirms it. @returns whether it was linked */
    confirm: async (copy: FederatedCopy, { id: userId }: Owner): Promise<boolean> => {
      await confirm(copy, userId)
      return (await linkedTo(copy.account)) === userId
    },

    /** The user is about to come back from the provider, with the account that is linked. */
    leave: async (account: string): Promise<FederatedCopy> => {
      const browser = browserWith()
      const back = await leave(browser)
      return { kind: 'federated sign-in', back, cookie: browser.cookies(), account }
    },

    /** The user is about to come back from the provider, to link another account. */
    startLinking: async (as: TestPerson): Promise<FederatedCopy> => {
      const start = await send(as, 'POST', '/me/linked-accounts', { identityProviderId: id })
      const browser = browserWith(as.cookie, cookieOf(start.headers.getSetCookie()[0] ?? ''))
      const back = (await browser.open(start.body.redirectTo)).location ?? ''
      return { kind: 'linking', back, cookie: browser.cookies(), account: `account-${String(++made)}` }
    },

    /** @returns what the copy still gave access to; null if nothing */
    use: async (copy: FederatedCopy, { id: userId, email }: Owner): Promise<string | null> => {
      const before = await linkedTo(copy.account)
      const browser = browserWith(copy.cookie)
      if (copy.kind === 'pending link') await confirm(copy, userId)
      else {
        assert(copy.account, email)
        await browser.open(copy.back)
      }
      if (copy.kind === 'federated sign-in' && browser.has('svc_session')) return 'a session'
      return (await linkedTo(copy.account)) === before ? null : 'an account linked'
    },

    /** Withdraws what copies of some kinds rest on, and gives it back. */
    withdrawals: [
      {
        what: 'the provider',
        from: ['pending link', 'federated sign-in', 'linking'],
        take: () => send(root, 'POST', `${path}/disable`, { force: true }),
        giveBack: () => send(root, 'POST', `${path}/enable`),
      },
      {
        what: 'linked accounts',
        from: ['pending link', 'federated sign-in', 'linking'],
        take: () => send(root, 'PATCH', '/methods/identity_provider', { enabled: false }),
        giveBack: () => send(root, 'PATCH', '/methods/identity_provider', { enabled: true }),
      },
      {
        what: 'the user',
        from: ['pending link', 'federated sign-in', 'linking'],
        take: ({ id: userId }: Owner) => send(root, 'POST', `/users/${userId}/suspend`, {}),
        giveBack: ({ id: userId }: Owner) => send(root, 'POST', `/users/${userId}/reactivate`, {}),
      },
      ...[
        { what: 'linking', change: { linking: 'never' }, from: ['pending link', 'linking'] as const },
        { what: 'the word', change: { trustEmailVerified: false }, from: ['pending link'] as const },
        { what: 'the domain', change: { domains: [] }, from: ['pending link'] as const },
      ].map(({ what, change, from }) => ({
        what,
        from,
        take: () => send(root, 'PATCH', path, change),
        giveBack: () => send(root, 'PATCH', path, trusted),
      })),
    ] as readonly {
      readonly what: string
      readonly from: readonly FederatedCopy['kind'][]
      readonly take: (owner: Owner) => Promise<unknown>
      readonly giveBack: (owner: Owner) => Promise<unknown>
    }[],
  }
}

export type Federation = Awaited<ReturnType<typeof federation>>
