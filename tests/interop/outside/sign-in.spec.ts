/** Users sign in, with a passkey in a browser, to web applications that client libraries of others are in. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import type { OidcSettings } from '../../../domain/application/events.ts'
import { newPage, virtualAuthenticator, type WatchedPage } from '../../support/browser/browser.ts'
import { oidcWorld, type OidcWorld } from '../../support/oidc/oidc.ts'
import { freePort, system, testService, type TestService } from '../../support/service/service.ts'
import { answers, startDaemon } from '../daemon.ts'
import { output, programs, pythonPackages, versions, workplace } from './tools.ts'

interface Shown {
  readonly sub: string
  readonly email: string
  readonly accessToken: string
}

interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
}

describe('Client libraries of others', function () {
  this.timeout(600_000)
  let service: TestService
  let world: OidcWorld
  let browser: WatchedPage
  let folder: string
  let userId: string
  const ends: (() => Promise<unknown>)[] = []

  before(async () => {
    const place = await workplace()
    ends.unshift(place.remove)
    folder = place.folder
    service = await testService()
    ends.unshift(() => service.stop())
    world = oidcWorld(service)
    browser = await newPage()
    ends.unshift(browser.close)
    await virtualAuthenticator(browser.page)
    const invited = await userCommands(service.core.services).invite(
      { profile: { name: 'Grace Hopper', email: 'grace@example.com' }, source: 'local' },
      system,
    )
    userId = invited.userId
    await browser.page.goto(invited.enrollUrl)
    await press('Create a passkey')
    await browser.page.waitForURL(`${service.publicUrl}/account`)
  })
  after(async () => {
    for (const end of ends) await end()
  })

  const press = (words: string) => browser.page.click(`button:has-text("${words}")`)

  const signsIn = async (
    program: Program,
    callback: string,
    settings: Partial<OidcSettings> = {},
  ): Promise<void> => {
    const port = await freePort()
    // Not `localhost`: cookies do not distinguish ports, and the service under test is there.
    const address = `127.0.0.1:${String(port)}`
    const origin = `http://${address}`
    const app = await world.application('web', { redirectUris: [origin + callback], ...settings })
    await world.join(app.groupId, userId)
    const daemon = await startDaemon(program.command, program.args, {
      cwd: program.cwd,
      ready: () => answers(`${origin}/`).then(async (ok) => ok || (await redirects(origin))),
      env: {
        ...{ ISSUER: service.publicUrl, CLIENT_ID: app.clientId, CLIENT_SECRET: app.secret },
        ...{ ORIGIN: origin, ADDRESS: address, PORT: String(port) },
      },
    })
    try {
      await browser.page.context().clearCookies()
      await browser.page.goto(`${origin}/`)
      await browser.page.waitForURL(`${service.publicUrl}/sign-in?**`)
      await press('Sign in with a passkey')
      await browser.page.waitForURL((url) => url.origin === origin && url.pathname === '/')
      const first = await shown()
      expect(first).to.include({ sub: userId, email: 'grace@example.com' })
      await browser.page.goto(`${origin}/`)
      const second = await shown()
      expect(second.accessToken).not.to.equal(first.accessToken)
      expect((await world.userinfo(second.accessToken)).body).to.include({ sub: userId })
    } catch (error) {
      console.error(`${await browser.page.innerText('body')}\n${daemon.output()}`)
      throw error
    } finally {
      await daemon.stop()
    }
  }
  const shown = async () => JSON.parse(await browser.page.innerText('body')) as Shown
  const redirects = (origin: string): Promise<boolean> =>
    fetch(`${origin}/`, { redirect: 'manual' }).then(
      (response) => response.status === 302,
      () => false,
    )

  it('Authlib', async () => {
    const bin = await pythonPackages(folder, `authlib==${versions.authlib}`, 'flask', 'requests')
    const program = join(programs, 'python', 'signin.py')
    await signsIn({ command: join(bin, 'python'), args: [program], cwd: folder }, '/callback')
  })

  it('go-oidc and x/oauth2', async () => {
    const cwd = join(folder, 'go')
    await mkdir(cwd)
    await cp(join(programs, 'go', 'signin.go'), join(cwd, 'main.go'))
    const needed = [
      `github.com/coreos/go-oidc/v3 ${versions.goOidc}`,
      `golang.org/x/oauth2 ${versions.goOauth2}`,
    ]
    await writeFile(join(cwd, 'go.mod'), `module signin\n\ngo 1.26\n\nrequire (\n${needed.join('\n')}\n)\n`)
    await output('go', ['build', '-o', 'signin', '.'], { cwd, env: { GOFLAGS: '-mod=mod' } })
    await signsIn({ command: join(cwd, 'signin'), args: [], cwd }, '/callback')
  })

  it('Spring Security', async () => {
    const cwd = join(folder, 'java')
    await cp(join(programs, 'java', 'signin'), cwd, { recursive: true })
    const classpath = join(cwd, 'classpath')
    const goals = ['compile', 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath']
    const set = [`-Dspring-boot.version=${versions.springBoot}`, `-Dmdep.outputFile=${classpath}`]
    await output('mvn', ['--batch-mode', '--quiet', ...set, ...goals], { cwd })
    const args = ['-cp', `target/classes:${(await readFile(classpath, 'utf8')).trim()}`, 'example.SignIn']
    await signsIn({ command: 'java', args, cwd }, '/login/oauth2/code/svc', {
      accessTokenLifetimeSeconds: 60,
    })
  })
})
