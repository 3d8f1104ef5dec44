import { expect } from 'chai'
import { Secret, TOTP } from 'otpauth'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { axeFindingsInBothThemes } from '../browser/axe.ts'
import { newPage, type PageOptions, type WatchedPage } from '../browser/browser.ts'
import { system, type TestPerson, type TestService } from '../service/service.ts'

/** A browser on the pages of a real service, and what users do on them. */
export interface SignInWorld extends WatchedPage {
  readonly go: (path: string) => Promise<unknown>
  /** Waits until the browser is at a path of the service. */
  readonly at: (path: string) => Promise<void>
  readonly press: (name: string) => Promise<void>
  readonly said: (text: string) => Promise<unknown>
  /** Checks that the page is accessible as shown, in both themes, and no wider than the screen. */
  readonly sound: () => Promise<void>
  readonly text: () => Promise<string>
  readonly focused: () => Promise<string>
  readonly inBrowser: () => Promise<TestPerson>
}

export const signInWorld = async (service: TestService, options: PageOptions = {}): Promise<SignInWorld> => {
  const browser = await newPage(options)
  const { page } = browser
  return {
    ...browser,
    go: (path) => page.goto(service.publicUrl + path),
    at: (path) => page.waitForURL(service.publicUrl + path),
    press: (name) => page.click(`button:has-text("${name}") >> visible=true`),
    said: (text) => page.waitForSelector(`[data-report]:has-text("${text}")`),
    sound: async () => {
      expect(await axeFindingsInBothThemes(page), page.url()).to.deep.equal([])
      const overflow = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect(overflow, `${page.url()} scrolls sideways`).to.be.at.most(0)
    },
    text: () => page.innerText('main'),
    focused: () => page.evaluate<string>('document.activeElement.id'),
    inBrowser: async () => {
      const cookies = await page.context().cookies()
      const value = cookies.find(({ name }) => name === 'svc_session')?.value ?? ''
      return { userId: '', email: '', sessionId: '', cookie: `svc_session=${value}` }
    },
    close: async () => {
      await browser.close()
      expect(browser.faults).to.deep.equal([])
    },
  }
}

/** Codes of an authenticator app with this key. `ahead` is the code of the next step, which is already accepted. */
export const authenticatorApp = (
  secret: string,
): { code: () => string; ahead: () => string; wrong: () => string } => {
  const app = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) })
  const code = (): string => app.generate()
  const ahead = (): string => app.generate({ timestamp: Date.now() + 30_000 })
  return {
    code,
    ahead,
    wrong: () => {
      const right = [-60_000, -30_000, 0, 30_000, 60_000].map((by) =>
        app.generate({ timestamp: Date.now() + by }),
      )
      return (
        ['111111', '222222', '333333', '444444', '555555', '666666'].find((each) => !right.includes(each)) ??
        ''
      )
    },
  }
}

let invited = 0

export const invite = async (
  service: TestService,
): Promise<{ userId: string; enrollUrl: string; email: string }> => {
  const email = `grace${String(++invited)}@example.com`
  const { userId, enrollUrl } = await userCommands(service.core.services).invite(
    { profile: { name: 'Grace Hopper', email }, source: 'local' },
    system,
  )
  return { userId, enrollUrl, email }
}

export interface AppHolder {
  readonly userId: string
  readonly email: string
  readonly secret: string
  readonly recoveryCodes: readonly string[]
}

/** A new user, enrolled with an authenticator app over the API; no browser is signed in. */
export const appHolder = async (service: TestService): Promise<AppHolder> => {
  const { userId, email, enrollUrl } = await invite(service)
  const path = `/auth/enroll/${enrollUrl.split('/').at(-1) ?? ''}/authenticator`
  const begun = await service.api('POST', path)
  const { ceremonyId, secret } = begun.body as { ceremonyId: string; secret: string }
  const done = await service.api('POST', `${path}/verify`, {
    body: { ceremonyId, code: authenticatorApp(secret).code() },
  })
  expect(done.status, JSON.stringify(done.body)).to.equal(200)
  return { userId, email, secret, recoveryCodes: (done.body as { recoveryCodes: string[] }).recoveryCodes }
}
