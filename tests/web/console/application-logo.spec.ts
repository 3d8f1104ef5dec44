import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { payroll } from '../../http/api/support.ts'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

/** Eight times as wide as it is high */
const WIDE =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 8" width="64" height="8"><rect width="64" height="8" fill="#0f9"/></svg>'

describe('the logo of an application in the console', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.stop())
  const withConsole = consoleScenarios(() => service)

  const choose = async (page: Page, button: string, mimeType: string, content: string) => {
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: button }).click()
    await (await chooser).setFiles({ name: 'logo', mimeType, buffer: Buffer.from(content) })
  }
  /** Resolves once all pictures have arrived and been drawn. */
  const drawn = (images: Locator) =>
    until(() =>
      images.evaluateAll(
        (all: HTMLImageElement[]) =>
          all.length > 0 && all.every(({ complete, naturalWidth }) => complete && naturalWidth > 0),
      ),
    )
  /** Returns an application that a user can open. */
  const applicationOf = async (as: TestPerson): Promise<string> => {
    const group = (await service.api('POST', '/groups', { as, body: { name: 'Staff' } })).body.id
    await service.api('PUT', `/groups/${group}/members/${as.userId}`, { as })
    const body = payroll('Payroll', { groupIds: [group], launchUrl: 'https://payroll.example.com/' })
    return (await service.api('POST', '/applications', { as, body })).body.id
  }

  it('API-11 is uploaded, shown on both grounds, in lists, on the account page in both themes, and removed', () =>
    withConsole(async ({ page, person, go, sound }) => {
      const id = await applicationOf(person)
      const settings = `/console/applications/${id}?tab=settings`
      const tile = page.locator('.tile', { hasText: 'Payroll' })
      const onAccount = async () => {
        await page.goto(`${service.publicUrl}/account`)
        await tile.waitFor()
        return tile.locator('img').count()
      }
      expect(await onAccount()).to.equal(0)

      await go(settings)
      await page.getByText('No uploaded logo').waitFor()
      await choose(page, 'Upload logo', 'image/png', '<script>alert(1)</script>')
      await page.getByText('expected an image in the format image/png').waitFor()
      await choose(page, 'Upload logo', 'image/svg+xml', WIDE)
      await drawn(page.getByRole('img', { name: 'On a light page' }))
      await drawn(page.getByRole('img', { name: 'On a dark page' }))
      await drawn(page.locator('h1 img'))
      await sound()
      await go('/console/applications')
      await drawn(page.locator('main td img'))
      await sound()

      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await onAccount()).to.equal(1)
        await drawn(tile.locator('img'))
        expect(await tile.locator('img').getAttribute('alt')).to.equal('')
        const [logo, frame] = [await tile.locator('img').boundingBox(), await tile.boundingBox()]
        expect(logo?.width, 'wide').to.be.greaterThan(logo?.height ?? 0)
        expect(logo?.width).to.be.lessThan((frame?.width ?? 0) / 2)
        expect(
          await tile.locator('img').evaluate((image) => getComputedStyle(image).backgroundColor),
          'a light ground',
        ).to.equal(colorScheme === 'light' ? 'rgba(0, 0, 0, 0)' : 'rgb(244, 245, 242)')
        await sound()
      }

      await go(settings)
      await page.getByRole('button', { name: 'Remove logo' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove logo' }).click()
      await page.getByText('No uploaded logo').waitFor()
      expect(await page.locator('h1 img').count()).to.equal(0)
      expect(await onAccount()).to.equal(0)
      expect(await tile.locator('.mark').innerText()).to.equal('P')
    }))
})
