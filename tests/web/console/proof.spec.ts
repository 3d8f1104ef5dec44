/** An audit entry verified in the browser, against the real service and against one that lies. */
import { expect } from 'chai'
import { atConsole, type ConsoleBrowser } from '../../support/browser/console-browser.ts'
import { audited } from '../../support/audit/audit.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('the proof of an audit entry in the console', function () {
  this.timeout(120_000)
  let service: TestService

  before(async () => {
    service = await testService()
    for (let n = 0; n < 9; n++) await service.person({ name: `Witness ${String(n)}` })
    await audited(service)
    await audited(service, 'audit-tree')
  })
  after(() => service.stop())

  const verify = async (prepare: (browser: ConsoleBrowser) => Promise<void>, expected: string) => {
    const browser = await atConsole(service, ['auditor'])
    const { page, go, sound, close, faults } = browser
    try {
      await prepare(browser)
      await go('/console/audit?action=user.invite&q=Witness')
      await page.getByRole('button', { name: /^Details .*Witness 4/ }).click()
      await page.getByRole('button', { name: 'Verify this entry' }).click()
      await page.getByText(expected).waitFor()
      const steps = await page.locator('dialog').getByRole('listitem').allInnerTexts()
      await sound()
      expect(faults).to.deep.equal([])
      return steps.map((step) => !step.endsWith('does not hold'))
    } finally {
      await close()
    }
  }

  /** Changes a response of the service on its way to the browser. */
  const altered =
    (path: string, alter: (body: Record<string, unknown>) => Record<string, unknown>) =>
    async ({ page }: ConsoleBrowser): Promise<void> => {
      await page.route(path, async (route) => {
        const response = await route.fetch()
        const body = (await response.json()) as Record<string, unknown>
        await route.fulfill({ response, json: alter(body) })
      })
    }

  it('AUD-01 EVT-04 holds for an entry of the log', async () => {
    const steps = await verify(() => Promise.resolve(), 'This entry is in the log, unchanged.')
    expect(steps).to.deep.equal([true, true, true])
  })

  const lies: Readonly<Record<string, readonly [string, Parameters<typeof altered>[1], readonly boolean[]]>> =
    {
      'an event that was changed': [
        '**/proof?*',
        ({ leaf, ...rest }) => ({ ...rest, leaf: String(leaf).replace('"revision":', '"revision": ') }),
        [true, false, true],
      ],
      'the event of another entry': [
        '**/proof?*',
        ({ leaf, ...rest }) => ({ ...rest, leaf: String(leaf).replace(/"time":"\d{4}/, '"time":"1999') }),
        [false, false, true],
      ],
      'a checkpoint that nobody signed': [
        '**/checkpoint',
        ({ note, ...rest }) => ({ ...rest, note: String(note).replace(/\n(\d+)\n/, '\n1$1\n') }),
        [true, false, false],
      ],
    }
  for (const [lie, [path, alter, steps]] of Object.entries(lies))
    it(`EVT-04 fails for ${lie}`, async () => {
      expect(await verify(altered(path, alter), 'Verification failed.')).to.deep.equal(steps)
    })
})
