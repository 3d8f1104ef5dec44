/**
 * Takes pictures of every page of the console with plausible content, for people to look at: `npm run campaign --
 * screenshots` writes them to `.build/screenshots`.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { projectDir } from '../../../adapters/kernel/project.ts'
import { consolePages, type ConsolePageName } from '../../../adapters/inbound/web/console/page-list.ts'
import { atConsole, type ConsoleOptions } from '../../support/browser/console-browser.ts'
import { consoleRecords, type RecordIds } from '../../support/browser/console-records.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const folder = join(projectDir(), '.build', 'screenshots')
const phone = { width: 375, height: 812 }

const looks: Readonly<Record<string, ConsoleOptions>> = {
  light: {},
  dark: { theme: 'dark' },
  phone: { theme: 'dark', viewport: phone },
  tablet: { viewport: { width: 768, height: 1024 } },
  laptop: { viewport: { width: 1024, height: 768 } },
  'deutsch-phone': { locale: 'de-DE', viewport: phone },
}

/** The tabs of each record, besides the first. */
const tabs: Readonly<Partial<Record<ConsolePageName, readonly string[]>>> = {
  user: ['access', 'groups', 'security', 'history'],
  group: ['applications', 'rule', 'changes', 'history'],
  application: ['settings', 'access', 'test', 'apis', 'secrets', 'changes', 'history'],
  applicationProvisioning: ['settings', 'history'],
  webhook: ['settings', 'history'],
}

/** What a list looks like while it is read, after an error, and if nothing matches. */
const states: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  loading: (page) => page.route('**/api/v1/users?*', () => undefined),
  unavailable: (page) =>
    page.route('**/api/v1/users?*', (route) =>
      route.fulfill({ status: 503, json: { error: { code: 'ERR_UNAVAILABLE', message: 'Try again.' } } }),
    ),
  offline: (page) => page.route('**/api/v1/users?*', (route) => route.abort()),
}

describe('screenshots of the console', function () {
  this.timeout(600_000)
  let service: TestService
  let ids: RecordIds
  before(async () => {
    service = await testService()
    ids = await consoleRecords(service)
  })
  after(() => service.stop())

  for (const [look, options] of Object.entries(looks))
    it(`shows every page: ${look}`, async () => {
      await mkdir(join(folder, look), { recursive: true })
      const { page, go, close } = await atConsole(service, ['global_admin'], options)
      const take = (name: string) =>
        page.screenshot({ path: join(folder, look, `${name}.png`), fullPage: true, animations: 'disabled' })
      for (const [name, { path }] of Object.entries(consolePages) as [ConsolePageName, { path: string }][]) {
        const address = path.replace('{id}', ids[name] ?? '')
        await go(address)
        await take(name)
        for (const tab of tabs[name] ?? []) {
          await go(`${address}?tab=${tab}`)
          await take(`${name}-${tab}`)
        }
      }
      await go('/console/users?q=nobody-has-this-name')
      await take('users-empty')
      await close()
    })

  it('shows the states of a list', async () => {
    await mkdir(join(folder, 'states'), { recursive: true })
    for (const [name, prepare] of Object.entries(states)) {
      const { page, close } = await atConsole(service)
      await prepare(page)
      await page.goto(`${service.publicUrl}/console/users`)
      await page
        .locator(name === 'loading' ? '[data-loading]' : '[role=alert]')
        .first()
        .waitFor()
      await page.screenshot({ path: join(folder, 'states', `${name}.png`), fullPage: true })
      await close()
    }
  })
})
