/** Keycloak, a browser and the service: sign-in with both protocols, and moving in with the export of the realm. */
import { expect } from 'chai'
import { journeyScreens } from '../../support/browser/screens.ts'
import { DOMAIN, verifiedDomain } from '../../support/federation/place.ts'
import { startPlace, success, type Json, type Place } from '../../http/api/support.ts'
import { askingApplication, type AskingApplication } from '../../support/sign-in/asking-application.ts'
import { signInWorld, type SignInWorld } from '../../support/sign-in/sign-in-world.ts'
import { until } from '../../support/until.ts'
import { startKeycloak, type Keycloak, type KeycloakUser } from './keycloak-server.ts'

const user = (login: string, firstName: string, groups: readonly string[]): KeycloakUser => ({
  login,
  email: `${login}@${DOMAIN}`,
  firstName,
  lastName: 'Example',
  groups,
})

/** One for each protocol and kind of start. */
const users = ['oidc', 'saml'].flatMap((protocol) => [
  user(`${protocol}-new`, 'Ada', ['engineering', 'staff']),
  user(`${protocol}-invited`, 'Grace', ['staff']),
  user(`${protocol}-leaver`, 'Hedy', ['engineering']),
])

describe('Keycloak as an identity provider', function () {
  this.timeout(300_000)
  let place: Place
  let keycloak: Keycloak
  let groupId: string
  let app: AskingApplication
  let world: SignInWorld
  const records: Record<string, Json> = {}

  before(async () => {
    place = await startPlace()
    keycloak = await startKeycloak(users)
    await verifiedDomain(place, DOMAIN)
    ;({ id: groupId } = success(await place.send('POST', '/groups', { name: 'Engineering' }), 201))
    const common = {
      ...{ domains: [DOMAIN], trustEmailVerified: true, provisioning: 'jit' },
      groupMapping: [{ value: 'engineering', groupId }],
    }
    const clientId = 'identity-service'
    records['oidc'] = success(
      await place.send('POST', '/identity-providers', {
        ...{ ...common, type: 'oidc', name: 'Keycloak OpenID', issuer: keycloak.issuer, clientId },
        clientSecret: `only-for-this-test-${clientId}`,
      }),
      201,
    )
    await keycloak.addOpenIdClient({
      clientId,
      redirectUri: records['oidc'].callbackUrl as string,
      backchannelLogoutUrl: records['oidc'].backchannelLogoutUrl as string,
    })
    records['saml'] = success(
      await place.send('POST', '/identity-providers', {
        ...{ ...common, type: 'saml', name: 'Keycloak SAML', metadataXml: await keycloak.samlMetadata() },
        ...{ domains: [], nameIdFormat: 'persistent', trustEmailVerified: true },
        attributeMapping: { email: 'mail', name: 'displayName', groups: 'member' },
      }),
      201,
    )
    await keycloak.addServiceProvider(await (await fetch(records['saml'].metadataUrl as string)).text())
    app = await askingApplication(place.service)
    const [application]: Json[] = success(await place.send('GET', `/applications?q=${app.name}`))
    success(await place.send('PUT', `/applications/${application.id}/groups/${groupId}`), 204)
  })
  after(async () => {
    await app.close()
    await place.service.stop()
    await keycloak.stop()
  })
  beforeEach(async () => {
    world = await signInWorld(place.service, Object.values(journeyScreens)[0])
  })
  afterEach(async function () {
    if (this.currentTest?.state === 'failed')
      console.error(`At ${world.page.url()}: ${await world.page.innerText('body')}`)
    await world.close()
  })

  /** The domain belongs to one provider at a time. */
  const useFor = async (protocol: string): Promise<void> => {
    for (const [name, { id }] of Object.entries(records))
      if (name !== protocol) success(await place.send('PATCH', `/identity-providers/${id}`, { domains: [] }))
    success(await place.send('PATCH', `/identity-providers/${records[protocol].id}`, { domains: [DOMAIN] }))
  }
  const find = async (login: string): Promise<Json> => {
    const [found]: Json[] = success(await place.send('GET', `/users?email=${login}@${DOMAIN}`))
    return found
  }
  const leaveHere = () => world.page.context().clearCookies({ name: 'svc_session' })

  for (const [protocol, name] of [
    ['oidc', 'Keycloak OpenID'],
    ['saml', 'Keycloak SAML'],
  ] as const) {
    const proceed = () => world.page.click(`a:has-text("Continue with ${name}")`)

    it(`SGN-04 ${name}: a new user opens an application by the group that it names, and again with one click`, async () => {
      await useFor(protocol)
      const login = `${protocol}-new`
      await app.ask(world.page)
      await proceed()
      await keycloak.signIn(world.page, login)
      const claims = await app.claims(world.page)
      const { id, name: shown, source } = await find(login)
      expect(claims).to.deep.include({ name: shown, email: `${login}@${DOMAIN}`, groups: ['Engineering'] })
      expect([shown, source]).to.deep.equal([
        protocol === 'oidc' ? 'Ada Example' : 'Ada',
        'identity_provider',
      ])
      const members: Json[] = success(await place.send('GET', `/groups/${groupId}/members`))
      expect(members.map(({ userId, via }) => [userId, via])).to.deep.include([id, 'identity_provider'])
      await leaveHere()
      await app.ask(world.page)
      await proceed()
      await app.answered(world.page)
    })

    it(`SGN-04 ${name}: an invited user is enrolled from the invitation`, async () => {
      await useFor(protocol)
      const login = `${protocol}-invited`
      const email = `${login}@${DOMAIN}`
      const invited = success(await place.send('POST', '/users', { email, name: 'Grace' }), 201)
      await world.page.goto(invited.enrollUrl)
      await proceed()
      await keycloak.signIn(world.page, login)
      await world.at('/account')
      expect((await find(login)).status).to.equal('active')
    })

    it(`SGN-04 ${name}: who is disabled there or suspended here does not get in`, async () => {
      await useFor(protocol)
      const login = `${protocol}-leaver`
      await app.ask(world.page)
      await proceed()
      await keycloak.signIn(world.page, login)
      await app.answered(world.page)
      await leaveHere()
      await keycloak.enable(login, false)
      await app.ask(world.page)
      await proceed()
      await keycloak.signIn(world.page, login)
      await world.page.getByText(/account is disabled/i).waitFor()
      await keycloak.enable(login, true)
      const { id } = await find(login)
      success(await place.send('POST', `/users/${id}/suspend`, {}), 204)
      await app.ask(world.page)
      await proceed()
      await keycloak.signIn(world.page, login)
      await world.page.waitForSelector('[data-code="ERR_ACCOUNT_SUSPENDED"]')
    })
  }

  it('SGN-04 Keycloak OpenID: its back-channel logout ends the session here', async () => {
    await useFor('oidc')
    await world.go('/sign-in')
    await world.page.click('a:has-text("Continue with Keycloak OpenID")')
    await keycloak.signIn(world.page, 'oidc-new')
    await world.at('/account')
    const { id } = await find('oidc-new')
    await keycloak.signOut('oidc-new')
    await until(
      async () => {
        const sessions: Json[] = success(await place.send('GET', `/sessions?userId=${String(id)}`))
        return sessions.some(({ endReason }) => endReason === 'provider_logout')
      },
      20_000,
      'the logout token',
    )
  })

  // After the tests above: the server must have stopped.
  describe('the export of its realm', () => {
    it('API-11 is an import of its users and groups', async () => {
      const realm = await keycloak.exported()
      const other = await startPlace()
      try {
        const { service, admin } = other
        const uploaded = await fetch(`${service.publicUrl}/api/v1/imports?source=keycloak`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Origin: service.publicUrl, Cookie: admin.cookie },
          body: realm,
        })
        expect(uploaded.status, await uploaded.clone().text()).to.equal(201)
        const { id } = (await uploaded.json()) as { id: string }
        const status = async (): Promise<Json> => success(await other.send('GET', `/imports/${id}`))
        await until(async () => (await status()).status === 'ready', 30_000, 'the dry run')
        expect((await status()).actions).to.include({ create: users.length + 2, error: 0 })
        success(await other.send('POST', `/imports/${id}/start`, {}), 202)
        await until(async () => (await status()).status === 'done', 30_000, 'the import')
        const [ada]: Json[] = success(await other.send('GET', `/users?email=oidc-new@${DOMAIN}`))
        expect(ada).to.include({ name: 'Ada Example', department: 'Analytics', source: 'import' })
        const groups: Json[] = success(await other.send('GET', `/users/${ada.id}/groups`))
        expect(groups.map((group) => group.name)).to.have.members(['engineering', 'staff'])
      } finally {
        await other.service.stop()
      }
    })
  })
})
