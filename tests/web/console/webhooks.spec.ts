/** Webhooks in the administration console: adding one, its deliveries, and its end. */
import { expect } from 'chai'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { recordScreens } from '../../support/browser/screens.ts'
import { until } from '../../support/until.ts'
import {
  webhookReceiver,
  type Answer,
  type WebhookReceiver,
} from '../../support/webhooks/webhook-receiver.ts'
import { webhookPlace, type WebhookPlace } from '../../support/webhooks/webhooks.ts'

describe('webhooks in the console', function () {
  this.timeout(120_000)
  let place: WebhookPlace
  let receiver: WebhookReceiver
  const answers = new Map<string, Answer>()

  before(async () => {
    receiver = await webhookReceiver(({ path }) => answers.get(path) ?? 200)
    place = await webhookPlace()
  })
  after(async () => {
    await place.service.stop()
    receiver.close()
  })

  const withConsole = consoleScenarios(() => place.service, ['security_admin'])

  for (const [screen, options] of Object.entries(recordScreens))
    it(`has accessible pages about webhooks that fit and violate no policy ${screen}`, () =>
      withConsole(
        async ({ page, go, sound }) => {
          const { id } = await place.endpoint(receiver.url('/shown'))
          await place.happen()
          await until(async () => (await place.deliveries(id)).some(({ status }) => status === 'delivered'))
          for (const path of ['', `/${id}`, `/${id}?tab=settings`, `/${id}?tab=history`]) {
            await go(`/console/webhooks${path}`)
            await sound()
          }
          await go(`/console/webhooks/${id}`)
          await page
            .getByRole('button', { name: /^Details/ })
            .first()
            .click()
          await page.getByRole('dialog').getByText('"type":"group.create"').waitFor()
          await sound()
        },
        ['security_admin'],
        options,
      ))

  it('WHK-01 adds a webhook, shows its secret once, tests, pauses, resumes and deletes it', () =>
    withConsole(async ({ page, go, sound }) => {
      const url = receiver.url('/added')
      await go('/console/webhooks')
      await page.getByRole('button', { name: 'Add webhook' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Address').fill(url)
      await dialog.getByLabel('Events', { exact: true }).fill('user.*\nnot a type')
      await dialog.getByText('Families of events').click()
      await sound()
      await dialog.getByRole('button', { name: 'Add webhook' }).click()
      await page.locator('[aria-invalid="true"][name="events"]').waitFor()
      await dialog.getByLabel('Events', { exact: true }).fill('user.*\ngroup.create')
      await dialog.getByRole('button', { name: 'Add webhook' }).click()
      await dialog.getByText('This is shown only once.').waitFor()
      expect(await dialog.locator('code').innerText()).to.match(/^whsec_/)
      await dialog.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('heading', { name: url }).waitFor()
      await page.getByRole('button', { name: 'Send test event' }).click()
      await dialog.getByRole('button', { name: 'Send test event' }).click()
      await dialog.getByText('The test event was delivered.').waitFor()
      await dialog.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: 'Edit' }).click()
      await dialog.getByLabel('Description').fill('The warehouse')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('The warehouse').waitFor()
      for (const verb of ['Pause', 'Resume', 'Delete']) {
        await page.getByRole('button', { name: verb, exact: true }).click()
        await dialog.getByRole('button', { name: verb, exact: true }).click()
        await dialog.waitFor({ state: 'detached' })
      }
      await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    }))

  it('WHK-06 shows why a delivery failed, with its body, and offers auditors nothing to change', async () => {
    answers.set('/broken', 500)
    const { id } = await place.endpoint(receiver.url('/broken'))
    await place.happen('Breakers')
    await until(async () => (await place.deliveries(id)).some(({ httpStatus }) => httpStatus === 500))
    await withConsole(
      async ({ page, go }) => {
        await go(`/console/webhooks/${id}`)
        await page.getByText('Failing', { exact: true }).waitFor()
        await page.getByRole('cell', { name: 'Retrying' }).waitFor()
        await page.getByRole('button', { name: /^Details/ }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByText('Breakers').waitFor()
        await dialog.getByText(/^500/).waitFor()
        await dialog.getByText('First attempt').waitFor()
        await dialog.getByRole('button', { name: 'Close' }).click()
        await page.getByLabel('Status').selectOption('delivered')
        await page.getByText('There are no such deliveries.').waitFor()
        expect(new URL(page.url()).searchParams.get('status')).to.equal('delivered')
        await page.getByLabel('Status').selectOption('retrying')
        await page.getByRole('cell', { name: 'Retrying' }).waitFor()
        const offered = await page.locator('main').getByRole('button').allInnerTexts()
        expect(
          offered.filter((name) => !/^(?:Details|Export|Columns|Clear filters)/.test(name)),
        ).to.deep.equal([])
      },
      ['auditor'],
    )
  })

  it('WHK-08 delivers a failed delivery again, which is not offered for a test event', async () => {
    answers.set('/later', 500)
    const { id } = await place.endpoint(receiver.url('/later'))
    await place.happen('Late')
    const tried = (type: string) => async () =>
      (await place.deliveries(id)).some(({ eventType, attempts }) => eventType === type && attempts > 0)
    await until(tried('group.create'))
    await place.send('POST', `/webhooks/${id}/test`)
    await until(tried('webhook.test'))
    // As after the eighth attempt.
    await place.service.core.workPool.query(
      `update work.webhook_delivery set status = 'failed', next_attempt_at = null where webhook_id = $1`,
      [id],
    )
    answers.set('/later', 200)
    await withConsole(async ({ page, go }) => {
      const dialog = page.getByRole('dialog')
      await go(`/console/webhooks/${id}?status=failed`)
      await page.getByRole('button', { name: 'Details webhook.test' }).click()
      await dialog.getByText('First attempt').waitFor()
      expect(await dialog.getByRole('button', { name: 'Deliver again' }).count()).to.equal(0)
      await dialog.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: 'Details group.create' }).click()
      await dialog.getByRole('button', { name: 'Deliver again' }).click()
      await until(async () =>
        (await place.deliveries(id)).some(
          ({ eventType, status }) => eventType === 'group.create' && status === 'delivered',
        ),
      )
    })
  })
})
