/** The access graph in the console: who can reach what, and why, by sight, by keyboard and for screen readers. */
import { expect } from 'chai'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { consoleScreens } from '../../support/browser/screens.ts'
import { until } from '../../support/until.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

describe('the access graph in the console', function () {
  this.timeout(120_000)
  let service: TestService
  let ada: TestPerson
  const ids = { clerks: '', auditors: '', payroll: '', ledger: '' }
  let before13: string

  before(async () => {
    service = await testService()
    const admin = await service.person({}, ['global_admin'])
    const send = async (method: string, path: string, body?: unknown) =>
      (await service.api(method, path, { as: admin, body })).body
    ada = await service.person({ name: 'Ada Byron', department: 'Finance' })
    const made = async (path: string, body: object): Promise<string> =>
      String((await send('POST', path, body)).id)
    ids.clerks = await made('/groups', {
      name: 'Payroll clerks',
      rule: { match: 'all', conditions: [{ attribute: 'department', operator: 'eq', value: 'Finance' }] },
    })
    ids.auditors = await made('/groups', { name: 'Auditors of the whole group of companies' })
    const application = (name: string, groupIds: readonly string[]) =>
      made('/applications', {
        name,
        protocol: 'oidc',
        type: 'web',
        redirectUris: ['https://app.example.com/callback'],
        groupIds,
      })
    ids.payroll = await application('Payroll', [ids.clerks, ids.auditors])
    ids.ledger = await application('Ledger', [ids.auditors])
    const wiki = await application('Wiki', [ids.clerks])
    await send('POST', `/applications/${wiki}/disable`, {})
    for (let n = 0; n < 13; n++) {
      const { userId } = await service.person({ name: `Clerk ${String(n).padStart(2, '0')}` })
      await send('PUT', `/groups/${ids.auditors}/members/${userId}`, {})
      if (n === 11) before13 = new Date().toISOString()
    }
    const reaches = async () => ((await send('GET', `/users/${ada.userId}/access`)) as unknown[]).length === 2
    await until(reaches, 20_000, 'the rule adds Ada')
  })
  after(() => service.stop())

  const withConsole = consoleScenarios(() => service)

  for (const [screen, options] of Object.entries(consoleScreens))
    it(`is accessible, fits and violates no policy ${screen}`, () =>
      withConsole(
        async ({ page, go, sound }) => {
          for (const path of [
            `/console/users/${ada.userId}?tab=access`,
            `/console/applications/${ids.payroll}?tab=access`,
            `/console/groups/${ids.auditors}?tab=access`,
          ]) {
            await go(path)
            await page.getByRole('group', { name: 'Access graph of' }).waitFor()
            await sound()
          }
        },
        ['global_admin'],
        options,
      ))

  it('says in three clicks why a user can reach an application, and leads there by keyboard', () =>
    withConsole(async ({ page, go }) => {
      const focused = () => page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")')
      await go('/console')
      await page.getByRole('button', { name: 'Go to' }).click()
      await page.getByRole('combobox').fill('Ada By')
      await page.getByRole('option', { name: 'Ada Byron' }).click()
      await page.getByRole('link', { name: 'Access', exact: true }).click()

      const graph = page.getByRole('group', { name: 'Access graph of Ada Byron' })
      await graph.waitFor()
      const names = (await graph.getByRole('link').all()).map((link) => link.getAttribute('aria-label'))
      expect(await Promise.all(names)).to.deep.equal([
        'User Ada Byron; member of Payroll clerks',
        'Rule of Payroll clerks; adds Ada Byron',
        'Group Payroll clerks, through rule; gives Payroll and Wiki',
        'Application Payroll; reached through Payroll clerks',
        'Application Wiki, blocked; reached through Payroll clerks',
      ])

      await graph.locator('[tabindex="0"]').focus()
      const walked: (string | null)[] = [await focused()]
      for (let step = 0; step < 3; step++) {
        await page.keyboard.press('ArrowRight')
        walked.push(await focused())
      }
      expect(walked.map((name) => name?.split(/[;,]/)[0])).to.deep.equal([
        'User Ada Byron',
        'Rule of Payroll clerks',
        'Group Payroll clerks',
        'Application Payroll',
      ])
      await page.keyboard.press('Escape')
      expect(await focused()).to.equal('The same as a list')
      await page.keyboard.press('Shift+Tab')
      expect(await focused()).to.match(/^Application Payroll;/)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/console/applications/${ids.payroll}?tab=access`)
      await page.getByRole('group', { name: 'Access graph of Payroll' }).waitFor()
    }))

  it('shows the first users of an application, and leads to the list of the others', () =>
    withConsole(async ({ page, go }) => {
      await go(`/console/applications/${ids.payroll}?tab=access`)
      const graph = page.getByRole('group', { name: 'Access graph of Payroll' })
      expect(await graph.getByRole('link', { name: /^User / }).count()).to.equal(12)
      await graph.getByRole('link', { name: 'Users, and 2 more' }).click()
      const list = 'document.activeElement.getAttribute("aria-label")'
      await until(async () => (await page.evaluate(list)) === 'The same as a list', 10_000, 'the list')
      await page.getByRole('listitem').filter({ hasText: 'Clerk 12' }).first().waitFor()
    }))

  it('shows the past of a group', () =>
    withConsole(
      async ({ page, go }) => {
        const path = `/console/groups/${ids.auditors}?tab=access`
        const others = page.getByRole('link', { name: /^Benutzer, und \d+ weitere$/ })
        await go(path)
        await page.getByRole('link', { name: /^Gruppe Auditors.*öffnet Ledger und Payroll$/ }).waitFor()
        expect(await others.getAttribute('href')).to.match(/\?tab=members$/)
        await go(`${path}&at=${encodeURIComponent(before13)}`)
        await page.getByRole('link', { name: /^Benutzer Clerk 00; Mitglied von Auditors/ }).waitFor()
        expect(await others.count()).to.equal(0)
      },
      ['auditor'],
      { locale: 'de-DE' },
    ))
})
