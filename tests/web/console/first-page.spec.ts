import { expect } from 'chai'
import { atConsole } from '../../support/browser/console-browser.ts'
import { testService, type TestService } from '../../support/service/service.ts'

/** Of a page that is opened with an empty cache, its data included */
const MOST_REQUESTS = 20

describe('the first page of the console', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.stop())

  for (const path of ['/console', '/console/users', '/console/audit'])
    it(`needs at most ${String(MOST_REQUESTS)} requests at ${path}`, async () => {
      const { page, close } = await atConsole(service, ['global_admin'])
      const requests: string[] = []
      page.on('request', (request) => requests.push(new URL(request.url()).pathname))
      await page.goto(service.publicUrl + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
      expect(requests, requests.join('\n')).to.have.length.within(10, MOST_REQUESTS)
      await close()
    })
})
