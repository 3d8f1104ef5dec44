/** Pages of the console about records that do not exist. */
import { expect } from 'chai'
import { consolePages } from '../../../adapters/inbound/web/console/page-list.ts'
import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('records that do not exist, in the console', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.stop())
  const withConsole = consoleScenarios(() => service)

  it('have a page with a heading, a title and a reason', () =>
    withConsole(async ({ page, go, sound }) => {
      for (const { path } of Object.values(consolePages)) {
        if (!path.includes('{id}')) continue
        await go(path.replace('{id}', 'none'))
        await page.getByRole('alert').waitFor()
        expect(await page.getByRole('button', { name: 'Try again' }).count(), path).to.equal(0)
        const heading = await page.getByRole('heading', { level: 1 }).innerText()
        expect(heading, path).not.to.equal('')
        expect(await page.title(), path).to.equal(heading)
      }
      await sound()
    }))
})
