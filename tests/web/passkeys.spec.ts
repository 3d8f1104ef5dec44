import { expect } from 'chai'
import {
  newPage,
  virtualAuthenticator,
  type VirtualAuthenticator,
  type WatchedPage,
} from '../support/browser/browser.ts'
import { startWebHost, type WebHost } from '../support/browser/web-host.ts'

describe('passkeys in the browser', function () {
  this.timeout(60_000)
  let host: WebHost
  let browser: WatchedPage
  let authenticator: VirtualAuthenticator

  const enroll = async (): Promise<void> => {
    await browser.page.goto(`${host.origin}/enroll/invite`)
    await browser.page.click('button:has-text("Create a passkey")')
    await browser.page.waitForURL('**/account')
  }
  const problem = (): Promise<string> => browser.page.innerText('main [data-report="problem"]')
  const waitForReport = (text: string): Promise<unknown> =>
    browser.page.waitForSelector(`[data-report]:has-text("${text}")`)
  const verifies = (): number => host.state.calls.filter((call) => call.endsWith('/passkey/verify')).length

  beforeEach(async () => {
    host = await startWebHost()
    browser = await newPage()
    authenticator = await virtualAuthenticator(browser.page)
  })
  afterEach(async () => {
    await browser.close()
    await host.close()
    expect(browser.faults).to.deep.equal([])
  })

  it('SGN-01 SGN-03 enrols a passkey from an invitation and signs in with it, verified by the server', async () => {
    await enroll()
    expect(await authenticator.credentials()).to.equal(1)
    expect(host.state.methods.map(({ name }) => name)).to.deep.equal(['Linux computer'])
    expect(host.state.calls[0]).to.equal('POST /api/v1/auth/enroll/tok%2Fen/passkey/options')
    await browser.page.goto(`${host.origin}/sign-in/application`)
    await browser.page.click('text=Sign in with a passkey')
    await browser.page.waitForURL('**/done?request=req-1')
  })

  it('SGN-01 signs in from the keyboard alone, skip link first, focus always visible', async () => {
    await enroll()
    await browser.page.goto(`${host.origin}/sign-in/application`)
    const focused = (): Promise<string> =>
      browser.page.evaluate<string>('document.activeElement.textContent.trim()')
    const outline = (): Promise<string> =>
      browser.page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle')
    await browser.page.keyboard.press('Tab')
    expect(await focused()).to.equal('Skip to the content')
    await browser.page.keyboard.press('Enter')
    await browser.page.keyboard.press('Tab')
    expect(await focused()).to.equal('Sign in with a passkey')
    expect(await outline()).to.equal('solid')
    await browser.page.keyboard.press('Enter')
    await browser.page.waitForURL('**/done?request=req-1')
  })

  it('SGN-01 asks once more by itself when a ceremony has expired, and not a third time', async () => {
    await enroll()
    host.state.expireNext = 1
    await browser.page.goto(`${host.origin}/sign-in`)
    await browser.page.click('text=Sign in with a passkey')
    await browser.page.waitForURL('**/account')
    expect(verifies()).to.equal(2)
    host.state.expireNext = 2
    await browser.page.goto(`${host.origin}/sign-in`)
    await browser.page.click('text=Sign in with a passkey')
    await waitForReport('This setup step has expired')
    expect(verifies()).to.equal(4)
  })

  it('SGN-01 treats a closed prompt calmly, keeps the focus and lets the person try again', async () => {
    await enroll()
    await browser.page.goto(`${host.origin}/sign-in`)
    await authenticator.confirm(false)
    const button = browser.page.locator('[data-action="passkey"]')
    await button.focus()
    await browser.page.keyboard.press('Enter')
    await waitForReport('The prompt was closed or took too long')
    expect(await problem()).to.equal('')
    expect(await button.getAttribute('aria-busy')).to.equal(null)
    expect(await browser.page.evaluate('document.activeElement.dataset.action')).to.equal('passkey')
    await authenticator.confirm(true)
    await browser.page.keyboard.press('Enter')
    await browser.page.waitForURL('**/account')
  })

  it('SGN-01 shows a refused passkey and a lost connection in the alert', async () => {
    await enroll()
    host.state.credentials.clear()
    await browser.page.goto(`${host.origin}/sign-in`)
    await browser.page.click('text=Sign in with a passkey')
    await waitForReport('The passkey could not be verified.')
    host.state.unreachable = true
    await browser.page.click('text=Sign in with a passkey')
    await waitForReport('The service could not be reached')
  })

  it('runs one ceremony for a double click', async () => {
    await enroll()
    await browser.page.goto(`${host.origin}/sign-in`)
    await browser.page.dblclick('[data-action="passkey"]')
    await browser.page.waitForURL('**/account')
    expect(verifies()).to.equal(1)
  })

  it('tells people whose browser has no passkeys', async () => {
    await browser.page.addInitScript({ content: 'delete globalThis.PublicKeyCredential' })
    await browser.page.goto(`${host.origin}/sign-in`)
    await waitForReport('This browser does not support passkeys')
    expect(await browser.page.isDisabled('[data-action="passkey"]')).to.equal(true)
  })

  it('SGN-05 renames a passkey, explains why the last one stays, removes one of two', async () => {
    await enroll()
    const { page } = browser
    await page.goto(`${host.origin}/account/security`)
    await page.click('[data-open="rename"]')
    await page.fill('#rename-name', 'Laptop <b>')
    await page.keyboard.press('Enter')
    await waitForReport('The new name is saved.')
    expect(await page.evaluate('document.activeElement.id')).to.equal('methods')

    await page.click('[data-open="remove"]')
    expect(await page.innerText('#remove-dialog [data-subject]')).to.equal('Laptop <b>')
    await page.click('#remove-dialog [type="submit"]')
    await page.waitForSelector('#remove-dialog [role="alert"]:has-text("This is the last way to sign in")')
    await page.keyboard.press('Escape')
    await page.waitForSelector('#remove-dialog', { state: 'hidden' })
    expect(await page.evaluate('document.activeElement.dataset.open')).to.equal('remove')

    host.state.methods.push({ id: 'mth_z', type: 'passkey', name: 'Key', createdAt: '2026-11-21T09:00:00Z' })
    await page.reload()
    await page.click('[data-open="remove"][data-id="mth_z"]')
    await page.click('#remove-dialog [type="submit"]')
    await waitForReport('It was removed and signs you in no more.')
    expect(host.state.methods.map(({ name }) => name)).to.deep.equal(['Laptop <b>'])
  })

  it('SGN-01 adds no second passkey on the same device, and one on another', async () => {
    await enroll()
    const { page } = browser
    await page.goto(`${host.origin}/account/security`)
    await page.click('[data-open="add"]')
    await page.click('#add-dialog [type="submit"]')
    await waitForReport('This device already has a passkey')
    host.state.credentials.clear()
    await page.fill('#add-name', 'Second')
    await page.click('#add-dialog [type="submit"]')
    await waitForReport('Your new passkey is ready.')
    expect(host.state.methods.map(({ name }) => name)).to.deep.equal(['Linux computer', 'Second'])
  })

  it('ends sessions and signs out', async () => {
    const { page } = browser
    await page.goto(`${host.origin}/account/activity`)
    await page.click('[data-action="end-session"]')
    await waitForReport('The session was ended.')
    await page.click('[data-action="end-others"]')
    await waitForReport('All your other sessions were ended.')
    await page.click('text=Sign out')
    await page.waitForURL('**/signed-out')
    expect(host.state.signedOut).to.equal(true)
    expect(host.state.calls).to.include('DELETE /api/v1/me/sessions/ses_2')
  })
})
