import { createServer } from 'node:http'
import { expect } from 'chai'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { linkIn, mailPeer, mailPlace, type MailPeer } from '../support/mail/mail.ts'
import { oidcWorld, pkce } from '../support/oidc/oidc.ts'
import {
  freePort,
  system,
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { signInWorld, type SignInWorld } from '../support/sign-in/sign-in-world.ts'

describe('signing in by an emailed link in the browser', function () {
  this.timeout(120_000)
  let peer: MailPeer
  let place: TestPlace
  let service: TestService
  let world: SignInWorld
  let people = 0

  before(async () => {
    peer = await mailPeer()
    place = await mailPlace(peer)
    service = await testService(place)
  })
  after(async () => {
    await service.stop()
    await place.drop()
    await peer.stop()
  })
  beforeEach(async () => {
    world = await signInWorld(service)
  })
  afterEach(() => world.close())

  const unverified = (): Promise<TestPerson> =>
    service.person({ name: 'Ada', email: `ada${String(++people)}@example.com` })
  const person = async (): Promise<TestPerson> => service.verified(await unverified())
  const ask = async (email: string): Promise<void> => {
    await world.page.fill('#email', email)
    await world.press('Email me a link')
    await world.said(
      `If ${email} has an account, we sent it a sign-in link. The link works once, for 15 minutes.`,
    )
  }
  /** The link in the newest email, once this many emails with a link have arrived. */
  const linkTo = async (email: string, count = 1): Promise<string> => {
    const emails = () =>
      peer.received.filter(({ to, mail }) => to.includes(email) && mail.subject?.startsWith('Sign in to '))
    await until(() => emails().length === count, 10_000, `${String(count)} links to ${email}`)
    return linkIn(emails().at(-1)!, '/magic-link/')
  }

  it('SGN-03 signs in by the link, once, and leaves no token in the address bar or the history', async () => {
    const { email } = await person()
    await world.go('/sign-in')
    await world.sound()
    await ask(email)
    await world.sound()
    const link = await linkTo(email)
    const answer = await world.page.goto(link)
    expect(answer?.headers()).to.include({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
    await world.sound()
    const elsewhere: string[] = []
    world.page.on('request', (request) => {
      const from = request.headers()['referer'] ?? ''
      if (!request.url().startsWith(service.publicUrl) || from.includes('/magic-link/'))
        elsewhere.push(request.url())
    })
    // Merely opening it, as email scanners do, does not use it up.
    for (const method of ['GET', 'HEAD']) expect((await fetch(link, { method })).status).to.equal(200)
    await world.press('Sign in')
    await world.at('/account')
    expect(elsewhere).to.deep.equal([])
    expect(await world.page.evaluate('history.length')).to.equal(3)
    await world.page.goBack()
    expect(world.page.url()).to.equal(`${service.publicUrl}/account`)

    await world.page.context().clearCookies()
    await world.page.goto(link)
    await world.press('Sign in')
    await world.at('/magic-link/expired')
    await world.sound()
    expect(await world.text()).to.contain('ERR_LINK_EXPIRED')
    await world.page.click('text=Get a new link')
    await world.at('/sign-in')
  })

  it('SGN-03 continues to the application in the browser that requested the link', async () => {
    // The application reports the referrers that it receives, because developer tools also show ones that are never
    // sent.
    const referrers: unknown[] = []
    const port = await freePort()
    const callback = `http://localhost:${String(port)}/callback`
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/callback')) referrers.push(request.headers.referer)
      response.end('back')
    }).listen(port, 'localhost')
    const oidc = oidcWorld(service)
    const app = await oidc.application('web', { redirectUris: [callback] })
    const { userId, email } = await person()
    await oidc.join(app.groupId, userId)
    await world.go(
      `/oauth2/authorize?${new URLSearchParams({
        client_id: app.clientId,
        redirect_uri: callback,
        response_type: 'code',
        scope: 'openid',
        state: 'xyz',
        code_challenge: pkce().challenge,
        code_challenge_method: 'S256',
      }).toString()}`,
    )
    await ask(email)
    const link = await linkTo(email)
    await world.page.goto(link)
    await world.press('Sign in')
    await world.page.waitForURL(`${callback}?**`)
    expect(new URL(world.page.url()).searchParams.get('code')).to.be.a('string')
    expect(referrers).to.deep.equal([undefined])
    server.closeAllConnections()
    server.close()
  })

  it('SGN-03 an address without an account gets the same page', async () => {
    await world.go('/sign-in')
    await ask('nobody@example.com')
    await world.sound()
  })

  it('SGN-03 the link shows a suspended user that the account is suspended', async () => {
    const { userId, email } = await person()
    await world.go('/sign-in')
    await ask(email)
    const link = await linkTo(email)
    await userCommands(service.core.services).suspend(userId, undefined, 'system', system)
    await world.page.goto(link)
    await world.press('Sign in')
    await world.said('This account is suspended.')
    await world.sound()
  })

  it('SGN-03 a newer link replaces the older one', async () => {
    const { email } = await person()
    await world.go('/sign-in')
    await ask(email)
    const first = await linkTo(email)
    await world.go('/sign-in')
    await ask(email)
    const second = await linkTo(email, 2)
    await world.page.goto(first)
    await world.press('Sign in')
    await world.at('/magic-link/expired')
    await world.page.goto(second)
    await world.press('Sign in')
    await world.at('/account')
  })

  it('OIDC-14 confirms a new address by the button behind the emailed link', async () => {
    const admin = await service.person({}, ['global_admin'])
    const { userId } = await person()
    const email = `new${String(people)}@example.com`
    const changed = await service.api('PATCH', `/users/${userId}`, { as: admin, body: { email } })
    expect(changed.status).to.equal(200)
    const message = await peer.emailAbout(email, 'Confirm your email address')
    const link = linkIn(message, '/verify-email/')
    const verified = async (): Promise<unknown> =>
      (await service.api('GET', `/users/${userId}`, { as: admin })).body.emailVerified
    await world.page.goto(link)
    await world.sound()
    expect(await verified()).to.equal(false)
    await world.press('Confirm address')
    await world.at('/verify-email/done')
    expect(await world.page.innerText('h1')).to.equal('Address confirmed')
    await world.sound()
    expect(await verified()).to.equal(true)

    await world.go('/verify-email/nonsense')
    await world.press('Confirm address')
    await world.at('/verify-email/expired')
    expect(await world.text()).to.contain('ERR_LINK_EXPIRED')
  })

  it('OIDC-14 sends the email again from the account page, at most once per interval', async () => {
    const { email, cookie, userId } = await unverified()
    await world.page
      .context()
      .addCookies([
        { name: 'svc_session', value: cookie.slice('svc_session='.length), url: service.publicUrl },
      ])
    await world.go('/account')
    await world.sound()
    await world.press('Send confirmation email')
    await world.said('We sent you an email. Open its link to confirm your address.')
    await world.page.goto(
      linkIn(await peer.emailAbout(email, 'Confirm your email address'), '/verify-email/'),
    )
    await world.press('Confirm address')
    await world.at('/verify-email/done')
    await world.go('/account')
    expect(await world.page.isVisible('text=Send confirmation email')).to.equal(false)
    const again = await service.api('POST', '/me/verify-email', {
      as: { userId, email, sessionId: '', cookie },
    })
    expect([again.status, again.body.error.code]).to.deep.equal([409, 'ERR_CONFLICT'])
    const messages = peer.received.filter(
      ({ to, mail }) => to.includes(email) && mail.subject === 'Confirm your email address',
    )
    expect(messages).to.have.length(1)
  })
})
