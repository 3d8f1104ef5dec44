import { expect } from 'chai'
import { atAccount } from '../support/browser/account-browser.ts'
import { consoleScenarios } from '../support/browser/console-browser.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { pick } from '../support/browser/pick.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

describe('access reviews in the browser', function () {
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

  it('GOV-02 an administrator starts a review, a manager decides it by keyboard, and the access ends', async () => {
    const { id: groupId } = await ok('POST', '/groups', { name: 'Payroll readers' })
    const reviewer = await atAccount(service)
    try {
      await ok('PATCH', `/users/${reviewer.userId}`, { name: 'Mary Somerville' })
      const people: TestPerson[] = []
      for (const name of ['Ada Lovelace', 'Annie Easley', 'Katherine Johnson'])
        people.push(await service.person({ name, managerId: reviewer.userId }))
      for (const { userId } of people) await ok('PUT', `/groups/${String(groupId)}/members/${userId}`, {})

      let review = ''
      await withConsole(async ({ page, go, sound }) => {
        const dialog = page.getByRole('dialog')
        await go('/console/access-reviews')
        await sound()
        await page.getByRole('button', { name: 'Create access review' }).click()
        await dialog.getByLabel('Name', { exact: true }).fill('Payroll, again')
        await pick(dialog.locator('input[name="search-resources"]'), 'Payroll readers')
        await sound()
        await dialog.getByRole('button', { name: 'Create access review' }).click()
        await page.getByRole('heading', { name: 'Payroll, again' }).waitFor()
        ;[{ id: review }] = await ok('GET', '/access-reviews')
        await until(async () => (await ok('GET', `/access-reviews/${review}`)).openedAt !== null, 20_000)
        await page.getByRole('link', { name: 'Items' }).click()
        await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
        await sound()
      })

      const { page, go, sound, said } = reviewer
      await go('/account/reviews')
      await sound()
      const rows = page.locator('tr[data-item]')
      expect(await rows.count()).to.equal(3)
      await page.getByLabel('Reason').fill('Checked with the team')
      await rows.first().focus()
      const first = String(await rows.first().getAttribute('data-name'))
      await page.keyboard.press('r')
      await said(`${first}: You remove it`)
      await page.keyboard.press('x')
      await page.keyboard.press('j')
      await page.keyboard.press('x')
      await page.keyboard.press('Shift+A')
      await said('2: You keep it')
      await go('/account/reviews')
      await page.getByText('No access waits for your review.').waitFor()
      expect(reviewer.faults).to.deep.equal([])

      await ok('POST', `/access-reviews/${review}/complete`)
      await until(async () => (await ok('GET', `/access-reviews/${review}`)).status === 'completed', 20_000)
      const members: Json = await ok('GET', `/groups/${String(groupId)}/members`)
      expect(members.map(({ name }: Json) => name)).not.to.include(first.split(':')[0])
      expect(members.length).to.equal(2)
      const [revoked] = await ok('GET', `/access-reviews/${review}/items?decision=revoked`)
      expect(revoked.decisions[0]).to.deep.include({
        reviewerName: 'Mary Somerville',
        justification: 'Checked with the team',
      })
    } finally {
      await reviewer.close()
    }
  })

  it('GOV-02 the form of a scheduled review shows all of its settings, and changes only what is changed', async () => {
    const { id: groupId } = await ok('POST', '/groups', { name: 'Vault keepers' })
    const { id: staff } = await ok('POST', '/groups', { name: 'Staff' })
    const auditor = await service.person({ name: 'Dorothy Vaughan' })
    const fields = {
      name: 'Vault',
      description: 'Twice a year',
      scope: {
        type: 'group',
        ids: [groupId],
        userFilter: { groupIds: [staff], inactiveDays: 45, riskLevel: 'medium' },
      },
      stages: [
        { type: 'manager', ids: [], fallbackIds: [auditor.userId] },
        { type: 'users', ids: [auditor.userId], fallbackIds: [] },
      ],
      schedule: { startsAt: '2031-03-01T08:30:00.000000Z', durationDays: 21, repeat: 'semiannual' },
      settings: {
        ...{ justificationRequired: 'always', selfReview: false, bulkDecisions: false, reminders: [10, 3] },
        ...{ recommendationInactiveDays: 60, onNoResponse: 'recommendation', autoApply: false },
      },
    }
    const { id } = await ok('POST', '/access-reviews', fields)
    await withConsole(async ({ page, go, sound }) => {
      const dialog = page.getByRole('dialog')
      await go(`/console/access-reviews/${String(id)}`)
      for (const name of ['Vault keepers', 'Staff', 'Dorothy Vaughan'])
        await page.locator('main').getByRole('link', { name }).first().waitFor()
      await sound()
      await page.getByText('Medium or higher').waitFor()
      await page.getByRole('button', { name: 'Edit' }).click()
      await sound()
      await dialog.getByLabel('Days', { exact: true }).fill('30')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
    })
    const { name, description, scope, stages, schedule, settings } = await ok(
      'GET',
      `/access-reviews/${String(id)}`,
    )
    expect({ name, description, scope, stages, schedule, settings }).to.deep.equal({
      ...fields,
      schedule: { ...fields.schedule, durationDays: 30 },
    })
    await withConsole(async ({ page, go }) => {
      const dialog = page.getByRole('dialog')
      await go(`/console/access-reviews/${String(id)}`)
      await page.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.waitForURL('**/console/access-reviews')
      await dialog.waitFor({ state: 'detached' })
    })
    expect(await ok('GET', '/access-reviews?q=Vault')).to.deep.equal([])
  })
})
