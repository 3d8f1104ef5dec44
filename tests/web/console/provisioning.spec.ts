/** Provisioning in the administration console, with an application that has a real SCIM service. */
import { expect } from 'chai'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { recordScreens } from '../../support/browser/screens.ts'
import { eager, provisionedApplication } from '../../support/scim/provisioning.ts'
import { scimApp, type ScimApp } from '../../support/scim/scim-app.ts'
import { testPlace, testService, type TestPlace, type TestService } from '../../support/service/service.ts'

describe('provisioning in the console', function () {
  this.timeout(120_000)
  let place: TestPlace
  let service: TestService
  let app: ScimApp

  before(async () => {
    place = await testPlace()
    service = await testService(place, { provisioning: eager })
  })
  after(async () => {
    await service.stop()
    await place.drop()
  })
  beforeEach(async () => {
    app = await scimApp()
  })
  afterEach(() => app.stop())

  const withConsole = consoleScenarios(() => service, ['app_admin'])

  for (const [screen, options] of Object.entries(recordScreens))
    it(`has accessible pages about provisioning that fit and violate no policy ${screen}`, () =>
      withConsole(
        async ({ page, go, sound }) => {
          const payroll = await provisionedApplication(service)
          const grace = await payroll.member({ name: 'Grace Hopper' })
          await payroll.member({ name: 'Katherine Johnson' })
          app.fault = (line, body) =>
            line === 'POST /Users' && body.userName === grace.email ? { status: 400 } : null
          await go(`/console/provisioning/${payroll.applicationId}`)
          await page.getByText('Provisioning of this application is not set up.').waitFor()
          await sound()
          await payroll.configure(app)
          await payroll.synced()
          for (const path of ['', '?tab=settings', '?tab=history']) {
            await go(`/console/provisioning/${payroll.applicationId}${path}`)
            await sound()
          }
          await go(`/console/provisioning/${payroll.applicationId}`)
          await page.getByRole('button', { name: 'Edit' }).click()
          await page.getByRole('dialog').getByLabel('SCIM address').waitFor()
          await sound()
          await go('/console/provisioning')
          await page
            .getByRole('link', { name: /^Payroll/ })
            .first()
            .waitFor()
          await sound()
          await payroll.own('DELETE')
        },
        ['app_admin'],
        options,
      ))

  it('sets up provisioning, shows why a user failed, retries, and removes it', () =>
    withConsole(async ({ page, go, sound }) => {
      const payroll = await provisionedApplication(service)
      const { name } = (await payroll.send('GET', `/applications/${payroll.applicationId}`)).body
      const ada = await payroll.member({ name: 'Ada Lovelace' })
      const dialog = page.getByRole('dialog')
      app.fault = (line) => (line === 'POST /Users' ? { status: 400 } : null)
      await go('/console/provisioning')
      await page.getByRole('button', { name: 'Set up provisioning' }).click()
      await dialog.getByLabel('Search').fill(String(name))
      await sound()
      await dialog.getByRole('button', { name: `Choose ${String(name)}`, exact: true }).click()
      await dialog.getByText('their accounts are deactivated').waitFor()
      await dialog.getByLabel('SCIM address').fill(app.baseUrl)
      await dialog.getByRole('button', { name: 'Set up provisioning' }).click()
      await page.locator('[aria-invalid="true"][name="token"]').waitFor()
      await dialog.getByLabel('Bearer token').fill(app.token)
      await dialog.getByLabel('Title').uncheck()
      await dialog.getByRole('button', { name: 'Set up provisioning' }).click()
      await page.waitForURL(`**/console/provisioning/${payroll.applicationId}`)
      await page.getByRole('row', { name: /Ada Lovelace.*Error/ }).waitFor()

      app.fault = () => null
      for (const [button, done] of [
        ['Test connection', 'The connection works'],
        ['Sync now', 'The sync will start in a moment'],
      ] as const) {
        await page.getByRole('button', { name: button }).click()
        await dialog.getByRole('button', { name: button }).click()
        await page.getByText(done).waitFor()
      }
      await page.getByRole('row', { name: /Ada Lovelace.*Active/ }).waitFor()
      expect(app.named(ada.email)).to.include({ active: true })

      await page.getByRole('button', { name: 'Edit' }).click()
      expect(await dialog.getByLabel('Bearer token').inputValue()).to.equal('')
      expect(await dialog.getByLabel('Title').isChecked()).to.equal(false)
      await dialog.getByLabel('Enabled').uncheck()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: /Off$/ }).waitFor()
      expect(await page.getByRole('button', { name: 'Sync now' }).count()).to.equal(0)

      await page.getByRole('button', { name: 'Remove provisioning' }).click()
      await dialog.getByText('stay as they are').waitFor()
      await dialog.getByRole('button', { name: 'Remove provisioning' }).click()
      await page.waitForURL('**/console/provisioning')
      expect(app.named(ada.email)).to.include({ active: true })
    }))

  it('explains a pause, and resumes it', () =>
    withConsole(async ({ page, go }) => {
      const payroll = await provisionedApplication(service)
      for (let n = 0; n < 11; n++) await payroll.member()
      await payroll.configure(app)
      await payroll.synced()
      await go(`/console/provisioning/${payroll.applicationId}`)
      await page.getByRole('heading', { name: /In order$/ }).waitFor()
      await payroll.send('DELETE', `/applications/${payroll.applicationId}/groups/${payroll.groupId}`)
      await page.getByText('11 accounts were about to be deactivated').waitFor()
      await page.getByRole('button', { name: 'Resume' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('11 accounts in the application will be deactivated.').waitFor()
      await dialog.getByRole('button', { name: 'Resume' }).click()
      await page.getByRole('heading', { name: /In order$/ }).waitFor()
      await page
        .getByRole('row', { name: /Deactivated/ })
        .first()
        .waitFor()
    }))

  it('AUT-05 offers auditors nothing to change in provisioning', () =>
    withConsole(
      async ({ page, go }) => {
        const payroll = await provisionedApplication(service)
        await payroll.member({ name: 'Mary Jackson' })
        for (const isSetUp of [false, true]) {
          if (isSetUp) await payroll.configure(app)
          await go(`/console/provisioning/${payroll.applicationId}`)
          if (isSetUp) await page.getByRole('cell', { name: 'Mary Jackson' }).waitFor()
          expect(await page.locator('main').getByRole('button').allInnerTexts()).to.deep.equal(
            isSetUp ? ['Export as CSV', 'Columns'] : [],
          )
        }
      },
      ['auditor'],
    ))
})
