import { expect } from 'chai'
import { journeyScreens } from '../support/browser/screens.ts'
import { virtualAuthenticator } from '../support/browser/browser.ts'
import { outsideProvider, type OutsideProvider } from '../support/federation/oidc-provider.ts'
import { verifiedDomain } from '../support/federation/place.ts'
import { startPlace, success, type Json, type Place } from '../http/api/support.ts'
import { askingApplication, type AskingApplication } from '../support/sign-in/asking-application.ts'
import { signInWorld, type SignInWorld } from '../support/sign-in/sign-in-world.ts'

const DOMAIN = 'contoso.example'
let made = 0

for (const [name, screen] of Object.entries(journeyScreens))
  describe(`signing in with an identity provider, ${name}`, function () {
    this.timeout(120_000)
    let place: Place
    let provider: OutsideProvider
    let record: Json
    let app: AskingApplication
    let world: SignInWorld

    before(async () => {
      place = await startPlace()
      provider = await outsideProvider()
      await verifiedDomain(place, DOMAIN)
      const { issuer, clientId, clientSecret } = provider
      const group = async (groupName: string): Promise<string> =>
        success(await place.send('POST', '/groups', { name: groupName }), 201).id
      const groupId = await group('Employees')
      record = success(
        await place.send('POST', '/identity-providers', {
          ...{ type: 'oidc', name: 'Contoso', issuer, clientId, clientSecret, domains: [DOMAIN] },
          ...{ trustEmailVerified: true, provisioning: 'jit', jitGroupIds: [groupId] },
          attributeMapping: { email: 'email', name: 'name', groups: 'groups' },
          groupMapping: [{ value: 'eng', groupId: await group('Engineers') }],
        }),
        201,
      )
      provider.register(record.callbackUrl)
      app = await askingApplication(place.service)
      const [application]: Json[] = success(await place.send('GET', `/applications?q=${app.name}`))
      success(await place.send('PUT', `/applications/${application.id}/groups/${groupId}`), 204)
    })
    after(async () => {
      await app.close()
      await place.service.stop()
      await provider.close()
    })
    beforeEach(async () => {
      world = await signInWorld(place.service, screen)
    })
    afterEach(() => world.close())

    const newcomer = (): string => {
      made += 1
      const login = `employee${String(made)}`
      provider.users.set(login, {
        ...{ email: `${login}@${DOMAIN}`, email_verified: true, name: 'Ada Lovelace', groups: ['eng'] },
      })
      return login
    }
    const proceed = () => world.page.click('a:has-text("Continue with Contoso")')

    it('SGN-04 a new employee opens an application through the provider, and again with one click', async () => {
      const login = newcomer()
      await app.ask(world.page)
      await world.sound()
      await proceed()
      await provider.signIn(world.page, login)
      const claims = await app.claims(world.page)
      expect(claims).to.deep.include({ name: 'Ada Lovelace', email: `${login}@${DOMAIN}` })
      expect(claims.groups).to.have.members(['Employees', 'Engineers'])
      await world.go('/account')
      expect(await world.text()).to.include('Ada Lovelace')
      await world.go('/account/security')
      expect(await world.text()).to.include(`Contoso · ${login}@${DOMAIN}`)
      await world.sound()
      await world.page.context().clearCookies({ name: 'svc_session' })
      await app.ask(world.page)
      await proceed()
      await app.answered(world.page)
    })

    it('SGN-04 an address or domain that the application knows leads to the provider without a question', async () => {
      const login = newcomer()
      await app.ask(world.page, { login_hint: `${login}@${DOMAIN}` })
      await provider.signIn(world.page, login)
      await app.answered(world.page)
      await world.page.context().clearCookies({ name: 'svc_session' })
      await app.ask(world.page, { domain_hint: DOMAIN.toUpperCase() })
      await app.answered(world.page)
      await world.page.context().clearCookies({ name: 'svc_session' })
      await app.ask(world.page, { domain_hint: 'elsewhere.example', login_hint: `${login}@${DOMAIN}` })
      await world.page.waitForSelector('a:has-text("Continue with Contoso")')
    })

    it('SGN-04 an employee with a passkey confirms it once, then signs in with the provider', async () => {
      const login = newcomer()
      const email = `${login}@${DOMAIN}`
      const invited = success(await place.send('POST', '/users', { email, name: 'Ada' }), 201)
      await virtualAuthenticator(world.page)
      await world.page.goto(invited.enrollUrl)
      await world.press('Create a passkey')
      await world.at('/account')
      await world.page.context().clearCookies({ name: 'svc_session' })
      await world.go('/sign-in')
      await proceed()
      await provider.signIn(world.page, login)
      await world.page.waitForURL((url) => url.searchParams.has('link'))
      expect(await world.text()).to.include(`There is an account of ${email} here already.`)
      expect(await world.page.isVisible('a:has-text("Continue with Contoso")')).to.equal(false)
      await world.sound()
      await world.press('Sign in with a passkey')
      await world.at('/account')
      await world.page.context().clearCookies({ name: 'svc_session' })
      await world.go('/sign-in')
      await proceed()
      await world.at('/account')
      const linked: Json[] = success(await place.send('GET', `/users/${invited.id}/linked-accounts`))
      expect(linked).to.have.length(1)
    })

    it('SGN-04 an invited employee is enrolled by the provider from the invitation', async () => {
      const login = newcomer()
      const email = `${login}@${DOMAIN}`
      const invited = success(await place.send('POST', '/users', { email, name: 'Ada' }), 201)
      await world.page.goto(invited.enrollUrl)
      await world.sound()
      await proceed()
      await provider.signIn(world.page, login)
      await world.at('/account')
      const user = success(await place.send('GET', `/users/${invited.id}`))
      expect(user.status).to.equal('active')
      expect((await world.page.goto(invited.enrollUrl))?.status()).to.equal(404)
    })

    it('SGN-04 a suspended employee reads why, and can go back', async () => {
      const login = newcomer()
      await app.ask(world.page, { login_hint: `${login}@${DOMAIN}` })
      await provider.signIn(world.page, login)
      await app.answered(world.page)
      const [user]: Json[] = success(await place.send('GET', `/users?q=${login}@`))
      success(await place.send('POST', `/users/${user.id}/suspend`, {}), 204)
      await world.page.context().clearCookies({ name: 'svc_session' })
      await app.ask(world.page)
      await proceed()
      await world.page.waitForSelector('[data-code="ERR_ACCOUNT_SUSPENDED"]')
      expect(await world.text()).to.include(`Back to ${app.name}`)
      await world.sound()
    })

    it('SGN-04 an employee who was removed there does not get in', async () => {
      const login = newcomer()
      await app.ask(world.page, { login_hint: `${login}@${DOMAIN}` })
      await provider.signIn(world.page, login)
      await app.answered(world.page)
      provider.users.delete(login)
      await world.page.context().clearCookies({ name: 'svc_session' })
      await app.ask(world.page, { login_hint: `${login}@${DOMAIN}` })
      await world.page.waitForSelector('[data-code="ERR_PROVIDER_DENIED"]')
    })

    it('SGN-04 a user links an account at the provider from the account page', async () => {
      const login = newcomer()
      provider.users.set(login, { name: 'Ada at home' })
      const person = await place.service.person()
      const value = person.cookie.replace('svc_session=', '')
      await world.page.context().addCookies([{ name: 'svc_session', value, url: place.service.publicUrl }])
      await world.go('/account/security')
      await world.press('Link an account at Contoso')
      await provider.signIn(world.page, login)
      await world.page.waitForURL((url) => url.pathname === '/account/security')
      const linked: Json[] = success(await place.as(person)('GET', '/me/linked-accounts'))
      expect(linked.map(({ providerName }) => providerName)).to.deep.equal(['Contoso'])
      expect(await world.page.isVisible('button:has-text("Link an account at Contoso")')).to.equal(false)
    })
  })
