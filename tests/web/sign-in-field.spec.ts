import { expect } from 'chai'
import { until } from '../support/until.ts'
import {
  newPage,
  virtualAuthenticator,
  type VirtualAuthenticator,
  type WatchedPage,
} from '../support/browser/browser.ts'
import { startWebHost, type WebHost } from '../support/browser/web-host.ts'

describe('passkeys offered in the address field', function () {
  this.timeout(60_000)
  let host: WebHost
  let browser: WatchedPage
  let authenticator: VirtualAuthenticator

  const verifies = (): number => host.state.calls.filter((call) => call.endsWith('/passkey/verify')).length
  const begins = (): number =>
    host.state.calls.filter((call) => call.endsWith('/auth/passkey/options')).length
  const waiting = () => browser.page.waitForResponse('**/auth/passkey/options')

  beforeEach(async () => {
    host = await startWebHost()
    browser = await newPage({ autofill: true })
    authenticator = await virtualAuthenticator(browser.page)
    await browser.page.goto(`${host.origin}/enroll/invite`)
    await browser.page.click('button:has-text("Create a passkey")')
    await browser.page.waitForURL('**/account')
  })
  afterEach(async () => {
    await browser.close()
    await host.close()
    expect(browser.faults).to.deep.equal([])
  })

  it('SGN-01 signs in with the passkey that is picked there', async () => {
    await browser.page.goto(`${host.origin}/sign-in/every-way`)
    await browser.page.waitForURL('**/done?request=req-1')
    expect(verifies()).to.equal(1)
  })

  it('SGN-01 asks by a prompt when the field was left alone for too long', async () => {
    host.state.expireNext = 1
    await browser.page.goto(`${host.origin}/sign-in/every-way`)
    await browser.page.waitForURL('**/done?request=req-1')
    expect(verifies()).to.equal(2)
  })

  it('SGN-01 says when the picked passkey is refused, and keeps the page', async () => {
    host.state.credentials.clear()
    await browser.page.goto(`${host.origin}/sign-in/every-way`)
    await browser.page.waitForSelector('[data-report]:has-text("The passkey could not be verified.")')
    expect(await browser.page.getAttribute('[data-action="passkey"]', 'aria-busy')).to.equal(null)
  })

  it('SGN-01 gives way to the button', async () => {
    await authenticator.present(false)
    await browser.page.addInitScript(`{
      const get = navigator.credentials.get.bind(navigator.credentials)
      navigator.credentials.get = (options) => {
        globalThis.asked = true
        return get(options)
      }
    }`)
    await browser.page.goto(`${host.origin}/sign-in/every-way`)
    await until(() => browser.page.evaluate<boolean>('globalThis.asked === true'))
    // A prompt that waits for a touch goes on waiting; the next one finds someone there.
    await authenticator.present(true)
    await browser.page.click('[data-action="passkey"]')
    await browser.page.waitForURL('**/done?request=req-1')
    expect([begins(), verifies()]).to.deep.equal([2, 1])
  })

  it('SGN-02 leaves the other ways as they are', async () => {
    await authenticator.present(false)
    const offered = waiting()
    await browser.page.goto(`${host.origin}/sign-in/every-way`)
    await offered
    await browser.page.fill('#email', 'ada@example.com')
    await browser.page.click('button:has-text("Use a code instead")')
    await browser.page.fill('#code', '123456')
    await browser.page.keyboard.press('Enter')
    await browser.page.waitForURL('**/done?request=req-1')
    expect(verifies()).to.equal(0)
  })

  it('says nothing when the offer itself cannot be prepared', async () => {
    host.state.refusals.set('/auth/passkey/options', [
      { status: 429, code: 'ERR_RATE_LIMITED', message: 'Slow down.', retryAfter: 20 },
    ])
    const offered = waiting()
    await browser.page.goto(`${host.origin}/sign-in/every-way`)
    expect((await offered).status()).to.equal(429)
    await browser.page.fill('#email', 'ada@example.com')
    expect(await browser.page.$$('[data-report]:not(:empty)')).to.deep.equal([])
  })
})
