import { expect } from 'chai'
import { plainBrowser, type PlainBrowser } from '../../support/federation/browser.ts'
import { githubServer, type GithubServer } from '../../support/federation/github-server.ts'
import { DOMAIN, lastAttempt, trusted, verifiedDomain } from '../../support/federation/place.ts'
import { refusal, startPlace, success, type Json, type Place } from '../../http/api/support.ts'

describe('signing in with GitHub', function () {
  this.timeout(60_000)
  let place: Place
  let github: GithubServer
  let record: Json
  let publicUrl: string
  before(async () => {
    place = await startPlace()
    ;({ publicUrl } = place.service.core.services)
    await verifiedDomain(place, DOMAIN)
    github = await githubServer('a secret')
    record = success(
      await place.send('POST', '/identity-providers', {
        ...trusted,
        ...{ type: 'github', issuer: github.address, clientId: 'us', clientSecret: 'a secret' },
      }),
      201,
    )
  })
  after(async () => {
    await place.service.stop()
    await github.close()
  })
  beforeEach(() => {
    github.user = { id: 1, login: 'ada', name: 'Ada Lovelace', email: `public@${DOMAIN}` }
    github.emails = [
      { email: 'ada@home.example', primary: false, verified: true },
      { email: `ada@${DOMAIN}`, primary: true, verified: true },
    ]
  })

  const browser = (): PlainBrowser => plainBrowser(publicUrl)
  const start = (from: PlainBrowser) => from.open(`${publicUrl}/api/v1/auth/providers/${record.id}/start`)
  const signIn = async (from = browser()): Promise<{ to: string; cookies: string }> => {
    const { location } = await start(from)
    const back = await from.open(location ?? '')
    const { location: to } = await from.open(back.location ?? '')
    return { to: (to ?? '').replace(publicUrl, ''), cookies: from.cookies() }
  }
  const me = async (cookie: string): Promise<Json> =>
    (await fetch(`${publicUrl}/api/v1/me`, { headers: { cookie } })).json()

  it('SGN-04 uses the primary address that GitHub has verified, and finds the user by the id', async () => {
    const first = await signIn()
    expect(first.to).to.equal('/account')
    const user = await me(first.cookies)
    expect([user.email, user.name]).to.deep.equal([`ada@${DOMAIN}`, 'Ada Lovelace'])
    expect(new Set(github.apiRequests.map(({ path }) => path))).to.deep.equal(
      new Set(['/api/v3/user', '/api/v3/user/emails']),
    )
    github.user = { ...github.user, login: 'renamed' }
    expect((await me((await signIn()).cookies)).id).to.equal(user.id)
    // Another user with the old name
    github.user = { ...github.user, id: 2, login: 'ada' }
    expect((await signIn()).to).to.equal('/sign-in?error=ERR_NOT_LINKED')
  })

  it('SGN-04 opens no account for an address that is not verified, or is not the primary one', async () => {
    for (const [id, emails] of [
      [10, [{ email: `new@${DOMAIN}`, primary: true, verified: false }]],
      [11, [{ email: `new@${DOMAIN}`, primary: false, verified: true }]],
      [12, []],
      [13, { message: 'no list' }],
      [14, [{ email: `new@${DOMAIN}`, primary: 'yes', verified: 'yes' }]],
    ] as const) {
      github.user = { ...github.user, id }
      github.emails = emails
      expect((await signIn()).to, String(id)).to.equal('/sign-in?error=ERR_EMAIL_NOT_VERIFIED')
    }
  })

  it('SGN-04 refuses a user without a numeric id, another state and another browser', async () => {
    for (const id of [undefined, '1', 1.5, 2 ** 60]) {
      github.user = { ...github.user, id }
      expect((await signIn()).to, String(id)).to.equal('/sign-in?error=ERR_PROVIDER_FAILED')
    }
    await lastAttempt(place, { result: 'failure', reason: 'provider_error' })
    const from = browser()
    const back = await from.open((await start(from)).location ?? '')
    const stolen = await browser().open(back.location ?? '')
    expect(stolen.location).to.equal(`${publicUrl}/sign-in?error=ERR_PROVIDER_STATE`)
  })

  it('SGN-04 cannot prove a new sign-in of a user with a session', async () => {
    const from = browser()
    await signIn(from)
    expect((await start(from)).location).to.include('/sign-in?error=ERR_PROVIDER_FAILED')
  })

  it('SGN-04 has defaults of its own, and takes no private_key_jwt', async () => {
    expect(record).to.deep.include({
      scopes: ['read:user', 'user:email'],
      clientAuthentication: 'client_secret_post',
    })
    const other = { name: 'Other', type: 'github', clientId: 'us', clientSecret: 'secret' }
    const created = success(await place.send('POST', '/identity-providers', other), 201)
    expect(created.issuer).to.equal('https://github.com')
    const wrong = { ...other, name: 'Third', clientAuthentication: 'private_key_jwt' }
    refusal(
      await place.send('POST', '/identity-providers', wrong),
      422,
      'ERR_INVALID',
      '/clientAuthentication',
    )
  })
})
