import { fileURLToPath } from 'node:url'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const file = (name: string): string =>
  fileURLToPath(new URL(`../../support/import/data/${name}`, import.meta.url))

describe('imports in the console', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.stop())
  const withConsole = consoleScenarios(() => service, ['user_admin'])

  it('API-11 uploads a realm export of Keycloak, shows what would change, makes it, and deletes the import', () =>
    withConsole(async ({ page, go, sound }) => {
      const dialog = page.getByRole('dialog')
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
      const confirm = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
      await go('/console/import')
      await page.getByText('No imports in the last 7 days.').waitFor()
      await press('Upload file')
      await confirm('Upload file')
      await dialog.getByText('Choose a file.').waitFor()
      await sound()
      await dialog.getByLabel('File').setInputFiles(file('okta-users.json'))
      await dialog.getByLabel('Format').selectOption({ label: 'Keycloak realm export (JSON)' })
      await confirm('Upload file')
      await dialog.getByText('expected a realm export of Keycloak').waitFor()
      await dialog.getByLabel('File').setInputFiles(file('keycloak-realm.json'))
      await confirm('Upload file')

      await page.getByRole('heading', { name: 'Keycloak realm export (JSON)' }).waitFor()
      await page.getByRole('cell', { name: 'User: ada@acme.example' }).waitFor()
      await page.getByText('disabled in the source').waitFor()
      await sound()
      await page.getByLabel('Action').selectOption({ label: 'Problem' })
      await page.getByText('email: is missing').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()

      await press('Start import')
      await dialog.getByText('The service makes 7 changes in the background, in your name.').waitFor()
      await dialog.getByText('Lines with a problem: 1.').waitFor()
      await confirm('Start import')
      await page.getByText('7 changes made, 0 failed').waitFor()
      await sound()
      await page.getByRole('link', { name: 'Audit entries of this import' }).click()
      await page.getByRole('cell', { name: 'Imported Ada Lovelace', exact: true }).waitFor()
      await page.goBack()
      await press('Delete')
      await confirm('Delete')
      await page.getByText('No imports in the last 7 days.').waitFor()
    }))
})
