/** Choosing the columns of a list, and the menu that does it. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('the columns of a list in the console', function () {
  this.timeout(120_000)
  let service: TestService

  before(async () => {
    service = await testService()
    await service.person({ name: 'Ada Lovelace', department: 'Engineering' })
  })
  after(() => service.stop())

  const withConsole = consoleScenarios(() => service)

  it('are hidden and shown by keyboard, remembered by the browser, and the same in the export', () =>
    withConsole(async ({ page, go, sound }) => {
      const heads = async () => {
        const texts = await page.getByRole('columnheader').allInnerTexts()
        return texts
          .map((text) => text.replace(/[↑↓↕]/, '').trim())
          .filter((text) => !text.startsWith('Select'))
      }
      await go('/console/users?q=Ada')
      const all = ['Name', 'Email', 'Status', 'Department', 'Last sign-in', 'Created']
      expect(await heads()).to.deep.equal(all)
      const button = page.getByRole('button', { name: 'Columns' })
      await button.focus()
      await page.keyboard.press('ArrowDown')
      const menu = page.getByRole('menu', { name: 'Columns' })
      await menu.waitFor()
      expect(await menu.getByRole('menuitemcheckbox').allInnerTexts()).to.have.length(all.length - 1)
      expect(await button.getAttribute('aria-expanded')).to.equal('true')
      await sound()
      await page.keyboard.press('Enter')
      await page.keyboard.press('End')
      await page.keyboard.press('Space')
      expect(await menu.getByRole('menuitemcheckbox', { checked: false }).allInnerTexts()).to.deep.equal([
        'Email',
        'Created',
      ])
      await page.keyboard.press('Escape')
      await menu.waitFor({ state: 'detached' })
      expect(await page.evaluate('document.activeElement.textContent')).to.contain('Columns')
      const shown = ['Name', 'Status', 'Department', 'Last sign-in']
      expect(await heads()).to.deep.equal(shown)
      await go('/console/users?q=Ada')
      expect(await heads()).to.deep.equal(shown)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export as CSV' }).click(),
      ])
      const csv = readFileSync(await download.path(), 'utf8')
      expect(csv.split('\r\n')[0]).to.equal(shown.join(','))
      await button.click()
      await page.getByRole('menuitemcheckbox', { name: 'Email' }).click()
      await menu.waitFor()
      await page.getByRole('heading', { name: 'Users' }).click()
      await menu.waitFor({ state: 'detached' })
      expect(await heads()).to.deep.equal(['Name', 'Email', 'Status', 'Department', 'Last sign-in'])
    }))

  it('have a menu that fits a phone', () =>
    withConsole(
      async ({ page, go, sound }) => {
        await go('/console/users')
        await page.getByRole('button', { name: 'Columns' }).click()
        await page.getByRole('menu').waitFor()
        await sound()
      },
      ['global_admin'],
      { viewport: { width: 320, height: 568 }, theme: 'dark' },
    ))

  it('many actions of a record are in a menu, from which the dialog opens and gives the focus back', () =>
    withConsole(async ({ page, go, sound }) => {
      const { userId } = await service.person({ name: 'Grace Hopper' })
      await go(`/console/users/${userId}`)
      const more = page.getByRole('button', { name: 'More', exact: true })
      await more.click()
      const items = page.getByRole('menuitem')
      await items.first().waitFor()
      await sound()
      expect(await items.allInnerTexts()).to.include.members(['End all sessions', 'Delete'])
      await page.keyboard.type('end')
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('heading', { name: 'End all sessions: Grace Hopper' }).waitFor()
      expect(await page.getByRole('menu').count()).to.equal(0)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      expect(await page.evaluate('document.activeElement.textContent')).to.contain('More')
    }))
})
