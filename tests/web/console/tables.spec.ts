/** Tables of the console on screens between a phone and a desktop. */
import { expect } from 'chai'
import { consolePages, type ConsolePageName } from '../../../adapters/inbound/web/console/page-list.ts'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { consoleRecords, type RecordIds } from '../../support/browser/console-records.ts'
import { everyScreen } from '../../support/browser/screens.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

describe('tables in the console', function () {
  this.timeout(300_000)
  let service: TestService
  let ids: RecordIds
  before(async () => {
    service = await testService()
    ids = await consoleRecords(service)
  })
  after(() => service.stop())
  const withConsole = consoleScenarios(() => service)

  /** Those with the most columns; the campaign of pages visits all. */
  const widest: readonly ConsolePageName[] = [
    'users',
    'audit',
    'sessions',
    'apiKeys',
    'webhook',
    'group',
    'sshHostCertificates',
  ]

  for (const locale of ['en-GB', 'de-DE'])
    it(`fit screens of every width, in ${locale}`, () =>
      withConsole(
        async ({ go, sound, fits }) => {
          for (const name of everyScreen ? (Object.keys(consolePages) as ConsolePageName[]) : widest) {
            await go(consolePages[name].path.replace('{id}', ids[name] ?? ''))
            if (everyScreen) await sound()
            await fits()
          }
        },
        ['global_admin'],
        { locale },
      ))

  it('become cards where there is no room, keep their order there, and become tables again', () =>
    withConsole(async ({ page, go, sound }) => {
      await go('/console/groups')
      const frame = page.getByRole('table', { name: 'Groups' }).locator('..')
      const hasForm = (form: string) =>
        until(async () => (await frame.getAttribute('data-form')) === form, 10_000, `the form ${form}`)
      await hasForm('wide')
      await page.setViewportSize({ width: 760, height: 800 })
      await hasForm('tight')
      await page.setViewportSize({ width: 600, height: 800 })
      await hasForm('cards')
      await sound()
      const first = page.locator('tbody tr').first()
      const before = await first.innerText()
      await page.getByRole('button', { name: /^Name/ }).click()
      await until(async () => (await first.innerText()) !== before)
      await until(() => new URL(page.url()).searchParams.get('sort') === '-name')
      await page.setViewportSize({ width: 1280, height: 800 })
      await hasForm('wide')
      const heads = await page.getByRole('columnheader').allInnerTexts()
      expect(heads.map((head) => head.replace(/[↑↓↕]/, '').trim())).to.include.members(['Members', 'Source'])
    }))

  it('break email addresses on narrow screens, and no IP address', () =>
    withConsole(
      async ({ page, go }) => {
        const breaksIn = (text: RegExp) =>
          page.getByRole('cell').filter({ hasText: text }).first().locator('wbr')
        await go('/console/users')
        expect(await breaksIn(/@example\.com/).count()).to.be.above(0)
        await go('/console/sessions')
        expect(await breaksIn(/^127\.0\.0\.1$/).count()).to.equal(0)
      },
      ['global_admin'],
      { viewport: { width: 375, height: 667 } },
    ))

  it('break keys in sentences before they become cards', () =>
    withConsole(async ({ page, go, sound }) => {
      const summary = `Started signing with the key SHA256:${'a1'.repeat(22)}`
      await page.route('**/api/v1/audit?*', async (route) => {
        const response = await route.fetch()
        const entries = (await response.json()) as object[]
        await route.fulfill({ response, json: entries.map((entry) => ({ ...entry, summary })) })
      })
      await go('/console/audit?action=user.invite')
      await page.getByText(summary).first().waitFor()
      const frame = page.getByRole('table', { name: 'Audit trail' }).locator('..')
      await until(async () => (await frame.getAttribute('data-form')) === 'tight')
      await sound()
    }))

  it('are below a heading that breaks an address between words', () =>
    withConsole(async ({ page, go }) => {
      await page.setViewportSize({ width: 768, height: 1024 })
      await go(`/console/webhooks/${ids.webhook ?? ''}`)
      expect(await page.locator('h1').innerHTML()).to.include('hooks.<wbr>example.<wbr>com/')
    }))

  it('take a narrower form when their cells get longer, and keep it although it leaves less room', () =>
    withConsole(async ({ page, go, sound }) => {
      await go('/console/groups')
      const frame = page.getByRole('table', { name: 'Groups' }).locator('..')
      expect(await frame.getAttribute('data-form')).to.equal('wide')
      // As a scroll bar does beside a page that has become longer.
      await page.evaluate(
        "document.styleSheets[0].insertRule('main:has([data-form=cards]) { padding-inline-end: 80px }')",
      )
      const long = 'x'.repeat(90)
      await page.route('**/api/v1/groups?*', async (route) => {
        const response = await route.fetch()
        const groups = (await response.json()) as { name: string }[]
        await route.fulfill({ response, json: groups.map((group) => ({ ...group, description: long })) })
      })
      await page.getByRole('button', { name: /^Name/ }).click()
      await page.getByText(long).first().waitFor()
      await until(async () => (await frame.getAttribute('data-form')) === 'cards')
      await sound()
    }))
})
