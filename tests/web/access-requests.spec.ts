import { expect } from 'chai'
import { atAccount, type AccountBrowser } from '../support/browser/account-browser.ts'
import { consoleScenarios } from '../support/browser/console-browser.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { pick } from '../support/browser/pick.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

describe('access packages in the browser', function () {
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
  const phone = { viewport: { width: 360, height: 740 } }

  const withTwo = async (
    work: (asker: AccountBrowser, approver: AccountBrowser) => Promise<void>,
  ): Promise<void> => {
    const asker = await atAccount(service, phone)
    const approver = await atAccount(service)
    try {
      await ok('PATCH', `/users/${asker.userId}`, { name: 'Ada Lovelace', managerId: approver.userId })
      await ok('PATCH', `/users/${approver.userId}`, { name: 'Mary Somerville' })
      await work(asker, approver)
      expect([...asker.faults, ...approver.faults]).to.deep.equal([])
    } finally {
      await asker.close()
      await approver.close()
    }
  }

  it('GOV-01 ask on a phone, approve at a desk, keep it longer, give it up', async () => {
    const { id: groupId } = await ok('POST', '/groups', { name: 'Payroll readers' })
    const { id } = await ok('POST', '/access-packages', {
      name: 'Payroll reports',
      description: 'The monthly reports of the payroll',
      grants: [{ type: 'group', groupId }],
      approval: {
        required: true,
        stages: [
          {
            approvers: { type: 'manager', ids: [] },
            ...{ mode: 'any', timeoutHours: 24, justificationRequired: false },
          },
        ],
      },
      duration: { default: 'P30D', max: 'P90D', requesterMayChoose: true },
      questions: [
        { id: 'centre', label: 'Cost centre', type: 'choice', choices: ['Sales', 'Law'], required: true },
        { id: 'remote', label: 'From home', type: 'boolean', required: false },
      ],
    })
    await ok('POST', `/access-packages/${String(id)}/publish`)
    await withTwo(async (ada, mary) => {
      await ada.go('/account/access')
      const offer = ada.page.locator('section:has(#offered) li:has-text("Payroll reports")')
      await offer.getByRole('button').click()
      const form = ada.page.locator('dialog[open]')
      await ada.sound()
      await form.getByLabel('Reason').fill('The audit starts on Monday')
      await form.getByLabel('Cost centre').selectOption('Law')
      await form.getByLabel('From home').check()
      await form.getByLabel('How long').selectOption('P7D')
      await ada.confirm('Send request')
      await ada.said('Your request was sent.')
      await ada.page.getByText('Decides: Mary Somerville').waitFor()

      await mary.go('/account/approvals')
      const card = mary.page.locator('section:has-text("Ada Lovelace requests Payroll reports")')
      const shown = await card.innerText()
      for (const part of ['The audit starts on Monday', 'Payroll readers', 'Law', '7 days'])
        expect(shown).to.contain(part)
      // Opening the page has decided nothing.
      const before = await ok('GET', `/access-requests?packageId=${String(id)}`)
      expect(before[0]).to.deep.include({ status: 'pending', answers: { centre: 'Law', remote: true } })
      await card.getByRole('button', { name: 'Approve' }).click()
      await mary.sound()
      await mary.page.locator('dialog[open] textarea').fill('As agreed')
      await mary.confirm('Approve')
      await mary.said('You approved the request.')
      await mary.page.getByText('Nothing waits for your decision.').waitFor()

      await ada.go('/account/access')
      const held = ada.page.locator('section:has(#packages) li:has-text("Payroll reports")')
      expect(await held.innerText()).to.contain('Until')
      await ada.page.getByText('Mary Somerville: As agreed').waitFor()
      await held.getByRole('button', { name: 'Keep longer' }).click()
      await ada.page.locator('dialog[open]').getByLabel('Reason').fill('It takes longer')
      await ada.page.locator('dialog[open]').getByLabel('Cost centre').selectOption('Law')
      await ada.confirm('Send request')
      await ada.said('Your request was sent.')

      await mary.go('/account/approvals')
      await mary.page.getByRole('button', { name: 'Deny' }).click()
      await mary.page.locator('dialog[open] textarea').fill('A week is enough')
      await mary.confirm('Deny')
      await mary.said('You denied the request.')

      await ada.go('/account/access')
      await ada.page.getByText('Mary Somerville: A week is enough').waitFor()
      await held.getByRole('button', { name: 'Give up' }).click()
      await ada.confirm('Give up')
      await ada.said('You gave up the access package.')
      await ada.page.getByText('You have no access packages.').waitFor()
    })
  })

  it('GOV-01 a manager sees the access of a report and requests more for them', async () => {
    const { id: groupId } = await ok('POST', '/groups', { name: 'Lift users' })
    const grants = [{ type: 'group', groupId }]
    const { id } = await ok('POST', '/access-packages', { name: 'Lift', grants })
    await ok('POST', `/access-packages/${String(id)}/publish`)
    await withTwo(async (ada, mary) => {
      await mary.go('/account/access')
      await mary.page.getByRole('link', { name: 'Ada Lovelace' }).click()
      await mary.page.getByText('You see the access of Ada Lovelace').waitFor()
      await mary.sound()
      await mary.page.locator('section:has(#offered) li:has-text("Lift")').getByRole('button').click()
      await mary.page.locator('dialog[open]').getByLabel('Reason').fill('Works on the third floor')
      await mary.confirm('Send request')
      await mary.said('Your request was sent.')
      await mary.page.locator('section:has(#packages) li:has-text("Lift")').waitFor()
      const members = await ok('GET', `/groups/${String(groupId)}/members`)
      expect(members.map(({ userId }: Json) => userId)).to.deep.equal([ada.userId])
      // Nobody else's access is shown.
      await ada.go(`/account/access?for=${mary.userId}`)
      await ada.page.getByRole('heading', { name: 'Your access packages' }).waitFor()
      expect(await ada.page.isVisible('text=You see the access of')).to.equal(false)
    })
  })

  it('GOV-01 an administrator makes a package with two stages, publishes and assigns it', async () => {
    const { id: groupId } = await ok('POST', '/groups', { name: 'Vault openers' })
    const person = await service.person({ name: 'Katherine Johnson' })
    await withConsole(async ({ page, go, sound }) => {
      const dialog = page.getByRole('dialog')
      await go('/console/access-packages')
      await sound()
      await page.getByRole('button', { name: 'Create access package' }).click()
      await dialog.getByLabel('Name', { exact: true }).fill('Vault')
      await dialog.getByRole('button', { name: 'Create access package' }).click()
      await dialog.getByText('grants: expected').first().waitFor()
      await pick(dialog.locator('input[name="search-grants"]'), 'Vault openers')
      await dialog.getByRole('button', { name: 'Add a stage' }).click()
      await dialog.getByRole('button', { name: 'Add a stage' }).click()
      await dialog.locator('select[name="stage-2-approvers"]').selectOption('package_owners')
      await dialog.getByRole('button', { name: 'Add a question' }).click()
      await dialog.locator('input[name="question-1"]').fill('Which vault?')
      await dialog.locator('select[name="question-1-type"]').selectOption('choice')
      await dialog.locator('textarea[name="question-1-choices"]').fill('North\nSouth')
      await sound()
      await dialog.getByRole('button', { name: 'Create access package' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('heading', { name: 'Vault' }).waitFor()
      await page.getByText('The manager of the user').waitFor()
      await page.getByText('Owners of the package').waitFor()
      await page.getByText('Which vault?').waitFor()
      await sound()

      await page.getByRole('button', { name: 'Publish' }).click()
      await dialog.getByRole('button', { name: 'Publish' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('Published', { exact: true }).waitFor()

      await page.getByRole('link', { name: 'Users', exact: true }).last().click()
      await page.getByRole('button', { name: 'Assign to a user' }).click()
      await dialog.getByLabel('Search').fill('Katherine')
      await dialog.getByRole('button', { name: 'Assign Katherine Johnson' }).click()
      await dialog.getByText('Katherine Johnson has it now').waitFor()
      await dialog.getByRole('button', { name: 'Close' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Katherine Johnson' }).waitFor()
      await sound()
      const members = await ok('GET', `/groups/${String(groupId)}/members`)
      expect(members.map(({ userId }: Json) => userId)).to.deep.equal([person.userId])

      await page.getByRole('button', { name: 'End Katherine Johnson' }).click()
      await dialog.getByRole('button', { name: 'End' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await ok('GET', `/groups/${String(groupId)}/members`)).to.deep.equal([])
    })
  })

  it('API-10 an administrator sees the whole story of a request, and names another approver', async () => {
    const { id: groupId } = await ok('POST', '/groups', { name: 'Archivists' })
    const [asker, approver, other] = [
      await service.person({ name: 'Emmy Noether' }),
      await service.person({ name: 'Sophie Germain' }),
      await service.person({ name: 'Maria Agnesi' }),
    ]
    const { id } = await ok('POST', '/access-packages', {
      name: 'Archive',
      grants: [{ type: 'group', groupId }],
      approval: {
        required: true,
        stages: [
          {
            approvers: { type: 'users', ids: [approver.userId] },
            ...{ mode: 'any', timeoutHours: 24, justificationRequired: false },
          },
        ],
      },
    })
    await ok('POST', `/access-packages/${String(id)}/publish`)
    const { body: made } = await service.api('POST', '/me/access-requests', {
      as: asker,
      body: { packageId: id, justification: 'Old letters' },
    })
    await withConsole(async ({ page, go, sound }) => {
      const dialog = page.getByRole('dialog')
      await go('/console/access-requests?status=pending')
      await sound()
      await page.getByRole('link', { name: 'Archive' }).click()
      await page.getByRole('heading', { name: 'Archive for Emmy Noether' }).waitFor()
      await page.getByText('Old letters').waitFor()
      await page.getByRole('link', { name: 'Sophie Germain' }).first().waitFor()
      await sound()
      await page.getByRole('button', { name: 'Let another user decide' }).click()
      await dialog.getByLabel('Search').fill('Maria')
      await dialog.getByRole('button', { name: 'Decides Maria Agnesi' }).click()
      await dialog.getByText('Maria Agnesi decides now').waitFor()
      await dialog.getByRole('button', { name: 'Close' }).click()
      await dialog.waitFor({ state: 'detached' })
      const path = `/access-requests/${String(made.id)}/approve`
      const late = await service.api('POST', path, { as: approver, body: {} })
      expect(late.status).to.equal(403)
      const done = await service.api('POST', path, { as: other, body: { comment: 'Welcome' } })
      expect(done.status).to.equal(204)
      await page.reload()
      await page.getByText('Maria Agnesi approved').waitFor()
      await page.getByText('Delivered', { exact: true }).waitFor()
      await sound()
    })
  })
})
