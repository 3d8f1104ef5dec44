import { expect } from 'chai'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { atAccount, sql, type AccountBrowser } from '../support/browser/account-browser.ts'
import { newPage } from '../support/browser/browser.ts'
import { freePort, system, testService, type TestService } from '../support/service/service.ts'
import { createServer } from 'node:http'
import { once } from 'node:events'

describe('the account pages', function () {
  this.timeout(120_000)
  let service: TestService
  let ada: AccountBrowser

  before(async () => {
    service = await testService()
  })
  after(() => service.stop())
  beforeEach(async () => {
    ada = await atAccount(service)
  })
  afterEach(async () => {
    await ada.close()
    expect(ada.faults).to.deep.equal([])
  })

  const rows = (): Promise<Record<string, string>> =>
    ada.page.$$eval('.facts > div', (pairs) =>
      Object.fromEntries(
        pairs.map((pair) => [
          pair.children[0]?.textContent ?? '',
          pair.children[1]?.textContent?.trim() ?? '',
        ]),
      ),
    )

  it('API-09 link to each other, and mark the current one', async () => {
    const { page } = ada
    const here = () => page.innerText('nav [aria-current="page"]')
    expect(await here()).to.equal('Overview')
    await page.click('nav >> text=Security')
    await ada.at('/account/security')
    expect(await here()).to.equal('Security')
    expect(await page.innerText('h1')).to.equal('Security')
    await page.click('nav >> text=Activity')
    await ada.at('/account/activity')
    expect(await here()).to.equal('Activity')
    expect(await page.title()).to.contain('Activity')
  })

  it('AUT-01 lead to the sign-in page without a session, and back to the page that was requested', async () => {
    await ada.page.context().clearCookies()
    await ada.go('/account/activity')
    await ada.at('/sign-in?return=/account/activity')
    await ada.press('Sign in with a passkey')
    await ada.at('/account/activity')
  })

  it('API-09 change name, language and time zone, and show times as chosen', async () => {
    await ada.press('Edit your profile')
    await ada.sound()
    await ada.page.fill('#profile-name', '  ')
    await ada.confirm('Save')
    await ada.said('name')
    await ada.page.fill('#profile-name', 'Countess <b>Ada</b>')
    await ada.page.selectOption('#profile-locale', 'de')
    await ada.page.selectOption('#profile-time-zone', 'Asia/Tokyo')
    await ada.confirm('Save')
    await ada.said('Ihr Profil ist gespeichert.')
    expect(await ada.page.getAttribute('html', 'lang')).to.equal('de')
    expect(await ada.page.title()).to.contain('Ihr Konto')
    expect(await ada.focused()).to.equal('Profil')
    expect(await ada.page.innerText('h1')).to.equal('Countess <b>Ada</b>')
    expect(await rows()).to.include({ Sprache: 'Deutsch', Zeitzone: 'Asia/Tokyo' })
    const { body } = await service.api('GET', '/me', { as: await ada.as() })
    expect(body).to.include({ name: 'Countess <b>Ada</b>', locale: 'de', timeZone: 'Asia/Tokyo' })

    await sql(service, `update sessions set created_at = '2026-03-01T20:30:00Z' where user_id = $1`, [
      ada.userId,
    ])
    await ada.go('/account/activity')
    expect(await ada.page.innerText('#sessions >> xpath=../../..')).to.contain('02.03.2026, 05:30')

    await ada.go('/account')
    await ada.page.click('[data-open="profile"]')
    await ada.sound()
    await ada.page.selectOption('#profile-locale', '')
    await ada.page.selectOption('#profile-time-zone', '')
    await ada.confirm('Speichern')
    await ada.said('Your profile is saved.')
    const cleared = await service.api('GET', '/me', { as: await ada.as() })
    expect(cleared.body).to.include({ locale: null, timeZone: null })
    await ada.go('/account/activity')
    expect(await ada.page.innerText('#sessions >> xpath=../../..')).to.contain('1 Mar 2026, 20:30')
  })

  it('API-09 cancel an edit without any change, and return the focus', async () => {
    await ada.press('Edit your profile')
    await ada.page.fill('#profile-name', 'Somebody else')
    await ada.page.keyboard.press('Escape')
    expect(await ada.focused()).to.equal('Edit your profile')
    await ada.press('Edit your profile')
    expect(await ada.page.inputValue('#profile-name')).to.equal('Ada Lovelace')
  })

  it('API-09 show whether the address is verified', async () => {
    expect((await rows())['Email']).to.match(/Not verified/)
    await sql(service, 'update users set email_verified = true where id = $1', [ada.userId])
    await ada.page.reload()
    expect((await rows())['Email']).to.match(/[^t] Verified$/)
  })

  it('SGN-05 advise a user with a single sign-in method, until there are two', async () => {
    const advice = 'You have only one sign-in method.'
    expect(await ada.page.isVisible(`text=${advice}`)).to.equal(true)
    await ada.page.click('text=a second one')
    await ada.at('/account/security#methods')
    expect(await ada.page.isVisible(`text=${advice}`)).to.equal(true)
    await sql(
      service,
      `insert into methods (id, user_id, type, name, created_at, initial_sign_count, transports)
       values ('mth_second' || $1, $1, 'authenticator_code', 'Second', now(), 0, '{}')`,
      [ada.userId],
    )
    await ada.page.reload()
    expect(await ada.page.isVisible(`text=${advice}`)).to.equal(false)
  })

  it('SGN-05 AUT-01 lead a user who has been suspended to the sign-in page, whatever they press', async () => {
    await userCommands(service.core.services).suspend(ada.userId, undefined, 'system', system)
    await ada.press('Edit your profile')
    await ada.confirm('Save')
    await ada.at('/sign-in?return=%2Faccount')
    await ada.press('Sign in with a passkey')
    await ada.said('This account is suspended')
  })

  it('API-09 report if the service cannot be reached, and keep the input', async () => {
    await ada.press('Edit your profile')
    await ada.page.fill('#profile-name', 'Augusta')
    await ada.page.route('**/api/v1/**', (route) => route.abort())
    await ada.confirm('Save')
    await ada.said('The service could not be reached')
    expect(await ada.page.inputValue('#profile-name')).to.equal('Augusta')
    await ada.page.unroute('**/api/v1/**')
    await ada.confirm('Save')
    await ada.said('Your profile is saved.')
    expect(await ada.page.innerText('h1')).to.equal('Augusta')
  })

  it('AUT-04 reject a form of another origin, although the browser sends the session cookie', async () => {
    const port = await freePort()
    const action = `${service.publicUrl}/api/v1/me/sessions/revoke-others`
    const elsewhere = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html')
      response.end(`<form method="post" action="${action}"><button>Win a prize</button></form>
        <form method="post" action="${service.publicUrl}/account"><button>Win another</button></form>
        <form method="post" action="${service.publicUrl}/sign-out"><button>Win a third</button></form>`)
    }).listen(port, 'localhost')
    await once(elsewhere, 'listening')
    const other = await service.signIn(ada.userId, ada.email)
    try {
      const statuses: (number | undefined)[] = []
      for (const prize of ['Win a prize', 'Win another', 'Win a third']) {
        await ada.page.goto(`http://localhost:${String(port)}/`)
        const answered = ada.page.waitForResponse((response) => response.request().method() === 'POST')
        await ada.press(prize)
        statuses.push((await answered).status())
      }
      expect(statuses).to.deep.equal([403, 405, 403])
      for (const as of [other, await ada.as()])
        expect((await service.api('GET', '/me', { as })).status).to.equal(200)
    } finally {
      elsewhere.closeAllConnections()
      elsewhere.close()
    }
  })

  it('API-09 show all data without JavaScript, and no buttons that would not work', async () => {
    const plain = await newPage({ javaScript: false })
    const { cookie } = await ada.as()
    await plain.page
      .context()
      .addCookies([{ name: 'svc_session', value: cookie.split('=')[1] ?? '', url: service.publicUrl }])
    for (const path of ['', '/security', '/activity']) {
      await plain.page.goto(`${service.publicUrl}/account${path}`)
      expect(await plain.page.isVisible('noscript .notice'), path).to.equal(true)
      const buttons = await plain.page.locator('button:visible').allInnerTexts()
      expect(buttons, path).to.deep.equal(['Sign out'])
    }
    await plain.close()
  })
})
