/** A second instance of this service as the identity provider, and a browser: users sign in there with their passkeys. */
import { expect } from 'chai'
import { virtualAuthenticator } from '../support/browser/browser.ts'
import { journeyScreens } from '../support/browser/screens.ts'
import { verifiedDomain } from '../support/federation/place.ts'
import { startPlace, success, type Json, type Place } from '../http/api/support.ts'
import { testPlace } from '../support/service/service.ts'
import { askingApplication, type AskingApplication } from '../support/sign-in/asking-application.ts'
import { signInWorld, type SignInWorld } from '../support/sign-in/sign-in-world.ts'

const DOMAIN = 'contoso.example'

interface Employee {
  /** At the provider */
  readonly id: string
  readonly email: string
}

describe('a second instance of this service as the identity provider', function () {
  this.timeout(120_000)
  let upstream: Place
  let place: Place
  let drop: () => Promise<void>
  let upstreamGroup: string
  let groupId: string
  let app: AskingApplication
  let world: SignInWorld
  const records: Record<string, Json> = {}

  before(async () => {
    upstream = await startPlace()
    // Not `localhost`: cookies do not distinguish ports.
    const at = await testPlace()
    drop = at.drop
    const publicUrl = at.config.publicUrl.replace('localhost', '127.0.0.1')
    place = await startPlace({ ...at, config: { ...at.config, publicUrl } })
    await verifiedDomain(place, DOMAIN)
    const created = async (from: Place, path: string, body: object): Promise<Json> =>
      success(await from.send('POST', path, body), 201)
    ;({ id: upstreamGroup } = await created(upstream, '/groups', { name: 'engineering' }))
    ;({ id: groupId } = await created(place, '/groups', { name: 'Engineering' }))
    const client = await created(upstream, '/applications', {
      ...{ name: 'Downstream', protocol: 'oidc', type: 'web', redirectUris: ['https://later.example/'] },
      groupIds: [upstreamGroup],
    })
    const common = {
      ...{ trustEmailVerified: true, provisioning: 'jit', phishingResistantValues: ['phr', 'hwk'] },
      groupMapping: [{ value: 'engineering', groupId }],
    }
    records['oidc'] = await created(place, '/identity-providers', {
      ...{ ...common, type: 'oidc', name: 'Upstream OpenID', issuer: upstream.service.publicUrl },
      ...{ clientId: client.clientId, clientSecret: client.clientSecret },
      scopes: ['profile', 'email', 'groups'],
    })
    success(
      await upstream.send('PATCH', `/applications/${client.id}`, {
        redirectUris: [records['oidc'].callbackUrl],
      }),
    )
    const metadataXml = await (await fetch(`${upstream.service.publicUrl}/saml/metadata`)).text()
    records['saml'] = await created(place, '/identity-providers', {
      ...{ ...common, type: 'saml', name: 'Upstream SAML', metadataXml, nameIdFormat: 'persistent' },
    })
    await created(upstream, '/applications', {
      ...{ name: 'Downstream SAML', protocol: 'saml', groupIds: [upstreamGroup] },
      saml: {
        entityId: records['saml'].metadataUrl,
        acsUrls: [records['saml'].callbackUrl],
        nameIdFormat: 'persistent',
      },
    })
    app = await askingApplication(place.service)
    const [application]: Json[] = success(await place.send('GET', `/applications?q=${app.name}`))
    success(await place.send('PUT', `/applications/${application.id}/groups/${groupId}`), 204)
  })
  after(async () => {
    await app.close()
    await place.service.stop()
    await upstream.service.stop()
    await drop()
  })
  beforeEach(async () => {
    world = await signInWorld(place.service, Object.values(journeyScreens)[0])
    await virtualAuthenticator(world.page)
  })
  afterEach(async function () {
    if (this.currentTest?.state === 'failed')
      console.error(`At ${world.page.url()}: ${await world.page.innerText('body')}`)
    await world.close()
  })

  /** The domain belongs to one provider at a time. */
  const useFor = async (protocol: string): Promise<void> => {
    const set = async (name: string, domains: readonly string[]) =>
      success(await place.send('PATCH', `/identity-providers/${records[name].id}`, { domains }))
    for (const name of Object.keys(records)) if (name !== protocol) await set(name, [])
    await set(protocol, [DOMAIN])
  }
  /** Invites a user at the provider, who enrols a passkey and signs out there. */
  const employed = async (login: string): Promise<Employee> => {
    const email = `${login}@${DOMAIN}`
    const { id, enrollUrl } = success(
      await upstream.send('POST', '/users', { email, name: 'Ada Lovelace' }),
      201,
    )
    success(await upstream.send('PUT', `/groups/${upstreamGroup}/members/${id}`, {}), 204)
    await world.page.goto(enrollUrl)
    await world.press('Create a passkey')
    await world.page.waitForURL(`${upstream.service.publicUrl}/account`)
    // Enrolled with a link that no email brought, so the address is not verified yet.
    await upstream.service.verified({ ...(await world.inBrowser()), userId: id, email })
    await world.page.context().clearCookies()
    return { id, email }
  }
  const signInThere = async (): Promise<void> => {
    await world.page.waitForURL(`${upstream.service.publicUrl}/sign-in?**`)
    await world.press('Sign in with a passkey')
  }
  const leaveHere = () => world.page.context().clearCookies({ domain: '127.0.0.1' })
  const find = async (email: string): Promise<Json> => {
    const [found]: Json[] = success(await place.send('GET', `/users?email=${email}`))
    return found
  }

  for (const [protocol, name] of [
    ['oidc', 'Upstream OpenID'],
    ['saml', 'Upstream SAML'],
  ] as const) {
    const proceed = () => world.page.click(`a:has-text("Continue with ${name}")`)

    it(`SGN-04 ${name}: a new user opens an application by the group that it names, again with one click, and not after a suspension here or there`, async () => {
      await useFor(protocol)
      const { id, email } = await employed(`${protocol}-new`)
      await app.ask(world.page)
      await proceed()
      await signInThere()
      expect(await app.claims(world.page)).to.deep.include({
        ...{ name: 'Ada Lovelace', email, groups: ['Engineering'] },
      })
      const user = await find(email)
      expect([user.name, user.source]).to.deep.equal(['Ada Lovelace', 'identity_provider'])
      const members: Json[] = success(await place.send('GET', `/groups/${groupId}/members`))
      expect(members.map(({ userId, via }) => [userId, via])).to.deep.include([user.id, 'identity_provider'])
      await leaveHere()
      await app.ask(world.page)
      await proceed()
      await app.answered(world.page)

      success(await place.send('POST', `/users/${user.id}/suspend`, {}), 204)
      await app.ask(world.page)
      await proceed()
      await world.page.waitForSelector('[data-code="ERR_ACCOUNT_SUSPENDED"]')
      success(await place.send('POST', `/users/${user.id}/reactivate`, {}), 204)
      success(await upstream.send('POST', `/users/${id}/suspend`, {}), 204)
      await app.ask(world.page)
      await proceed()
      await signInThere()
      await world.page.getByText(/not active|suspended/i).waitFor()
      expect(world.page.url()).to.match(new RegExp(`^${upstream.service.publicUrl}/`))
    })

    it(`SGN-04 ${name}: an invited user is enrolled from the invitation`, async () => {
      await useFor(protocol)
      const { email } = await employed(`${protocol}-invited`)
      const invited = success(await place.send('POST', '/users', { email, name: 'Ada' }), 201)
      await world.page.goto(invited.enrollUrl)
      await proceed()
      await signInThere()
      await world.at('/account')
      expect((await find(email)).status).to.equal('active')
    })
  }
})
