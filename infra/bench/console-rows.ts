/**
 * Measures the console in a browser, on a service with many users: what the first pages cost, how long lists take, and
 * how soon the page reacts on a processor of a quarter of the speed (Interaction to Next Paint).
 * `BENCH_CHROMIUM` is the path of the browser, `BENCH_USERS` the number of users.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { chromium, type Browser, type Page } from 'playwright-core'
import type { Log } from '../../cli/server/log.ts'
import { filledLog } from './filled-log.ts'
import { milliseconds, percentile, type Line } from './measure.ts'
import { dismiss, nextMessage, start } from './processes.ts'

export interface ConsoleTarget {
  readonly url: string
  /** `Cookie` header of a global administrator */
  readonly cookie: string
}

const CHROMIUM = process.env['BENCH_CHROMIUM'] ?? '/usr/bin/chromium-headless-shell'
const USERS = Number(process.env['BENCH_USERS'] ?? 100_000)
/** Three of the user, two memberships, one session */
const EVENTS_EACH = 6
const RUNS = 5
const SLOWDOWN = 4
const LOOK_MS = 500

/** Records the longest time from an input to the paint that follows it. Shorter ones than a frame are not reported. */
const watchInteractions = `
  globalThis.slowestInteraction = 0
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId > 0) globalThis.slowestInteraction = Math.max(globalThis.slowestInteraction, duration)
  }).observe({ type: 'event', durationThreshold: 16, buffered: true })`

interface Visit {
  readonly page: Page
  readonly requests: () => number
  /** Compressed bytes */
  readonly bytes: () => Promise<number>
  readonly close: () => Promise<void>
}

/** Opens a browser profile with an empty cache. */
const visit = async (browser: Browser, { url, cookie }: ConsoleTarget): Promise<Visit> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url }])
  const page = await context.newPage()
  await page.addInitScript({ content: watchInteractions })
  const sizes: Promise<number>[] = []
  page.on('requestfinished', (request) => {
    sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
  })
  return {
    page,
    requests: () => sizes.length,
    bytes: async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0),
    close: () => context.close(),
  }
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const median = (values: readonly number[]): number => percentile(values, 0.5)

/** Opens a page with an empty cache several times. */
const coldRows = async (
  browser: Browser,
  target: ConsoleTarget,
  what: string,
  path: string,
  shown: string,
  say: (line: Line) => void,
): Promise<void> => {
  const times: number[] = []
  let cost = ''
  for (let run = 0; run < RUNS; run++) {
    const { page, requests, bytes, close } = await visit(browser, target)
    times.push(
      await timed(async () => {
        await page.goto(target.url + path, { waitUntil: 'commit' })
        await page.locator(shown).first().waitFor()
      }),
    )
    await page.waitForLoadState('networkidle')
    cost = `${String(requests())} requests, ${((await bytes()) / 1000).toFixed(0)} kB`
    await close()
  }
  say({ what, value: milliseconds(median(times)), ratio: cost })
}

/**
 * What an administrator does in the list of users, each until its rows are shown.
 * @param painted waits until the page has reacted: before that, to look for rows would take the time of the page
 */
const listSteps: readonly (readonly [
  what: string,
  act: (page: Page, painted: () => Promise<void>) => Promise<void>,
])[] = [
  [
    'next page',
    async (page, painted) => {
      const first = await page.locator('tbody a').first().innerText()
      await page.getByRole('button', { name: 'Next' }).click()
      await painted()
      await page.locator('tbody tr').first().filter({ hasNotText: first }).waitFor()
    },
  ],
  [
    'sort by creation',
    async (page, painted) => {
      await page.getByRole('button', { name: /^Created/ }).click()
      await painted()
      await page.locator('th[aria-sort=ascending]', { hasText: 'Created' }).waitFor()
      await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
    },
  ],
  [
    'search for a name',
    async (page, painted) => {
      await page.locator('input[name=q]').first().pressSequentially('Person 777', { delay: 30 })
      await painted()
      await page.locator('tbody tr', { hasText: 'Person 777' }).first().waitFor()
      await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
    },
  ],
  [
    'open a user',
    async (page, painted) => {
      await page.locator('tbody a').first().click()
      await painted()
      await page.getByRole('heading', { name: /^Person 777/ }).waitFor()
    },
  ],
]

const stepRows = async (
  browser: Browser,
  target: ConsoleTarget,
  say: (line: Line) => void,
): Promise<void> => {
  const times = new Map(listSteps.map(([what]) => [what, [] as number[]]))
  const reactions = new Map(listSteps.map(([what]) => [what, [] as number[]]))
  for (let run = 0; run < RUNS; run++)
    for (const slowdown of [1, SLOWDOWN]) {
      const { page, close } = await visit(browser, target)
      const devtools = await page.context().newCDPSession(page)
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
      await page.goto(`${target.url}/console/users`)
      await page.locator('tbody a').first().waitFor()
      for (const [what, act] of listSteps) {
        await page.evaluate('globalThis.slowestInteraction = 0')
        const isTimed = slowdown === 1
        // The observer reports after the paint.
        const painted = (): Promise<void> =>
          page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))')
        const took = await timed(() => act(page, isTimed ? () => Promise.resolve() : painted))
        await painted()
        if (isTimed) times.get(what)?.push(took)
        else reactions.get(what)?.push(await page.evaluate<number>('globalThis.slowestInteraction'))
      }
      await close()
    }
  for (const [what] of listSteps)
    say({
      what: `console, ${what}`,
      value: milliseconds(median(times.get(what) ?? [])),
      ratio: `reacts within ${String(Math.max(...(reactions.get(what) ?? [])))} ms at 1/${String(SLOWDOWN)} of the speed`,
    })
}

export const consoleRows = async (
  databaseUrl: string,
  log: Log,
  say: (line: Line) => void,
): Promise<void> => {
  const secretKey = randomBytes(32).toString('base64url')
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 })
  const wanted = USERS * EVENTS_EACH
  const events = await filledLog({ databaseUrl, secretKey, pool, log, wanted, sessionsEach: 1 })
  const server = start('console-own', [databaseUrl, secretKey])
  try {
    const target = await nextMessage<ConsoleTarget>(server, 'the service')
    // Waits until nothing runs in the background.
    const isGrown = async (): Promise<boolean> =>
      (await pool.query('select from proof.tree where size >= $1', [events])).rowCount !== 0
    while (!(await isGrown())) await delay(LOOK_MS)
    await pool.query('vacuum analyze')
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu'],
    })
    const users = `${USERS.toLocaleString('en')} users`
    try {
      await coldRows(browser, target, `console, ${users}: first page`, '/console', 'main li', say)
      await coldRows(browser, target, 'console, list of users', '/console/users', 'tbody a', say)
      await coldRows(browser, target, 'console, audit trail', '/console/audit', 'tbody td', say)
      await stepRows(browser, target, say)
    } finally {
      await browser.close()
    }
  } finally {
    await dismiss([server])
    await pool.end()
  }
}
