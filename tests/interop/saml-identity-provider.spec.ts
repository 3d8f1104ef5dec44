/** A third-party SAML identity provider, a browser and the service. */
import { expect } from 'chai'
import { journeyScreens } from '../support/browser/screens.ts'
import { DOMAIN, verifiedDomain } from '../support/federation/place.ts'
import { startPlace, success, type Json, type Place } from '../http/api/support.ts'
import { askingApplication, type AskingApplication } from '../support/sign-in/asking-application.ts'
import { signInWorld, type SignInWorld } from '../support/sign-in/sign-in-world.ts'
import { startSimpleSamlPhpProvider, type SimpleSamlPhpProvider } from './simplesamlphp-provider.ts'

describe('SimpleSAMLphp as an identity provider', function () {
  this.timeout(120_000)
  let place: Place
  let provider: SimpleSamlPhpProvider
  let record: Json
  let groupId: string
  let app: AskingApplication
  let world: SignInWorld

  before(async () => {
    place = await startPlace()
    const attributes = (login: string) => ({
      mail: [`${login}@${DOMAIN}`],
      displayName: ['Ada Lovelace'],
      eduPersonEntitlement: ['staff', 'engineering'],
    })
    const logins = ['ada', 'grace', 'invited', 'leaver']
    provider = await startSimpleSamlPhpProvider(
      Object.fromEntries(logins.map((login) => [login, attributes(login)])),
    )
    await verifiedDomain(place, DOMAIN)
    ;({ id: groupId } = success(await place.send('POST', '/groups', { name: 'Engineering' }), 201))
    record = success(
      await place.send('POST', '/identity-providers', {
        ...{ type: 'saml', name: 'Contoso', metadataXml: await provider.metadata(), domains: [DOMAIN] },
        ...{ trustEmailVerified: true, provisioning: 'jit', nameIdFormat: 'persistent' },
        attributeMapping: { email: 'mail', name: 'displayName', groups: 'eduPersonEntitlement' },
        groupMapping: [{ value: 'engineering', groupId }],
      }),
      201,
    )
    await provider.register(await (await fetch(record.metadataUrl as string)).text())
    app = await askingApplication(place.service)
    const [application]: Json[] = success(await place.send('GET', `/applications?q=${app.name}`))
    success(await place.send('PUT', `/applications/${application.id}/groups/${groupId}`), 204)
  })
  after(async () => {
    await app.close()
    await place.service.stop()
    await provider.stop()
  })
  beforeEach(async () => {
    world = await signInWorld(place.service, Object.values(journeyScreens)[0])
  })
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      console.error(`At ${world.page.url()}: ${await world.page.innerText('body')}`)
      console.error(await provider.errorLog())
    }
    await world.close()
  })

  const proceed = () => world.page.click('a:has-text("Continue with Contoso")')

  it('SGN-04 opens an application for a new user whose group it names, and again with one click', async () => {
    await app.ask(world.page)
    await proceed()
    await provider.signIn(world.page, 'ada')
    expect(await app.claims(world.page)).to.deep.include({
      ...{ name: 'Ada Lovelace', email: `ada@${DOMAIN}`, groups: ['Engineering'] },
    })
    const [user]: Json[] = success(await place.send('GET', '/users?q=ada@'))
    expect(user.name).to.equal('Ada Lovelace')
    const members: Json[] = success(await place.send('GET', `/groups/${groupId}/members`))
    expect(members.map(({ userId, via }) => [userId, via])).to.deep.include([user.id, 'identity_provider'])
    await world.page.context().clearCookies({ name: 'svc_session' })
    await app.ask(world.page)
    await proceed()
    await app.answered(world.page)
    success(await place.send('POST', `/users/${user.id}/suspend`, {}), 204)
    await world.page.context().clearCookies({ name: 'svc_session' })
    await app.ask(world.page)
    await proceed()
    await world.page.waitForSelector('[data-code="ERR_ACCOUNT_SUSPENDED"]')
  })

  it('SGN-04 enrols an invited user from the invitation', async () => {
    const email = `invited@${DOMAIN}`
    const invited = success(await place.send('POST', '/users', { email, name: 'Ada' }), 201)
    await world.page.goto(invited.enrollUrl)
    await proceed()
    await provider.signIn(world.page, 'invited')
    await world.at('/account')
    expect(success(await place.send('GET', `/users/${invited.id}`)).status).to.equal('active')
  })

  it('SGN-04 lets nobody in who was removed there', async () => {
    await app.ask(world.page)
    await proceed()
    await provider.signIn(world.page, 'leaver')
    await app.answered(world.page)
    await provider.remove('leaver')
    await world.page.context().clearCookies()
    await app.ask(world.page)
    await proceed()
    await provider.signIn(world.page, 'leaver')
    await world.page
      .getByText(/incorrect username or password/i)
      .first()
      .waitFor()
  })

  it('SGN-04 asks a user with a session for the password again', async () => {
    await world.go('/sign-in')
    await proceed()
    await provider.signIn(world.page, 'grace')
    await world.at('/account')
    await world.page.goto(`${place.service.publicUrl}/api/v1/auth/providers/${record.id}/start?again=1`)
    await provider.signIn(world.page, 'grace')
    await world.at('/account')
  })
})
