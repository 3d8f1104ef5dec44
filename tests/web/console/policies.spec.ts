/** Access policies and network zones in the administration console. */
import { expect } from 'chai'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { consoleScreens } from '../../support/browser/screens.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { newJar, passkeyWorld } from '../../support/sign-in/passkey-world.ts'
import { policyWorld } from '../../support/sign-in/policies.ts'
import { until } from '../../support/until.ts'
import { pick } from '../../support/browser/pick.ts'

describe('policies in the console', function () {
  this.timeout(120_000)
  let service: TestService

  before(async () => {
    service = await testService()
    // Policies must leave a global administrator a way in.
    await service.person({ name: 'Hedy Lamarr' }, ['global_admin'])
    await service.person({ name: 'Grace Hopper' })
  })
  after(() => service.stop())

  const withConsole = consoleScenarios(() => service, ['security_admin'])

  for (const [screen, options] of Object.entries(consoleScreens))
    it(`SGN-06 shows with a sign-in what policies decided about it, ${screen}`, () =>
      withConsole(
        async ({ page, go, sound, person }) => {
          const passkeys = passkeyWorld(service)
          const policies = policyWorld(service)
          const jar = newJar()
          const ada = await passkeys.enrolled(jar)
          const name = `No unknown computers ${screen}`
          const shadow = await policies.create({
            ...{ name, action: 'block', status: 'report_only' },
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
          await page.getByRole('link', { name: 'Simulate this sign-in again' }).click()
          await page.locator('[name="ip"]').waitFor()
          expect(await page.locator('[name="user"]').inputValue()).to.equal(ada.email)
          expect(await page.locator('[name="ip"]').inputValue()).to.equal('127.0.0.1')
          await page.getByText('Firefox on Linux', { exact: true }).waitFor({ state: 'attached' })
          await page.getByRole('button', { name: 'Show', exact: true }).click()
          const shown = page.getByRole('row').filter({ hasText: name })
          await shown.getByText('Report only').waitFor()
          await page.locator('dd').getByText('Blocked', { exact: true }).waitFor()
          await sound()
          await page.goBack()
          await decision.getByRole('link', { name }).click()
          await page.getByRole('heading', { name: `${name} Report only` }).waitFor()
          expect(page.url()).to.contain(shadow)
        },
        ['security_admin'],
        options,
      ))

  it('SGN-06 starts from a preset, is edited, simulated and enabled, and has a history', () =>
    withConsole(async ({ page, go, sound, person }) => {
      const dialog = page.getByRole('dialog')
      const closed = () => dialog.waitFor({ state: 'detached' })
      const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
      const zone = { name: 'Far away', type: 'geo', countries: ['AQ'] }
      expect((await service.api('POST', '/network-zones', { as: person, body: zone })).status).to.equal(201)
      await go('/console/policies')
      await page.getByRole('button', { name: 'Create policy' }).click()
      await dialog.locator('[name="preset"]').selectOption('block_countries')
      await press('Create policy')
      await dialog.getByText('This policy needs a network zone').waitFor()
      await page.locator('[name="zone"]:focus').waitFor()
      await sound()
      await pick(dialog.locator('[name="zone"]'), 'Far away')
      await dialog.getByText('This policy needs a network zone').waitFor({ state: 'detached' })
      await dialog.getByText('Block sign-ins of everyone to everything from Far away.').waitFor()
      await press('Create policy')
      await page.getByRole('heading', { name: 'Block these countries Disabled' }).waitFor()

      await go('/console/policies')
      await page.getByRole('button', { name: 'Create policy' }).click()
      await dialog.locator('[name="preset"]').selectOption('administrators_need_a_passkey')
      expect(await dialog.locator('[name="name"]').inputValue()).to.equal('Administrators need a passkey')
      await press('Create policy')
      await page.getByRole('heading', { name: 'Administrators need a passkey Disabled' }).waitFor()
      const policyId = new URL(page.url()).pathname.split('/').at(-1) ?? ''

      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await dialog.locator('[name="name"]').fill('No administrators here')
      await dialog.locator('[name="action"]').selectOption('block')
      await dialog.getByLabel('The account pages, the console and the API', { exact: true }).check()
      for (const role of ['Security', 'User', 'Helpdesk', 'Application'])
        await dialog.getByLabel(`${role} administrator`, { exact: true }).uncheck()
      await dialog.getByLabel('Auditor', { exact: true }).uncheck()
      const sentence =
        'Block sign-ins of everyone with the role global administrator to the account pages and the console.'
      await dialog.getByText(sentence).waitFor()
      await sound()
      await press('Save')
      await closed()
      await page.getByText(sentence).waitFor()
      await page.locator('dd').getByText('Account pages and console').waitFor()
      await sound()

      await go(`/console/policies/${policyId}?tab=history`)
      const differences = page.getByRole('table', { name: 'Differences' })
      const difference = (field: string) =>
        differences
          .getByRole('row')
          .filter({ has: page.getByRole('rowheader', { name: field, exact: true }) })
      await difference('What it does').getByText(sentence).waitFor()
      await difference('What it does').getByText('Require a passkey or security key for').waitFor()
      await difference('Name').getByText('No administrators here').waitFor()
      await difference('Applications').getByText('Account pages and console').waitFor()
      expect(await difference('Devices').count(), 'the same in both').to.equal(0)
      await sound()

      await page.getByRole('button', { name: 'Change status' }).click()
      await dialog.locator('[name="status"]').selectOption('enabled')
      await dialog.getByText('It decides every following request').waitFor()
      expect(await dialog.getByRole('button', { name: 'Save anyway' }).count(), 'offered first').to.equal(0)
      await press('Save')
      await dialog.getByText('keep every global administrator out of the console').waitFor()
      expect(await dialog.locator('[name="status"]').inputValue(), 'still chosen').to.equal('enabled')
      const read = async () => (await service.api('GET', `/policies/${policyId}`, { as: person })).body
      expect((await read()).status).to.equal('disabled')
      await dialog.locator('[name="status"]').selectOption('report_only')
      expect(
        await dialog.getByRole('button', { name: 'Save anyway' }).count(),
        'not what was refused',
      ).to.equal(0)
      await dialog.locator('[name="status"]').selectOption('enabled')
      await press('Save anyway')
      await closed()
      await page.getByRole('heading', { name: 'No administrators here Enabled' }).waitFor()
      expect((await read()).status).to.equal('enabled')

      await difference('Status').getByText('Enabled').waitFor()
      expect(await difference('Name').count(), 'the newest two').to.equal(0)
      await page.getByLabel('From', { exact: true }).selectOption('1')
      await difference('Name').getByText('Administrators need a passkey').waitFor()
      await difference('Status').getByText('Enabled').waitFor()
      await page.getByLabel('To', { exact: true }).selectOption('1')
      await page.getByText('These versions have the same content.').waitFor()

      const row = page.getByRole('row').filter({ hasText: 'No administrators here' })
      const cell = (label: string) => row.locator(`td[data-label="${label}"]`)
      const simulate = async (name: string, matches: string): Promise<void> => {
        await go('/console/policies?tab=simulate')
        await page.getByRole('button', { name: 'Show', exact: true }).click()
        await page.getByText('Choose a user.').waitFor()
        await pick(page.locator('[name="user"]'), name)
        await page.getByRole('button', { name: 'Show', exact: true }).click()
        await cell('Matches').getByText(matches, { exact: true }).waitFor()
        await sound()
      }
      await simulate('Hedy Lamarr', 'Yes')
      await cell('Conditions that do not hold').getByText('None').waitFor()
      await page.locator('dd').getByText('Blocked', { exact: true }).waitFor()
      await simulate('Grace Hopper', 'No')
      await cell('Conditions that do not hold').getByText('Roles', { exact: true }).waitFor()
      await page.locator('dd').getByText('Allowed', { exact: true }).waitFor()
      expect((await service.api('DELETE', `/policies/${policyId}`, { as: person })).status).to.equal(204)
    }))

  it('SGN-06 a dry run shows what a policy would have done, and a bar of its chart the examples of that day', () =>
    withConsole(async ({ page, go, sound, person }) => {
      const passkeys = passkeyWorld(service)
      const jar = newJar()
      const ada = await passkeys.enrolled(jar)
      await passkeys.signIn(ada, jar)
      const recorded = `/sign-ins?userId=${ada.userId}&method=passkey`
      await until(
        async () => (await service.api('GET', recorded, { as: person })).body.length > 0,
        10_000,
        'the sign-in is listed',
      )
      const policyId = await policyWorld(service).create({
        name: 'Nobody',
        action: 'block',
        status: 'disabled',
      })
      await go(`/console/policies/${policyId}?tab=dry-run`)
      await page.getByLabel('Period').selectOption({ label: 'Last 7 days' })
      await page.getByRole('button', { name: 'Start' }).click()
      await page.getByText('Done', { exact: true }).waitFor()
      await page.getByRole('heading', { name: 'Examples', exact: true }).waitFor()
      await sound()

      const bars = page.getByRole('group', { name: 'By day' }).getByRole('button')
      expect(await bars.count(), 'only days with changes').to.be.within(1, 2)
      expect(await bars.last().getAttribute('aria-label')).to.match(/Newly blocked: [1-9]/)
      await bars.first().focus()
      await page.keyboard.press('End')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: /^Examples of / }).waitFor()
      expect(await bars.last().getAttribute('aria-pressed')).to.equal('true')
      await page
        .getByRole('row')
        .filter({ hasText: 'Allowed' })
        .filter({ hasText: 'Blocked' })
        .first()
        .waitFor()
      await sound()
      await page.getByRole('button', { name: 'Show all days' }).click()
      await page.getByRole('heading', { name: 'Examples', exact: true }).waitFor()

      await page.getByText('Show as table').click()
      const days = page.getByRole('table', { name: 'By day' }).getByRole('button')
      expect(await days.count(), 'every day of the period').to.equal(8)
      await days.first().click()
      await page.getByText('None of the first 100 changed sign-ins was on this day.').waitFor()
      await sound()
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
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('heading', { level: 1, name: 'Berlin office' }).waitFor()
      await page.getByText('2001:db8::/32').waitFor()
      await sound()
      await go('/console/network-zones')
      await page.getByLabel('Address', { exact: true }).fill('192.0.2.77')
      await page.getByRole('button', { name: 'Look up' }).click()
      await page.getByRole('definition').filter({ hasText: 'Berlin office' }).waitFor()
      await sound()
      await page.getByRole('cell', { name: 'Berlin office' }).getByRole('link').click()
      await page.getByRole('button', { name: 'Edit' }).click()
      await dialog.getByLabel('Addresses and ranges').fill('127.0.0.0/8\n::1')
      await dialog.getByLabel('Blocked').check()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('would block the address that this request comes from').waitFor()
      await dialog.getByRole('button', { name: 'Save anyway' }).waitFor()
      await sound()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
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
          const policyId = await create('/policies', { name: `Office ${screen}`, action: 'require_reauth' })
          const zoneId = await create('/network-zones', {
            ...{ name: `Abroad ${screen}`, type: 'geo' },
            countries: ['AQ', 'BV'],
            anonymizers: true,
          })
          const record = `/console/policies/${policyId}`
          for (const path of [
            '/console/policies',
            '/console/policies?tab=simulate',
            record,
            ...['simulate', 'dry-run', 'history'].map((tab) => `${record}?tab=${tab}`),
            '/console/network-zones',
            `/console/network-zones/${zoneId}`,
          ]) {
            await go(path)
            await sound()
          }
          await go(record)
          await page.getByRole('button', { name: 'Edit' }).click()
          await sound()
        },
        ['security_admin'],
        options,
      ))
})
