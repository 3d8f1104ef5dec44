/** The user of a conformance run: a browser with a virtual authenticator that signs in and out when it is asked to. */
import { existsSync } from 'node:fs'
import { chromium, type Page } from 'playwright-core'
import type { Visit } from './conformance-suite.ts'

/** Where a visit ended, and what the suite may want to see of it. */
export interface Seen {
  readonly url: string
  /** The sign-in page if the visit came back to the suite, otherwise the page that it ended on. */
  readonly shot: Buffer
}

const STEPS = 8
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

const programPath = (): string => {
  const path = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(
    (one) => one !== undefined && existsSync(one),
  )
  if (path === undefined) throw new Error('No Chromium was found. Set CHROMIUM_PATH.')
  return path
}

/** Opens it as a form, as a page of the application would. */
const post = async (page: Page, url: string): Promise<void> => {
  const target = new URL(url)
  const fields = [...target.searchParams].map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  )
  await page.goto('about:blank')
  await page.setContent(
    `<form method="post" action="${escaped(target.origin + target.pathname)}">${fields.join('')}<button>Send</button></form>`,
  )
  await Promise.all([page.waitForEvent('framenavigated'), page.click('button')])
}

/** @param suite its origin: a visit that comes back there has ended */
export const openPerson = async (suite: string, service: string) => {
  const browser = await chromium.launch({
    executablePath: programPath(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })
  // A suite on this machine has a certificate authority of its own, which Chromium does not know.
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-GB' })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })
  // Passkey autofill would sign in before the sign-in page was seen, so nobody is present until the button is pressed.
  const present = (enabled: boolean) =>
    devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
  await present(false)

  const press = async (button: string): Promise<void> => {
    await present(true)
    await Promise.all([page.waitForEvent('framenavigated'), page.locator(button).first().click()])
    await present(false)
  }

  /** What the page expects of its user; null if the page is the end. */
  const expected = async (): Promise<'passkey' | 'sign-out' | 'wait' | null> => {
    await page.waitForLoadState('load')
    if (page.url().startsWith(`${suite}/`)) return null
    if (await page.locator('[data-action="passkey"]').first().isVisible()) return 'passkey'
    const { pathname } = new URL(page.url())
    if (pathname.endsWith('/logout') && (await page.locator('button:has-text("Sign out")').count()) > 0)
      return 'sign-out'
    // The page of response mode form_post sends itself.
    return (await page.locator(`form[action^="${suite}/"]`).count()) > 0 ? 'wait' : null
  }

  const follow = async (): Promise<Seen> => {
    let signIn: Buffer | undefined
    for (let step = 0; step < STEPS; step++) {
      // A page that navigates away while it is looked at has not ended.
      const next = await expected().catch(() => 'again')
      if (next === null) break
      if (next === 'passkey') {
        signIn = await page.screenshot()
        await press('[data-action="passkey"]')
      } else if (next === 'sign-out') await press('button:has-text("Sign out")')
      else if (next === 'wait') await page.waitForURL((url) => url.origin === suite)
    }
    // The suite's page reports what it got with a script.
    await page.waitForLoadState('networkidle')
    const url = page.url()
    return { url, shot: (url.startsWith(`${suite}/`) ? signIn : undefined) ?? (await page.screenshot()) }
  }

  return {
    /** Registers a passkey, as the first administrator if the link is theirs. The user is signed in afterwards. */
    enroll: async (link: string, { name, email }: { readonly name: string; readonly email: string }) => {
      await page.goto(link)
      if ((await page.locator('#profile-name').count()) > 0) {
        await page.fill('#profile-name', name)
        await page.fill('#profile-email', email)
      }
      await press('button:has-text("passkey")')
      await page.waitForURL((url) => !url.pathname.startsWith('/enroll'))
    },
    /** Calls the API of the service with the user's session. */
    api: async <T>(method: string, path: string, body?: object): Promise<T> => {
      const answer = await page.evaluate(
        async ([url, how, sent]) => {
          const response = await fetch(url, {
            method: how,
            ...(sent === '' ? {} : { headers: { 'Content-Type': 'application/json' }, body: sent }),
          })
          return { ok: response.ok, status: response.status, text: await response.text() }
        },
        [`${service}/api/v1${path}`, method, body === undefined ? '' : JSON.stringify(body)] as const,
      )
      if (!answer.ok) throw new Error(`${method} ${path}: ${String(answer.status)} ${answer.text}`)
      return (answer.text === '' ? undefined : JSON.parse(answer.text)) as T
    },
    /** Forgets every session, but no passkey. */
    leave: () => context.clearCookies(),
    visit: async ({ url, method }: Visit): Promise<Seen> => {
      if (method === 'POST') await post(page, url)
      else await page.goto(url)
      return follow()
    },
    close: () => browser.close(),
  }
}

export type Person = Awaited<ReturnType<typeof openPerson>>
