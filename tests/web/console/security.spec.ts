/** Sessions and devices in the administration console: what a security team does during an attack. */
import { expect } from 'chai'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { consoleScreens } from '../../support/browser/screens.ts'
import { oidcWorld } from '../../support/oidc/oidc.ts'
import { RISC, ssfReceiver } from '../../support/ssf/receiver.ts'
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
        await rows.getByRole('link', { name: 'Ada', exact: true }).first().waitFor()
        await sound()
        await go('/console/devices?status=blocked')
        await rows.getByRole('cell', { name: 'Firefox on Linux', exact: true }).waitFor()
        await sound()
      },
      ['security_admin'],
    ))

  for (const [screen, options] of Object.entries(consoleScreens))
    it(`SGN-07 shows a risk event with its facts, and locks a compromised account, ${screen}`, () =>
      withConsole(
        async ({ page, go, sound }) => {
          const passkeys = passkeyWorld(service)
          const jar = newJar()
          const ada = await passkeys.enrolled(jar)
          const auditor = await service.person({}, ['auditor'])
          const read = async (path: string) => (await service.api('GET', path, { as: auditor })).body
          await until(async () => (await read(`/sign-ins?userId=${ada.userId}`)).length === 1)
          const session = await passkeys.signIn(ada, newJar('Mozilla/5.0 (Windows NT 10.0) Chrome/140.0.0.0'))
          const dialog = page.getByRole('dialog')
          const button = (name: string) => page.getByRole('button', { name, exact: true })
          const risks = () => read(`/risk-events?userId=${ada.userId}`)
          await until(async () => (await risks())[0]?.state === 'remediated', 10_000, 'the risk event')
          await go('/console/risk-events?type=new_device')
          await page.locator('tbody').getByRole('link', { name: 'New device' }).first().waitFor()
          await sound()
          await go(`/console/users/${ada.userId}?tab=security`)
          await page.getByRole('link', { name: 'New device' }).click()
          await page.getByText('The user had never signed in with this browser before.').waitFor()
          await page.getByText(/^Ended a risk for Ada/).waitFor()
          await sound()
          await button('It was an attacker').click()
          await dialog.getByText('All sessions and tokens of the user end immediately.').waitFor()
          await sound()
          await dialog.getByLabel('Note').fill('She called')
          await dialog.getByRole('button', { name: 'It was an attacker' }).click()
          await dialog.waitFor({ state: 'detached' })
          await page.getByText('Compromised', { exact: true }).first().waitFor()
          expect((await service.api('GET', '/me', { as: session })).status, 'the session').to.equal(401)
          expect((await passkeys.tryIn(ada, jar)).code).to.equal('ERR_BLOCKED_BY_POLICY')
          await go(`/console/users/${ada.userId}`)
          await page.getByText('Risk: High').waitFor()
          await sound()
          await go(`/console/risk-events/${String((await risks())[0].id)}`)
          await button('It was the user').click()
          await dialog.getByRole('button', { name: 'It was the user' }).click()
          await dialog.waitFor({ state: 'detached' })
          await page.getByText('Safe', { exact: true }).first().waitFor()
          expect((await passkeys.tryIn(ada, jar)).status).to.equal(200)
        },
        ['security_admin'],
        options,
      ))

  for (const [screen, options] of Object.entries(consoleScreens))
    it(`leads from a sign-in to its session, device and user, accessibly, ${screen}`, () =>
      withConsole(
        async ({ page, go, sound }) => {
          const passkeys = passkeyWorld(service)
          const jar = newJar()
          const ada = await passkeys.enrolled(jar)
          await passkeys.signIn(ada, jar)
          const facts = page.locator('dd')
          const dialog = page.getByRole('dialog')
          await go(`/console/users/${ada.userId}?tab=sign-ins`)
          await page
            .locator('tbody tr')
            .filter({ hasText: 'Passkey' })
            .first()
            .getByRole('link')
            .first()
            .click()
          await page.getByRole('heading', { name: 'Sign-in Success' }).waitFor()
          await page.getByText('No entries.').waitFor()
          await sound()
          await facts.getByRole('link', { name: /^ses_/ }).click()
          await page.getByRole('heading', { name: 'Session Active' }).waitFor()
          await facts.getByText('Phishing-resistant').waitFor()
          await sound()
          await facts.getByRole('link', { name: 'Firefox on Linux' }).click()
          await page.getByRole('heading', { name: /^Firefox on Linux/ }).waitFor()
          await sound()
          await page.getByRole('button', { name: 'Rename' }).click()
          await dialog.getByLabel('Name').fill('')
          await dialog.getByRole('button', { name: 'Save' }).click()
          await dialog.locator('[aria-invalid="true"][name="name"]').waitFor()
          await dialog.getByLabel('Name').fill('The lab machine')
          await dialog.getByRole('button', { name: 'Save' }).click()
          await page.getByRole('heading', { name: 'The lab machine Known' }).waitFor()
          await page.getByRole('button', { name: 'Trust' }).click()
          await dialog.getByRole('button', { name: 'Trust' }).click()
          await page.getByRole('heading', { name: 'The lab machine Trusted' }).waitFor()
          await page.getByText('Trusted by').waitFor()
          await page.goBack()
          await page.getByRole('button', { name: 'End' }).click()
          await dialog.getByRole('button', { name: 'End' }).click()
          await page.getByRole('heading', { name: 'Session Revoked' }).waitFor()
          await facts.getByText('An administrator ended it').waitFor()
        },
        ['security_admin'],
        options,
      ))

  it('AUD-02 says in words why a sign-in failed', () =>
    withConsole(
      async ({ page, go }) => {
        const passkeys = passkeyWorld(service)
        const jar = newJar()
        const ada = await passkeys.enrolled(jar)
        const security = await service.person({}, ['user_admin'])
        await service.api('POST', `/users/${ada.userId}/suspend`, { as: security, body: { reason: 'Lost' } })
        await passkeys.tryIn(ada, jar)
        await go(`/console/users/${ada.userId}?tab=sign-ins`)
        await page.getByText('The account is suspended').waitFor()
      },
      ['auditor'],
    ))

  it('AUT-05 offers auditors nothing to change', () =>
    withConsole(
      async ({ page, go }) => {
        await passkeyWorld(service).enrolled(newJar())
        for (const path of ['/console/sessions', '/console/devices']) {
          await go(path)
          await page.locator('tbody tr').first().waitFor()
          const offered = await page.locator('main').getByRole('button').allInnerTexts()
          // Other tests may have left more sessions than one page has.
          expect(offered.filter((name) => name !== 'Next')).to.deep.equal(['Export as CSV', 'Columns'], path)
        }
      },
      ['auditor'],
    ))

  for (const [screen, options] of Object.entries(consoleScreens))
    it(`SGN-07 sets up shared signals, and stops a receiver, ${screen}`, () =>
      withConsole(
        async ({ page, go, sound }) => {
          const dialog = page.getByRole('dialog')
          const button = (name: string) => page.getByRole('button', { name, exact: true })
          await go('/console/shared-signals')
          const create = button('Create the API resource')
          await page
            .getByText('No receiver has created a stream yet.')
            .or(page.locator('tbody a'))
            .first()
            .waitFor()
          if ((await create.count()) > 0) await create.click()
          await page.getByText(`${service.publicUrl}/.well-known/ssf-configuration`).waitFor()
          await sound()

          const oidc = oidcWorld(service)
          const admin = await service.person({}, ['global_admin'])
          const resources = (await service.api('GET', '/api-resources?q=Shared', { as: admin })).body
          const app = await oidc.application('service', { redirectUris: [] }, { groups: 'none' })
          await service.api('PUT', `/api-resources/${String(resources[0].id)}/grants/${app.applicationId}`, {
            as: admin,
            body: { scopes: ['ssf.manage'] },
          })
          const { call, metadata } = await ssfReceiver(service, oidc, app, 'ssf.manage')
          const { status } = await call('POST', metadata.configuration_endpoint, {
            description: 'Security team',
            events_requested: [`${RISC}/account-disabled`],
          })
          expect(status).to.equal(201)
          const person = await service.person()
          await service.api('POST', `/users/${person.userId}/suspend`, { as: admin, body: {} })

          await go('/console/shared-signals')
          await page.getByRole('link', { name: app.name }).click()
          await page.getByText('User suspended or compromised').waitFor()
          await sound()
          await button('Disable').click()
          await dialog.getByText('Waiting events are lost').waitFor()
          await dialog.getByLabel('Reason').fill('Not ours any more')
          await sound()
          await dialog.getByRole('button', { name: 'Disable' }).click()
          await dialog.waitFor({ state: 'detached' })
          await page.getByText('Not ours any more').first().waitFor()
          await page.getByText('An administrator', { exact: true }).waitFor()
          await button('Delete').click()
          await dialog.getByRole('button', { name: 'Delete' }).click()
          await dialog.waitFor({ state: 'detached' })
          await page.getByRole('heading', { name: 'Shared signals', exact: true }).waitFor()
          expect((await call('GET', metadata.configuration_endpoint)).body).to.deep.equal([])
        },
        ['global_admin'],
        options,
      ))
})
