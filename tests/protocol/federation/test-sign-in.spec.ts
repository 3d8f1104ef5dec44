import { expect } from 'chai'
import { DOMAIN, federationPlace, trusted, type FederationPlace } from '../../support/federation/place.ts'
import { plainBrowser, type PlainBrowser } from '../../support/federation/browser.ts'
import { refusal, success, type Json } from '../../http/api/support.ts'
import type { TestPerson } from '../../support/service/service.ts'

describe('Test sign-ins with an identity provider', function () {
  this.timeout(60_000)
  let place: FederationPlace
  before(async () => {
    place = await federationPlace()
  })
  after(() => place.stop())
  afterEach(async () => {
    place.provider.reset()
    const { attributeMapping } = place.record
    await place.configure({
      ...{ ...trusted, attributeMapping },
      ...{ groupMapping: [], jitGroupIds: [], phishingResistantValues: [] },
    })
  })

  /** A browser in which somebody has a session. */
  const browserOf = (person: TestPerson): PlainBrowser => {
    const browser = plainBrowser(place.service.publicUrl)
    const [name = '', value = ''] = person.cookie.split('=')
    browser.set(name, value)
    return browser
  }
  const base = () => `${place.service.publicUrl}/api/v1/identity-providers/${String(place.record.id)}`

  /** The way to the provider and back. @returns the page that shows the report */
  const tested = async (browser = browserOf(place.admin)): Promise<string> => {
    const { status, json } = await browser.post(`${base()}/test-sign-in`, {})
    expect(status, JSON.stringify(json)).to.equal(200)
    const back = await browser.open((json as { redirectTo: string }).redirectTo)
    const { location } = await browser.open(back.location ?? '')
    return (location ?? '').replace(place.service.publicUrl, '')
  }
  const reportAt = async (page: string, as = place.admin): Promise<Json> => {
    expect(page).to.match(/^\/console\/identity-providers\/idp_\w+\?tab=test&test=pts_\w+$/)
    const id = page.split('test=')[1] ?? ''
    return place.as(as)('GET', `/identity-providers/${String(place.record.id)}/test-sign-ins/${id}`)
  }
  const report = async (): Promise<Json> => success(await reportAt(await tested()))
  const userCount = async (): Promise<number> =>
    (success(await place.send('GET', '/users?limit=200')) as Json[]).length

  it('SGN-04 shows the claims, the mapping, the account and the groups of a new user, and creates nobody', async () => {
    const group = success(await place.send('POST', '/groups', { name: 'Engineers' }), 201).id as string
    await place.configure({
      groupMapping: [{ value: 'eng', groupId: group }],
      phishingResistantValues: ['hwk'],
      attributeMapping: { ...place.record.attributeMapping, department: 'dept', groups: 'roles' },
    })
    place.provider.claims = {
      ...{ sub: 's-1', email: `new@${DOMAIN}`, email_verified: true, name: 'New Person' },
      ...{ dept: 'Sales', roles: ['eng', 'other'], amr: ['hwk'] },
    }
    const before = await userCount()
    const body = await report()
    expect(body).to.deep.include({ problem: null, groupIds: [group], isPhishingResistant: true })
    expect(body.claims).to.deep.include({ sub: 's-1', dept: 'Sales', roles: ['eng', 'other'] })
    expect(body.identity).to.deep.include({
      subject: 's-1',
      emailVerified: true,
      profile: { name: 'New Person', department: 'Sales' },
      groups: ['eng', 'other'],
    })
    expect(body.account).to.deep.equal({ decision: 'create', code: null, userId: null })
    expect(await userCount()).to.equal(before)
  })

  it('SGN-04 says for each account what a sign-in would do', async () => {
    const known = await place.service.person({ email: `known@${DOMAIN}` })
    for (const [claims, change, account] of [
      [
        { sub: 'x', email: 'x@elsewhere.example', email_verified: true },
        {},
        { decision: 'refuse', code: 'ERR_DOMAIN_NOT_ALLOWED', userId: null },
      ],
      [
        { sub: 'x', email: `x@${DOMAIN}`, email_verified: false },
        {},
        { decision: 'refuse', code: 'ERR_EMAIL_NOT_VERIFIED', userId: null },
      ],
      [
        { sub: 'x', email: `x@${DOMAIN}`, email_verified: true },
        { provisioning: 'none' },
        { decision: 'refuse', code: 'ERR_NOT_LINKED', userId: null },
      ],
      [{ sub: 'x', email: `known@${DOMAIN}`, email_verified: true }, {}, { userId: known.userId }],
    ] as const) {
      await place.configure({ ...trusted, ...change })
      place.provider.claims = claims
      expect((await report()).account, JSON.stringify(claims)).to.deep.include(account)
    }
    place.provider.claims = { sub: 'linked', email: `linked@${DOMAIN}`, email_verified: true }
    await place.configure(trusted)
    await place.signIn()
    expect((await report()).account.decision).to.equal('sign_in')
  })

  it('SGN-04 says what is wrong with a response, and the administrator stays signed in', async () => {
    const browser = browserOf(place.admin)
    place.provider.claims = { sub: 'x' }
    place.provider.alter = (claims) => ({ ...claims, aud: 'another-client' })
    expect(success(await reportAt(await tested(browser)))).to.deep.include({ claims: null, account: null })
    expect(success(await reportAt(await tested(browser))).problem).to.match(/aud/)
    place.provider.reset()
    place.provider.claims = { sub: '' }
    expect((await report()).problem).to.match(/no usable subject|sub/)
    expect((await browser.open(`${place.service.publicUrl}/api/v1/me`)).status).to.equal(200)
  })

  it('AUT-05 SGN-04 only security administrators test, and only they read their own report', async () => {
    const auditor = await place.service.person({}, ['auditor'])
    refusal(
      await place.as(auditor)('POST', `/identity-providers/${String(place.record.id)}/test-sign-in`, {}),
      403,
      'ERR_FORBIDDEN',
    )
    const other = await place.service.person({}, ['security_admin'])
    place.provider.claims = { sub: 'x', email: `x@${DOMAIN}`, email_verified: true }
    const page = await tested()
    refusal(await reportAt(page, other), 404, 'ERR_NOT_FOUND')
    // A response for a test opens no session, and none for a browser whose session is another one by now.
    const browser = browserOf(place.admin)
    const { json } = await browser.post(`${base()}/test-sign-in`, {})
    const back = await browser.open((json as { redirectTo: string }).redirectTo)
    const [name = '', value = ''] = other.cookie.split('=')
    browser.set(name, value)
    const { location } = await browser.open(back.location ?? '')
    expect(location).to.equal(
      `${place.service.publicUrl}/console/identity-providers/${String(place.record.id)}`,
    )
  })
})
