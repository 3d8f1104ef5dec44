/** Applications in the administration console: connecting one, who reaches it, its secrets and its end. */
import { expect } from 'chai'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { recordScreens } from '../../support/browser/screens.ts'
import { until } from '../../support/until.ts'
import { pick } from '../../support/browser/pick.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

const redirectUris = ['https://app.example.com/callback']

describe('applications in the console', function () {
  this.timeout(120_000)
  let service: TestService
  let admin: TestPerson
  let ada: TestPerson

  before(async () => {
    service = await testService()
    admin = await service.person({}, ['global_admin'])
    ada = await service.person({ name: 'Ada Lovelace' })
  })
  after(() => service.stop())

  const withConsole = consoleScenarios(() => service)

  const send = async (method: string, path: string, body?: unknown) =>
    (await service.api(method, path, { as: admin, body })).body
  const groupOfAda = async (name: string): Promise<string> => {
    const { id } = await send('POST', '/groups', { name })
    await send('PUT', `/groups/${String(id)}/members/${ada.userId}`, {})
    return String(id)
  }

  /** Registers an API with two scopes, and grants the first to an application if one is given. */
  const grantedApi = async (name: string, applicationId?: string): Promise<void> => {
    const scopes = ['read', 'write'].map((verb) => `${name.toLowerCase().replaceAll(/\W+/g, '-')}:${verb}`)
    const { id } = await send('POST', '/api-resources', {
      identifier: `https://api.example.com/${encodeURIComponent(name)}`,
      name,
      scopes: scopes.map((scope) => ({ name: scope, description: 'Invoices of the own company' })),
    })
    if (applicationId !== undefined)
      await send('PUT', `/api-resources/${String(id)}/grants/${applicationId}`, {
        scopes: scopes.slice(0, 1),
      })
  }

  for (const [screen, options] of Object.entries(recordScreens))
    it(`has accessible pages about applications that fit and violate no policy ${screen}`, () =>
      withConsole(
        async ({ go, sound }) => {
          const web = await send('POST', '/applications', {
            name: `Intranet ${screen}`,
            protocol: 'oidc',
            type: 'web',
            redirectUris,
            groupIds: [await groupOfAda(`Intranet ${screen}`)],
          })
          const wiki = await send('POST', '/applications', {
            name: `Wiki ${screen}`,
            protocol: 'saml',
            saml: {
              entityId: `https://wiki.example.com/${encodeURIComponent(screen)}`,
              acsUrls: ['https://wiki.example.com/acs'],
            },
          })
          await grantedApi(`Billing ${screen}`, String(web.id))
          const tabs = [
            '',
            '?tab=settings',
            '?tab=access',
            '?tab=apis',
            '?tab=secrets',
            '?tab=changes',
            '?tab=history',
          ]
          for (const path of [
            ...tabs.map((tab) => `/${String(web.id)}${tab}`),
            ...['', '?tab=settings'].map((tab) => `/${String(wiki.id)}${tab}`),
            '',
          ]) {
            await go(`/console/applications${path}`)
            await sound()
          }
        },
        ['global_admin'],
        options,
      ))

  it('API-01 connects an application, and shows its secret once and what to paste', () =>
    withConsole(async ({ page, go, sound }) => {
      await go('/console/applications')
      await page.getByRole('button', { name: 'Connect application' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Timesheets')
      await dialog.getByLabel('Redirect URIs, one per line').fill('not an address')
      await sound()
      await dialog.getByRole('button', { name: 'Connect application' }).click()
      await page.locator('[aria-invalid="true"][name="redirectUris"]').waitFor()
      await dialog.getByLabel('Redirect URIs, one per line').fill(redirectUris.join('\n'))
      await groupOfAda('Timekeepers')
      const groups = dialog.getByRole('combobox', { name: 'Search groups' })
      await groups.fill('Timek')
      await groups.press('Enter')
      await pick(groups, 'Timekeepers')
      expect(await dialog.getByLabel('Timekeepers').isChecked()).to.equal(true)
      await sound()
      await dialog.getByRole('button', { name: 'Connect application' }).click()
      await dialog.getByText('This is shown only once.').waitFor()
      const [clientId] = await dialog.locator('code').allInnerTexts()
      await sound()
      await dialog.getByRole('button', { name: 'Show how to connect it' }).click()
      await page.getByRole('heading', { name: 'Timesheets' }).waitFor()
      await page.getByText('.well-known/openid-configuration').first().waitFor()
      expect(await page.locator('pre').innerText()).to.include(`'${clientId ?? ''}'`)
      expect(await page.locator('pre').innerText()).to.include(`redirect_uri: '${redirectUris[0] ?? ''}'`)
      expect(await page.locator('pre').innerText()).to.include(`app.get('/callback'`)
      await page.getByRole('link', { name: 'Access', exact: true }).click()
      await page.getByRole('link', { name: 'Ada Lovelace', exact: true }).waitFor()
    }))

  it('shows programs to paste that no registered address can change', () =>
    withConsole(async ({ page, go }) => {
      for (const type of ['web', 'spa']) {
        const { id } = await send('POST', '/applications', {
          name: `Quotes ${type}`,
          protocol: 'oidc',
          type,
          redirectUris: ["https://app.example.com/'+alert(1)+'"],
        })
        await go(`/console/applications/${String(id)}`)
        expect(await page.locator('pre').innerText()).to.include(
          String.raw`redirect_uri: 'https://app.example.com/\'+alert(1)+\'',`,
        )
      }
    }))

  it('connects a SAML application, and names the field that is wrong', () =>
    withConsole(async ({ page, go }) => {
      await go('/console/applications')
      await page.getByRole('button', { name: 'Connect application' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Expenses')
      await dialog.getByLabel('Kind').selectOption('saml')
      await dialog.getByLabel('Metadata of the service provider').fill('<not-metadata/>')
      await dialog.getByRole('button', { name: 'Connect application' }).click()
      await page.locator('[aria-invalid="true"][name="metadataXml"]').waitFor()
      await dialog.getByLabel('Metadata of the service provider').fill('')
      await dialog.getByLabel('Entity ID').fill('https://expenses.example.com/saml')
      await dialog.getByLabel('Assertion Consumer Service URL').fill('https://expenses.example.com/acs')
      await dialog.getByRole('button', { name: 'Connect application' }).click()
      await page.getByRole('heading', { name: 'Expenses' }).waitFor()
      await page.getByRole('link', { name: 'Settings', exact: true }).last().click()
      await page.getByRole('button', { name: 'Edit SAML' }).click()
      await dialog.getByLabel('Name ID').selectOption('persistent')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page
        .getByRole('definition')
        .filter({ hasText: 'Persistent, different in each application' })
        .waitFor()
      await page.getByRole('button', { name: 'Edit SAML' }).click()
      await dialog.getByLabel('Indexes of the URLs').fill('1\n2')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.locator('[aria-invalid="true"][name="saml/acsIndexes"]').waitFor()
      await dialog.getByLabel('Indexes of the URLs').fill('7')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      // New URLs keep the indexes that are shown beside them.
      await page.getByRole('button', { name: 'Edit SAML' }).click()
      await dialog.getByLabel('Assertion Consumer Service URLs').fill('https://expenses.example.com/new')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Edit Attribute names' }).click()
      await dialog.getByLabel('Email address').fill('groups')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.locator('[aria-invalid="true"][name="saml/attributeNames/email"]').waitFor()
      await dialog.getByLabel('Email address').fill('mail')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
      const { saml } = await send('GET', `/applications/${id}`)
      expect(saml).to.deep.include({ acsUrls: ['https://expenses.example.com/new'], acsIndexes: [7] })
      expect(saml.attributeNames).to.deep.include({ email: 'mail', name: 'name' })
      await page.getByRole('link', { name: 'Connect', exact: true }).click()
      await page.getByText('Active certificate (PEM)', { exact: true }).first().waitFor()
      await page.getByText('BEGIN CERTIFICATE').first().waitFor()
    }))

  it('APR-01 grants the scopes of an API, changes and revokes them', () =>
    withConsole(async ({ page, go, sound }) => {
      const { id } = await send('POST', '/applications', {
        name: 'Invoices',
        protocol: 'oidc',
        type: 'web',
        redirectUris,
      })
      await grantedApi('Ledger API')
      await go(`/console/applications/${String(id)}?tab=apis`)
      await page.getByText('No scopes are granted.').waitFor()
      await page.getByRole('button', { name: 'Grant scopes' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('API', { exact: true }).selectOption('Ledger API')
      await dialog.getByRole('button', { name: 'Grant scopes' }).click()
      await dialog.getByRole('alert').waitFor()
      await dialog.getByLabel('ledger-api:read').check()
      await sound()
      await dialog.getByRole('button', { name: 'Grant scopes' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('ledger-api:read', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Change Ledger API' }).click()
      await dialog.getByLabel('ledger-api:write').check()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('ledger-api:read ledger-api:write').waitFor()
      await page.getByRole('button', { name: 'Revoke Ledger API' }).click()
      await dialog.getByText('can no longer request any scope').waitFor()
      await dialog.getByRole('button', { name: 'Revoke' }).click()
      await page.getByText('No scopes are granted.').waitFor()
    }))

  it('assigns a group, says why each user has access, and takes it away', () =>
    withConsole(async ({ page, go }) => {
      await groupOfAda('Ledger clerks')
      const { id } = await send('POST', '/applications', {
        name: 'Ledger',
        protocol: 'oidc',
        type: 'spa',
        redirectUris,
      })
      await go(`/console/applications/${String(id)}?tab=access`)
      await page.getByText('Nobody has access.').waitFor()
      await page.getByRole('button', { name: 'Assign groups' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Search').fill('Ledger cl')
      await dialog.getByRole('button', { name: 'Assign Ledger clerks' }).click()
      await dialog.getByText('Ledger clerks is assigned').waitFor()
      await dialog.getByRole('button', { name: 'Close' }).click()
      const person = page.getByRole('listitem').filter({ hasText: 'Ada Lovelace' }).first()
      await person.waitFor()
      expect(await person.innerText()).to.match(
        /Has access\s+through the group Ledger clerks, assigned directly/,
      )
      await page.getByRole('button', { name: 'Unassign Ledger clerks' }).click()
      await dialog.getByText('lose it immediately').waitFor()
      await dialog.getByRole('button', { name: 'Unassign' }).click()
      await page.getByText('Nobody has access.').waitFor()
    }))

  it('rotates and revokes client secrets', () =>
    withConsole(async ({ page, go }) => {
      const { id } = await send('POST', '/applications', {
        name: 'Batch jobs',
        protocol: 'oidc',
        type: 'service',
      })
      await go(`/console/applications/${String(id)}?tab=secrets`)
      await page.getByRole('button', { name: 'Rotate' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Hours in which the present secret works').fill('1')
      await dialog.getByRole('button', { name: 'Rotate' }).click()
      await dialog.getByText('This is shown only once.').waitFor()
      await dialog.getByRole('button', { name: 'Close' }).click()
      await page.getByText('Ends soon').waitFor()
      await page
        .getByRole('button', { name: /^Revoke/ })
        .last()
        .click()
      await dialog.getByRole('button', { name: 'Revoke' }).click()
      await page.getByRole('cell', { name: 'Revoked' }).waitFor()
    }))

  it('edits, disables and deletes an application, and offers auditors nothing to change', async () => {
    const { id } = await send('POST', '/applications', {
      name: 'Old portal',
      protocol: 'oidc',
      type: 'web',
      redirectUris,
    })
    const path = `/console/applications/${String(id)}`
    await withConsole(
      async ({ page, go }) => {
        for (const tab of ['', '?tab=settings', '?tab=access', '?tab=apis', '?tab=secrets']) {
          await go(path + tab)
          const buttons = await page.locator('main').getByRole('button').allInnerTexts()
          expect(
            buttons.filter((name) => !/^(?:Copy|Export|Columns)/.test(name)),
            tab,
          ).to.deep.equal([])
        }
      },
      ['auditor'],
    )
    await withConsole(
      async ({ page, go }) => {
        await go(`${path}?tab=settings`)
        await page.getByRole('button', { name: 'Edit Tokens' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel('Lifetime of ID tokens (seconds)').fill('1')
        await dialog.getByRole('button', { name: 'Save' }).click()
        await page.locator('[aria-invalid="true"][name="idTokenLifetimeSeconds"]').waitFor()
        await dialog.getByLabel('Lifetime of ID tokens (seconds)').fill('1234')
        await dialog.getByRole('button', { name: 'Save' }).click()
        await dialog.waitFor({ state: 'detached' })
        await page.getByText('1234', { exact: true }).waitFor()
        for (const verb of ['Disable', 'Enable', 'Delete']) {
          await page.getByRole('button', { name: verb, exact: true }).click()
          await dialog.getByRole('button', { name: verb, exact: true }).click()
          await dialog.waitFor({ state: 'detached' })
        }
        await page.waitForURL('**/console/applications')
        await page.getByRole('heading', { name: 'Applications' }).waitFor()
        await until(async () => (await page.getByRole('link', { name: 'Old portal' }).count()) === 0)
      },
      ['app_admin'],
    )
  })
})
