import { expect } from 'chai'
import { noLimits } from '../../adapters/inbound/http/rate-limit-rules.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { apiCalls, type ApiCalls } from '../support/browser/api-calls.ts'
import { axeFindings } from '../support/browser/axe.ts'
import { linkIn, mailPeer, mailPlace, type MailPeer } from '../support/mail/mail.ts'
import {
  system,
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'
import { askingApplication, type AskingApplication } from '../support/sign-in/asking-application.ts'
import {
  appHolder,
  authenticatorApp,
  signInWorld,
  type AppHolder,
  type SignInWorld,
} from '../support/sign-in/sign-in-world.ts'

const CODE = '/auth/code'
const LINK = '/auth/magic-link'
const REDEEM = '/auth/magic-link/redeem'

describe('sign-in methods other than passkeys, in the browser', function () {
  this.timeout(120_000)
  let peer: MailPeer
  let place: TestPlace
  let service: TestService
  let application: AskingApplication
  let admin: TestPerson
  let world: SignInWorld
  let api: ApiCalls

  before(async () => {
    peer = await mailPeer()
    place = await mailPlace(peer, { rateLimits: { ...noLimits, 'magic-link': { limit: 1, seconds: 600 } } })
    service = await testService(place)
    application = await askingApplication(service)
    admin = await service.person({}, ['security_admin'])
  })
  after(async () => {
    await application.close()
    await service.stop()
    await place.drop()
    await peer.stop()
  })
  beforeEach(async () => {
    world = await signInWorld(service)
    api = apiCalls(world.page)
  })
  afterEach(() => world.close())

  const accessible = async () => expect(await axeFindings(world.page)).to.deep.equal([])
  const authRequest = () => new URL(world.page.url()).searchParams.get('authRequest')
  const holder = async (): Promise<AppHolder> => {
    const one = await appHolder(service)
    await application.admit(one.userId)
    return one
  }
  const codeOf = ({ secret }: AppHolder) => authenticatorApp(secret).ahead()
  /** Runs a test while these sign-in methods are switched off in the organization. */
  const without = async (types: readonly string[], test: () => Promise<void>): Promise<void> => {
    const switchAll = async (enabled: boolean) => {
      for (const type of types) {
        const { status } = await service.api('PATCH', `/methods/${type}`, { as: admin, body: { enabled } })
        expect(status, type).to.equal(200)
      }
    }
    await switchAll(false)
    try {
      await test()
    } finally {
      await switchAll(true)
    }
  }
  const mailed = async (): Promise<{ readonly person: TestPerson; readonly link: string }> => {
    const person = await service.verified(await service.person())
    expect((await service.api('POST', LINK, { body: { email: person.email } })).status).to.equal(204)
    const { body: organization } = await service.api('GET', '/organization')
    const message = await peer.emailAbout(person.email, `Sign in to ${String(organization.name)}`)
    return { person, link: linkIn(message, '/magic-link/') }
  }

  it('SGN-02 signs in with a code for the requesting application', async () => {
    const one = await holder()
    await application.ask(world.page)
    const authRequestId = authRequest()
    expect(await world.page.isVisible('#code')).to.equal(false)
    await world.page.fill('#email', ` ${one.email} `)
    await world.press('Use a code instead')
    expect(await world.focused()).to.equal('code')
    await accessible()
    const code = codeOf(one)
    await world.page.fill('#code', `${code.slice(0, 3)} ${code.slice(3)}`)
    await world.press('Sign in with this code')
    await application.answered(world.page)
    expect(api.sent(CODE)).to.deep.equal([{ email: one.email, code, authRequestId }])
  })

  it('SGN-02 accepts a recovery code in the same field, as users type it', async () => {
    const one = await holder()
    await application.ask(world.page)
    await world.page.fill('#email', one.email)
    await world.press('Use a code instead')
    await world.page.fill('#code', codeOf(one))
    await world.page.keyboard.press('Enter')
    await application.answered(world.page)
    await world.go('/sign-in?again=1&return=/account%23methods')
    expect(await world.page.inputValue('#email')).to.equal(one.email)
    await world.press('Use a code instead')
    const [first = '', second = ''] = one.recoveryCodes[0]?.split('-') ?? []
    await world.page.fill('#code', `${first.toUpperCase()} ${second}`)
    await world.page.keyboard.press('Enter')
    await world.at('/account#methods')
    expect(api.sent(CODE).at(-1)).to.deep.equal({ email: one.email, code: `${first.toUpperCase()}${second}` })
  })

  it('SGN-02 works from the keyboard alone', () =>
    without(['passkey', 'security_key', 'recovery_codes', 'magic_link'], async () => {
      const one = await holder()
      await world.go('/sign-in')
      await world.page.focus('#email')
      await world.page.keyboard.type(one.email)
      await world.page.keyboard.press('Enter')
      expect(await world.focused()).to.equal('code')
      await world.page.keyboard.type(codeOf(one))
      await world.page.keyboard.press('Tab')
      expect(await world.page.evaluate('document.activeElement.textContent.trim()')).to.equal(
        'Sign in with this code',
      )
      await world.page.keyboard.press('Enter')
      await world.at('/account')
    }))

  it('SGN-02 explains what is missing next to the first invalid field, and keeps the input', async () => {
    await application.ask(world.page)
    await world.press('Use a code instead')
    expect(await world.focused()).to.equal('email')
    await world.page.fill('#code', '12345')
    await world.press('Sign in with this code')
    await world.said('Enter your email address.')
    expect(await world.focused()).to.equal('email')
    expect(await world.page.getAttribute('#email', 'aria-invalid')).to.equal('true')
    await world.page.fill('#email', 'ada')
    expect(await world.page.getAttribute('#email', 'aria-invalid')).to.equal(null)
    await world.press('Sign in with this code')
    await world.said('Enter a full address')
    await world.page.fill('#email', 'ada@example.com')
    await world.press('Sign in with this code')
    await world.said('Enter the 6 digits that your app shows, or a full recovery code.')
    expect(await world.focused()).to.equal('code')
    expect(await world.page.inputValue('#code')).to.equal('12345')
    await accessible()
    expect(api.sent(CODE)).to.deep.equal([])
  })

  it('SGN-02 reports a wrong code, and accepts a correct one after it', async () => {
    const one = await holder()
    const wrong = authenticatorApp(one.secret).wrong()
    await application.ask(world.page)
    await world.page.fill('#email', one.email)
    await world.press('Use a code instead')
    await world.page.fill('#code', wrong)
    await world.press('Sign in with this code')
    await world.said('The code is wrong or was already used.')
    expect(await world.focused()).to.equal('code')
    expect(await world.page.inputValue('#code')).to.equal(wrong)
    await accessible()
    await world.page.fill('#code', codeOf(one))
    await world.press('Sign in with this code')
    await application.answered(world.page)
  })

  it('SGN-02 shows how long to wait after too many requests', async () => {
    const limitedPlace = await mailPlace(peer, {
      rateLimits: { ...noLimits, 'sign-in': { limit: 1, seconds: 20 } },
    })
    const limited = await testService(limitedPlace)
    const { page, close } = await signInWorld(limited)
    await page.goto(`${limited.publicUrl}/sign-in`)
    await page.fill('#email', 'ada@example.com')
    await page.click('button:has-text("Use a code instead")')
    await page.fill('#code', '123456')
    expect((await limited.api('POST', '/auth/passkey/options', { body: {} })).status).to.equal(200)
    await page.click('button:has-text("Sign in with this code")')
    await page.waitForSelector('[data-report]:text-matches("You can try again in \\\\d+ seconds\\\\.")')
    await close()
    await limited.stop()
    await limitedPlace.drop()
  })

  it('SGN-03 emails a link, shows the same page for every address, and allows another email after a pause', async () => {
    await world.page.clock.install()
    await application.ask(world.page)
    const authRequestId = authRequest()
    await world.press('Email me a link')
    await world.said('Enter your email address.')
    await world.page.fill('#email', 'nobody@example.com')
    await world.press('Email me a link')
    await world.said(
      'If nobody@example.com has an account, we sent it a sign-in link. The link works once, for 15 minutes.',
    )
    const again = world.page.locator('[data-action="link"]')
    await world.page.waitForSelector('[data-action="link"][aria-disabled="true"]')
    await accessible()
    // It only looks disabled: it keeps the keyboard focus.
    await again.click({ force: true })
    expect(api.sent(LINK)).to.deep.equal([{ email: 'nobody@example.com', authRequestId }])
    await world.page.clock.fastForward(61_000)
    await world.page.waitForSelector('[data-action="link"]:not([aria-disabled]):text-is("Send again")')
    await again.click()
    await world.said('You can try again in 10 minutes')
    expect(api.sent(LINK)).to.have.length(2)
  })

  it('SGN-03 sends a link on Enter if links are the only method', () =>
    without(['passkey', 'security_key', 'authenticator_code', 'recovery_codes'], async () => {
      await world.go('/sign-in')
      await world.page.fill('#email', 'ada@example.com')
      await world.page.keyboard.press('Enter')
      await world.said('If ada@example.com has an account')
      expect(api.sent(LINK)).to.deep.equal([{ email: 'ada@example.com' }])
    }))

  it('SGN-03 an emailed link does nothing until its button is pressed, and its token stays in no history', async () => {
    const { link } = await mailed()
    const token = link.split('/').at(-1) ?? ''
    const { body: organization } = await service.api('GET', '/organization')
    await world.page.goto(link)
    expect(api.calls).to.deep.equal([])
    expect(await world.text())
      .to.contain(organization.name)
      .and.to.contain('on this browser')
    await world.page.keyboard.press('Tab')
    await world.page.keyboard.press('Tab')
    await world.page.keyboard.press('Enter')
    await world.at('/account')
    expect(api.sent(REDEEM)).to.deep.equal([{ token }])
    expect(await world.page.evaluate('document.referrer')).not.to.contain(token)
    await world.page.goBack()
    expect(world.page.url()).to.equal('about:blank')
  })

  it('SGN-03 a used or expired link leads to the page that sends a new one', async () => {
    for (const [link, path] of [
      ['magic-link', REDEEM],
      ['verify-email', '/auth/verify-email'],
    ] as const) {
      await world.go(`/${link}/tok%2Fen`)
      await world.page.click('[data-action="go-on"]')
      await world.at(`/${link}/expired`)
      expect(api.sent(path)).to.deep.equal([{ token: 'tok/en' }])
      expect(await world.text()).to.contain('ERR_LINK_EXPIRED')
    }
    await world.go('/magic-link/expired')
    expect(await world.page.getAttribute('main a', 'href')).to.equal('/sign-in')
  })

  it('SGN-03 a link that cannot be used at the moment shows the reason and stays valid', async () => {
    const { person, link } = await mailed()
    const users = userCommands(service.core.services)
    await world.page.goto(link)
    await users.suspend(person.userId, undefined, 'system', system)
    await world.press('Sign in')
    await world.said('This account is suspended.')
    await users.reactivate(person.userId, 'system', system)
    await api.cutOff(true)
    await world.press('Sign in')
    await world.said('The service could not be reached')
    await api.cutOff(false)
    await world.press('Sign in')
    await world.at('/account')
  })
})
