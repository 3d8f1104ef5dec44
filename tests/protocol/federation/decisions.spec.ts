import { expect } from 'chai'
import { needsProvider } from '../../../adapters/application/sign-in/federation/required-provider.ts'
import type { SignInMethod } from '../../../domain/session/events.ts'
import { appHolder, authenticatorApp } from '../../support/sign-in/sign-in-world.ts'
import type { PlainBrowser } from '../../support/federation/browser.ts'
import {
  DOMAIN,
  federationPlace,
  lastAttempt,
  newcomer,
  trusted,
  type FederationPlace,
} from '../../support/federation/place.ts'
import { audited } from '../../support/audit/audit.ts'
import { refusal, success, type Json } from '../../http/api/support.ts'

const statusOfMe = async ({ service }: FederationPlace, browser: PlainBrowser): Promise<number> => {
  const headers = { cookie: browser.cookies() }
  return (await fetch(`${service.core.services.publicUrl}/api/v1/me`, { headers })).status
}

describe('what administrators decide about an OpenID provider', function () {
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

  const attempt = (expected: Readonly<Record<string, unknown>>) => lastAttempt(place, expected)

  it('SGN-04 a required provider refuses every other method, except that of a global administrator with a passkey', async () => {
    const { service } = place
    const holder = await appHolder(service)
    await place.configure({ domains: [DOMAIN, 'example.com'], requiredForDomains: true })
    const { secret, email, userId } = holder
    const tried = await service.api('POST', '/auth/code', {
      body: { email, code: authenticatorApp(secret).ahead() },
    })
    refusal(tried, 403, 'ERR_PROVIDER_REQUIRED')
    const invitation = { email: `invited${String(Date.now())}@${DOMAIN}`, name: 'Invited' }
    const invited = success(await place.send('POST', '/users', invitation), 201)
    const path = `/auth/enroll/${String(invited.enrollUrl).split('/').at(-1)}`
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', '/passkey/options'],
      ['POST', '/authenticator'],
    ] as const)
      refusal(await service.api(method, path + rest), 403, 'ERR_PROVIDER_REQUIRED')
    const required = (who: string, methods: readonly SignInMethod[]) =>
      needsProvider(service.core.services, { userId: who, email, methods })
    expect(await required(userId, ['passkey'])).to.equal(true)
    expect(await required(place.admin.userId, ['passkey'])).to.equal(false)
    expect(await required(place.admin.userId, ['authenticator_code'])).to.equal(true)
    await place.configure({ domains: [DOMAIN], requiredForDomains: false })
  })

  it('SGN-04 a provider cannot be disabled while it is the only way in, unless forced', async () => {
    const { provider, signIn, send, record } = place
    provider.claims = newcomer()
    await signIn()
    const path = `/identity-providers/${record.id}`
    expect(refusal(await send('POST', `${path}/disable`, {}), 409, 'ERR_CONFLICT')).to.match(
      /only sign-in method of/,
    )
    refusal(await send('DELETE', path), 409, 'ERR_CONFLICT')
    success(await send('POST', `${path}/disable`, { force: true }))
    const { publicUrl } = place.service.core.services
    const browser = place.browser()
    const { location } = await browser.open(
      `${publicUrl}/api/v1/auth/providers/${record.id}/start?return=/account`,
    )
    const back = `${publicUrl}/sign-in?error=ERR_PROVIDER_STATE&return=%2Faccount`
    expect(location).to.equal(back)
    success(await send('POST', `${path}/enable`))
    expect((await signIn()).to).to.equal('/account')
  })

  it('SGN-04 while linked accounts are disabled, a provider creates and links nothing', async () => {
    const { provider, service, browser, send, record } = place
    const { publicUrl } = service.core.services
    const claims = newcomer()
    provider.claims = claims
    const from = browser()
    const back = await place.leave(from)
    success(await send('PATCH', '/methods/identity_provider', { enabled: false }))
    expect((await from.open(back)).location).to.equal(`${publicUrl}/sign-in?error=ERR_PROVIDER_STATE`)
    const again = await from.open(`${publicUrl}/api/v1/auth/providers/${record.id}/start`)
    expect(again.location).to.equal(`${publicUrl}/sign-in?error=ERR_PROVIDER_STATE`)
    expect(success(await send('GET', `/users?q=${claims.email}`))).to.deep.equal([])
    success(await send('PATCH', '/methods/identity_provider', { enabled: true }))
  })

  it('SGN-04 a policy that requires a recent sign-in is met by authenticating at the provider again', async () => {
    const { provider, signIn, send } = place
    const action = { action: 'allow', sessionMaxAgeMinutes: 5 }
    const policy = success(
      await send('POST', '/policies', { name: 'Recent', status: 'enabled', ...action }),
      201,
    )
    provider.claims = { ...newcomer(), auth_time: Math.floor(Date.now() / 1000) - 3600 }
    expect((await signIn()).to).to.equal('/sign-in?error=ERR_REAUTH_REQUIRED&again=1')
    provider.claims = { ...provider.claims, auth_time: Math.floor(Date.now() / 1000) }
    expect((await signIn(undefined, '?again=1')).to).to.equal('/account')
    expect(provider.authorizations.at(-1)?.get('max_age')).to.equal('0')
    success(await send('DELETE', `/policies/${policy.id}`), 204)
  })

  it('SGN-04 deleting a provider ends its memberships and links first, so that it can be repeated', async () => {
    const other = await federationPlace()
    const { id: groupId } = success(await other.send('POST', '/groups', { name: 'Everybody' }), 201)
    await other.configure({ jitGroupIds: [groupId] })
    other.provider.claims = newcomer()
    const { browser } = await other.signIn()
    const members = async (): Promise<Json[]> =>
      success(await other.send('GET', `/groups/${groupId}/members`))
    const [{ userId }] = await members()
    const path = `/identity-providers/${other.record.id}`
    refusal(await other.send('DELETE', path), 409, 'ERR_CONFLICT', '/force')
    expect(await members(), 'a refusal changes nothing').to.have.length(1)
    success(await other.send('DELETE', `${path}?force=true`), 204)
    expect(await members()).to.deep.equal([])
    expect(success(await other.send('GET', `/users/${userId}/linked-accounts`))).to.deep.equal([])
    expect(await statusOfMe(other, browser)).to.equal(401)
    await audited(other.service)
    const entries: Json[] = success(await other.send('GET', '/audit?limit=4'))
    expect(entries.map(({ action }) => action)).to.deep.equal([
      ...['identity_provider.delete', 'group.member.remove'],
      ...['session.revoke', 'identity_provider.disable'],
    ])
    await other.stop()
  })

  it('SGN-04 disabling a provider ends the sessions that it has opened, if asked to, and no others', async () => {
    place.provider.claims = newcomer()
    const { browser } = await place.signIn()
    const person = await place.service.person()
    const path = `/identity-providers/${place.record.id}`
    success(await place.send('POST', `${path}/disable`, { force: true }))
    expect(await statusOfMe(place, browser), 'sessions continue').to.equal(200)
    success(await place.send('POST', `${path}/disable`, { force: true, endSessions: true }))
    expect(await statusOfMe(place, browser)).to.equal(401)
    success(await place.as(person)('GET', '/me'))
    success(await place.send('POST', `${path}/enable`))
  })

  it('SGN-04 acr or amr count as phishing-resistant only if an administrator says so', async () => {
    const { provider, signIn } = place
    provider.claims = { ...newcomer(), amr: ['hwk', 'made-up'], acr: 'phr' }
    await signIn()
    const strengthOf = async (): Promise<Json> => {
      const { email } = provider.claims
      const { sessionId } = await attempt({ email, result: 'success' })
      const session = success(await place.send('GET', `/sessions/${sessionId}`))
      return { strength: session.strength, amr: session.amr }
    }
    expect(await strengthOf()).to.deep.equal({ strength: 'federated', amr: ['fed', 'hwk'] })
    await place.configure({ phishingResistantValues: ['phr'] })
    provider.claims = { ...provider.claims, ...newcomer() }
    await signIn()
    expect(await strengthOf()).to.deep.equal({ strength: 'phishing_resistant', amr: ['fed', 'hwk'] })
    await place.configure({ phishingResistantValues: [] })
  })

  it('SGN-04 a domain leads to its provider, and can require it', async () => {
    const { service, send, record, provider, signIn } = place
    const realm = async (email: string): Promise<Json> =>
      success(await service.api('POST', '/auth/home-realm', { body: { email } }))
    expect((await realm(`Nobody@${DOMAIN.toUpperCase()}`)).provider).to.include({
      id: record.id,
      name: 'Contoso',
    })
    expect(await realm('ada@elsewhere.example')).to.deep.equal({ provider: null, required: false })
    await place.configure({ requiredForDomains: true })
    expect((await realm(`a@${DOMAIN}`)).required).to.equal(true)
    provider.claims = newcomer()
    expect((await signIn()).to).to.equal('/account')
    await place.configure({ requiredForDomains: false })
    refusal(
      await send('PATCH', `/identity-providers/${record.id}`, { domains: ['unknown.example'] }),
      422,
      'ERR_INVALID',
      '/domains/0',
    )
  })

  it('SGN-04 the session starts when the user authenticated at the provider', async () => {
    const { provider, signIn } = place
    const hourAgo = Math.floor(Date.now() / 1000) - 3600
    provider.claims = { ...newcomer(), auth_time: hourAgo }
    const { browser } = await signIn()
    expect(provider.authorizations[0]?.get('max_age')).to.equal(String(365 * 86_400))
    const { sessionId } = await attempt({ email: provider.claims['email'], result: 'success' })
    const { authTime } = success(await place.send('GET', `/sessions/${sessionId}`))
    expect(Date.parse(authTime)).to.equal(hourAgo * 1000)
    // Signing in again means authenticating again.
    expect((await signIn(browser)).to).to.equal('/sign-in?error=ERR_PROVIDER_FAILED')
    expect(Object.fromEntries(provider.authorizations[1] ?? [])).to.include({ max_age: '0', prompt: 'login' })
    provider.claims = { ...provider.claims, auth_time: Math.floor(Date.now() / 1000) }
    expect((await signIn(browser)).to).to.equal('/account')
  })
})
