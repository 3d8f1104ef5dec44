import { after } from 'mocha'
import { chromium, type Browser, type Page } from 'playwright-core'
import { browserProgram } from './program.ts'

export interface PageOptions {
  readonly theme?: 'light' | 'dark'
  readonly viewport?: { readonly width: number; readonly height: number }
  /** 2 shows the page as with 200 % browser zoom: half as many CSS pixels, each twice as large. */
  readonly zoom?: number
  readonly javaScript?: boolean
  readonly contrast?: 'more'
  /**
   * The browser offers passkeys in form fields. A virtual authenticator then picks one as soon as a page with such a
   * field is open, unless the user is absent.
   */
  readonly autofill?: boolean
}

/** A page that records what must not happen: policy violations, console errors, uncaught exceptions. */
export interface WatchedPage {
  readonly page: Page
  readonly faults: readonly string[]
  readonly close: () => Promise<void>
}

let browser: Promise<Browser> | undefined

const launch = async (): Promise<Browser> => {
  const { path, env } = await browserProgram()
  return chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env },
    headless: true,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

after(async () => {
  await (await browser)?.close()
  browser = undefined
})

/** Opens a page in a new profile, in the one browser that the test process shares. */
export const newPage = async (options: PageOptions = {}): Promise<WatchedPage> => {
  browser ??= launch()
  const zoom = options.zoom ?? 1
  const { width, height } = options.viewport ?? { width: 1280, height: 800 }
  const context = await (
    await browser
  ).newContext({
    colorScheme: options.theme ?? 'light',
    contrast: options.contrast ?? 'no-preference',
    viewport: { width: Math.round(width / zoom), height: Math.round(height / zoom) },
    deviceScaleFactor: zoom,
    javaScriptEnabled: options.javaScript ?? true,
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  const faults: string[] = []
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  if (options.javaScript ?? true) {
    await context.exposeFunction('reportViolation', (text: string) => void faults.push(text))
    await context.addInitScript({
      content: `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
        reportViolation(['policy:', violatedDirective, blockedURI, sample].join(' ')))`,
    })
    if (options.autofill !== true)
      await context.addInitScript({
        content:
          'if (globalThis.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => false',
      })
  }
  page.on('console', (message) => {
    // Chromium itself logs a line for every 4xx response; the tests only check how the page handles it.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => void faults.push(`exception: ${error.message}`))
  return { page, faults, close: () => context.close() }
}

/** A platform authenticator that keeps passkeys and confirms user verification automatically. */
export interface VirtualAuthenticator {
  /** Whether the user completes the prompt; if not, the browser reports an error, as for a cancelled prompt. */
  readonly confirm: (confirms: boolean) => Promise<void>
  /** Whether a user is there to touch it; otherwise prompts wait. */
  readonly present: (isPresent: boolean) => Promise<void>
  readonly credentials: () => Promise<number>
  /** The device is lost, and its passkeys with it. */
  readonly remove: () => Promise<void>
}

/** @param transport `usb` for a portable security key */
export const virtualAuthenticator = async (
  page: Page,
  transport: 'internal' | 'usb' = 'internal',
): Promise<VirtualAuthenticator> => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    confirm: async (isUserVerified) => {
      await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    present: async (enabled) => {
      await devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    },
    credentials: async () =>
      (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    remove: async () => {
      await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    },
  }
}
