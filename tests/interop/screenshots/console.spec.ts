/**
 * Takes pictures of every page of the console with plausible content, for people to look at: `npm run campaign --
 * screenshots` writes them to `.build/screenshots`.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { projectDir } from '../../../adapters/kernel/project.ts'
import { consolePages, type ConsolePageName } from '../../../adapters/inbound/web/console/page-list.ts'
import { seedDemo } from '../../../cli/server/seed-demo.ts'
import { atConsole, type ConsoleOptions } from '../../support/browser/console-browser.ts'
import { newJar, passkeyWorld } from '../../support/sign-in/passkey-world.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const folder = join(projectDir(), '.build', 'screenshots')
const phone = { width: 375, height: 812 }

const looks: Readonly<Record<string, ConsoleOptions>> = {
  light: {},
  dark: { theme: 'dark' },
  phone: { theme: 'dark', viewport: phone },
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

/** Creates one record of each kind, and returns their ids. */
const furnish = async (service: TestService): Promise<Readonly<Partial<Record<ConsolePageName, string>>>> => {
  const admin = await service.person({ name: 'Hedy Lamarr' }, ['global_admin'])
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await service.api(method, path, { as: admin, ...(body === undefined ? {} : { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const made = async (path: string, body: unknown): Promise<string> =>
    String((await send('POST', path, body)).id)

  const { applicationId } = await seedDemo(service.core.services)
  const passkeys = passkeyWorld(service)
  const jar = newJar()
  const person = await passkeys.enrolled(jar)
  await passkeys.signIn(person, jar)
  const staff = await made('/groups', { name: 'Staff', description: 'Everybody on the payroll' })
  await send('PUT', `/groups/${staff}/members/${person.userId}`, {})
  await send('PUT', `/applications/${applicationId}/groups/${staff}`)
  const apiResource = await made('/api-resources', {
    identifier: 'https://api.example.com/invoices',
    name: 'Invoices',
    scopes: [
      { name: 'invoices:read', description: 'Read invoices' },
      { name: 'invoices:write', description: 'Write and send invoices' },
    ],
  })
  await send('PUT', `/api-resources/${apiResource}/grants/${applicationId}`, { scopes: ['invoices:read'] })
  const serviceAccount = await made('/service-accounts', {
    name: 'Directory sync',
    description: 'Copies the users of the directory every night',
    ownerId: admin.userId,
  })
  const apiKey = await made(`/service-accounts/${serviceAccount}/keys`, { name: 'nightly', scopes: ['scim'] })
  const webhook = await made('/webhooks', { url: 'https://hooks.example.com/identity', events: ['*'] })
  const first = async (path: string): Promise<string> => String((await send('GET', `${path}&limit=1`))[0].id)
  return {
    user: person.userId,
    group: staff,
    application: applicationId,
    applicationProvisioning: applicationId,
    apiResource,
    serviceAccount,
    apiKey,
    webhook,
    signIn: await first(`/sign-ins?userId=${person.userId}`),
    session: await first(`/sessions?userId=${person.userId}`),
    device: await first(`/devices?userId=${person.userId}`),
  }
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
  let ids: Readonly<Partial<Record<ConsolePageName, string>>>
  before(async () => {
    service = await testService()
    ids = await furnish(service)
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
