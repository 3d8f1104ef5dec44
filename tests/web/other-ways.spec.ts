import { expect } from 'chai'
import { axeFindings } from '../support/browser/axe.ts'
import { newPage, type WatchedPage } from '../support/browser/browser.ts'
import { startWebHost, type WebHost } from '../support/browser/web-host.ts'

const page404 = { status: 404, code: 'ERR_LINK_EXPIRED', message: 'This link has expired or was used.' }

describe('ways to sign in beside passkeys, in the browser', function () {
  this.timeout(60_000)
  let host: WebHost
  let browser: WatchedPage

  const go = (path: string) => browser.page.goto(host.origin + path)
  const press = (name: string) => browser.page.click(`button:has-text("${name}") >> visible=true`)
  const said = (text: string) => browser.page.waitForSelector(`[data-report]:has-text("${text}")`)
  const focused = () => browser.page.evaluate<string>('document.activeElement.id')
  const posted = (path: string) => host.state.posted.filter(([to]) => to === path).map(([, body]) => body)
  const refuse = (path: string, status: number, code: string, retryAfter?: number) =>
    host.state.refusals.set(path, [
      {
        status,
        code,
        message: `Said by the service: ${code}`,
        ...(retryAfter === undefined ? {} : { retryAfter }),
      },
    ])

  beforeEach(async () => {
    host = await startWebHost()
    browser = await newPage()
  })
  afterEach(async () => {
    await browser.close()
    await host.close()
    expect(browser.faults).to.deep.equal([])
  })

  it('SGN-02 signs in with a code for the application that asked', async () => {
    await go('/sign-in/every-way')
    expect(await browser.page.isVisible('#code')).to.equal(false)
    await browser.page.fill('#email', ' ada@example.com ')
    await press('Use a code instead')
    expect(await focused()).to.equal('code')
    expect(await axeFindings(browser.page)).to.deep.equal([])
    await browser.page.fill('#code', '123 456')
    await press('Sign in with this code')
    await browser.page.waitForURL('**/done?request=req-1')
    expect(posted('/auth/code')).to.deep.equal([
      { email: 'ada@example.com', code: '123456', authRequestId: 'req-1' },
    ])
  })

  it('SGN-02 takes a recovery code in the same field, as people type it', async () => {
    await go('/sign-in/again')
    expect(await browser.page.inputValue('#email')).to.equal('ada@northwind.example')
    await press('Use a code instead')
    await browser.page.fill('#code', 'ABCDE fghjk')
    await browser.page.keyboard.press('Enter')
    await browser.page.waitForURL('**/account#methods')
    expect(posted('/auth/code')).to.deep.equal([{ email: 'ada@northwind.example', code: 'ABCDEfghjk' }])
  })

  it('SGN-02 works from the keyboard alone', async () => {
    await go('/sign-in/codes')
    await browser.page.focus('#email')
    await browser.page.keyboard.type('ada@example.com')
    await browser.page.keyboard.press('Enter')
    expect(await focused()).to.equal('code')
    await browser.page.keyboard.type('123456')
    await browser.page.keyboard.press('Tab')
    expect(await browser.page.evaluate('document.activeElement.textContent.trim()')).to.equal(
      'Sign in with this code',
    )
    await browser.page.keyboard.press('Enter')
    await browser.page.waitForURL('**/account')
  })

  it('SGN-02 says what is missing beside the first field in error, and keeps what was typed', async () => {
    await go('/sign-in/every-way')
    await press('Use a code instead')
    expect(await focused()).to.equal('email')
    await browser.page.fill('#code', '12345')
    await press('Sign in with this code')
    await said('Type your e-mail address first.')
    expect(await focused()).to.equal('email')
    expect(await browser.page.getAttribute('#email', 'aria-invalid')).to.equal('true')
    await browser.page.fill('#email', 'ada')
    expect(await browser.page.getAttribute('#email', 'aria-invalid')).to.equal(null)
    await press('Sign in with this code')
    await said('Type a whole address')
    await browser.page.fill('#email', 'ada@example.com')
    await press('Sign in with this code')
    await said('Type the 6 digits that your app shows, or a whole recovery code.')
    expect(await focused()).to.equal('code')
    expect(await browser.page.inputValue('#code')).to.equal('12345')
    expect(await axeFindings(browser.page)).to.deep.equal([])
    expect(posted('/auth/code')).to.deep.equal([])
  })

  it('SGN-02 tells a wrong code, how long to wait after many, and that the person is suspended', async () => {
    await go('/sign-in/every-way')
    await browser.page.fill('#email', 'ada@example.com')
    await press('Use a code instead')
    await browser.page.fill('#code', '123456')
    refuse('/auth/code', 401, 'ERR_CODE_MISMATCH')
    await press('Sign in with this code')
    await said('Said by the service: ERR_CODE_MISMATCH')
    expect(await focused()).to.equal('code')
    expect(await browser.page.inputValue('#code')).to.equal('123456')
    refuse('/auth/code', 429, 'ERR_TOO_MANY_ATTEMPTS', 840)
    await press('Sign in with this code')
    await said('Too many wrong codes. You can try again in 14 minutes, at ')
    expect(await axeFindings(browser.page)).to.deep.equal([])
    refuse('/auth/code', 429, 'ERR_RATE_LIMITED', 20)
    await press('Sign in with this code')
    await said('You can try again in 20 seconds.')
    refuse('/auth/code', 403, 'ERR_ACCOUNT_SUSPENDED')
    await press('Sign in with this code')
    await said('Said by the service: ERR_ACCOUNT_SUSPENDED')
    await press('Sign in with this code')
    await browser.page.waitForURL('**/done?request=req-1')
  })

  it('SGN-03 mails a link, says the same to everyone, and lets it be sent again after a pause', async () => {
    await browser.page.clock.install()
    await go('/sign-in/every-way')
    await press('Email me a link')
    await said('Type your e-mail address first.')
    await browser.page.fill('#email', 'nobody@example.com')
    await press('Email me a link')
    await said('If nobody@example.com has an account, a link is on its way. It works once, for 15 minutes.')
    const again = browser.page.locator('[data-action="link"]')
    await browser.page.waitForSelector('[data-action="link"][aria-disabled="true"]')
    expect(await axeFindings(browser.page)).to.deep.equal([])
    // It only looks pressable no more: the keyboard focus stays on it.
    await again.click({ force: true })
    expect(posted('/auth/magic-link')).to.deep.equal([
      { email: 'nobody@example.com', authRequestId: 'req-1' },
    ])
    await browser.page.clock.fastForward(61_000)
    await browser.page.waitForSelector('[data-action="link"]:not([aria-disabled]):text-is("Send it again")')
    refuse('/auth/magic-link', 429, 'ERR_RATE_LIMITED', 600)
    await again.click()
    await said('You can try again in 10 minutes')
    expect(posted('/auth/magic-link')).to.have.length(2)
  })

  it('SGN-03 sends a link by the Enter key where it is the only way', async () => {
    await go('/sign-in/links')
    await browser.page.fill('#email', 'ada@example.com')
    await browser.page.keyboard.press('Enter')
    await said('If ada@example.com has an account')
    expect(posted('/auth/magic-link')).to.deep.equal([{ email: 'ada@example.com' }])
  })

  it('SGN-03 a mailed link does nothing until its button is pressed, and leaves no trace of its token', async () => {
    await go('/magic-link/tok%2Fen')
    expect(host.state.posted).to.deep.equal([])
    expect(await browser.page.innerText('main'))
      .to.contain('Northwind Trading')
      .and.to.contain('in this browser')
    await browser.page.keyboard.press('Tab')
    await browser.page.keyboard.press('Tab')
    await browser.page.keyboard.press('Enter')
    await browser.page.waitForURL('**/account')
    expect(posted('/auth/magic-link/redeem')).to.deep.equal([{ token: 'tok/en' }])
    expect(await browser.page.evaluate('document.referrer')).not.to.contain('tok')
    await browser.page.goBack()
    expect(browser.page.url()).to.equal('about:blank')
  })

  it('SGN-03 a used or expired link leads to where a new one is', async () => {
    for (const [link, path] of [
      ['magic-link', '/auth/magic-link/redeem'],
      ['verify-email', '/auth/verify-email'],
    ] as const) {
      host.state.refusals.set(path, [page404])
      await go(`/${link}/tok%2Fen`)
      await browser.page.click('[data-action="go-on"]')
      await browser.page.waitForURL(`**/${link}/expired`)
      expect(await browser.page.innerText('main')).to.contain('ERR_LINK_EXPIRED')
    }
    await go('/magic-link/expired')
    expect(await browser.page.getAttribute('main a', 'href')).to.equal('/sign-in')
  })

  it('SGN-03 a link that cannot be used right now says why and stays', async () => {
    await go('/magic-link/tok%2Fen')
    refuse('/auth/magic-link/redeem', 403, 'ERR_ACCOUNT_SUSPENDED')
    await press('Sign in')
    await said('Said by the service: ERR_ACCOUNT_SUSPENDED')
    host.state.unreachable = true
    await press('Sign in')
    await said('The service could not be reached')
    host.state.unreachable = false
    await press('Sign in')
    await browser.page.waitForURL('**/account')
  })

  it('SGN-03 confirms an address by the button of its link', async () => {
    await go('/verify-email/tok%2Fen')
    expect(host.state.posted).to.deep.equal([])
    await press('Confirm this address')
    await browser.page.waitForURL('**/verify-email/done')
    expect(posted('/auth/verify-email')).to.deep.equal([{ token: 'tok/en' }])
    expect(await browser.page.innerText('h1')).to.equal('Address confirmed')
  })
})
