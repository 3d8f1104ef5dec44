import { expect } from 'chai'
import { consoleScenarios } from '../support/browser/console-browser.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { pick } from '../support/browser/pick.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

describe('lifecycle rules in the browser', function () {
  this.timeout(120_000)
  let service: TestService
  let admin: TestPerson
  before(async () => {
    service = await testService()
    admin = await service.person({ name: 'Grace' }, ['global_admin'])
  })
  after(() => service.stop())
  const withConsole = consoleScenarios(() => service)

  const ok = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await service.api(method, path, { as: admin, ...(body === undefined ? {} : { body }) })
    expect(answer.status, JSON.stringify(answer.body)).to.be.lessThan(300)
    return answer.body
  }

  it('GOV-03 make a joiner rule, preview it, enable it, invite a user, and see the group and why', async () => {
    const { id: groupId } = await ok('POST', '/groups', { name: 'Sales tools' })
    const early = { email: 'early@example.com', name: 'Early Bird', department: 'Sales' }
    await ok('POST', '/users', early)
    const application = { protocol: 'oidc', type: 'web', redirectUris: ['https://crm.example/cb'] }
    await ok('POST', '/applications', { name: 'CRM', ...application, groupIds: [groupId] })
    await withConsole(async ({ page, go, sound }) => {
      const dialog = page.getByRole('dialog')
      await go('/console/lifecycle')
      await sound()
      await page.getByRole('button', { name: 'Create rule' }).click()
      await dialog.getByLabel('Name', { exact: true }).fill('New in sales')
      await dialog.locator('select[name="category"]').selectOption('joiner')
      await dialog.getByLabel('Only users who match conditions').check()
      await dialog.locator('input[name="value-1"]').fill('Sales')
      await pick(dialog.locator('input[name="action-1-group"]'), 'Sales tools')
      await sound()
      await dialog.getByRole('button', { name: 'Create rule' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('heading', { name: 'New in sales' }).waitFor()
      await page.getByText('A user is created').first().waitFor()
      await sound()

      await page.getByRole('link', { name: 'Preview' }).click()
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.getByRole('link', { name: 'Early Bird' }).waitFor()
      await sound()
      await page.getByRole('button', { name: 'Enable' }).click()
      await dialog.getByRole('button', { name: 'Enable' }).click()
      await dialog.waitFor({ state: 'detached' })

      const late = { email: 'late@example.com', name: 'Late Riser', department: 'Sales' }
      const { id } = await ok('POST', '/users', late)
      await until(
        async () => (await ok('GET', `/lifecycle/runs?userId=${String(id)}&status=succeeded`)).length === 1,
        20_000,
        'the run',
      )
      await page.getByRole('link', { name: 'Runs' }).click()
      await page.getByRole('link', { name: 'Late Riser' }).waitFor()
      await sound()
      await go(`/console/users/${String(id)}?tab=access`)
      await page.getByRole('link', { name: 'New in sales' }).first().waitFor()
      await go(`/console/users/${String(id)}?tab=lifecycle`)
      await page.getByRole('link', { name: 'New in sales' }).waitFor()
      await sound()
    })
  })
})
