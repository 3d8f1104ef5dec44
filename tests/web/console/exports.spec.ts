import { expect } from 'chai'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { verifyExportFile } from '../../support/export/export-verifier.ts'
import { auditKey } from '../../support/export/exports.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('exports in the console', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.stop())
  const withConsole = consoleScenarios(() => service)

  it('API-11 requests an export, follows its progress, downloads it once, and deletes another', () =>
    withConsole(async ({ page, go, sound }) => {
      const dialog = page.getByRole('dialog')
      const closed = () => dialog.waitFor({ state: 'detached' })
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
      const request = async (...others: readonly string[]) => {
        await press('New export')
        for (const name of others) await dialog.getByRole('checkbox', { name, exact: true }).uncheck()
        await dialog.getByRole('button', { name: 'New export', exact: true }).click()
        await closed()
      }
      await go('/console/export')
      await page.getByText('No exports in the last 24 hours.').waitFor()
      await press('New export')
      await sound()
      await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
      await closed()
      await request('Groups', 'Memberships', 'Applications', 'Assignments')
      await page.getByRole('heading', { name: 'Users, Event log' }).waitFor()
      await page.getByText('Ready', { exact: true }).waitFor()
      await sound()

      const saved = page.waitForEvent('download')
      await press('Download')
      const path = join(await mkdtemp(join(tmpdir(), 'svc-export-')), 'export.zip')
      await (await saved).saveAs(path)
      const { rows } = await verifyExportFile(path, await auditKey(service))
      expect(rows).to.have.keys('users.csv', 'log.jsonl')
      await page.reload()
      await page.getByText('Downloaded', { exact: true }).waitFor()
      expect(await page.getByRole('button', { name: 'Download', exact: true }).count()).to.equal(0)

      await press('Delete')
      await dialog.getByText('The file can no longer be downloaded.').waitFor()
      await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
      await closed()
      await page.getByText('No exports in the last 24 hours.').waitFor()
    }))
})
