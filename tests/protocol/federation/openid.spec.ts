import { expect } from 'chai'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { newId } from '../../../adapters/kernel/ids.ts'
import type { OwnMethod } from '../../../domain/user/events.ts'
import { system } from '../../support/service/service.ts'
import { appHolder, authenticatorApp } from '../../support/sign-in/sign-in-world.ts'
import { decodeJwt } from 'jose'
import type { PlainBrowser } from '../../support/federation/browser.ts'
import {
  DOMAIN,
  federationPlace,
  lastAttempt,
  newcomer,
  trusted,
  type FederationPlace,
} from '../../support/federation/place.ts'
import { refusal, success, type Json } from '../../http/api/support.ts'

describe('sign-in with an OpenID provider', function () {
  this.timeout(60_000)
  let place: FederationPlace
  before(async () => {
    place = await federationPlace()
  })
  after(() => place.stop())
  afterEach(async () => {
    place.provider.reset()
    await place.configure(trusted)
  })

  const me = async (browser: PlainBrowser): Promise<Json> => {
    const { publicUrl } = place.service.core.services
    const response = await fetch(`${publicUrl}/api/v1/me`, { headers: { cookie: browser.cookies() } })
    return response.json()
  }
  const attempt = (expected: Readonly<Record<string, unknown>>) => lastAttempt(place, expected)

  it('SGN-04 a new user of the domain gets an account, with the claims of the provider', async () => {
    const { provider, signIn } = place
    provider.claims = { ...newcomer(), name: 'Ada Lovelace', given_name: 'Ada', family_name: 'Lovelace' }
    const { to, browser } = await signIn()
    expect(to).to.equal('/account')
    const user = await me(browser)
    expect(user).to.include({
      ...{ email: provider.claims['email'], name: 'Ada Lovelace', givenName: 'Ada', familyName: 'Lovelace' },
      ...{ status: 'active', source: 'identity_provider', emailVerified: true },
    })
    const { amr } = await attempt({
      ...{ userId: user.id, result: 'success', identityProviderId: place.record.id },
    })
    expect(amr).to.deep.equal(['fed'])
    const linked: Json[] = success(await place.send('GET', `/users/${user.id}/linked-accounts`))
    expect(linked).to.have.length(1)
    expect(linked[0]).to.include({ email: provider.claims['email'], providerName: 'Contoso' })
    expect(linked[0].lastUsedAt).to.be.a('string')
  })

  it('SGN-04 the next sign-in opens the same account, whatever the address is by then', async () => {
    const { provider, signIn } = place
    provider.claims = { ...newcomer(), name: 'Grace' }
    const first = await me((await signIn()).browser)
    provider.claims = { ...provider.claims, email: `married-name@${DOMAIN}`, name: 'Grace Hopper' }
    const second = await me((await signIn()).browser)
    expect(second).to.include({ id: first.id, email: first.email, name: 'Grace' })
    await place.configure({ syncProfile: true })
    const third = await me((await signIn()).browser)
    expect(third).to.include({ id: first.id, email: first.email, name: 'Grace Hopper' })
  })

  it('SGN-04 the request has PKCE, nonce, state and a redirect URI of its own', async () => {
    const { provider, signIn, record } = place
    provider.claims = newcomer()
    await signIn(undefined, `?loginHint=${encodeURIComponent(`ada@${DOMAIN}`)}`)
    const [request] = provider.authorizations
    expect(Object.fromEntries(request ?? [])).to.include({
      ...{ response_type: 'code', client_id: 'us', scope: 'openid profile email' },
      ...{ redirect_uri: record.callbackUrl, code_challenge_method: 'S256', login_hint: `ada@${DOMAIN}` },
    })
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(request?.get(name)).to.match(/^[\w-]{43}$/)
    const basic = `Basic ${Buffer.from('us:a+secret+with+%3A+and+%25').toString('base64')}`
    expect(provider.tokenRequests[0]?.authorization).to.equal(basic)
  })

  it('SGN-04 groups of the provider give and take memberships, in the name of the provider', async () => {
    const { provider, signIn, send, record } = place
    const groups = ['Engineers', 'Everybody', 'By hand'].map((name) => send('POST', '/groups', { name }))
    const [engineers, everybody, byHand] = (await Promise.all(groups)).map((g) => success(g, 201).id)
    await place.configure({
      groupMapping: [{ value: 'eng', groupId: engineers }],
      jitGroupIds: [everybody],
    })
    provider.claims = { ...newcomer(), groups: ['eng', 'other'] }
    const { id } = await me((await signIn()).browser)
    success(await send('PUT', `/groups/${byHand}/members/${id}`, {}), 204)
    const mine = async () => {
      const rows: Json[] = success(await send('GET', `/users/${id}/groups`))
      return rows.map(({ name }) => name).sort()
    }
    expect(await mine()).to.deep.equal(['By hand', 'Engineers', 'Everybody'])
    const [member]: Json[] = success(await send('GET', `/groups/${engineers}/members`))
    expect(member).to.include({ via: 'identity_provider', sourceId: record.id })
    refusal(await send('DELETE', `/groups/${engineers}`), 409, 'ERR_CONFLICT')
    provider.claims = { ...provider.claims, groups: undefined }
    await signIn()
    expect(await mine(), 'a provider that says nothing changes nothing').to.have.length(3)
    provider.claims = { ...provider.claims, groups: [] }
    await signIn()
    expect(await mine()).to.deep.equal(['By hand', 'Everybody'])
    provider.claims = { ...provider.claims, groups: ['eng'] }
    await signIn()
    expect(await mine()).to.deep.equal(['By hand', 'Engineers', 'Everybody'])
    // Nothing governs a membership whose mapping is gone.
    await place.configure({ groupMapping: [] })
    provider.claims = { ...provider.claims, groups: undefined }
    await signIn()
    expect(await mine()).to.deep.equal(['By hand', 'Everybody'])
    await place.configure({ jitGroupIds: [] })
  })

  it('SGN-04 an invited user enrols by the first sign-in, and the invitation ends', async () => {
    const { provider, signIn, send } = place
    provider.claims = newcomer()
    const invited = success(
      await send('POST', '/users', { email: provider.claims['email'], name: 'Invited' }),
      201,
    )
    const { to, browser } = await signIn()
    expect(to).to.equal('/account')
    expect(await me(browser)).to.include({
      id: invited.id,
      status: 'active',
      name: 'Invited',
      source: 'local',
    })
    const token = String(invited.enrollUrl).split('/').at(-1)
    refusal(await send('GET', `/auth/enroll/${token}`), 404, 'ERR_LINK_EXPIRED')
  })

  it('SGN-04 a user with a passkey confirms with it, then the account is linked', async () => {
    const { provider, signIn, service, browser } = place
    const claims = newcomer()
    provider.claims = claims
    const person = await service.person({ email: claims.email })
    const from = browser()
    const { to } = await signIn(from)
    expect(to).to.equal(`/sign-in?again=1&link=${place.record.id}`)
    expect(from.has('svc_session')).to.equal(false)
    await attempt({ email: claims.email, result: 'interrupted', reason: 'link_confirmation_required' })
    const page = await fetch(`${service.core.services.publicUrl}${to}`, {
      headers: { cookie: from.cookies() },
    })
    expect(await page.text()).to.include('to link your account at')
    const list = async (): Promise<Json[]> =>
      success(await place.send('GET', `/users/${person.userId}/linked-accounts`))
    expect(await list()).to.deep.equal([])
  })

  it('SGN-04 a sign-in that is weaker than the strongest method confirms nothing', async () => {
    const { provider, signIn, service, browser, send } = place
    const holder = await appHolder(service)
    const domains = [DOMAIN, 'example.com']
    await place.configure({ domains })
    provider.claims = { ...newcomer(), email: holder.email }
    const from = browser()
    await signIn(from)
    expect(from.has('svc_pending_link')).to.equal(true)
    const passkey: OwnMethod = {
      methodId: newId('method'),
      methodType: 'passkey',
      name: 'Laptop',
      ...{ credentialId: 'AA', publicKey: 'AA', signCount: 0, transports: [], backedUp: false },
      aaguid: '00000000-0000-0000-0000-000000000000',
    }
    const users = userCommands(service.core.services)
    await users.addMethod(holder.userId, passkey, system)
    const answer = await service.api('POST', '/auth/code', {
      body: { email: holder.email, code: authenticatorApp(holder.secret).ahead() },
      headers: { cookie: from.cookies() },
    })
    success(answer)
    expect(success(await send('GET', `/users/${holder.userId}/linked-accounts`))).to.deep.equal([])
    await place.configure({ domains: [DOMAIN] })
  })

  it('SGN-04 refusals lead to the sign-in page, are recorded, and start no session', async () => {
    const { provider, signIn, service, send } = place
    const other = await service.person({ email: 'someone@elsewhere.example' })
    const suspended = await service.person({ email: `suspended@${DOMAIN}` })
    success(await send('POST', `/users/${suspended.userId}/suspend`, {}), 204)
    const cases: [string, Json, object, string][] = [
      ['unverified', newcomer(), { email_verified: false }, 'ERR_EMAIL_NOT_VERIFIED'],
      ['no address', newcomer(), { email: undefined }, 'ERR_EMAIL_NOT_VERIFIED'],
      ['another domain', newcomer(), { email: 'new@elsewhere.example' }, 'ERR_DOMAIN_NOT_ALLOWED'],
      ['an account of another domain', newcomer(), { email: other.email }, 'ERR_DOMAIN_NOT_ALLOWED'],
      ['suspended here', newcomer(), { email: suspended.email }, 'ERR_ACCOUNT_SUSPENDED'],
    ]
    for (const [what, person, change, code] of cases) {
      provider.claims = { ...person, ...change }
      const { to, browser } = await signIn()
      expect(to, what).to.equal(`/sign-in?error=${code}`)
      expect(browser.has('svc_session'), what).to.equal(false)
      const { email = null } = { ...person, ...change }
      await attempt({ email, result: 'failure', identityProviderId: place.record.id })
    }
    await place.configure({ provisioning: 'none' })
    provider.claims = newcomer()
    expect((await signIn()).to).to.equal('/sign-in?error=ERR_NOT_LINKED')
    await place.configure({ ...trusted, trustEmailVerified: false })
    provider.claims = newcomer()
    expect((await signIn()).to, 'its word does not count').to.equal('/sign-in?error=ERR_EMAIL_NOT_VERIFIED')
  })

  it('SGN-04 a linked user who is suspended here cannot sign in', async () => {
    const { provider, signIn, send } = place
    provider.claims = newcomer()
    const { id } = await me((await signIn()).browser)
    success(await send('POST', `/users/${id}/suspend`, {}), 204)
    expect((await signIn()).to).to.equal('/sign-in?error=ERR_ACCOUNT_SUSPENDED')
  })

  it('SGN-04 a new subject with an old address takes over nothing', async () => {
    const { provider, signIn } = place
    const claims = newcomer()
    provider.claims = claims
    await signIn()
    provider.claims = { ...claims, sub: 'somebody who got the address later' }
    expect((await signIn()).to).to.equal('/sign-in?error=ERR_NOT_LINKED')
  })

  it('SGN-04 a signed-in user links an account, and nobody else can use the answer', async () => {
    const { provider, service, browser, record } = place
    provider.claims = { ...newcomer(), email: undefined }
    const person = await service.person()
    const { publicUrl } = service.core.services
    const start = await service.api('POST', '/me/linked-accounts', {
      as: person,
      body: { identityProviderId: record.id },
    })
    const { redirectTo } = success(start)
    const [flow = ''] = start.headers.getSetCookie()
    const own = browser()
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(flow) ?? []
    own.set(name, value)
    const back = String((await own.open(redirectTo)).location)
    // Without the session that started it
    expect((await own.open(back)).location).to.include('/account/security?error=ERR_PROVIDER_STATE')
    const again = await service.api('POST', '/me/linked-accounts', {
      as: person,
      body: { identityProviderId: record.id },
    })
    const [, name2 = '', value2 = ''] = /^([^=]+)=([^;]*)/.exec(again.headers.getSetCookie()[0] ?? '') ?? []
    own.set(name2, value2)
    own.set('svc_session', person.cookie.split('=')[1] ?? '')
    const there = String((await own.open(success(again).redirectTo)).location)
    expect((await own.open(there)).location).to.equal(`${publicUrl}/account/security#linked-accounts`)
    const linked: Json[] = success(await place.as(person)('GET', '/me/linked-accounts'))
    expect(linked.map(({ email }) => email)).to.deep.equal([null])
    // From now on it signs in.
    expect(await me((await place.signIn()).browser)).to.include({ id: person.userId })
  })

  it('SGN-04 private_key_jwt is signed with the published key', async () => {
    const { provider, signIn } = place
    await place.configure({ clientAuthentication: 'private_key_jwt' })
    provider.claims = newcomer()
    expect((await signIn()).to).to.equal('/account')
    const assertion = provider.tokenRequests[0]?.body.get('client_assertion') ?? ''
    expect(decodeJwt(assertion)).to.include({ iss: 'us', sub: 'us' })
    refusal(
      await place.send('PATCH', `/identity-providers/${place.record.id}`, {
        clientAuthentication: 'client_secret_basic',
      }),
      422,
      'ERR_INVALID',
      '/clientSecret',
    )
    await place.configure({
      clientAuthentication: 'client_secret_basic',
      clientSecret: provider.clientSecret,
    })
  })
})
