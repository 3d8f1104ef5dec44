import { expect } from 'chai'
import { noLimits } from '../../adapters/inbound/http/rate-limit-rules.ts'
import { atAccount, sql, type AccountBrowser } from '../support/browser/account-browser.ts'
import { apiCalls, type ApiCalls } from '../support/browser/api-calls.ts'
import { newPage, virtualAuthenticator } from '../support/browser/browser.ts'
import { testPlace, testService, type TestService } from '../support/service/service.ts'
import { appHolder, authenticatorApp } from '../support/sign-in/sign-in-world.ts'
import { askingApplication, type AskingApplication } from '../support/sign-in/asking-application.ts'
import { until } from '../support/until.ts'

const OPTIONS = '/auth/passkey/options'
const VERIFY = '/auth/passkey/verify'

describe('passkeys offered in the address field', function () {
  this.timeout(120_000)
  let service: TestService
  let application: AskingApplication
  let ada: AccountBrowser
  let api: ApiCalls

  before(async () => {
    service = await testService()
    application = await askingApplication(service)
  })
  after(async () => {
    await application.close()
    await service.stop()
  })
  beforeEach(async () => {
    ada = await atAccount(service, { autofill: true })
    await application.admit(ada.userId)
    await ada.page.context().clearCookies()
    api = apiCalls(ada.page)
  })
  afterEach(async () => {
    await ada.close()
    expect(ada.faults).to.deep.equal([])
  })

  it('SGN-01 signs in with the passkey that is picked there', async () => {
    await application.ask(ada.page)
    await application.answered(ada.page)
    expect(api.count(VERIFY)).to.equal(1)
  })

  it('SGN-01 opens a prompt if the ceremony of the field has expired', async () => {
    await api.expireCeremonies(VERIFY, 1)
    await application.ask(ada.page)
    await application.answered(ada.page)
    expect(api.count(VERIFY)).to.equal(2)
  })

  it('SGN-01 reports if the picked passkey is rejected, and stays on the page', async () => {
    await sql(service, 'delete from methods where user_id = $1', [ada.userId])
    await application.ask(ada.page)
    await ada.said('The passkey could not be verified.')
    expect(await ada.page.getAttribute('[data-action="passkey"]', 'aria-busy')).to.equal(null)
  })

  it('SGN-01 is cancelled when the button is pressed', async () => {
    await ada.device.present(false)
    await ada.page.addInitScript(`{
      const get = navigator.credentials.get.bind(navigator.credentials)
      navigator.credentials.get = (options) => {
        globalThis.asked = true
        return get(options)
      }
    }`)
    await application.ask(ada.page)
    await until(() => ada.page.evaluate<boolean>('globalThis.asked === true'))
    // A prompt that waits for a touch keeps waiting; the user responds to the next one.
    await ada.device.present(true)
    await ada.page.click('[data-action="passkey"]')
    await application.answered(ada.page)
    expect([api.count(OPTIONS), api.count(VERIFY)]).to.deep.equal([2, 1])
  })

  it('SGN-02 does not affect the other sign-in methods', async () => {
    await ada.device.present(false)
    const holder = await appHolder(service)
    await application.admit(holder.userId)
    const offered = ada.page.waitForResponse(`**${OPTIONS}`)
    await application.ask(ada.page)
    await offered
    await ada.page.fill('#email', holder.email)
    await ada.page.click('button:has-text("Use a code instead")')
    await ada.page.fill('#code', authenticatorApp(holder.secret).ahead())
    await ada.page.keyboard.press('Enter')
    await application.answered(ada.page)
    expect(api.count(VERIFY)).to.equal(0)
  })

  it('shows no error if the offer itself cannot be prepared', async () => {
    const place = await testPlace({ rateLimits: { ...noLimits, 'sign-in': { limit: 1, seconds: 600 } } })
    const limited = await testService(place)
    const { page, faults, close } = await newPage({ autofill: true })
    await virtualAuthenticator(page)
    expect((await limited.api('POST', OPTIONS, { body: {} })).status).to.equal(200)
    const offered = page.waitForResponse(`**${OPTIONS}`)
    await page.goto(`${limited.publicUrl}/sign-in`)
    expect((await offered).status()).to.equal(429)
    await page.fill('#email', 'ada@example.com')
    expect(await page.$$('[data-report]:not(:empty)')).to.deep.equal([])
    await close()
    expect(faults).to.deep.equal([])
    await limited.stop()
    await place.drop()
  })
})
