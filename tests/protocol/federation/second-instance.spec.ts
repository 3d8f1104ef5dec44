import { expect } from 'chai'
import { plainBrowser, type PlainBrowser } from '../../support/federation/browser.ts'
import { trusted, verifiedDomain } from '../../support/federation/place.ts'
import { consumeAt } from '../../support/federation/saml-place.ts'
import { oidcWorld } from '../../support/oidc/oidc.ts'
import { formIn, samlWorld } from '../../support/saml/saml.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import { startPlace, success, type Json, type Place } from '../../http/api/support.ts'

describe('A second instance of this service as the identity provider', function () {
  this.timeout(60_000)
  let upstream: TestService
  let place: Place
  before(async () => {
    upstream = await testService()
    place = await startPlace()
    await verifiedDomain(place, 'example.com')
  })
  after(() => Promise.all([upstream.stop(), place.service.stop()]))

  const setUp = { ...trusted, domains: ['example.com'] }
  const create = async (connection: object): Promise<Json> =>
    success(await place.send('POST', '/identity-providers', { ...setUp, ...connection }), 201)
  const remove = (id: string) =>
    place.service.api('DELETE', `/identity-providers/${id}?force=true`, { as: place.admin })
  /** Opens an address of the other instance, in which this user has a session. */
  const at = async (person: TestPerson, url: string): Promise<Response> =>
    fetch(url, { redirect: 'manual', headers: { cookie: person.cookie } })
  const leave = async (browser: PlainBrowser, id: string): Promise<string> =>
    (await browser.open(`${place.service.publicUrl}/api/v1/auth/providers/${id}/start`)).location ?? ''
  const me = async (browser: PlainBrowser): Promise<Json> => {
    const response = await fetch(`${place.service.publicUrl}/api/v1/me`, {
      headers: { cookie: browser.cookies() },
    })
    return response.status === 200 ? response.json() : null
  }

  it('SGN-04 OIDC-11 signs users in with OpenID Connect, and its sign-out ends their sessions here', async () => {
    const oidc = oidcWorld(upstream)
    const app = await oidc.application('web')
    const { id, callbackUrl, backchannelLogoutUrl } = await create({
      ...{ type: 'oidc', issuer: upstream.publicUrl, clientId: app.clientId, clientSecret: app.secret },
    })
    await oidc.change({
      type: 'update',
      applicationId: app.applicationId,
      settings: { redirectUris: [callbackUrl], backchannelLogoutUri: backchannelLogoutUrl },
    })
    const person = await upstream.verified(await oidc.member(app, { email: 'ada@example.com', name: 'Ada' }))
    const browser = plainBrowser(place.service.publicUrl)
    const back = await at(person, await leave(browser, id))
    await browser.open(back.headers.get('location') ?? '')
    const user = await me(browser)
    expect(user).to.include({ email: 'ada@example.com', name: 'Ada', source: 'identity_provider' })

    const admin = await upstream.person({}, ['global_admin'])
    await upstream.api('DELETE', `/sessions/${person.sessionId}`, { as: admin })
    await until(async () => (await me(browser)) === null, 20_000, 'the sign-out notice')
    const sessions = success(await place.send('GET', `/sessions?userId=${String(user.id)}`)) as Json[]
    expect(sessions[0]).to.include({ status: 'ended', endReason: 'provider_logout' })
    await remove(id)
  })

  it('SGN-04 SAML-01 signs users in with SAML', async () => {
    const metadataXml = await (await fetch(`${upstream.publicUrl}/saml/metadata`)).text()
    const { id, callbackUrl, metadataUrl } = await create({ type: 'saml', metadataXml })
    const saml = samlWorld(upstream, oidcWorld(upstream))
    const sp = await saml.provider({
      entityId: metadataUrl,
      acsUrls: [callbackUrl],
      nameIdFormat: 'persistent',
    })
    const person = await saml.member(sp, { email: 'hedy@example.com', name: 'Hedy' })
    const browser = plainBrowser(place.service.publicUrl)
    const form = formIn(await (await at(person, await leave(browser, id))).text())
    expect(form.action).to.equal(callbackUrl)
    const xml = Buffer.from(form.fields['SAMLResponse'] ?? '', 'base64').toString()
    const consume = consumeAt(callbackUrl, place.service.publicUrl)
    expect(await consume(browser, xml, form.fields['RelayState'] ?? null)).to.equal('/account')
    expect(await me(browser)).to.include({ email: 'hedy@example.com', name: 'Hedy' })
    await remove(id)
  })
})
