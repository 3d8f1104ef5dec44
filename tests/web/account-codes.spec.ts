import { expect } from 'chai'
import { TOTP } from 'otpauth'
import { atAccount, type AccountBrowser } from '../support/browser/account-browser.ts'
import { testService, type TestService } from '../support/service/service.ts'

describe('authenticator apps and recovery codes, on the account pages', function () {
  this.timeout(120_000)
  let service: TestService
  let ada: AccountBrowser

  before(async () => {
    service = await testService()
  })
  after(() => service.stop())
  beforeEach(async () => {
    ada = await atAccount(service)
    await ada.go('/account/security')
  })
  afterEach(async () => {
    await ada.close()
    expect(ada.faults).to.deep.equal([])
  })

  const shown = (): Promise<string[]> => ada.page.locator('.code-list code').allInnerTexts()
  /** The code of an app that scanned the key. */
  const codeOf = async (): Promise<string> => {
    const secret = (await ada.page.innerText('#add-app-dialog [data-secret]')).replaceAll(' ', '')
    return new TOTP({ secret }).generate()
  }
  const addApp = async (): Promise<void> => {
    await ada.press('Add an authenticator app')
    await ada.page.waitForSelector('#add-app-dialog[open] svg.qr')
    await ada.page.fill('#add-app-code', await codeOf())
    await ada.confirm('Add the app')
  }
  const left = (): Promise<string> => ada.page.innerText('section:has(#recovery-codes)')

  it('SGN-02 add an app by its key and a code, and keep the recovery codes that come with the first', async () => {
    expect(await left()).to.contain('You have no recovery codes yet.')
    await ada.press('Add an authenticator app')
    await ada.page.waitForSelector('#add-app-dialog[open] svg.qr')
    await ada.sound()
    const right = await codeOf()
    await ada.page.fill('#add-app-code', right === '000000' ? '111111' : '000000')
    await ada.confirm('Add the app')
    await ada.said('The code is wrong')
    await ada.page.fill('#add-app-code', `${right.slice(0, 3)} ${right.slice(3)}`)
    await ada.page.fill('#add-app-name', 'Telephone')
    await ada.confirm('Add the app')
    await ada.page.waitForSelector('#new-codes-dialog[open]')
    await ada.sound()
    expect(await shown()).to.have.length(10)
    // Escape would discard them before they were read.
    await ada.page.keyboard.press('Escape')
    expect(await shown()).to.have.length(10)
    await ada.confirm('I have saved them')
    await ada.said('Your authenticator app is ready.')
    expect(await shown()).to.deep.equal([])
    expect(await ada.page.innerText('li:has-text("Telephone")')).to.contain('Authenticator app, added')
    expect(await left()).to.contain('10 codes are left')
    expect(await ada.page.isVisible('text=You have only one sign-in method.')).to.equal(false)

    await addApp()
    await ada.said('Your authenticator app is ready.')
    expect(await left()).to.contain('10 codes are left')
  })

  it('SGN-02 cancel adding an app without any change', async () => {
    await ada.press('Add an authenticator app')
    await ada.page.waitForSelector('#add-app-dialog[open]')
    await ada.confirm('Cancel')
    expect(await ada.focused()).to.equal('Add an authenticator app')
    const { body } = await service.api('GET', '/me/methods', { as: await ada.as() })
    expect(body).to.have.length(1)
  })

  it('SGN-02 require a newer sign-in before a key is shown, and show one after it', async () => {
    await ada.age()
    await ada.press('Add an authenticator app')
    await ada.page.waitForSelector('#again-dialog[open]')
    expect(await ada.page.isVisible('#add-app-dialog')).to.equal(false)
    await ada.confirm('Sign in again')
    await ada.press('Sign in with a passkey')
    await ada.page.waitForSelector('#add-app-dialog[open] svg.qr')
    await ada.page.fill('#add-app-code', await codeOf())
    await ada.confirm('Add the app')
    await ada.confirm('I have saved them')
    await ada.said('Your authenticator app is ready.')
  })

  it('SGN-02 create new recovery codes, the only valid ones from then on', async () => {
    await ada.press('Create new recovery codes')
    await ada.confirm('Create new codes')
    await ada.page.waitForSelector('#new-codes-dialog[open]')
    const first = await shown()
    await ada.confirm('I have saved them')
    await ada.said('Your new recovery codes are active.')
    expect(await ada.focused()).to.equal('Recovery codes')

    await ada.age()
    await ada.press('Create new recovery codes')
    expect(await ada.page.innerText('#codes-dialog')).to.contain('Your current codes stop working.')
    await ada.confirm('Create new codes')
    await ada.confirm('Sign in again')
    await ada.press('Sign in with a passkey')
    await ada.page.waitForSelector('#codes-dialog[open]')
    await ada.confirm('Create new codes')
    await ada.page.waitForSelector('#new-codes-dialog[open]')
    const second = await shown()
    await ada.confirm('I have saved them')
    await ada.said('Your new recovery codes are active.')

    const signIn = (code = '') =>
      service.api('POST', '/auth/code', { body: { email: ada.email, code } }).then(({ status }) => status)
    expect(await signIn(first[0])).to.equal(401)
    expect(await signIn(second[0])).to.equal(200)
    await ada.page.reload()
    expect(await left()).to.contain('9 codes are left')
  })

  it('SGN-02 advise a user who signed in with a recovery code to replace the lost method', async () => {
    await ada.press('Create new recovery codes')
    await ada.confirm('Create new codes')
    await ada.page.waitForSelector('#new-codes-dialog[open]')
    const [code] = await shown()
    await ada.confirm('I have saved them')
    await ada.said('Your new recovery codes are active.')
    const advice = 'You signed in with a recovery code.'
    expect(await ada.page.isVisible(`text=${advice}`)).to.equal(false)

    await ada.press('Sign out')
    await ada.at('/signed-out')
    const status = await ada.page.evaluate(
      async (body) =>
        (
          await fetch('/api/v1/auth/code', {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body,
          })
        ).status,
      JSON.stringify({ email: ada.email, code }),
    )
    expect(status).to.equal(200)
    await ada.go('/account')
    expect(await ada.page.isVisible(`text=${advice}`)).to.equal(true)
    await ada.sound()

    // A user who has a passkey cannot change methods after signing in with a code; the page says so, and they return
    // with the passkey.
    await ada.go('/account/security')
    expect(await ada.page.isVisible('text=ask an administrator to reset your sign-in methods')).to.equal(true)
    await ada.press('Create new recovery codes')
    await ada.confirm('Create new codes')
    await ada.page.waitForSelector('#stronger-dialog[open]')
    expect(await ada.page.innerText('#stronger-dialog')).to.contain(
      'Sign in again with your passkey or security key.',
    )
    await ada.sound()
    await ada.confirm('Sign in again')
    await ada.at('/sign-in?again=1&return=**')
    await ada.press('Sign in with a passkey')
    await ada.page.waitForSelector('#codes-dialog[open]')
    await ada.confirm('Create new codes')
    await ada.page.waitForSelector('#new-codes-dialog[open]')
    await ada.confirm('I have saved them')
    await ada.said('Your new recovery codes are active.')
  })

  it('SGN-02 report a lost connection in the dialog, and keep the input', async () => {
    await ada.press('Add an authenticator app')
    await ada.page.waitForSelector('#add-app-dialog[open] svg.qr')
    await ada.page.route('**/api/v1/**', (route) => route.abort())
    await ada.page.fill('#add-app-code', '123456')
    await ada.confirm('Add the app')
    await ada.page.waitForSelector('#add-app-dialog [role="alert"]:has-text("could not be reached")')
    expect(await ada.page.inputValue('#add-app-code')).to.equal('123456')
    await ada.page.unroute('**/api/v1/**')
  })
})
