/** Groups in the administration console: their members, and what they open. */
import { expect } from 'chai'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { recordScreens } from '../../support/browser/screens.ts'
import { until } from '../../support/until.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

describe('groups in the console', function () {
  this.timeout(120_000)
  let service: TestService
  let admin: TestPerson
  let ada: TestPerson

  before(async () => {
    service = await testService()
    admin = await service.person({}, ['global_admin'])
    ada = await service.person({ name: 'Ada Lovelace', department: 'Engineering' })
  })
  after(() => service.stop())

  const withConsole = consoleScenarios(() => service)

  const send = async (method: string, path: string, body?: unknown) =>
    (await service.api(method, path, { as: admin, body })).body
  const made = async (path: string, body: unknown): Promise<string> =>
    String((await send('POST', path, body)).id)

  for (const [screen, options] of Object.entries(recordScreens))
    it(`has accessible pages about groups that fit and violate no policy ${screen}`, () =>
      withConsole(
        async ({ go, sound }) => {
          const id = await made('/groups', {
            name: `Engineers ${screen}`,
            description: 'Everybody who builds the product',
            rule: {
              match: 'all',
              conditions: [
                { attribute: 'department', operator: 'eq', value: 'Engineering' },
                { attribute: 'location', operator: 'in', value: ['Berlin', 'Vienna'] },
              ],
            },
          })
          await send('PUT', `/groups/${id}/members/${ada.userId}`, {})
          for (const path of [
            '',
            '?tab=applications',
            '?tab=rule',
            '?tab=details',
            '?tab=changes',
            '?tab=history',
          ]) {
            await go(`/console/groups/${id}${path}`)
            await sound()
          }
          await go('/console/groups')
          await sound()
        },
        ['global_admin'],
        options,
      ))

  it('API-01 creates a group, adds and removes a member, and deletes the group', () =>
    withConsole(async ({ page, go, sound }) => {
      await go('/console/groups')
      await page.getByRole('button', { name: 'Create group' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Create group' }).click()
      await page.locator('[aria-invalid="true"][name="name"]').waitFor()
      await dialog.getByLabel('Name').fill('Auditors of payroll')
      await dialog.getByRole('button', { name: 'Create group' }).click()
      await page.getByRole('heading', { name: 'Auditors of payroll' }).waitFor()
      await page.getByRole('button', { name: 'Add members' }).click()
      await dialog.getByLabel('Search').fill('Ada Lo')
      await until(async () => (await dialog.getByRole('listitem').count()) === 1, 10_000, 'only Ada')
      await sound()
      await dialog.getByRole('button', { name: 'Add Ada Lovelace' }).click()
      await dialog.getByText('Ada Lovelace was added').waitFor()
      await dialog.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('cell', { name: 'Assigned directly' }).waitFor()
      await page.getByRole('button', { name: 'Remove Ada Lovelace' }).click()
      await dialog.getByText('immediately loses the access').waitFor()
      await dialog.getByRole('button', { name: 'Remove' }).click()
      await page.getByText('No members match.').waitFor()
      await page.getByRole('button', { name: 'Edit' }).click()
      await dialog.getByLabel('Name').fill('Payroll auditors')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'Payroll auditors' }).waitFor()
      await page.getByRole('link', { name: 'History' }).click()
      await until(async () => (await page.locator('tbody tr').count()) === 4, 10_000, 'four changes')
      await page.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByText('This cannot be undone.').waitFor()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.waitForURL('**/console/groups')
      await page.getByRole('heading', { name: 'Groups' }).waitFor()
      expect(await page.getByRole('link', { name: 'Payroll auditors' }).count()).to.equal(0)
    }))

  it('says that an assigned group cannot be deleted, and shows the rule in words', () =>
    withConsole(async ({ page, go }) => {
      const id = await made('/groups', {
        name: 'Vienna',
        rule: { match: 'any', conditions: [{ attribute: 'location', operator: 'eq', value: 'Vienna' }] },
      })
      await made('/applications', {
        name: 'Timesheets',
        protocol: 'oidc',
        type: 'web',
        redirectUris: ['https://timesheets.example.com/callback'],
        groupIds: [id],
      })
      await go(`/console/groups/${id}?tab=rule`)
      await page.getByText('Location is Vienna').waitFor()
      await page.getByRole('link', { name: 'Applications' }).last().click()
      await page.getByRole('cell', { name: 'Timesheets' }).waitFor()
      await page.getByRole('button', { name: 'Delete' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('it cannot be deleted').waitFor()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByText('This group is still in use by').waitFor()
    }))

  it('API-01 previews who joins and leaves by a rule, saves it, and shows the difference', () =>
    withConsole(async ({ page, go, sound }) => {
      const grace = await service.person({ name: 'Grace Hopper', department: 'Compilers' })
      await service.person({ name: 'Rear Admiral', department: 'Navy', title: 'Admiral' })
      const id = await made('/groups', { name: 'Language designers' })
      const dialog = page.getByRole('dialog')
      const names = async (list: RegExp) =>
        (await dialog.getByRole('list', { name: list }).getByRole('listitem').allInnerTexts()).map(
          (item) => /^\w+ \w+/.exec(item)?.[0],
        )
      await go(`/console/groups/${id}?tab=rule`)
      await page.getByRole('button', { name: 'Add rule' }).click()
      await dialog.getByRole('button', { name: 'Preview' }).click()
      await dialog.locator('[aria-invalid="true"][name="value-1"]').waitFor()
      await dialog.getByLabel('Value').fill('compilers')
      await dialog.getByRole('button', { name: 'Preview' }).click()
      await dialog.getByText('1 user matches the rule.').waitFor()
      expect(await names(/^Joining: 1/)).to.deep.equal(['Grace Hopper'])
      await dialog.getByRole('button', { name: 'Save rule' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('Department is compilers').waitFor()
      const members = async () => (await send('GET', `/groups/${id}/members`)) as { userId: string }[]
      await until(async () => (await members()).some(({ userId }) => userId === grace.userId))

      await page.getByRole('button', { name: 'Edit rule' }).click()
      await dialog.getByLabel('Value').fill('Navy')
      await dialog.getByRole('button', { name: 'Add condition' }).click()
      const second = dialog.getByRole('group', { name: 'Condition 2' })
      await second.getByLabel('Attribute').selectOption('Title')
      await second.getByLabel('Comparison').selectOption('is one of')
      await second.getByLabel('Values').fill('Admiral\nCaptain')
      await sound()
      await dialog.getByRole('button', { name: 'Preview' }).click()
      await dialog.getByText('lose the access').waitFor()
      expect(await names(/^Joining: 1/)).to.deep.equal(['Rear Admiral'])
      expect(await names(/^Leaving: 1/)).to.deep.equal(['Grace Hopper'])
      await sound()
      await dialog.getByRole('button', { name: 'Back' }).click()
      expect(await second.getByLabel('Values').inputValue()).to.equal('Admiral\nCaptain')
      await dialog.getByRole('button', { name: 'Preview' }).click()
      await dialog.getByRole('button', { name: 'Save rule' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('Title is one of Admiral, Captain').waitFor()
      await until(async () => (await members()).every(({ userId }) => userId !== grace.userId))

      await page.getByRole('button', { name: 'Remove rule' }).click()
      await dialog.getByText('Members who were assigned stay.').waitFor()
      await dialog.getByRole('button', { name: 'Remove rule' }).click()
      await page.getByText('This group has no rule.').waitFor()
      await send('PUT', `/groups/${id}/members/${ada.userId}`, {})
      await go(`/console/groups/${id}?tab=changes`)
      await page.getByRole('listitem').filter({ hasText: 'Ada Lovelace' }).getByText('Joined').waitFor()
      await sound()
    }))

  it('AUT-05 offers auditors nothing to change in groups', () =>
    withConsole(
      async ({ page, go }) => {
        const id = await made('/groups', { name: 'Looked at' })
        await send('PUT', `/groups/${id}/members/${ada.userId}`, {})
        await go(`/console/groups/${id}`)
        await page.getByRole('cell', { name: 'Ada Lovelace' }).waitFor()
        expect(await page.locator('main').getByRole('button').allInnerTexts()).to.deep.equal([
          'Export as CSV',
          'Columns',
        ])
        await go(`/console/groups/${id}?tab=rule`)
        expect(await page.locator('main').getByRole('button').count()).to.equal(0)
        await go('/console/groups')
        expect(await page.getByRole('button', { name: 'Create group' }).count()).to.equal(0)
      },
      ['auditor'],
    ))
})
