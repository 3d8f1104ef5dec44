import { expect } from 'chai'
import { signInRecorder } from '../../adapters/application/commands/sign-ins.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { atAccount, type AccountBrowser } from '../support/browser/account-browser.ts'
import { virtualAuthenticator } from '../support/browser/browser.ts'
import { FIREFOX } from '../support/sign-in/passkey-world.ts'
import { system, testService, type TestService } from '../support/service/service.ts'
import { until } from '../support/until.ts'

describe('sessions, devices and sign-ins, on the account pages', function () {
  this.timeout(120_000)
  let service: TestService
  let ada: AccountBrowser

  before(async () => {
    service = await testService()
  })
  after(() => service.stop())
  beforeEach(async () => {
    ada = await atAccount(service)
    await ada.go('/account/activity')
  })
  afterEach(async () => {
    await ada.close()
    expect(ada.faults).to.deep.equal([])
  })

  const texts = (section: string): Promise<string[]> =>
    ada.page.locator(`section:has(#${section}) .rows > li`).allInnerTexts()

  it("API-09 show the user's sessions, end one, and end all others", async () => {
    const [one, two] = [
      await service.signIn(ada.userId, ada.email),
      await service.signIn(ada.userId, ada.email),
    ]
    expect(await ada.page.locator('text=End all others').count()).to.equal(0)
    await ada.page.reload()
    const rows = await texts('sessions')
    expect(rows).to.have.length(3)
    expect(rows.filter((row) => row.includes('This browser'))).to.have.length(1)
    expect(rows.join())
      .to.match(/Chrome on Linux/)
      .and.to.match(/127\.0\.0\.1/)
    await ada.page.click(`[data-action="end-session"][data-id="${one.sessionId}"]`)
    await ada.said('The session was ended.')
    expect(await ada.focused()).to.equal('Where you are signed in')
    expect((await service.api('GET', '/me', { as: one })).status).to.equal(401)
    await ada.press('End all others')
    await ada.said('All your other sessions were ended.')
    expect((await service.api('GET', '/me', { as: two })).status).to.equal(401)
    expect((await service.api('GET', '/me', { as: await ada.as() })).status).to.equal(200)
    expect(await texts('sessions')).to.have.length(1)
  })

  it('SGN-07 report a sign-in that was not the user’s, which ends its session', async () => {
    const { userId, email } = ada
    const attacker = await service.signIn(userId, email)
    const record = signInRecorder(service.core.services)
    const id = await record(
      {
        ...{ userId, email, appId: null, result: 'success', method: 'magic_link', reason: null },
        sessionId: attacker.sessionId,
      },
      { ip: '203.0.113.9', userAgent: FIREFOX, correlationId: 'reported' },
    )
    await until(async () => {
      await ada.page.reload()
      return (await ada.page.locator(`#${id}`).count()) === 1
    })
    const reported = ada.page.locator(`#${id}`)
    await reported.getByRole('button', { name: 'This was not me' }).click()
    const dialog = ada.page.getByRole('dialog')
    await dialog.getByText('Your administrators are told').waitFor()
    await dialog.getByLabel('What else').fill('I was asleep.')
    await dialog.getByRole('button', { name: 'This was not me' }).click()
    await ada.said('Your administrators were told.')
    await reported.getByText('Reported', { exact: true }).waitFor()
    expect((await service.api('GET', '/me', { as: attacker })).status).to.equal(401)
    const auditor = await service.person({}, ['auditor'])
    const { body } = await service.api('GET', `/risk-events?userId=${userId}`, { as: auditor })
    expect(body).to.have.length(1)
    expect(body[0]).to.deep.include({
      type: 'user_reported',
      detail: { note: 'I was asleep.' },
      ip: '203.0.113.9',
    })
  })

  it('API-09 lead to the sign-in page if this session was ended elsewhere', async () => {
    await service.signIn(ada.userId, ada.email)
    await ada.page.reload()
    const other = await service.signIn(ada.userId, ada.email)
    expect((await service.api('POST', '/me/sessions/revoke-others', { as: other })).status).to.equal(204)
    await ada.press('End all others')
    await ada.at('/sign-in?return=%2Faccount%2Factivity')
    await ada.press('Sign in with a passkey')
    await ada.at('/account/activity')
  })

  it('API-09 report that the service is unavailable, and offer a retry', async () => {
    await service.signIn(ada.userId, ada.email)
    await ada.page.reload()
    await ada.page.route('**/api/v1/**', (route) => route.abort())
    await ada.press('End all others')
    await ada.said('The service could not be reached')
    await ada.page.unroute('**/api/v1/**')
    await ada.press('End all others')
    await ada.said('All your other sessions were ended.')
  })

  it('SGN-07 rename this device, and remove another together with its sessions', async () => {
    expect((await texts('devices'))[0])
      .to.contain('Chrome on Linux')
      .and.to.contain('This browser')
    expect(await ada.page.locator('[data-open="remove-device"]').count()).to.equal(0)
    await ada.press('Rename Chrome on Linux')
    await ada.page.fill('#rename-device-name', 'Work <laptop>')
    await ada.confirm('Save')
    await ada.said('The device was renamed.')
    expect((await texts('devices'))[0]).to.contain('Work <laptop>')

    // The same user in a new browser.
    const earlier = await ada.as()
    await ada.page.context().clearCookies()
    await ada.go('/sign-in?return=/account/activity')
    await ada.press('Sign in with a passkey')
    await ada.at('/account/activity')
    expect(await texts('devices')).to.have.length(2)
    await ada.press('Remove Work <laptop>')
    await ada.sound()
    await ada.confirm('Cancel')
    expect(await ada.focused()).to.equal('Remove Work <laptop>')
    await ada.press('Remove Work <laptop>')
    await ada.confirm('Remove')
    await ada.said('The device was removed.')
    expect(await texts('devices')).to.have.length(1)
    expect((await service.api('GET', '/me', { as: earlier })).status).to.equal(401)
  })

  it('SGN-05 show recent attempts, failures with their reason', async () => {
    expect((await texts('sign-ins'))[0]).to.contain('Signed in')
    const body = { email: ada.email, code: '123456' }
    expect((await service.api('POST', '/auth/code', { body })).status).to.equal(401)
    await ada.page.waitForFunction(async () => {
      const answer = await fetch('/api/v1/me/sign-ins')
      return ((await answer.json()) as unknown[]).length > 1
    })
    await ada.page.reload()
    const [latest] = await texts('sign-ins')
    expect(latest)
      .to.contain('Failed')
      .and.to.contain('Authenticator app')
      .and.to.contain('Reason: wrong code.')
    await ada.sound()
  })

  it('SGN-05 lead a user who has been suspended to the sign-in page', async () => {
    await userCommands(service.core.services).suspend(ada.userId, undefined, 'system', system)
    await ada.press('Rename Chrome on Linux')
    await ada.page.fill('#rename-device-name', 'Mine')
    await ada.confirm('Save')
    await ada.at('/sign-in?return=%2Faccount%2Factivity')
  })

  it('SGN-01 API-09 add a security key and end a session by keyboard alone', async () => {
    const { page } = ada
    const { sessionId } = await service.signIn(ada.userId, ada.email)
    const tabTo = async (name: string): Promise<void> => {
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab')
        if ((await ada.focused()).startsWith(name)) {
          expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).to.equal(
            'solid',
          )
          return
        }
      }
      throw new Error(`No amount of tabbing leads to ${name}`)
    }
    await tabTo('Security')
    await page.keyboard.press('Enter')
    await ada.at('/account/security')
    await ada.device.remove()
    await virtualAuthenticator(page, 'usb')
    await tabTo('Add a security key')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    expect(await ada.focused()).to.equal('Add a security key')
    await page.keyboard.press('Space')
    // The proposed name is selected, so that typing replaces it.
    await page.keyboard.type('Key ring')
    await page.keyboard.press('Enter')
    await ada.said('Your security key is ready.')
    expect(await ada.focused()).to.equal('Sign-in methods')

    await page.keyboard.press('Shift+Tab')
    await page.evaluate('document.activeElement.blur()')
    await tabTo('Activity')
    await page.keyboard.press('Enter')
    await ada.at('/account/activity')
    await tabTo('End the session')
    await page.keyboard.press('Enter')
    await ada.said('The session was ended.')
    const { body } = await service.api('GET', '/me/sessions', { as: await ada.as() })
    expect((body as { id: string }[]).map(({ id }) => id)).not.to.include(sessionId)
    const methods = await service.api('GET', '/me/methods', { as: await ada.as() })
    expect((methods.body as { name: string }[]).map(({ name }) => name)).to.include('Key ring')
  })
})
