/** The page that shows the kit of the console, in development. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { consoleScreens } from '../../support/browser/screens.ts'
import { testPlace, testService, type TestService } from '../../support/service/service.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The sources of a bundle of the console. */
const sourcesIn = (folder: string): readonly string[] =>
  Object.keys(
    JSON.parse(
      readFileSync(`${root}.build/adapters/inbound/web/assets/${folder}/manifest.json`, 'utf8'),
    ) as object,
  )

describe('the kit of the console', function () {
  this.timeout(120_000)
  let service: TestService

  before(async () => {
    await promisify(execFile)(process.execPath, ['infra/bundle-console.mjs', '--kit'], { cwd: root })
    service = await testService(await testPlace({ dev: true }))
    for (const name of ['Ada Lovelace', 'Grace Hopper']) await service.person({ name })
  })
  after(() => service.stop())

  const withConsole = consoleScenarios(() => service)

  for (const [screen, options] of Object.entries(consoleScreens))
    it(`is accessible in each state, fits and violates no policy ${screen}`, () =>
      withConsole(
        async ({ page, go, sound }) => {
          await go('/console/kit')
          const tabs = page.getByRole('navigation', { name: 'Parts' }).getByRole('link')
          const names = await tabs.allInnerTexts()
          expect(names).to.have.length(9)
          for (const name of names) {
            await page.getByRole('link', { name, exact: true }).click()
            await page.waitForSelector('[data-loading]', { state: 'detached' })
            await sound()
          }
          await go('/console/kit?tab=states')
          await page.getByRole('button', { name: 'Load for ever' }).click()
          await sound()
          await go('/console/kit?tab=dialogs')
          const dialog = page.getByRole('dialog')
          for (const name of ['dialog', 'confirm', 'dangerous', 'many', 'picker']) {
            await page.getByRole('button', { name, exact: true }).click()
            await dialog.waitFor()
            await sound()
            await page.keyboard.press('Escape')
            await dialog.waitFor({ state: 'detached' })
          }
          await page.getByRole('button', { name: 'confirm', exact: true }).click()
          await dialog.getByRole('button', { name: 'Create' }).click()
          await dialog.getByRole('alert').waitFor()
          await sound()
        },
        ['global_admin'],
        options,
      ))

  it('has comboboxes and menus that a keyboard alone operates', () =>
    withConsole(async ({ page, go, sound }) => {
      await go('/console/kit?tab=choices')
      const field = page.getByRole('combobox', { name: 'One user', exact: true })
      await field.focus()
      await page.keyboard.press('ArrowDown')
      const list = page.getByRole('listbox')
      await list.getByRole('option').first().waitFor()
      await sound()
      await page.keyboard.press('Escape')
      await list.waitFor({ state: 'detached' })
      await page.keyboard.type('Grace')
      await list.getByRole('option', { name: 'Ada Lovelace' }).waitFor({ state: 'detached' })
      await page.keyboard.press('ArrowDown')
      const focused = await field.getAttribute('aria-activedescendant')
      expect(await page.locator(`#${focused ?? ''}`).innerText()).to.equal('Grace Hopper')
      await page.keyboard.press('Enter')
      await list.waitFor({ state: 'detached' })
      expect(await field.inputValue()).to.equal('Grace Hopper')
      await page.keyboard.type('nobody')
      await list.getByText('Nothing found.').waitFor()
      await page.keyboard.press('Tab')
      await list.waitFor({ state: 'detached' })
      expect(await field.inputValue(), 'what is chosen is back').to.equal('Grace Hopper')
      await sound()
      const several = page.getByRole('combobox', { name: 'Search' })
      await several.focus()
      for (const name of ['Ada', 'Grace']) {
        await page.keyboard.type(name)
        await list.getByRole('option', { name: RegExp(name) }).waitFor()
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Enter')
        await list.waitFor({ state: 'detached' })
      }
      await page.getByRole('checkbox', { name: 'Ada Lovelace', checked: true }).waitFor()
      await page.getByRole('checkbox', { name: 'Grace Hopper', checked: true }).waitFor()
      await page.getByRole('button', { name: 'More' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('menu').waitFor()
      await sound()
      await page.keyboard.press('End')
      await page.keyboard.press('Enter')
      await page.getByText('Last action: Delete').waitFor()
    }))

  it('shows the current tab on a narrow page', () =>
    withConsole(
      async ({ page, go }) => {
        await go('/console/kit?tab=drawings')
        const box = await page.getByRole('link', { name: 'Charts and graph' }).boundingBox()
        expect((box?.x ?? 0) + (box?.width ?? 0)).to.be.within(1, 375)
      },
      ['global_admin'],
      { viewport: { width: 375, height: 812 } },
    ))

  it('has menus that stay on a narrow page', () =>
    withConsole(
      async ({ page, go }) => {
        const { userId } = await service.person()
        await go(`/console/users/${userId}`)
        await page.getByRole('button', { name: 'Mehr' }).click()
        const box = await page.getByRole('menu').boundingBox()
        expect(box?.x).to.be.at.least(0)
        expect((box?.x ?? 0) + (box?.width ?? 0)).to.be.at.most(375)
      },
      ['global_admin'],
      { locale: 'de-DE', viewport: { width: 375, height: 812 } },
    ))

  it('is in the bundle for development only', () => {
    expect(sourcesIn('console-dev')).to.include('pages/kit.tsx')
    expect(sourcesIn('console')).to.include('pages/users.tsx').and.not.include('pages/kit.tsx')
  })
})
