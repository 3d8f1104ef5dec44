/** Access policies and network zones in the administration console. */
import { expect } from 'chai'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { consoleScreens } from '../../support/browser/screens.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { newJar, passkeyWorld } from '../../support/sign-in/passkey-world.ts'
import { policyWorld } from '../../support/sign-in/policies.ts'
import { until } from '../../support/until.ts'

describe('policies in the console', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => {
    service = await testService()
    await service.person({ name: 'Ada Byron' })
  })
  after(() => service.stop())

  const withConsole = consoleScenarios(() => service, ['global_admin'])

  it('SGN-06 a policy is created from a preset, simulated, tried on the past, enabled and compared with before', () =>
    withConsole(async ({ page, go, sound }) => {
      await go('/console/policies')
      await page.getByRole('button', { name: 'Create policy' }).click()
      await page.getByLabel('Start from').selectOption({ label: 'New devices need a strong method' })
      await sound()
      await page.getByRole('dialog').getByRole('button', { name: 'Create policy' }).click()
      await page.getByRole('heading', { level: 1, name: /New devices need a strong method/ }).waitFor()
      const sentence =
        'Require a passkey or security key for sign-ins of everyone to everything on devices that are new to the user.'
      await page.getByText(sentence).waitFor()
      await sound()

      await page.getByRole('link', { name: 'Simulate' }).click()
      await page.getByLabel('User', { exact: true }).selectOption({ label: 'Ada Byron' })
      await page.getByLabel('Sign-in method').selectOption({ label: 'an authenticator code' })
      await page.getByRole('button', { name: 'Show', exact: true }).click()
      await page.getByText('Needs a passkey or security key').waitFor()
      await sound()

      await page.getByRole('link', { name: 'Dry run' }).click()
      await page.getByRole('button', { name: 'Start' }).click()
      await page.getByText('Done').waitFor()
      await sound()

      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Status').selectOption({ label: 'Enabled' })
      await page.getByLabel('Name').fill('New devices')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { level: 1, name: /New devices Enabled/ }).waitFor()
      await page.getByRole('link', { name: 'History' }).click()
      await page.getByRole('cell', { name: 'New devices', exact: true }).waitFor()
      await sound()
    }))

  it('SGN-06 a policy that would lock everyone out is refused, and saved only if the administrator insists', () =>
    withConsole(async ({ page, go }) => {
      await go('/console/policies')
      await page.getByRole('button', { name: 'Create policy' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Nobody')
      await dialog.getByLabel('Status').selectOption({ label: 'Enabled' })
      await dialog.getByRole('button', { name: 'Create policy' }).click()
      await dialog.getByText('would keep every global administrator out').waitFor()
      expect(await dialog.getByLabel('Name').inputValue()).to.equal('Nobody')
    }))

  it('SGN-06 shows with a sign-in what policies decided about it', () =>
    withConsole(async ({ page, go, sound, person }) => {
      const passkeys = passkeyWorld(service)
      const policies = policyWorld(service)
      const jar = newJar()
      const ada = await passkeys.enrolled(jar)
      const shadow = await policies.create({
        ...{ name: 'No unknown computers', action: 'block', status: 'report_only' },
        conditions: { platforms: ['linux'] },
      })
      await passkeys.signIn(ada, jar)
      const path = `/sign-ins?userId=${ada.userId}&method=passkey`
      const recorded = async (): Promise<string | undefined> => {
        const [signIn] = (await service.api('GET', path, { as: person })).body
        return signIn?.id
      }
      await until(async () => (await recorded()) !== undefined, 10_000, 'the sign-in is listed')
      await go(`/console/sign-ins/${String(await recorded())}`)
      const decision = page.locator('section').filter({ hasText: 'What policies decided' })
      await decision.getByText('Allowed', { exact: true }).waitFor()
      await decision.getByText('Blocked', { exact: true }).waitFor()
      await decision.getByText('Less than a minute').waitFor()
      await sound()
      await decision.getByRole('link', { name: 'No unknown computers' }).click()
      await page.getByRole('heading', { name: 'No unknown computers Report only' }).waitFor()
      expect(page.url()).to.contain(shadow)
    }))

  it('SGN-07 a network zone is created, found by an address and deleted', () =>
    withConsole(async ({ page, go, sound }) => {
      await go('/console/network-zones')
      await page.getByRole('button', { name: 'Create network zone' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Berlin office')
      await dialog.getByLabel('Addresses and ranges').fill('192.0.2.0/24\nnonsense')
      await dialog.getByRole('button', { name: 'Create network zone' }).click()
      await dialog.getByText('expected an IPv4 or IPv6 address or range').waitFor()
      await dialog.getByLabel('Addresses and ranges').fill('192.0.2.0/24\n2001:db8::/32')
      await sound()
      await dialog.getByRole('button', { name: 'Create network zone' }).click()
      await page.getByRole('heading', { level: 1, name: 'Berlin office' }).waitFor()
      await page.getByText('192.0.2.0/24, 2001:db8::/32').waitFor()
      await sound()
      await go('/console/network-zones')
      await page.getByLabel('Address', { exact: true }).fill('192.0.2.77')
      await page.getByRole('button', { name: 'Look up' }).click()
      await page.getByRole('definition').filter({ hasText: 'Berlin office' }).waitFor()
      await sound()
      await page.getByRole('link', { name: 'Berlin office' }).click()
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('link', { name: 'Berlin office' }).waitFor({ state: 'detached' })
    }))

  for (const [screen, options] of Object.entries(consoleScreens))
    it(`SGN-06 SGN-07 pages are accessible, fit and violate no policy ${screen}`, () =>
      withConsole(
        async ({ page, go, sound, person }) => {
          const create = async (path: string, body: object): Promise<string> =>
            String((await service.api('POST', path, { as: person, body })).body.id)
          const policy = await create('/policies', { name: `Office ${screen}`, action: 'require_reauth' })
          await create('/network-zones', { name: `Abroad ${screen}`, type: 'geo', countries: ['AQ'] })
          for (const path of [
            '/console/policies',
            `/console/policies/${policy}`,
            `/console/policies/${policy}?tab=simulate`,
            `/console/policies/${policy}?tab=history`,
            '/console/network-zones',
          ]) {
            await go(path)
            await sound()
          }
          await go(`/console/policies/${policy}`)
          await page.getByRole('button', { name: 'Edit' }).click()
          await sound()
        },
        ['global_admin'],
        options,
      ))
})
