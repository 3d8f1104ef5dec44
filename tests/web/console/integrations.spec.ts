/** What programs need, in the administration console: service accounts and their keys, and the APIs of applications. */
import { expect } from 'chai'
import { consoleScenarios, type ConsoleBrowser } from '../../support/browser/console-browser.ts'
import { recordScreens } from '../../support/browser/screens.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'
import { pick } from '../../support/browser/pick.ts'

describe('integrations in the console', function () {
  this.timeout(120_000)
  let service: TestService
  let admin: TestPerson

  before(async () => {
    service = await testService()
    admin = await service.person({ name: 'Hedy Lamarr' }, ['global_admin'])
  })
  after(() => service.stop())

  const withConsole = consoleScenarios(() => service, ['global_admin'])

  // oxlint-disable-next-line typescript/no-explicit-any -- tests check what they expect
  const send = async (method: string, path: string, body?: unknown): Promise<any> => {
    const { status, body: answer } = await service.api(method, path, {
      as: admin,
      ...(body === undefined ? {} : { body }),
    })
    expect(status, `${method} ${path} ${JSON.stringify(answer)}`).to.be.lessThan(300)
    return answer
  }
  const made = async (path: string, body: unknown): Promise<string> =>
    String((await send('POST', path, body)).id)

  const application = (name: string): Promise<string> =>
    made('/applications', {
      name,
      protocol: 'oidc',
      type: 'web',
      redirectUris: ['https://till.example.com/callback'],
    })

  /** Whether the API accepts a key. */
  const works = async (key: string): Promise<boolean> => {
    const { status } = await fetch(`${service.publicUrl}/api/v1/users`, {
      headers: { authorization: `Bearer ${key}` },
    })
    return status === 200
  }

  for (const [screen, options] of Object.entries(recordScreens)) {
    it(`has accessible pages about service accounts and keys that fit and violate no policy ${screen}`, () =>
      withConsole(
        async ({ go, sound }) => {
          const id = await made('/service-accounts', {
            name: `Directory ${screen}`,
            description: 'Copies the users of the directory every night',
            ownerId: admin.userId,
          })
          await send('PUT', `/service-accounts/${id}/roles`, { roles: ['user_admin', 'auditor'] })
          const key = await made(`/service-accounts/${id}/keys`, {
            name: 'nightly-sync',
            scopes: ['api', 'scim'],
            allowedCidrs: ['203.0.113.0/24', '2001:db8::/32'],
          })
          await send('POST', `/service-accounts/${id}/disable`)
          for (const path of [
            'service-accounts',
            `service-accounts/${id}`,
            `service-accounts/${id}?tab=details`,
            `service-accounts/${id}?tab=history`,
            'api-keys',
            `api-keys/${key}`,
            `api-keys/${key}?tab=history`,
          ]) {
            await go(`/console/${path}`)
            await sound()
          }
        },
        ['global_admin'],
        options,
      ))

    it(`has accessible pages about API resources that fit and violate no policy ${screen}`, () =>
      withConsole(
        async ({ go, sound }) => {
          const applicationId = await application(`Till ${screen}`)
          const ofScreen = screen.toLowerCase().replaceAll(/\W+/g, '-')
          const id = await made('/api-resources', {
            identifier: `https://api.example.com/${ofScreen}`,
            name: `Billing ${screen}`,
            description: 'Invoices and payments',
            ownerApplicationIds: [applicationId],
            scopes: [
              { name: `read:${ofScreen}`, description: 'Read invoices' },
              { name: `write:${ofScreen}` },
            ],
          })
          await send('PUT', `/api-resources/${id}/grants/${applicationId}`, {
            scopes: [`read:${ofScreen}`],
          })
          for (const path of ['', '?tab=applications', '?tab=settings', '?tab=history']) {
            await go(`/console/api-resources/${id}${path}`)
            await sound()
          }
          await go('/console/api-resources')
          await sound()
        },
        ['global_admin'],
        options,
      ))
  }

  it('API-01 creates a service account with a contact person, changes, disables, enables and deletes it', () =>
    withConsole(async ({ page, go, sound }) => {
      const dialog = page.getByRole('dialog')
      await go('/console/service-accounts')
      await page.getByRole('button', { name: 'Create service account' }).click()
      await dialog.getByRole('button', { name: 'Create service account' }).click()
      await page.locator('[aria-invalid="true"][name="name"]').waitFor()
      await dialog.getByLabel('Name').fill('Payroll export')
      await pick(dialog.getByRole('combobox', { name: 'Contact person' }), 'Hedy Lamarr')
      await sound()
      await dialog.getByRole('button', { name: 'Create service account' }).click()
      await page.getByRole('heading', { name: 'Payroll export Active' }).waitFor()
      await page.getByRole('link', { name: 'Details' }).click()
      await page.getByRole('link', { name: 'Hedy Lamarr' }).waitFor()
      await page.getByRole('button', { name: 'Edit' }).click()
      await dialog.getByLabel('Description').fill('Reads the users on the first of each month')
      const contact = dialog.getByRole('combobox', { name: 'Contact person' })
      await contact.fill('')
      await page.getByRole('listbox').waitFor()
      // Closes the list, not the dialog.
      await contact.press('Escape')
      await page.getByRole('listbox').waitFor({ state: 'detached' })
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('Reads the users on the first').waitFor()
      await page.getByRole('link', { name: 'Hedy Lamarr' }).waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'API keys' }).last().click()
      for (const [verb, status] of [
        ['Disable', 'Disabled'],
        ['Enable', 'Active'],
      ] as const) {
        await page.getByRole('button', { name: verb, exact: true }).click()
        await dialog.getByRole('button', { name: verb, exact: true }).click()
        await page.getByRole('heading', { name: `Payroll export ${status}` }).waitFor()
        expect(await page.getByText('None of its keys work.').count()).to.equal(verb === 'Disable' ? 1 : 0)
      }
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await dialog.getByText('This cannot be undone.').waitFor()
      await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('heading', { name: 'Service accounts' }).waitFor()
      await page.getByLabel('Status').selectOption('deleted')
      await page.getByRole('link', { name: 'Payroll export' }).click()
      await page.getByRole('heading', { name: 'Payroll export Deleted' }).waitFor()
      expect(await page.getByRole('button', { name: /Edit|Enable|Create|roles/ }).count()).to.equal(0)
    }))

  it('AUT-02 a key is shown once, has the roles of its account, and ends when a role is added or it is revoked', () =>
    withConsole(async ({ page, go, sound }) => {
      const dialog = page.getByRole('dialog')
      const id = await made('/service-accounts', { name: 'Report' })
      const setRole = async (role: string): Promise<void> => {
        await page.getByRole('button', { name: 'Change roles' }).click()
        await dialog.getByLabel(role).check()
        await dialog.getByText('revokes all keys').waitFor()
        await dialog.getByRole('button', { name: 'Save' }).click()
        await dialog.waitFor({ state: 'detached' })
      }
      const shownKey = async (): Promise<string> => {
        await dialog.getByText('This is shown only once.').waitFor()
        const key = await dialog.locator('code').innerText()
        await dialog.getByRole('button', { name: 'Close' }).click()
        return key
      }
      await go(`/console/service-accounts/${id}`)
      await setRole('Auditor')
      await page.getByRole('button', { name: 'Create API key' }).click()
      await dialog.getByLabel('Name').fill('monthly')
      await dialog.getByLabel('Allowed addresses').fill('everywhere')
      await sound()
      await dialog.getByRole('button', { name: 'Create API key' }).click()
      await page.locator('[aria-invalid="true"][name="allowedCidrs"]').waitFor()
      await dialog.getByLabel('Allowed addresses').fill('127.0.0.1\n::1')
      await dialog.getByLabel('Expires').fill('2020-01-01')
      await dialog.getByRole('button', { name: 'Create API key' }).click()
      await page.locator('[aria-invalid="true"][name="expiresAt"]').waitFor()
      await dialog.getByLabel('Expires').fill('')
      await dialog.getByRole('button', { name: 'Create API key' }).click()
      const first = await shownKey()
      expect(first).to.match(/^svk_/)
      expect(await works(first)).to.equal(true)
      await setRole('User administrator')
      await page.getByRole('row', { name: /monthly svk_\S+ Revoked/ }).waitFor()
      expect(await works(first)).to.equal(false)

      await go('/console/api-keys')
      await page.getByRole('button', { name: 'Create API key' }).click()
      await dialog.getByLabel('Name').fill('weekly')
      await dialog.getByRole('button', { name: 'Create API key' }).click()
      await page.locator('[aria-invalid="true"][name="serviceAccountId"]').waitFor()
      await pick(dialog.getByRole('combobox', { name: 'Service account' }), 'Report')
      await dialog.getByRole('button', { name: 'Create API key' }).click()
      const second = await shownKey()
      expect(await works(second)).to.equal(true)
      await page.getByRole('row', { name: /weekly svk_\S+ Report Active/ }).waitFor()
      await page.getByRole('link', { name: 'weekly' }).click()
      await page.getByRole('button', { name: 'Revoke weekly' }).click()
      await dialog.getByRole('button', { name: 'Revoke', exact: true }).click()
      await page.getByRole('heading', { name: 'weekly Revoked' }).waitFor()
      expect(await works(second)).to.equal(false)
      expect(await page.getByRole('button', { name: 'Revoke weekly' }).count()).to.equal(0)
    }))

  it('AUT-05 offers only what the roles allow on service accounts and keys', async () => {
    const strong = await made('/service-accounts', { name: 'Stronger than most' })
    await send('PUT', `/service-accounts/${strong}/roles`, { roles: ['security_admin'] })
    await made(`/service-accounts/${strong}/keys`, { name: 'strong-key', scopes: ['api'] })
    const offered = async ({ page, go }: ConsoleBrowser, path: string): Promise<readonly string[]> => {
      await go(path)
      await page.getByText('strong-key').waitFor()
      return page.locator('main').getByRole('button').allInnerTexts()
    }
    for (const role of ['auditor', 'user_admin'] as const)
      await withConsole(
        async (browser) => {
          const { page, go } = browser
          const list = await offered(browser, `/console/service-accounts/${strong}`)
          expect(list.filter((name) => !/^(?:Name|Created|Export|Columns)/.test(name))).to.deep.equal([])
          await go('/console/service-accounts')
          const create = await page.getByRole('button', { name: 'Create service account' }).count()
          expect(create, role).to.equal(role === 'user_admin' ? 1 : 0)
        },
        [role],
      )
  })

  it('AUT-05 revokes several keys, and leaves out those of accounts with further roles', async () => {
    const weak = await made('/service-accounts', { name: 'Nightly jobs' })
    const strong = await made('/service-accounts', { name: 'Nightly audit' })
    await send('PUT', `/service-accounts/${strong}/roles`, { roles: ['security_admin'] })
    for (const [account, name] of [
      [weak, 'batch copy'],
      [weak, 'batch mail'],
      [strong, 'batch proof'],
    ] as const)
      await made(`/service-accounts/${account}/keys`, { name, scopes: ['api'] })
    const left = async () =>
      ((await send('GET', '/api-keys?q=batch&status=active')) as readonly { name: string }[]).map(
        ({ name }) => name,
      )
    await withConsole(
      async ({ page, go }) => {
        await go('/console/api-keys?q=batch')
        await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
        await page.getByRole('button', { name: 'Revoke (2)' }).click()
        const dialog = page.getByRole('dialog', { name: 'Revoke: 2 API keys' })
        await dialog.getByRole('button', { name: 'Revoke', exact: true }).click()
        await dialog.waitFor({ state: 'detached' })
        expect(await left()).to.deep.equal(['batch proof'])
      },
      ['user_admin'],
    )
  })

  it('APR-01 registers an API with scopes, grants them to an application, revokes them, and deletes the API', () =>
    withConsole(async ({ page, go, sound }) => {
      const dialog = page.getByRole('dialog')
      const tillId = await application('Till')
      const grants = async () =>
        (
          (await send('GET', `/applications/${tillId}`)) as { apiGrants: { scopes: string[] }[] }
        ).apiGrants.map(({ scopes }) => scopes)
      await go('/console/api-resources')
      await page.getByRole('button', { name: 'Register API' }).click()
      await dialog.getByLabel('Name').fill('Invoices')
      await dialog.getByLabel('Identifier').fill('not an address')
      await dialog.getByLabel('Scopes').fill('invoices:read Read invoices\ninvoices:write')
      await sound()
      await dialog.getByRole('button', { name: 'Register API' }).click()
      await page.locator('[aria-invalid="true"][name="identifier"]').waitFor()
      await dialog.getByLabel('Identifier').fill('https://invoices.example.com')
      await dialog.getByRole('button', { name: 'Register API' }).click()
      await page.getByRole('heading', { name: 'Invoices' }).waitFor()
      await page.getByRole('listitem').filter({ hasText: 'invoices:read Read invoices' }).waitFor()
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''

      await page.getByRole('link', { name: 'Applications' }).last().click()
      await page.getByRole('button', { name: 'Grant scopes' }).click()
      await pick(dialog.getByRole('combobox', { name: 'Application' }), 'Till')
      await sound()
      await dialog.getByRole('button', { name: 'Next' }).click()
      await dialog.getByLabel('invoices:read').check()
      await sound()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('row', { name: /Till invoices:read/ }).waitFor()
      expect(await grants()).to.deep.equal([['invoices:read']])
      // Granting to the same application again starts from what it has.
      await page.getByRole('button', { name: 'Grant scopes' }).click()
      await pick(dialog.getByRole('combobox', { name: 'Application' }), 'Till')
      await dialog.getByRole('button', { name: 'Next' }).click()
      expect(await dialog.getByLabel('invoices:read').isChecked()).to.equal(true)
      await dialog.getByLabel('invoices:write').check()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('row', { name: /Till invoices:read, invoices:write/ }).waitFor()

      await page.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByText('it cannot be deleted').waitFor()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByText('This API resource is still granted to Till.').waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Revoke Till' }).click()
      await dialog.getByRole('button', { name: 'Revoke' }).click()
      await page.getByText('No application has scopes of this API.').waitFor()
      expect(await grants()).to.deep.equal([])

      await page.getByRole('link', { name: 'Settings' }).last().click()
      await page.getByRole('button', { name: 'Add application' }).click()
      await dialog.getByLabel('Search').fill('Till')
      await dialog.getByRole('button', { name: 'Add Till', exact: true }).click()
      await dialog.getByText('Till was added').waitFor()
      await dialog.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: 'Edit' }).click()
      await dialog.getByLabel('Lifetime').fill('120')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('120', { exact: true }).waitFor()
      expect(await send('GET', `/api-resources/${id}`)).to.deep.include({
        ownerApplicationIds: [tillId],
        accessTokenLifetimeSeconds: 120,
      })
      await page.getByRole('button', { name: 'Remove Till' }).click()
      await dialog.getByRole('button', { name: 'Remove' }).click()
      await page.getByText('No application is named.').waitFor()
      await page.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('heading', { name: 'API resources' }).waitFor()
    }))

  it('adds, describes and removes a scope, and keeps a scope that was added meanwhile', () =>
    withConsole(async ({ page, go }) => {
      const dialog = page.getByRole('dialog')
      const id = await made('/api-resources', {
        identifier: 'https://orders.example.com',
        name: 'Orders',
        scopes: [{ name: 'orders:read' }],
      })
      const scopes = async () => ((await send('GET', `/api-resources/${id}`)) as { scopes: unknown }).scopes
      await go(`/console/api-resources/${id}`)
      await page.getByRole('button', { name: 'Add scope' }).click()
      await dialog.getByLabel('Scope').fill('Not A Scope')
      await dialog.getByRole('button', { name: 'Add scope' }).click()
      await page.locator('[aria-invalid="true"][name="name"]').waitFor()
      await send('PATCH', `/api-resources/${id}`, {
        scopes: [{ name: 'orders:read' }, { name: 'orders:list' }],
      })
      await dialog.getByLabel('Scope').fill('orders:write')
      await dialog.getByRole('button', { name: 'Add scope' }).click()
      await dialog.getByText('The record has changed since it was read.').waitFor()
      await page.locator('main li', { hasText: 'orders:list' }).waitFor()
      await dialog.getByRole('button', { name: 'Add scope' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Describe orders:write' }).click()
      await dialog.getByLabel('Description').fill('Place orders')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Remove orders:read' }).click()
      await dialog.getByRole('button', { name: 'Remove' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await scopes()).to.deep.equal([
        { name: 'orders:list', description: null },
        { name: 'orders:write', description: 'Place orders' },
      ])
    }))

  it('AUT-05 offers auditors nothing to change in API resources', () =>
    withConsole(
      async ({ page, go }) => {
        const id = await made('/api-resources', {
          identifier: 'https://seen.example.com',
          name: 'Seen',
          scopes: [{ name: 'seen:read' }],
        })
        for (const tab of ['scopes', 'applications', 'settings']) {
          await go(`/console/api-resources/${id}?tab=${tab}`)
          const offered = await page.locator('main').getByRole('button').allInnerTexts()
          expect(offered.filter((name) => !/^(?:Export|Columns|Copy)/.test(name))).to.deep.equal([])
        }
        await go('/console/api-resources')
        expect(await page.getByRole('button', { name: 'Register API' }).count()).to.equal(0)
      },
      ['auditor'],
    ))
})
