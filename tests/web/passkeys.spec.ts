import { expect } from 'chai'
import { atAccount, sql, type AccountBrowser } from '../support/browser/account-browser.ts'
import { apiCalls, type ApiCalls } from '../support/browser/api-calls.ts'
import { newPage, virtualAuthenticator } from '../support/browser/browser.ts'
import { testService, type TestService } from '../support/service/service.ts'
import { askingApplication, type AskingApplication } from '../support/sign-in/asking-application.ts'
import { invite } from '../support/sign-in/sign-in-world.ts'

const VERIFY = '/auth/passkey/verify'

describe('passkeys in the browser', function () {
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
    ada = await atAccount(service)
    api = apiCalls(ada.page)
  })
  afterEach(async () => {
    await ada.close()
    expect(ada.faults).to.deep.equal([])
  })

  const methods = async (): Promise<readonly string[]> => {
    const { body } = await service.api('GET', '/me/methods', { as: await ada.as() })
    return (body as { name: string }[]).map(({ name }) => name)
  }
  const signedOutAt = async (path: string): Promise<void> => {
    await ada.page.context().clearCookies()
    await ada.go(path)
  }
  const problem = (): Promise<string> => ada.page.innerText('main [data-report="problem"]')

  it('SGN-01 SGN-03 enrols a passkey from an invitation and signs in with it, verified by the server', async () => {
    expect(await ada.device.credentials()).to.equal(1)
    expect(await methods()).to.deep.equal(['Linux computer'])
    await application.admit(ada.userId)
    await ada.page.context().clearCookies()
    await application.ask(ada.page)
    await ada.page.click('text=Sign in with a passkey')
    await application.answered(ada.page)
  })

  it('SGN-01 SGN-03 starts the enrolment with the token of its link', async () => {
    const { enrollUrl } = await invite(service)
    await ada.page.context().clearCookies()
    await ada.page.goto(enrollUrl)
    await ada.page.click('button:has-text("Create a passkey")')
    await ada.at('/account')
    const token = enrollUrl.split('/').at(-1) ?? ''
    expect(api.calls[0]).to.equal(`POST /auth/enroll/${token}/passkey/options`)
  })

  it('SGN-01 signs in from the keyboard alone, with the skip link first and the focus always visible', async () => {
    await application.admit(ada.userId)
    await ada.page.context().clearCookies()
    await application.ask(ada.page)
    const outline = (): Promise<string> =>
      ada.page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle')
    await ada.page.keyboard.press('Tab')
    expect(await ada.focused()).to.equal('Skip to the content')
    await ada.page.keyboard.press('Enter')
    await ada.page.keyboard.press('Tab')
    expect(await ada.focused()).to.equal('Sign in with a passkey')
    expect(await outline()).to.equal('solid')
    await ada.page.keyboard.press('Enter')
    await application.answered(ada.page)
  })

  it('SGN-01 retries automatically once if a ceremony has expired, and no more', async () => {
    await api.expireCeremonies(VERIFY, 1)
    await signedOutAt('/sign-in')
    await ada.page.click('text=Sign in with a passkey')
    await ada.at('/account')
    expect(api.count(VERIFY)).to.equal(2)
    await api.expireCeremonies(VERIFY, 2)
    await signedOutAt('/sign-in')
    await ada.page.click('text=Sign in with a passkey')
    await ada.said('This setup step has expired')
    expect(api.count(VERIFY)).to.equal(4)
  })

  it('SGN-01 shows no error for a closed prompt, keeps the focus and allows another attempt', async () => {
    await signedOutAt('/sign-in')
    await ada.device.confirm(false)
    const button = ada.page.locator('[data-action="passkey"]')
    await button.focus()
    await ada.page.keyboard.press('Enter')
    await ada.said('The prompt was closed or took too long')
    expect(await problem()).to.equal('')
    expect(await button.getAttribute('aria-busy')).to.equal(null)
    expect(await ada.page.evaluate('document.activeElement.dataset.action')).to.equal('passkey')
    await ada.device.confirm(true)
    await ada.page.keyboard.press('Enter')
    await ada.at('/account')
  })

  it('SGN-01 shows a rejected passkey and a lost connection in the alert', async () => {
    await sql(service, 'delete from methods where user_id = $1', [ada.userId])
    await signedOutAt('/sign-in')
    await ada.page.click('text=Sign in with a passkey')
    await ada.said('The passkey could not be verified.')
    await api.cutOff(true)
    await ada.page.click('text=Sign in with a passkey')
    await ada.said('The service could not be reached')
  })

  it('runs one ceremony for a double click', async () => {
    await signedOutAt('/sign-in')
    await ada.page.dblclick('[data-action="passkey"]')
    await ada.at('/account')
    expect(api.count(VERIFY)).to.equal(1)
  })

  it('informs users whose browser has no passkeys', async () => {
    const { page, faults, close } = await newPage()
    await page.addInitScript({ content: 'delete globalThis.PublicKeyCredential' })
    await page.goto(`${service.publicUrl}/sign-in`)
    await page.waitForSelector('[data-report]:has-text("This browser does not support passkeys")')
    expect(await page.isDisabled('[data-action="passkey"]')).to.equal(true)
    await close()
    expect(faults).to.deep.equal([])
  })

  it('SGN-05 renames a passkey, and explains why the last one cannot be removed', async () => {
    await ada.go('/account/security')
    await ada.page.click('[data-open="rename"]')
    await ada.page.fill('#rename-name', 'Laptop <b>')
    await ada.page.keyboard.press('Enter')
    await ada.said('The sign-in method was renamed.')
    expect(await ada.page.evaluate('document.activeElement.id')).to.equal('methods')
    expect(await methods()).to.deep.equal(['Laptop <b>'])

    await ada.page.click('[data-open="remove"]')
    expect(await ada.page.innerText('#remove-dialog [data-subject]')).to.equal('Laptop <b>')
    await ada.page.click('#remove-dialog [type="submit"]')
    await ada.page.waitForSelector(
      '#remove-dialog [role="alert"]:has-text("You cannot remove your last sign-in method")',
    )
    await ada.page.keyboard.press('Escape')
    await ada.page.waitForSelector('#remove-dialog', { state: 'hidden' })
    expect(await ada.page.evaluate('document.activeElement.dataset.open')).to.equal('remove')
  })

  it('SGN-05 removes one of two passkeys', async () => {
    await ada.go('/account/security')
    const { page } = ada
    await ada.device.remove()
    await virtualAuthenticator(page, 'usb')
    await page.click('[data-open="add"]')
    await page.fill('#add-name', 'Key')
    await page.click('#add-dialog [type="submit"]')
    await ada.said('Your new passkey is ready.')
    expect(await methods()).to.deep.equal(['Linux computer', 'Key'])
    await ada.press('Remove Key')
    await page.click('#remove-dialog [type="submit"]')
    await ada.said('The sign-in method was removed.')
    expect(await methods()).to.deep.equal(['Linux computer'])
  })

  it('SGN-01 adds no second passkey on the same device, but one on another device', async () => {
    const { page } = ada
    await ada.go('/account/security')
    await page.click('[data-open="add"]')
    await page.click('#add-dialog [type="submit"]')
    await ada.said('This device already has a passkey')
    await page.fill('#add-name', 'Second')
    await ada.device.remove()
    await virtualAuthenticator(page)
    await page.click('#add-dialog [type="submit"]')
    await ada.said('Your new passkey is ready.')
    expect(await methods()).to.deep.equal(['Linux computer', 'Second'])
  })

  it('AUT-01 ends sessions and signs out', async () => {
    const { page } = ada
    const one = await service.signIn(ada.userId, ada.email)
    await service.signIn(ada.userId, ada.email)
    const before = await ada.as()
    await ada.go('/account/activity')
    await page.click(`[data-action="end-session"][data-id="${one.sessionId}"]`)
    await ada.said('The session was ended.')
    await page.click('[data-action="end-others"]')
    await ada.said('All your other sessions were ended.')
    await page.click('text=Sign out')
    await ada.at('/signed-out')
    expect((await service.api('GET', '/me', { as: before })).status).to.equal(401)
    expect(api.calls).to.include(`DELETE /me/sessions/${one.sessionId}`)
  })
})
