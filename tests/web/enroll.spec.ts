import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { encode } from 'uqr'
import type { PageOptions } from '../support/browser/browser.ts'
import { virtualAuthenticator } from '../support/browser/browser.ts'
import { testService, type TestService } from '../support/service/service.ts'
import { authenticatorApp, invite, signInWorld, type SignInWorld } from '../support/sign-in/sign-in-world.ts'

const looks: Record<string, PageOptions> = {
  'in the light theme': { theme: 'light' },
  'in the dark theme on a phone': { theme: 'dark', viewport: { width: 320, height: 568 } },
  'at 200 % zoom': { zoom: 2 },
}

describe('enrolling in the browser', function () {
  this.timeout(120_000)
  let service: TestService
  const opened: SignInWorld[] = []

  const open = async (options?: PageOptions): Promise<SignInWorld> => {
    const world = await signInWorld(service, options)
    opened.push(world)
    return world
  }
  const secretOn = ({ page }: SignInWorld) => page.innerText('[data-secret]')
  const codesOn = ({ page }: SignInWorld) => page.locator('.code-list code').allInnerTexts()
  const methodsOf = async (world: SignInWorld): Promise<unknown[]> => {
    const { body } = await service.api('GET', '/me/methods', { as: await world.inBrowser() })
    return (body as { type: string; name: string }[]).map(({ type, name }) => [type, name])
  }

  before(async () => {
    service = await testService()
  })
  after(() => service.stop())
  afterEach(async () => {
    for (const world of opened.splice(0)) await world.close()
  })

  for (const [look, options] of Object.entries(looks))
    it(`SGN-02 SGN-03 sets up an authenticator app and keeps the recovery codes, ${look}`, async () => {
      const world = await open(options)
      const { page, press, said, sound, at } = world
      const { enrollUrl, email } = await invite(service)
      await page.goto(enrollUrl)
      await sound()
      await page.check('[value="authenticator_code"]')
      await sound()
      await press('Set up an authenticator app')
      await page.waitForSelector('svg.qr')
      await sound()
      const secret = await secretOn(world)
      expect(secret).to.match(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/)
      const uri = (await page.getAttribute('a:has-text("Open the app")', 'href')) ?? ''
      expect(uri)
        .to.match(/^otpauth:\/\/totp\//)
        .and.to.contain(secret.replaceAll(' ', ''))
      expect(decodeURIComponent(uri)).to.contain(email)
      expect(await page.getAttribute('svg.qr', 'aria-label')).to.contain('QR code')
      const { data } = encode(uri, { border: 4 })
      const drawn = data
        .flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : [])))
        .join('')
      expect(await page.getAttribute('svg.qr path', 'd')).to.equal(drawn)

      await press('Confirm and continue')
      await said('Enter the 6 digits that your app shows.')
      expect(await world.focused()).to.equal('first-code')
      const app = authenticatorApp(secret)
      await page.fill('#first-code', app.wrong())
      await page.keyboard.press('Enter')
      await said('The code is wrong or was already used.')
      expect(await secretOn(world)).to.equal(secret)
      await sound()
      await page.fill('#first-code', app.code())
      await page.keyboard.press('Enter')

      await page.waitForSelector('h1:has-text("Keep your recovery codes")')
      await sound()
      expect(page.url()).to.equal(`${service.publicUrl}/account`)
      expect(await world.focused()).to.equal('recovery-codes-title')
      const codes = await codesOn(world)
      expect(codes).to.have.length(10)
      expect(new Set(codes).size).to.equal(10)
      const saved = page.waitForEvent('download')
      await press('Download')
      const file = await saved
      expect(file.suggestedFilename()).to.equal('recovery-codes-localhost.txt')
      expect(await readFile(await file.path(), 'utf8')).to.contain(codes.join('\r\n'))
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await press('Copy')
      await said('The codes were copied.')
      expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(codes.join('\n'))
      await page.evaluate('window.print = () => { document.title = "printed" }')
      await press('Print')
      expect(await page.title()).to.equal('printed')
      await page.emulateMedia({ media: 'print' })
      expect(await page.isVisible('.code-list')).to.equal(true)
      expect(await page.isVisible('button:has-text("I have saved them")')).to.equal(false)
      await page.emulateMedia({ media: 'screen' })
      await press('I have saved them')
      await at('/account')
      await page.waitForSelector('h1')
      expect(await page.content()).not.to.contain(codes[0] ?? '')
      expect(await methodsOf(world)).to.have.length(1)
      await page.goBack()
      expect(page.url()).to.equal('about:blank')
      expect((await page.goto(enrollUrl))?.status()).to.equal(404)
    })

  it('SGN-02 enrols from the keyboard alone', async () => {
    const world = await open()
    const { page, at } = world
    await page.goto((await invite(service)).enrollUrl)
    await page.focus('[value="passkey"]')
    await page.keyboard.press('ArrowDown')
    expect(await page.isVisible('button:has-text("Register a security key")')).to.equal(true)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForSelector('svg.qr')
    // From the new part of the page past the two buttons for the key to the field.
    for (const _ of [1, 2, 3]) await page.keyboard.press('Tab')
    expect(await world.focused()).to.equal('first-code')
    await page.keyboard.type(authenticatorApp(await secretOn(world)).code())
    await page.keyboard.press('Enter')
    await page.waitForSelector('h1:has-text("Keep your recovery codes")')
    for (const _ of [1, 2, 3, 4]) await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('I have saved them')
    await page.keyboard.press('Enter')
    await at('/account')
  })

  it('SGN-02 shows a new key if the step took too long', async () => {
    const world = await open()
    const { page, press, said } = world
    await page.goto((await invite(service)).enrollUrl)
    await page.check('[value="authenticator_code"]')
    await press('Set up an authenticator app')
    await page.waitForSelector('svg.qr')
    const first = await secretOn(world)
    await page.route('**/authenticator/verify', (route) =>
      route.fulfill({
        status: 400,
        json: { error: { code: 'ERR_CEREMONY_EXPIRED', message: 'This setup step has expired.' } },
      }),
    )
    await page.fill('#first-code', authenticatorApp(first).code())
    await press('Confirm and continue')
    await said('That took too long. Add this new key')
    expect(await secretOn(world)).not.to.equal(first)
    expect(await page.inputValue('#first-code')).to.equal('')
  })

  it('SGN-01 SGN-03 enrols a security key, and requests no other kind of credential from the browser', async () => {
    const world = await open()
    const { page, press, at, sound } = world
    await virtualAuthenticator(page, 'usb')
    await page.goto((await invite(service)).enrollUrl)
    await page.check('[value="security_key"]')
    await sound()
    const request = page.waitForRequest('**/passkey/options')
    await press('Register a security key')
    expect((await request).postDataJSON()).to.deep.equal({ kind: 'security_key' })
    await at('/account')
    expect(await methodsOf(world)).to.deep.equal([['security_key', 'My security key']])
  })

  it('SGN-03 a link that was already used enrols no user', async () => {
    const [one, two] = [await open(), await open()]
    await virtualAuthenticator(one.page)
    const { enrollUrl } = await invite(service)
    for (const { page } of [one, two]) await page.goto(enrollUrl)
    await one.press('Create a passkey')
    await one.at('/account')
    await two.page.check('[value="authenticator_code"]')
    await two.press('Set up an authenticator app')
    await two.said('This link has expired or was already used.')
    await two.sound()
    await two.page.reload()
    expect(await two.text()).to.contain('ERR_LINK_EXPIRED')
    await two.sound()
  })
})
