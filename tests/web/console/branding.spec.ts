import { expect } from 'chai'
import type { Locator } from 'playwright-core'
import { accentTokens } from '../../../domain/branding/accent.ts'
import { axeFindings } from '../../support/browser/axe.ts'
import { atConsole, consoleScenarios } from '../../support/browser/console-browser.ts'
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
      const previewed = page.frameLocator('iframe[title*="dark"]').locator('img.mark')
      await previewed.waitFor()
      await until(() => previewed.evaluate((image: HTMLImageElement) => image.naturalWidth > 0))
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
      const shown = (title: string) =>
        page.frameLocator(`iframe[title="Preview of ${title} theme"]`).locator('.button-primary, a.button')
      const colorOf = (button: Locator) =>
        button.first().evaluate((element) => getComputedStyle(element).backgroundColor)
      const { light, dark } = accentTokens('#ffee00')
      await go('/console/settings')
      await shown('the sign-in page in the light').first().waitFor()
      await sound()
      await page.getByRole('button', { name: 'Change accent colour' }).click()
      await dialog.getByLabel('Colour').fill('#ffee00')
      await until(async () => (await colorOf(shown('the sign-in page in the light'))) === rgb(light.accent))
      await until(async () => (await colorOf(shown('the sign-in page in the dark'))) === rgb(dark.accent))
      await sound()
      await dialog.getByLabel('Preview', { exact: true }).selectOption('Email: invitation')
      await until(async () => (await colorOf(shown('an email in the light'))) === rgb(light.accent))
      await until(async () => (await colorOf(shown('an email in the dark'))) === rgb(dark.accent))
      await sound()
      expect((await service.api('GET', '/organization')).body.accentColor, 'nothing is saved').to.equal(null)
      await dialog.getByRole('button', { name: 'Change accent colour' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Use the colour of the service' }).waitFor()
      await until(async () => (await colorOf(shown('the sign-in page in the light'))) === rgb(light.accent))
      await page.context().clearCookies()
      await page.goto(`${service.publicUrl}/sign-in`)
      const button = page.locator('button[type="submit"]')
      expect(await colorOf(button)).to.equal(rgb(light.accent))
      expect(await axeFindings(page)).to.deep.equal([])
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.reload()
      expect(await colorOf(button)).to.equal(rgb(dark.accent))
      expect(await axeFindings(page)).to.deep.equal([])
    }))

  it('API-11 previews a name and a support address in either language before they are saved', () =>
    withConsole(async ({ page, go, sound }) => {
      const dialog = page.getByRole('dialog')
      const frame = page.frameLocator('dialog iframe[title*="light"]')
      await go('/console/settings')
      await page.getByRole('button', { name: 'Edit Organization' }).click()
      await dialog.getByLabel('Name of the organization').fill('<b>Näher</b>')
      await frame.getByText('to your <b>Näher</b> account').waitFor()
      await dialog.getByLabel('Support email').fill('desk@example.com')
      await frame.getByRole('contentinfo').getByText('desk@example.com').waitFor()
      await dialog.getByLabel('Preview', { exact: true }).selectOption('Email: invitation')
      await dialog.getByLabel('Support email').fill('help@')
      await frame.getByText('Welcome to <b>Näher</b>').waitFor()
      await dialog.getByLabel('Support email').fill('help@example.com')
      await frame.getByText('help@example.com').waitFor()
      await dialog.getByLabel('Preview language').selectOption('German')
      await frame.getByText('Guten Tag Ada Lovelace').waitFor()
      await sound()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      const { body } = await service.api('GET', '/organization')
      expect(body.name, 'nothing is saved').to.equal('Identity service')
    }))

  it('API-11 the preview fits a narrow screen, and the keyboard passes it', () =>
    withConsole(
      async ({ page, go, sound }) => {
        await go('/console/settings')
        const frame = page.frameLocator('iframe[title*="light"]')
        await frame.locator('.card').waitFor()
        await sound()
        await page.getByLabel('Preview language').focus()
        await page.keyboard.press('Tab')
        expect(await page.evaluate('document.activeElement.textContent')).to.equal('Change accent colour')
        const entries = await page.evaluate<number>('history.length')
        await page.getByLabel('Preview language').selectOption('German')
        await frame.getByText('Mit einem Passkey anmelden').waitFor()
        expect(await page.evaluate<number>('history.length'), 'the way back').to.equal(entries)
      },
      ['global_admin'],
      { viewport: { width: 360, height: 740 } },
    ))

  it('API-11 no other origin frames the preview, not even of the same site, and no script runs in it', async () => {
    const { page, person, close } = await atConsole(service)
    const { hostname } = new URL(service.publicUrl)
    const preview = `${service.publicUrl}/api/v1/branding/preview?page=sign_in&theme=light&language=en`
    const elsewhere = `http://${hostname}:65000/`
    /** Whether a page of an address can frame it, with the session of the administrator. */
    const framed = async (by: string) => {
      const asked = page.waitForRequest(preview)
      await page.goto(by)
      expect((await (await asked).allHeaders())['cookie']).to.equal(person.cookie)
      const frame = () => page.frames().find((each) => each.parentFrame() !== null)
      await until(() => /^(?:http|chrome-error):/.test(frame()?.url() ?? ''))
      return frame()?.url() === preview && (await frame()?.locator('.card').count()) === 1
    }
    const body = `<!doctype html><title>Elsewhere</title><iframe src="${preview}"></iframe>`
    await page.route(elsewhere, (route) => route.fulfill({ contentType: 'text/html', body }))
    await page.route(`${service.publicUrl}/own`, (route) => route.fulfill({ contentType: 'text/html', body }))
    expect(await framed(`${service.publicUrl}/own`)).to.equal(true)
    expect(await framed(elsewhere)).to.equal(false)
    // The policy holds for markup that no template has.
    await page.route(preview, async (route) => {
      const response = await route.fetch()
      const more = '<script>document.title = "ran"</script><img src="x" onerror="document.title = \'ran\'">'
      await route.fulfill({ response, body: (await response.text()).replace('</body>', `${more}</body>`) })
    })
    await page.goto(preview)
    expect(await page.locator('img[onerror]').count()).to.equal(1)
    expect(await page.title()).to.equal('Sign in · Identity service')
    await close()
  })
})
