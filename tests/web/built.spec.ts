/** The product as delivered: the output of `npm run build`, without the sources. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { newPage, virtualAuthenticator } from '../support/browser/browser.ts'
import { introduce } from '../support/sign-in/first-administrator.ts'
import { freePort, testPlace, type TestPlace } from '../support/service/service.ts'
import { until } from '../support/until.ts'

const program = fileURLToPath(new URL('../../.build/cli/main.js', import.meta.url))

const types: readonly (readonly [RegExp, string])[] = [
  [/^\/assets\/.+\.js$/, 'text/javascript; charset=utf-8'],
  [/^\/assets\/.+\.css$/, 'text/css; charset=utf-8'],
  [/\.svg$/, 'image/svg+xml'],
  [/^\/(enroll|account|sign-in)/, 'text/html; charset=utf-8'],
]

describe('the built service', function () {
  this.timeout(90_000)
  let place: TestPlace
  let child: ChildProcess
  let said = ''

  before(async function () {
    if (!existsSync(program)) throw new Error(`There is no ${program}: run "npm run build"`)
    place = await testPlace()
    const port = await freePort()
    child = spawn(process.execPath, [program, 'serve'], {
      env: {
        PATH: process.env['PATH'],
        SVC_LISTEN: `127.0.0.1:${String(port)}`,
        SVC_DATABASE_URL: place.databaseUrl,
        SVC_SECRET_KEY: place.config.secretKey,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
    await until(() => said.includes('/enroll/') || child.exitCode !== null, 30_000, 'the setup link')
    if (child.exitCode !== null) throw new Error(said)
  })
  after(async () => {
    child.kill('SIGTERM')
    await until(() => child.exitCode !== null || child.signalCode !== null, 15_000, 'the end of the service')
    await place.drop()
  })

  it('SGN-01 CLI-01 leads from the setup link to the account and back, with every file of its pages', async () => {
    const link = /http:\S+\/enroll\/\S+/.exec(said)?.[0] ?? ''
    const { page, faults, close } = await newPage()
    await virtualAuthenticator(page)
    const files = new Map<string, readonly [number, string | undefined]>()
    page.on('response', (response) => {
      const { pathname } = new URL(response.url())
      if (!pathname.startsWith('/api/'))
        files.set(pathname, [response.status(), response.headers()['content-type']])
    })
    await page.goto(link)
    await introduce(page)
    await page.click('button:has-text("Create a passkey")')
    await page.waitForURL('**/account')
    await page.goto(`${new URL(link).origin}/sign-in?again=1`)
    await page.click('button:has-text("Sign in with a passkey")')
    await page.waitForURL('**/account')
    await close()

    for (const [path, answer] of files)
      expect(answer, path).to.deep.equal([200, types.find(([pattern]) => pattern.test(path))?.[1]])
    const names = [...files.keys()].map((path) =>
      /^\/assets\/([a-z-]+)-.{12}(\..+)$/.exec(path)?.slice(1).join(''),
    )
    expect(names).to.include.members(['app.css', 'enroll.js', 'account.js', 'sign-in.js'])
    expect(faults).to.deep.equal([])
  })
})
