/** Sessions and devices in the administration console: what a security team does during an attack. */
import { expect } from 'chai'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { newJar, passkeyWorld } from '../../support/sign-in/passkey-world.ts'
import { until } from '../../support/until.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('sessions and devices in the console', function () {
  this.timeout(120_000)
  let service: TestService

  before(async () => {
    service = await testService()
  })
  after(() => service.stop())

  const withConsole = consoleScenarios(() => service)

  it('ends a session, blocks a device, and lists both', () =>
    withConsole(
      async ({ page, go, sound }) => {
        const passkeys = passkeyWorld(service)
        const jar = newJar()
        const ada = await passkeys.enrolled(jar)
        const session = await passkeys.signIn(ada, jar)
        const dialog = page.getByRole('dialog')
        const rows = page.locator('tbody')
        await go(`/console/users/${ada.userId}?tab=security`)
        await sound()
        await rows.getByRole('button', { name: /^End/ }).first().click()
        await dialog.getByText('stop working immediately').waitFor()
        await dialog.getByRole('button', { name: 'End' }).click()
        await dialog.waitFor({ state: 'detached' })
        await until(
          async () => (await service.api('GET', '/me', { as: session })).status === 401,
          10_000,
          'signed out',
        )
        await rows.getByRole('button', { name: 'Block Firefox on Linux' }).click()
        await dialog.getByText('nobody can sign in on it').waitFor()
        await dialog.getByRole('button', { name: 'Block' }).click()
        await rows.getByText('Blocked', { exact: true }).waitFor()
        expect((await passkeys.tryIn(ada, jar)).status, 'on the blocked device').to.be.greaterThan(399)
        await go('/console/sessions?status=revoked')
        await rows.getByRole('link', { name: ada.userId }).waitFor()
        await sound()
        await go('/console/devices?status=blocked')
        await rows.getByRole('cell', { name: 'Firefox on Linux', exact: true }).waitFor()
        await sound()
      },
      ['security_admin'],
    ))

  it('AUT-05 offers auditors nothing to change', () =>
    withConsole(
      async ({ page, go }) => {
        await passkeyWorld(service).enrolled(newJar())
        for (const path of ['/console/sessions', '/console/devices']) {
          await go(path)
          await page.locator('tbody tr').first().waitFor()
          expect(await page.locator('main').getByRole('button').allInnerTexts(), path).to.deep.equal([
            'Export as CSV',
          ])
        }
      },
      ['auditor'],
    ))
})
