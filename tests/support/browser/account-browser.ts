import { expect } from 'chai'
import pg from 'pg'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { axeFindingsInBothThemes } from './axe.ts'
import {
  newPage,
  virtualAuthenticator,
  type PageOptions,
  type VirtualAuthenticator,
  type WatchedPage,
} from './browser.ts'
import { system, type TestPerson, type TestService } from '../service/service.ts'
import { READ_MODELS } from '../../../read-models/schema.ts'

/** A user in a browser: enrolled with its device, signed in, on a page of their account. */
export interface AccountBrowser extends WatchedPage {
  readonly userId: string
  readonly email: string
  readonly device: VirtualAuthenticator
  readonly go: (path: string) => Promise<void>
  readonly at: (path: string) => Promise<void>
  /** Presses the button with this accessible name. */
  readonly press: (name: string) => Promise<void>
  /** Presses the button in the dialog that is open. */
  readonly confirm: (name: string) => Promise<void>
  /** Waits for the text of a live region. */
  readonly said: (text: string) => Promise<void>
  /** Checks that the page is accessible, fits the screen, and violates no policy. */
  readonly sound: () => Promise<void>
  /** The accessible name of the focused element. */
  readonly focused: () => Promise<string>
  /** Lets the test call the API with this browser's session. */
  readonly as: () => Promise<TestPerson>
  /** Makes the session an hour old. */
  readonly age: () => Promise<void>
}

let people = 0

/** Runs a statement on the read models of a service, to simulate what would take hours. */
export const sql = async (
  { databaseUrl }: Pick<TestService, 'databaseUrl'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl, options: `-c search_path=${READ_MODELS}` })
  await client.connect()
  try {
    await client.query(text, [...values])
  } finally {
    await client.end()
  }
}

export const atAccount = async (service: TestService, options: PageOptions = {}): Promise<AccountBrowser> => {
  const email = `account${String(++people)}@example.com`
  const { userId, enrollUrl } = await userCommands(service.core.services).invite(
    { profile: { name: 'Ada Lovelace', email }, source: 'local' },
    system,
  )
  const browser = await newPage(options)
  const { page, faults } = browser
  const device = await virtualAuthenticator(page)
  await page.goto(enrollUrl)
  await page.click('button:has-text("Create a passkey")')
  await page.waitForURL(`${service.publicUrl}/account`)

  /** A dialog on top of another comes later in the page. */
  const press = (scope: string) => (name: string) =>
    page.locator(scope).last().getByRole('button', { name, exact: true }).click()
  return {
    ...browser,
    userId,
    email,
    device,
    go: async (path) => {
      await page.goto(service.publicUrl + path)
    },
    at: (path) => page.waitForURL(`${service.publicUrl}${path}`),
    press: press('body'),
    confirm: press('dialog[open]'),
    said: async (text) => {
      await page.waitForSelector(`[data-report]:has-text("${text}")`)
    },
    sound: async () => {
      expect(await axeFindingsInBothThemes(page), page.url()).to.deep.equal([])
      const over = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect(over, `${page.url()} scrolls sideways`).to.equal(0)
      expect(faults).to.deep.equal([])
    },
    focused: () => page.evaluate<string>(`document.activeElement.textContent.replace(/\\s+/g, ' ').trim()`),
    as: async () => {
      const cookies = await page.context().cookies()
      const value = cookies.find(({ name }) => name === 'svc_session')?.value ?? ''
      return { userId, email, sessionId: '', cookie: `svc_session=${value}` }
    },
    age: () =>
      sql(service, `update sessions set auth_time = auth_time - interval '1 hour' where user_id = $1`, [
        userId,
      ]),
  }
}
