/** The administration console, in a browser, against the real service. */
import { expect } from 'chai'
import { consoleScenarios, type ConsoleBrowser } from '../../support/browser/console-browser.ts'
import { consoleScreens } from '../../support/browser/screens.ts'
import { appPerson } from '../../support/sign-in/authenticator.ts'
import { until } from '../../support/until.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

describe('the console', function () {
  this.timeout(120_000)
  let service: TestService
  let ada: TestPerson

  before(async () => {
    service = await testService()
    ada = await service.person({ name: 'Ada Byron', department: 'Engineering' })
    for (let n = 0; n < 12; n++) await service.person({ name: `Clerk ${String(n)}` })
  })
  after(() => service.stop())

  const withConsole = consoleScenarios(() => service)

  it('leads to the sign-in page and back without a session', async () => {
    const answer = await fetch(`${service.publicUrl}/console/users?status=active`, { redirect: 'manual' })
    expect(answer.status).to.equal(303)
    expect(answer.headers.get('location')).to.equal('/sign-in?return=%2Fconsole%2Fusers%3Fstatus%3Dactive')
    expect((await fetch(`${service.publicUrl}/console/kit`)).status, 'only in development').to.equal(404)
  })

  it('tells users without an administrator role that it is not for them', () =>
    withConsole(async ({ page, go }) => {
      await go('/console')
      expect(await page.innerText('h1')).to.equal('The console is for administrators')
      expect(await page.locator('nav').count()).to.equal(0)
    }, []))

  const pages = [
    '/console',
    '/console/users',
    '/console/users/{ada}',
    '/console/users/{ada}?tab=access',
    '/console/users/{ada}?tab=groups',
    '/console/users/{ada}?tab=security',
    '/console/users/{ada}?tab=sign-ins',
    '/console/users/{ada}?tab=history',
    '/console/users/{ada}?tab=changes',
    '/console/audit',
    '/console/sign-ins',
    '/console/sessions',
    '/console/devices',
    '/console/settings',
    '/console/sign-in-methods',
    '/console/import',
    '/console/export',
    '/console/operations',
    '/console/keys',
  ]
  for (const [screen, options] of Object.entries(consoleScreens))
    it(`has accessible pages that fit and violate no policy ${screen}`, () =>
      withConsole(
        async ({ go, sound }) => {
          for (const path of pages) {
            await go(path.replace('{ada}', ada.userId))
            await sound()
          }
        },
        ['global_admin'],
        options,
      ))

  const rows = ({ page }: ConsoleBrowser) => page.locator('tbody tr')

  it('AUD-01 shows new audit entries as they are recorded, while Live is on', () =>
    withConsole(async (browser) => {
      const { page, go, sound, person } = browser
      const invite = async (name: string): Promise<void> => {
        const body = { name, email: `${name.toLowerCase()}@live.example.com` }
        expect((await service.api('POST', '/users', { as: person, body })).status).to.equal(201)
      }
      await go('/console/audit?action=user.invite')
      await page.getByRole('button', { name: 'Live' }).click()
      await page.getByText('New entries appear at the top.').waitFor()
      for (const name of ['Erin', 'Frank']) {
        await invite(name)
        await until(async () => (await rows(browser).first().innerText()).includes(`Invited ${name}`))
      }
      await sound()
      await page.getByRole('button', { name: 'Live' }).click()
      await page.getByText('New entries appear at the top.').waitFor({ state: 'detached' })
    }))

  it('lists users by pages, with search, filter and order in the address', () =>
    withConsole(async (browser) => {
      const { page, go } = browser
      await go('/console/users')
      await page.getByLabel('Search').fill('Clerk 1')
      await page.waitForURL('**/console/users?q=Clerk+1')
      await until(async () => (await rows(browser).count()) === 3, 30_000, 'Clerk 1, 10 and 11')
      await page.reload()
      await until(async () => (await rows(browser).count()) === 3, 30_000, 'the same after a reload')
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByLabel('Status').selectOption('deleted')
      await page.getByText('No users match.').waitFor()
      await go('/console/users?q=Clerk')
      await page.getByRole('button', { name: 'Name' }).click()
      await until(
        async () => /Clerk 9/.test(await rows(browser).first().innerText()),
        10_000,
        'the last first',
      )
      expect(new URL(page.url()).searchParams.get('sort')).to.equal('-name')
    }))

  it('answers in three clicks why a user can reach an application', () =>
    withConsole(async ({ page, go, person }) => {
      const send = async (method: string, path: string, body?: unknown) =>
        (await service.api(method, path, { as: person, body })).body
      const group = await send('POST', '/groups', { name: 'Payroll clerks' })
      await send('PUT', `/groups/${String(group.id)}/members/${ada.userId}`)
      const redirectUris = ['https://payroll.example.com/callback']
      const payroll = await send('POST', '/applications', {
        name: 'Payroll',
        protocol: 'oidc',
        type: 'web',
        redirectUris,
      })
      await send('PUT', `/applications/${String(payroll.id)}/groups`, { groupIds: [group.id] })
      await go('/console')
      await page.getByRole('link', { name: 'Users', exact: true }).click()
      await page.getByRole('link', { name: 'Ada Byron' }).click()
      await page.getByRole('link', { name: 'Access', exact: true }).click()
      const answer = page.getByRole('listitem').filter({ hasText: 'Payroll' }).first()
      await answer.waitFor()
      expect(await answer.innerText()).to.match(
        /Payroll\s+Has access\s+through the group Payroll clerks, assigned directly/,
      )
    }))

  it('draws sign-ins by hour and day, with the same as a table', () =>
    withConsole(async ({ page, go, sound }) => {
      await service.api('POST', '/auth/code', { body: { email: 'nobody@example.com', code: '000000' } })
      await go('/console/sign-ins')
      const described = 'document.querySelector("svg[role=img] desc").textContent'
      await until(async () => {
        await page.reload()
        await page.getByRole('img', { name: 'Sign-ins by hour' }).waitFor()
        return /Failed: \d+ in total, at most \d+ \(/.test(await page.evaluate(described))
      })
      await page.getByRole('button', { name: 'Last 30 days' }).click()
      await page.getByRole('img', { name: 'Sign-ins by day' }).waitFor()
      await page.getByText('Show as table').click()
      const table = page.getByRole('table', { name: 'Sign-ins by day' })
      expect(await table.getByRole('row').count()).to.equal(31)
      await sound()
    }))

  it('API-07 invites, suspends with a reason, and shows both in the history', () =>
    withConsole(async ({ page, go }) => {
      await go('/console/users')
      await page.getByRole('button', { name: 'Invite user' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Grace Hopper')
      await page.getByLabel('Email', { exact: true }).fill('not an address')
      await page.getByRole('dialog').getByRole('button', { name: 'Invite user' }).click()
      await page.locator('[aria-invalid="true"][name="email"]').waitFor()
      await page.getByLabel('Email', { exact: true }).fill('grace@example.com')
      await page.getByRole('dialog').getByRole('button', { name: 'Invite user' }).click()
      await page.getByText('This is shown only once.').waitFor()
      expect(await page.locator('dialog code').innerText()).to.match(/\/enroll\//)
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('link', { name: 'Grace Hopper' }).click()
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Suspend' }).click()
      await page.getByLabel('Reason').fill('Left the company')
      await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
      await page.getByRole('heading', { name: /Suspended/ }).waitFor()
      await page.getByRole('link', { name: 'History' }).click()
      await page
        .getByRole('cell', { name: /Suspended .*Grace/ })
        .first()
        .waitFor()
      expect(await page.getByRole('cell', { name: /^Invited .*Grace/ }).count()).to.equal(1)
    }))

  it('invites many users from a pasted list, and keeps those that failed', () =>
    withConsole(async ({ page, go, sound }) => {
      await go('/console/users')
      await page.getByRole('button', { name: 'Invite many' }).click()
      const dialog = page.getByRole('dialog')
      const people = dialog.getByLabel('People, one per line')
      await people.fill('nobody')
      await dialog.getByRole('button', { name: 'Send invitations' }).click()
      await dialog.getByText('This line has no email address: nobody').waitFor()
      await people.fill(`Annie Easley <annie@example.com>\n"Jean Bartik"\tjean@example.com\n${ada.email}`)
      await dialog.getByText('3 addresses recognized').waitFor()
      await sound()
      await dialog.getByRole('button', { name: 'Send invitations' }).click()
      await page.getByRole('heading', { name: '2 users were invited' }).waitFor()
      await dialog.getByText('1 of 3 failed.').waitFor()
      await sound()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('button', { name: 'Download the links' }).click(),
      ])
      expect(file.suggestedFilename()).to.equal('Invitation links.csv')
      await dialog.getByRole('button', { name: 'Edit those that failed' }).click()
      expect(await people.inputValue()).to.include(ada.email)
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('link', { name: 'Annie Easley' }).waitFor()
    }))

  it('AUT-05 offers auditors nothing to change', () =>
    withConsole(
      async ({ page, go }) => {
        await go('/console/users')
        expect(await page.getByRole('button', { name: 'Invite user' }).count()).to.equal(0)
        expect(await page.getByRole('checkbox').count()).to.equal(0)
        await go(`/console/users/${ada.userId}`)
        const buttons = await page.locator('main').getByRole('button').allInnerTexts()
        expect(buttons).to.deep.equal([])
      },
      ['auditor'],
    ))

  it('EVT-05 shows a past moment: marked, kept between pages, and read-only', () =>
    withConsole(async ({ page, go, sound }) => {
      const grace = await service.person({ name: 'Katherine Johnson' })
      const before = new Date().toISOString()
      await service.api('PATCH', `/users/${grace.userId}`, {
        as: await service.person({}, ['user_admin']),
        body: { name: 'Katherine Goble' },
      })
      await go(`/console/users/${grace.userId}?at=${before}`)
      await page.getByRole('heading', { name: 'Katherine Johnson' }).waitFor()
      await page.getByText('You see the past.').waitFor()
      await sound()
      expect(await page.getByRole('button', { name: 'Suspend' }).count()).to.equal(0)
      await page.getByRole('link', { name: 'Groups' }).last().click()
      expect(new URL(page.url()).searchParams.get('at')).to.equal(before)
      await page.getByRole('button', { name: 'Back to now' }).click()
      await page.getByRole('heading', { name: 'Katherine Goble' }).waitFor()
    }))

  it('is reached from the account page of an administrator', () =>
    withConsole(async ({ page, go }) => {
      await go('/account')
      await page.getByRole('link', { name: 'Open the console' }).click()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
    }))

  it('changes settings, and names the field that is wrong', () =>
    withConsole(async ({ page, go }) => {
      await go('/console/settings')
      await page.getByRole('button', { name: 'Edit Sessions and links' }).click()
      await page.getByLabel('Session lifetime (minutes)').fill('1')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('[aria-invalid="true"][name="sessionLifetimeMinutes"]').waitFor()
      await page.getByLabel('Session lifetime (minutes)').fill('600')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Settings saved').waitFor()
      await page.getByText('600', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Edit Retention' }).click()
      await page.getByText('A shorter time applies 7 days after it was set').waitFor()
      await page.getByLabel('Sign-ins are kept for (days)').fill('730')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('730', { exact: true }).waitFor()
    }))

  it('disables a sign-in method, and enables it again', () =>
    withConsole(async ({ page, go }) => {
      await go('/console/sign-in-methods')
      for (const verb of ['Disable', 'Enable']) {
        await page.getByRole('button', { name: `${verb} Sign-in links by email` }).click()
        await page.getByRole('dialog').getByRole('button', { name: verb }).click()
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
      await page.getByRole('button', { name: 'Disable Sign-in links by email' }).waitFor()
    }))

  it('SAML-08 rotates the keys that sign', () =>
    withConsole(async ({ page, go }) => {
      await go('/console/keys')
      for (const button of ['Rotate the signing key of tokens', 'Rotate the SAML certificate']) {
        await page.getByRole('button', { name: button }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
      await until(
        async () => (await page.getByText('Still accepted').count()) === 2,
        10_000,
        'both previous keys',
      )
    }))

  it('shows what access a user gained and lost between two moments, and why', () =>
    withConsole(async ({ page, go, person }) => {
      const send = async (method: string, path: string, body?: unknown) =>
        (await service.api(method, path, { as: person, body })).body
      const grace = await service.person({ name: 'Rózsa Péter' })
      const group = await send('POST', '/groups', { name: 'Compilers' })
      const redirectUris = ['https://cobol.example.com/callback']
      const cobol = await send('POST', '/applications', {
        name: 'Cobol',
        protocol: 'oidc',
        type: 'web',
        redirectUris,
      })
      await send('PUT', `/applications/${String(cobol.id)}/groups`, { groupIds: [group.id] })
      await send('PUT', `/groups/${String(group.id)}/members/${grace.userId}`)
      await go(`/console/users/${grace.userId}?tab=changes`)
      const change = page.getByRole('listitem').filter({ hasText: 'Cobol' }).first()
      await change.waitFor()
      expect(await change.innerText()).to.match(/Cobol\s+Gained[^]*added to the group by Person/)
    }))

  it('says that the last sign-in method of a user cannot be removed', () =>
    withConsole(async ({ page, go }) => {
      const { userId } = await appPerson(service)
      await go(`/console/users/${userId}?tab=security`)
      await page
        .getByRole('button', { name: /^Remove method/ })
        .first()
        .click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('alert').getByText('This is the last sign-in method').waitFor()
    }))

  it('goes to a page or a user by keyboard alone', () =>
    withConsole(async ({ page, go, sound }) => {
      await go('/console')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').waitFor()
      await page.keyboard.type('setti')
      await page.getByRole('option', { name: /Settings/ }).waitFor()
      await sound()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Settings' }).waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Name of a page or a user' }).waitFor()
      await page.keyboard.type('Ada By')
      await page.getByRole('option', { name: /Ada Byron/ }).waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: /Ada Byron/ }).waitFor()
      expect(await page.evaluate<string>('document.activeElement.id')).to.equal('main')
    }))

  it('AUD-01 finds an entry of the audit trail, and shows it as JSON', () =>
    withConsole(async ({ page, go, person }) => {
      await service.api('PATCH', `/users/${ada.userId}`, { as: person, body: { title: 'Countess' } })
      await go('/console/audit')
      await page.getByLabel('Action', { exact: true }).fill('user.update')
      await page.waitForURL('**/console/audit?action=user.update')
      await page
        .getByRole('button', { name: /^Details .*Ada Byron/ })
        .first()
        .click()
      expect(await page.locator('dialog pre').innerText()).to.include('"to": "Countess"')
    }))

  it('speaks the language of the user', () =>
    withConsole(
      async ({ page, go, sound }) => {
        await go('/console/users')
        expect(await page.innerText('h1')).to.equal('Benutzer')
        expect(await page.getAttribute('html', 'lang')).to.equal('de')
        await sound()
      },
      ['global_admin'],
      { locale: 'de-DE' },
    ))

  it('tells kindly that the service does not respond, and keeps what was typed', () =>
    withConsole(async ({ page, go }) => {
      await go('/console/users')
      await page.getByRole('button', { name: 'Invite user' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Mary Jackson')
      await page.getByLabel('Email', { exact: true }).fill('mary@example.com')
      await page.route('**/api/v1/users', (route) => route.abort())
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Invite user' }).click()
      await dialog.getByText('The service did not respond.').waitFor()
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Mary Jackson')
      await page.unroute('**/api/v1/users')
      await dialog.getByRole('button', { name: 'Invite user' }).click()
      await page.getByText('This is shown only once.').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'Mary Jackson' }).waitFor()
    }))
})
