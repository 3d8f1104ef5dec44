import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { sharedDnsServer } from '../../support/dns/dns-server.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('domains in the console', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.stop())
  const withConsole = consoleScenarios(() => service)

  it('API-12 adds a domain, says what was found instead of its record, verifies and removes it', () =>
    withConsole(async ({ page, go, sound }) => {
      const { records } = await sharedDnsServer()
      const dialog = page.getByRole('dialog')
      const verify = async () => {
        await page.getByRole('button', { name: 'Verify now' }).click()
        await dialog.getByRole('button', { name: 'Verify now' }).click()
      }
      await go('/console/domains')
      await page.getByRole('button', { name: 'Add domain' }).click()
      await dialog.getByLabel('Domain').fill('not a domain')
      await dialog.getByRole('button', { name: 'Add domain' }).click()
      await page.locator('[aria-invalid="true"][name="name"]').waitFor()
      await dialog.getByLabel('Domain').fill('Console.Example')
      await dialog.getByRole('button', { name: 'Add domain' }).click()
      await page.getByRole('heading', { name: 'console.example' }).waitFor()
      const recordName = '_svc-challenge.console.example'
      await page.getByText(recordName, { exact: true }).waitFor()
      const recordValue = await page.getByText(/^svc-verification=/).innerText()
      await sound()

      records.set(recordName, [['v=spf1 -all']])
      await verify()
      await dialog.getByText(`Expected the TXT record "${recordValue}"`).waitFor()
      await sound()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.reload()
      await page.getByText('v=spf1 -all').waitFor()
      await page.getByRole('heading', { name: 'Not found' }).waitFor()

      records.set(recordName, [[recordValue]])
      await verify()
      await page.getByRole('heading', { name: 'Verified' }).waitFor()
      await sound()
      await page.getByRole('button', { name: 'Remove' }).click()
      await dialog.getByRole('button', { name: 'Remove' }).click()
      await page.getByText('No domains match.').waitFor()
    }))
})
