/** Access from the request to its end, and once more to a review that takes it away, with the evidence of that. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { expect } from 'chai'
import { systemClock } from '../../adapters/kernel/clock.ts'
import { secondOpinion } from '../support/audit/evidence-verifier.ts'
import { atAccount, type AccountBrowser } from '../support/browser/account-browser.ts'
import { consoleScenarios } from '../support/browser/console-browser.ts'
import { oidcWorld, pkce } from '../support/oidc/oidc.ts'
import { movableClock } from '../support/service/movable-clock.ts'
import { freePort, testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { pick } from '../support/browser/pick.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

const MINUTE = 1 / (24 * 60)

describe('governance in the browser', function () {
  this.timeout(180_000)
  const clock = movableClock(systemClock())
  let service: TestService
  let admin: TestPerson
  let ledger: Server
  let callback: string
  before(async () => {
    service = await testService(undefined, { clock })
    const port = await freePort()
    callback = `http://localhost:${String(port)}/callback`
    // An application: whoever comes with a code sees it.
    ledger = createServer(({ url = '' }, response) => {
      response.setHeader('Content-Type', 'text/html').end(url.includes('code=') ? 'The ledger' : url)
    }).listen(port, '127.0.0.1')
    await once(ledger, 'listening')
    admin = await service.person({ name: 'Grace' }, ['global_admin'])
  })
  after(async () => {
    ledger.closeAllConnections()
    ledger.close()
    await service.stop()
  })
  const withConsole = consoleScenarios(() => service)

  const ok = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await service.api(method, path, { as: admin, ...(body === undefined ? {} : { body }) })
    expect(answer.status, JSON.stringify(answer.body)).to.be.lessThan(300)
    return answer.body
  }

  it('GOV-01 GOV-02 ASG-03 ask on a phone, approve at a desk, use, expire, ask again, review, lose', async () => {
    const world = oidcWorld(service)
    const app = await world.application('web', { redirectUris: [callback] })
    await ok('PATCH', `/groups/${app.groupId}`, { name: 'Ledger readers' })
    const ada = await atAccount(service, { viewport: { width: 360, height: 740 } })
    const mary = await atAccount(service)
    const ask = async (): Promise<void> => {
      await ada.go('/account/access')
      await ada.page.locator('section:has(#offered) li:has-text("Ledger")').getByRole('button').click()
      await ada.page.locator('dialog[open]').getByLabel('Reason').fill('The audit')
      await ada.confirm('Send request')
      await ada.said('Your request was sent.')
    }
    const approve = async (): Promise<void> => {
      await mary.go('/account/approvals')
      await mary.page.getByRole('button', { name: 'Approve' }).click()
      await mary.confirm('Approve')
      await mary.said('You approved the request.')
    }
    /** Opens the application, and returns what the browser shows in the end. */
    const use = async ({ page }: AccountBrowser): Promise<string> => {
      const query = new URLSearchParams({
        ...{ client_id: app.clientId, redirect_uri: callback, response_type: 'code', scope: 'openid' },
        ...{ code_challenge: pkce().challenge, code_challenge_method: 'S256' },
      })
      await page.goto(`${service.publicUrl}/oauth2/authorize?${query.toString()}`)
      return page.innerText('body')
    }
    try {
      await ok('PATCH', `/users/${ada.userId}`, { name: 'Ada Lovelace', managerId: mary.userId })
      await ok('PATCH', `/users/${mary.userId}`, { name: 'Mary Somerville' })
      let packageId = ''
      await withConsole(async ({ page, go, sound }) => {
        const dialog = page.getByRole('dialog')
        await go('/console/access-packages')
        await page.getByRole('button', { name: 'Create access package' }).click()
        await dialog.getByLabel('Name', { exact: true }).fill('Ledger')
        await pick(dialog.locator('input[name="search-grants"]'), 'Ledger readers')
        await dialog.getByRole('button', { name: 'Add a stage' }).click()
        await dialog.getByLabel('Usual duration').fill('PT30M')
        await dialog.getByLabel('Days between reviews').fill('90')
        await dialog.locator('select[name="review-reviewers"]').selectOption('manager')
        await sound()
        await dialog.getByRole('button', { name: 'Create access package' }).click()
        await dialog.waitFor({ state: 'detached' })
        await page.getByRole('heading', { name: 'Ledger' }).waitFor()
        await page.getByText('every 90 days').waitFor()
        await page.getByRole('button', { name: 'Publish' }).click()
        await dialog.getByRole('button', { name: 'Publish' }).click()
        await dialog.waitFor({ state: 'detached' })
        await sound()
        ;[{ id: packageId }] = await ok('GET', '/access-packages?q=Ledger')
      })

      expect(await use(ada)).to.contain('You do not have access')
      await ask()
      await approve()
      expect(await use(ada)).to.equal('The ledger')
      clock.forward(31 * MINUTE)
      expect(await use(ada)).to.contain('You do not have access')
      await ada.go('/account/access')
      await ada.page.getByText('You have no access packages.').waitFor()
      await ask()
      await approve()
      expect(await use(ada)).to.equal('The ledger')

      // It is half an hour later.
      admin = await service.signIn(admin.userId, admin.email)
      const { id } = await ok('POST', '/access-reviews', {
        name: 'Ledger, yearly',
        scope: { type: 'package', ids: [packageId] },
        stages: [{ type: 'manager', ids: [], fallbackIds: [] }],
        schedule: { startsAt: clock.in(60) },
      })
      const review = (): Promise<Json> => ok('GET', `/access-reviews/${String(id)}`)
      clock.forward(2 * MINUTE)
      await until(async () => (await review()).openedAt !== null, 20_000, 'the items')
      await mary.go('/account/reviews')
      await mary.page.getByLabel('Reason').fill('The audit is over')
      await mary.page.locator('tr[data-item]').focus()
      await mary.page.keyboard.press('r')
      await mary.said('You remove it')
      await withConsole(async ({ page, go }) => {
        await go(`/console/access-packages/${packageId}?tab=reviews`)
        await page.getByRole('link', { name: 'Ledger, yearly' }).click()
        await page.getByRole('button', { name: 'End now' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'End now' }).click()
        await page.getByText('Completed').first().waitFor()
      })
      expect((await review()).counts).to.deep.include({ revoked: 1, applied: 1 })
      expect(await use(ada)).to.contain('You do not have access')

      const get = async (path: string): Promise<Response> =>
        fetch(`${service.publicUrl}/api/v1${path}`, { headers: { cookie: admin.cookie } })
      const evidence = `/access-reviews/${String(id)}/evidence`
      await until(async () => (await get(evidence)).status === 200, 20_000, 'the evidence')
      const file = await (await get(evidence)).text()
      expect(file).to.contain('revoked')
      expect(secondOpinion(file, await (await get('/audit/key.pub')).text())).to.deep.equal([])
      expect([...ada.faults, ...mary.faults]).to.deep.equal([])
    } finally {
      await ada.close()
      await mary.close()
    }
  })
})
