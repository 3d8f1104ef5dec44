import { expect } from 'chai'
import { accentTokens } from '../../../domain/branding/accent.ts'
import { axeFindings } from '../../support/browser/axe.ts'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="#0f5f66"/></svg>'

const rgb = (color: string): string =>
  `rgb(${[1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)).join(', ')})`

describe('branding in the console', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.stop())
  const withConsole = consoleScenarios(() => service)

  it('API-11 uploads, replaces and removes the logo, which pages show', () =>
    withConsole(async ({ page, go, sound }) => {
      const choose = async (button: string, mimeType: string, content: string) => {
        const chooser = page.waitForEvent('filechooser')
        await page.getByRole('button', { name: button }).click()
        await (await chooser).setFiles({ name: 'logo', mimeType, buffer: Buffer.from(content) })
      }
      /** Resolves once the picture has arrived and been drawn. */
      const shown = (selector: string) =>
        until(() =>
          page
            .locator(selector)
            .evaluateAll((images: HTMLImageElement[]) =>
              images.some(({ complete, naturalWidth }) => complete && naturalWidth > 0),
            ),
        )
      await go('/console/settings')
      await page.getByText('No logo').waitFor()
      await choose('Upload logo', 'image/png', '<script>alert(1)</script>')
      await page.getByText('expected an image in the format image/png').waitFor()
      await choose('Upload logo', 'image/svg+xml', SVG)
      await page.getByRole('img', { name: 'On a dark page' }).waitFor()
      await shown('img[alt="On a dark page"]')
      await sound()

      await page.goto(`${service.publicUrl}/account`)
      await shown('header img.mark')
      await go('/console/settings')
      await page.getByRole('button', { name: 'Remove logo' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove logo' }).click()
      await page.getByText('No logo').waitFor()
      await page.goto(`${service.publicUrl}/account`)
      expect(await page.locator('header img.mark').count()).to.equal(0)
    }))

  it('API-11 changes the accent colour with a preview, which pages then show in both themes', () =>
    withConsole(async ({ page, go, sound }) => {
      const dialog = page.getByRole('dialog')
      const background = () =>
        page
          .locator('button[type="submit"]')
          .first()
          .evaluate((button) => getComputedStyle(button).backgroundColor)
      await go('/console/settings')
      await page.getByRole('button', { name: 'Change accent colour' }).click()
      await dialog.getByLabel('Colour').fill('#ffee00')
      await sound()
      await dialog.getByRole('button', { name: 'Change accent colour' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Use the colour of the service' }).waitFor()
      await page.context().clearCookies()
      await page.goto(`${service.publicUrl}/sign-in`)
      const { light, dark } = accentTokens('#ffee00')
      expect(await background()).to.equal(rgb(light.accent))
      expect(await axeFindings(page)).to.deep.equal([])
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.reload()
      expect(await background()).to.equal(rgb(dark.accent))
      expect(await axeFindings(page)).to.deep.equal([])
    }))
})
