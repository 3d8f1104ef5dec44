/** What an administrator withdraws while a user is at the provider, or has yet to confirm, takes effect. */
import { expect } from 'chai'
import { appHolder, authenticatorApp, type AppHolder } from '../../support/sign-in/sign-in-world.ts'
import type { PlainBrowser } from '../../support/federation/browser.ts'
import {
  DOMAIN,
  federationPlace,
  newcomer,
  trusted,
  verifiedDomain,
  type FederationPlace,
} from '../../support/federation/place.ts'
import { success, type Json } from '../../http/api/support.ts'
import type { TestPerson } from '../../support/service/service.ts'

/** What happens meanwhile. @returns what undoes it, if later tests need that */
type Change = (place: FederationPlace, userId: string) => Promise<unknown>

const configuring =
  (change: Readonly<Record<string, unknown>>): Change =>
  (place) =>
    place.configure(change)
const OWN = [DOMAIN, 'example.com']
let moves = 0

const ofProvider: Readonly<Record<string, Change>> = {
  'linking is switched to never': configuring({ linking: 'never' }),
  'linked accounts are disabled': async ({ send }) =>
    success(await send('PATCH', '/methods/identity_provider', { enabled: false })),
  'the provider is disabled': async ({ send, record }) =>
    success(await send('POST', `/identity-providers/${record.id}/disable`, { force: true })),
}
const ofAddress: Readonly<Record<string, Change>> = {
  'its word on addresses does not count any more': configuring({ trustEmailVerified: false }),
  'the domain is not one of the provider any more': configuring({ domains: [DOMAIN] }),
  'the user has another address': async ({ send }, userId) =>
    success(await send('PATCH', `/users/${userId}`, { email: `moved${String(++moves)}@elsewhere.example` })),
}
const ofUser: Readonly<Record<string, Change>> = {
  'the user was granted a role': async ({ send }, userId) =>
    success(await send('PUT', `/users/${userId}/roles`, { roles: ['auditor'] })),
}

describe('SGN-04 what is withdrawn from a sign-in with an identity provider', function () {
  this.timeout(60_000)
  let place: FederationPlace
  before(async () => {
    place = await federationPlace()
  })
  after(() => place.stop())
  beforeEach(() => place.configure({ ...trusted, domains: OWN }))
  afterEach(async () => {
    place.provider.reset()
    await place.send('PATCH', '/methods/identity_provider', { enabled: true })
    await place.send('POST', `/identity-providers/${place.record.id}/enable`)
  })

  const links = async (userId: string): Promise<readonly Json[]> =>
    success(await place.send('GET', `/users/${userId}/linked-accounts`))

  describe('before a user confirms that an account is theirs:', () => {
    /** A user who has come back from the provider and has yet to confirm. */
    const pending = async (): Promise<{ holder: AppHolder; browser: PlainBrowser }> => {
      const holder = await appHolder(place.service)
      place.provider.claims = { ...newcomer(), email: holder.email }
      const { to, browser } = await place.signIn()
      expect(to).to.equal(`/sign-in?again=1&link=${place.record.id}`)
      return { holder, browser }
    }
    /** Signs in with an authenticator app, in the browser that has the account to link. */
    const confirm = async ({ secret }: AppHolder, email: string, browser: PlainBrowser): Promise<void> => {
      const body = { email, code: authenticatorApp(secret).ahead() }
      success(await place.service.api('POST', '/auth/code', { body, headers: { cookie: browser.cookies() } }))
    }

    it('SGN-04 nothing: it is linked', async () => {
      const { holder, browser } = await pending()
      await confirm(holder, holder.email, browser)
      expect(await links(holder.userId)).to.have.length(1)
    })

    for (const [what, change] of Object.entries({ ...ofProvider, ...ofAddress, ...ofUser }))
      it(`SGN-04 ${what}: the sign-in links nothing, and the page does not ask for it`, async () => {
        const { holder, browser } = await pending()
        await change(place, holder.userId)
        const { email } = success(await place.send('GET', `/users/${holder.userId}`))
        await confirm(holder, email, browser)
        const page = await fetch(
          `${place.service.publicUrl}/sign-in?again=1&link=${String(place.record.id)}`,
          {
            headers: { cookie: browser.cookies() },
          },
        )
        expect({
          links: await links(holder.userId),
          asks: (await page.text()).includes('to link your account at'),
        }).to.deep.equal({ links: [], asks: false })
      })

    it('SGN-04 the domain is deleted: the sign-in links nothing', async () => {
      const { holder, browser } = await pending()
      const domains: Json[] = success(await place.send('GET', '/domains?limit=200'))
      const { id } = domains.find(({ name }) => name === 'example.com')
      await place.configure({ domains: [DOMAIN] })
      success(await place.send('DELETE', `/domains/${String(id)}`), 204)
      await confirm(holder, holder.email, browser)
      await verifiedDomain(place, 'example.com')
      expect(await links(holder.userId)).to.deep.equal([])
    })
  })

  describe('while a signed-in user is at the provider to link an account:', () => {
    /** @returns where the provider sends the browser back to */
    const leaving = async (person: TestPerson): Promise<{ browser: PlainBrowser; back: string }> => {
      place.provider.claims = { ...newcomer(), email: undefined }
      const start = await place.service.api('POST', '/me/linked-accounts', {
        as: person,
        body: { identityProviderId: place.record.id },
      })
      const { redirectTo } = success(start)
      const browser = place.browser()
      for (const cookie of [start.headers.getSetCookie()[0] ?? '', person.cookie]) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        browser.set(name, value)
      }
      return { browser, back: String((await browser.open(redirectTo)).location) }
    }

    const session: Readonly<Record<string, Change>> = {
      'all sessions of the user are ended': async ({ send }, userId) =>
        success(await send('POST', `/users/${userId}/sessions/revoke`), 204),
      'the user is suspended': async ({ send }, userId) =>
        success(await send('POST', `/users/${userId}/suspend`, {}), 204),
    }
    for (const [what, change] of Object.entries({ ...ofProvider, ...ofUser, ...session }))
      it(`SGN-04 ${what}: nothing is linked`, async () => {
        const person = await place.service.person()
        const { browser, back } = await leaving(person)
        await change(place, person.userId)
        const { location } = await browser.open(back)
        expect(location).to.match(/\/account\/security\?error=ERR_\w+#linked-accounts$/)
        expect(await links(person.userId)).to.deep.equal([])
      })
  })

  describe('while a user is at the provider to sign in:', () => {
    const suspended: Change = async ({ send }, userId) =>
      success(await send('POST', `/users/${userId}/suspend`, {}), 204)
    const { 'linking is switched to never': _, ...disabling } = ofProvider
    for (const [what, change] of Object.entries({
      ...disabling,
      ...ofUser,
      'the user is suspended': suspended,
    } satisfies Record<string, Change>))
      it(`SGN-04 ${what}: it signs in nobody`, async () => {
        place.provider.claims = newcomer()
        const first = (await place.signIn()).browser
        const [user]: Json[] = success(
          await place.send('GET', `/users?q=${String(place.provider.claims['email'])}`),
        )
        expect(first.has('svc_session')).to.equal(true)
        const browser = place.browser()
        const back = await place.leave(browser)
        await change(place, user.id)
        const { location } = await browser.open(back)
        expect(location).to.match(/\/sign-in\?error=ERR_\w+$/)
        expect(browser.has('svc_session')).to.equal(false)
      })
  })
})
