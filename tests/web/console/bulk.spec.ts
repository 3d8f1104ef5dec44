/** What is done with several rows of a list at a time, in the administration console. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { sharedDnsServer } from '../../support/dns/dns-server.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'
import { pick } from '../../support/browser/pick.ts'

describe('several rows of a list in the console', function () {
  this.timeout(120_000)
  let service: TestService
  let admin: TestPerson

  before(async () => {
    service = await testService()
    admin = await service.person({ name: 'Hedy Lamarr' }, ['global_admin'])
  })
  after(() => service.stop())

  const withConsole = consoleScenarios(() => service)

  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await service.api(method, path, { as: admin, body })
    expect(answer.status, `${method} ${path}`).to.be.below(300)
    return answer.body
  }
  const named = async (prefix: string, count: number): Promise<readonly TestPerson[]> => {
    const people: TestPerson[] = []
    for (let n = 1; n <= count; n++) people.push(await service.person({ name: `${prefix} ${String(n)}` }))
    return people
  }
  const choose = async (page: Page, action: string | RegExp) => {
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page
      .getByRole('group', { name: 'Actions for the selected rows' })
      .getByRole('button', { name: action })
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await page.waitForSelector('[data-loading]', { state: 'detached' })
    return dialog
  }

  it('users join a group', () =>
    withConsole(
      async ({ page, go, sound }) => {
        await named('Joiner', 3)
        const { id } = await send('POST', '/groups', { name: 'Orchestra' })
        await go('/console/users?q=Joiner')
        const dialog = await choose(page, 'Add to a group')
        await dialog.getByRole('heading', { name: 'Add to a group: 3 users' }).waitFor()
        await sound()
        await dialog.getByRole('button', { name: 'Add to a group' }).click()
        await dialog.getByText('Choose a group.').waitFor()
        await pick(dialog.getByRole('combobox', { name: 'Group' }), 'Orchestra')
        await dialog.getByRole('button', { name: 'Add to a group' }).click()
        await dialog.waitFor({ state: 'detached' })
        const members = await send('GET', `/groups/${String(id)}/members`)
        expect(members.map(({ name }: { name: string }) => name)).to.have.members([
          'Joiner 1',
          'Joiner 2',
          'Joiner 3',
        ])
        expect(await page.getByRole('group', { name: 'Actions for the selected rows' }).count()).to.equal(0)
      },
      ['user_admin'],
    ))

  it('an action leaves out the rows to which it does not apply', () =>
    withConsole(async ({ page, go }) => {
      const [first] = await named('Mixed', 3)
      await send('POST', `/users/${first?.userId ?? ''}/suspend`, {})
      await go('/console/users?q=Mixed')
      const dialog = await choose(page, 'Reactivate (1)')
      await dialog.getByText('This applies to 1 of the 3 selected').waitFor()
      expect(await dialog.getByRole('listitem').allInnerTexts()).to.deep.equal(['Mixed 1'])
      await dialog.getByRole('button', { name: 'Reactivate' }).click()
      await dialog.waitFor({ state: 'detached' })
      const found = await send('GET', '/users?q=Mixed')
      expect(found.map(({ status }: { status: string }) => status)).to.deep.equal([
        'active',
        'active',
        'active',
      ])
    }))

  it('sessions end', () =>
    withConsole(
      async ({ page, go }) => {
        const [person] = await named('Traveller', 1)
        const userId = person?.userId ?? ''
        await service.signIn(userId, 'traveller@example.com')
        await service.signIn(userId, 'traveller@example.com')
        await go(`/console/users/${userId}?tab=security`)
        await page.getByRole('checkbox', { name: 'Select all on this page' }).first().check()
        await page
          .getByRole('group', { name: 'Actions for the selected rows' })
          .getByRole('button', { name: 'End', exact: true })
          .click()
        const dialog = page.getByRole('dialog', { name: 'End: 3 sessions' })
        await dialog.getByRole('button', { name: 'End', exact: true }).click()
        await dialog.waitFor({ state: 'detached' })
        const sessions = await send('GET', `/sessions?userId=${userId}`)
        expect(sessions.every(({ status }: { status: string }) => status !== 'active')).to.equal(true)
      },
      ['helpdesk_admin'],
    ))

  it('access packages are published, archived and deleted', () =>
    withConsole(
      async ({ page, go, sound }) => {
        const { id: groupId } = await send('POST', '/groups', { name: 'Archivists' })
        for (const name of ['Reading room', 'Repository'])
          await send('POST', '/access-packages', {
            name,
            grants: [{ type: 'group', groupId }],
            approval: { required: false, stages: [] },
          })
        const statuses = async () =>
          (await send('GET', '/access-packages')).map(({ status }: { status: string }) => status)
        await go('/console/access-packages')
        for (const [action, after] of [
          ['Publish', ['published', 'published']],
          ['Archive', ['archived', 'archived']],
          ['Delete', []],
        ] as const) {
          const dialog = await choose(page, action)
          await dialog.getByRole('heading', { name: `${action}: 2 access packages` }).waitFor()
          await sound()
          await dialog.getByRole('button', { name: action }).click()
          await dialog.waitFor({ state: 'detached' })
          expect(await statuses()).to.deep.equal(after)
        }
      },
      ['user_admin'],
    ))

  it('identity providers are disabled and enabled', () =>
    withConsole(
      async ({ page, go }) => {
        for (const name of ['Google', 'Partners'])
          await send('POST', '/identity-providers', {
            ...{ type: 'google', name, clientId: `${name}.apps.example`, clientSecret: 'secret' },
          })
        const enabled = async () =>
          (await send('GET', '/identity-providers')).map((one: { enabled: boolean }) => one.enabled)
        await go('/console/identity-providers')
        for (const [action, after] of [
          ['Disable', [false, false]],
          ['Enable', [true, true]],
        ] as const) {
          const dialog = await choose(page, action)
          await dialog.getByRole('heading', { name: `${action}: 2 identity providers` }).waitFor()
          await dialog.getByRole('button', { name: action }).click()
          await dialog.waitFor({ state: 'detached' })
          expect(await enabled()).to.deep.equal(after)
        }
      },
      ['security_admin'],
    ))

  it('API-12 domains are verified, those without their record are named, and all are removed', () =>
    withConsole(
      async ({ page, go, sound }) => {
        const { records } = await sharedDnsServer()
        for (const name of ['many-found.example', 'many-missing.example']) {
          const { recordName, recordValue } = await send('POST', '/domains', { name })
          if (name === 'many-found.example') records.set(recordName, [[recordValue]])
        }
        const statuses = async () =>
          (await send('GET', '/domains?q=many')).map(({ status }: { status: string }) => status)
        await go('/console/domains?q=many')
        const dialog = await choose(page, 'Verify now')
        await dialog.getByRole('heading', { name: 'Verify now: 2 domains' }).waitFor()
        await sound()
        await dialog.getByRole('button', { name: 'Verify now' }).click()
        await dialog.getByText('Done for 1 of 2.').waitFor()
        expect(await dialog.getByRole('listitem').allInnerTexts())
          .to.have.lengthOf(1)
          .and.satisfy(([line]: string[]) => line?.startsWith('many-missing.example'))
        await sound()
        await dialog.getByRole('button', { name: 'Close' }).click()
        await dialog.waitFor({ state: 'detached' })
        expect(await statuses()).to.deep.equal(['verified', 'failed'])
        await (await choose(page, 'Remove')).getByRole('button', { name: 'Remove' }).click()
        await dialog.waitFor({ state: 'detached' })
        expect(await statuses()).to.deep.equal([])
      },
      ['security_admin'],
    ))

  it('APR-01 API resources are deleted, but not while applications have scopes of them', () =>
    withConsole(
      async ({ page, go, sound }) => {
        for (const name of ['Old orders', 'Old prices', 'Old stock'])
          await send('POST', '/api-resources', {
            ...{ name, identifier: `https://${name.replace(' ', '-').toLowerCase()}.example.com` },
            scopes: [{ name: `${name.replace(' ', '_').toLowerCase()}:read` }],
          })
        const { id: applicationId } = await send('POST', '/applications', {
          ...{ name: 'Till', protocol: 'oidc', type: 'web', redirectUris: ['https://till.example.com/'] },
        })
        const [kept] = await send('GET', '/api-resources?q=Old%20stock')
        await send('PUT', `/api-resources/${String(kept.id)}/grants/${applicationId}`, {
          scopes: ['old_stock:read'],
        })
        await go('/console/api-resources?q=Old')
        const dialog = await choose(page, 'Delete (2)')
        await dialog.getByRole('heading', { name: 'Delete: 2 API resources' }).waitFor()
        await sound()
        await dialog.getByRole('button', { name: 'Delete' }).click()
        await dialog.waitFor({ state: 'detached' })
        const left = await send('GET', '/api-resources?q=Old')
        expect(left.map(({ name }: { name: string }) => name)).to.deep.equal(['Old stock'])
      },
      ['app_admin'],
    ))

  it('a row that fails is named, the others are done, and the rest can be tried again', () =>
    withConsole(async ({ page, go, sound }) => {
      const [, stubborn] = await named('Leaver', 3)
      const path = `**/api/v1/users/${stubborn?.userId ?? ''}/suspend`
      await page.route(path, (route) =>
        route.fulfill({
          status: 409,
          json: { error: { code: 'ERR_CONFLICT', message: 'Somebody changed this meanwhile.' } },
        }),
      )
      await go('/console/users?q=Leaver')
      const dialog = await choose(page, 'Suspend')
      await dialog.getByRole('button', { name: 'Suspend' }).click()
      await dialog.getByText('Done for 2 of 3.').waitFor()
      expect(await dialog.getByRole('listitem').allInnerTexts()).to.deep.equal([
        'Leaver 2\nSomebody changed this meanwhile.',
      ])
      await sound()
      await page.unroute(path)
      await dialog.getByRole('button', { name: 'Continue with the rest' }).click()
      await dialog.waitFor({ state: 'detached' })
      const found = await send('GET', '/users?q=Leaver&status=suspended')
      expect(found).to.have.length(3)
    }))

  it('waits when the service asks for it', () =>
    withConsole(async ({ page, go }) => {
      await named('Queuing', 6)
      let refused = 0
      await page.route('**/api/v1/users/*/suspend', (route) =>
        refused++ < 2
          ? route.fulfill({
              status: 429,
              headers: { 'retry-after': '1' },
              json: { error: { code: 'ERR_RATE_LIMITED', message: 'Too many requests.' } },
            })
          : route.continue(),
      )
      await go('/console/users?q=Queuing')
      const dialog = await choose(page, 'Suspend')
      await dialog.getByRole('button', { name: 'Suspend' }).click()
      await dialog.getByText('Continues in 1 second.').waitFor()
      await dialog.waitFor({ state: 'detached' })
      expect(await send('GET', '/users?q=Queuing&status=suspended')).to.have.length(6)
    }))

  it('AUT-05 asks once for a recent sign-in, and changes nothing before', () =>
    withConsole(async ({ page, go, sound }) => {
      for (const n of ['01', '02', '03', '04', '05', '06', '07', '08'])
        await send('POST', '/policies', { name: `Draft ${n}`, action: 'block' })
      let asked = 0
      await page.route('**/api/v1/policies/*', (route) => {
        if (route.request().method() !== 'DELETE') return route.continue()
        asked++
        return route.fulfill({
          status: 401,
          json: { error: { code: 'ERR_REAUTH_REQUIRED', message: 'Sign in again.' } },
        })
      })
      await go('/console/policies?q=Draft')
      const dialog = await choose(page, 'Delete')
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByRole('link', { name: 'Sign in again' }).waitFor()
      await dialog.getByText('Done for 0 of 8.').waitFor()
      expect(await dialog.getByRole('link', { name: 'Sign in again' }).count()).to.equal(1)
      expect(await dialog.getByRole('button', { name: 'Continue with the rest' }).count()).to.equal(0)
      await sound()
      expect(await send('GET', '/policies?q=Draft')).to.have.length(8)
      expect(asked).to.be.within(1, 4)
    }))

  it('all that match are selected beyond the page, and stay so while the page changes', () =>
    withConsole(async ({ page, go }) => {
      for (let n = 1; n <= 60; n++)
        await send('POST', '/groups', { name: `Many ${String(n).padStart(2, '0')}` })
      await go('/console/groups?q=Many')
      await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
      await page.getByRole('button', { name: 'Select all that match' }).click()
      await page.getByText('60 selected').waitFor()
      await page
        .getByRole('group', { name: 'Actions for the selected rows' })
        .getByRole('button', { name: 'Delete' })
        .click()
      const dialog = page.getByRole('dialog', { name: 'Delete: 60 groups' })
      await dialog.getByText('and 50 more').waitFor()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await send('GET', '/groups?q=Many')).to.deep.equal([])
    }))

  it('AUT-05 is offered neither to those who may change nothing nor in the past', () =>
    withConsole(
      async ({ page, go }) => {
        await go('/console/users')
        expect(await page.getByRole('checkbox').count()).to.equal(0)
      },
      ['auditor'],
    ).then(() =>
      withConsole(async ({ page, go }) => {
        await go(`/console/users?at=${encodeURIComponent(new Date().toISOString())}`)
        expect(await page.getByRole('row').count()).to.be.above(1)
        expect(await page.getByRole('checkbox').count()).to.equal(0)
      }),
    ))
})
