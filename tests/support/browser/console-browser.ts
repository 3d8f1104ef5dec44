import { expect } from 'chai'
import type { Role } from '../../../domain/roles.ts'
import type { TestPerson, TestService } from '../service/service.ts'
import { axeFindings } from './axe.ts'
import { until } from '../until.ts'
import { newPage, type PageOptions, type WatchedPage } from './browser.ts'

/** An administrator in a browser, signed in, on a page of the console. */
export interface ConsoleBrowser extends WatchedPage {
  readonly person: TestPerson
  /** Opens a page of the console and waits until it is drawn. */
  readonly go: (path: string) => Promise<void>
  /** Checks that the page is accessible, fits the screen, and violates no policy. */
  readonly sound: () => Promise<void>
  /** Checks that nothing scrolls sideways on screens between a phone and a desktop. */
  readonly fits: () => Promise<void>
}

/** Of tablets, and of a small laptop, where the navigation is beside the page */
const MIDDLE_WIDTHS = [641, 768, 900, 1024]

/** What scrolls sideways: the page, or the table with this name. */
const SCROLLING = `[
  ...(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['the page'] : []),
  ...[...document.querySelectorAll('table')]
    .filter((table) => table.parentElement.scrollWidth > table.parentElement.clientWidth)
    .map((table) => table.ariaLabel),
]`

export interface ConsoleOptions extends PageOptions {
  /** The administrator's own language (BCP 47) */
  readonly locale?: string
}

export const atConsole = async (
  service: TestService,
  roles: readonly Role[] = ['global_admin'],
  options: ConsoleOptions = {},
): Promise<ConsoleBrowser> => {
  const { locale, ...screen } = options
  const person = await service.person(locale === undefined ? {} : { locale }, roles)
  const watched = await newPage(screen)
  const { page, faults } = watched
  // The pages read several records each, which takes its time while other tests have the processor.
  page.setDefaultTimeout(30_000)
  const [name = '', value = ''] = person.cookie.split('=')
  await page.context().addCookies([{ name, value, url: service.publicUrl }])
  return {
    ...watched,
    person,
    go: async (path) => {
      await page.goto(service.publicUrl + path)
      await page.waitForSelector('h1')
      await page.waitForSelector('[data-loading]', { state: 'detached' })
    },
    sound: async () => {
      // Rows that are about to be replaced are paler.
      await page.waitForSelector('[aria-busy=true]:has(> table)', { state: 'detached' })
      expect(await axeFindings(page), page.url()).to.deep.equal([])
      expect(await page.evaluate(SCROLLING), `${page.url()} scrolls sideways`).to.deep.equal([])
      expect(faults, page.url()).to.deep.equal([])
    },
    fits: async () => {
      const before = page.viewportSize()
      for (const width of MIDDLE_WIDTHS) {
        await page.setViewportSize({ width, height: 768 })
        const scrolling = (): Promise<readonly string[]> => page.evaluate(SCROLLING)
        // Tables take their form in the frame after that of the new size.
        await until(async () => (await scrolling()).length === 0, 2_000).catch(() => undefined)
        expect(await scrolling(), `${page.url()} scrolls sideways at ${String(width)}`).to.deep.equal([])
      }
      if (before !== null) await page.setViewportSize(before)
    },
  }
}

/**
 * Returns a function that runs a scenario as an administrator, and checks that no page of it violated a policy.
 * @param usual the administrator's roles unless the scenario says otherwise
 */
export const consoleScenarios =
  (service: () => TestService, usual: readonly Role[] = ['global_admin']) =>
  async (
    work: (browser: ConsoleBrowser) => Promise<void>,
    roles: readonly Role[] = usual,
    options: ConsoleOptions = {},
  ): Promise<void> => {
    const browser = await atConsole(service(), roles, options)
    try {
      await work(browser)
      expect(browser.faults).to.deep.equal([])
    } finally {
      await browser.close()
    }
  }
