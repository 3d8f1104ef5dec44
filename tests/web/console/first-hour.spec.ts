/**
 * The first hour of an administrator, without a word of the documentation: from the setup link to the claims that the
 * first application receives, by mouse, and by keyboard alone.
 */
import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { setupLink } from '../../../cli/server/setup-link.ts'
import { axeFindings } from '../../support/browser/axe.ts'
import { newPage, virtualAuthenticator } from '../../support/browser/browser.ts'
import { everyScreen } from '../../support/browser/screens.ts'
import { firstAdministrator } from '../../support/sign-in/first-administrator.ts'
import { testService } from '../../support/service/service.ts'

/** What an administrator does with their hands. */
interface Hands {
  readonly press: (target: Locator) => Promise<void>
  readonly type: (target: Locator, text: string) => Promise<void>
  readonly tick: (target: Locator) => Promise<void>
}

const mouse: Hands = {
  press: (target) => target.click(),
  type: async (target, text) => {
    await target.click()
    await target.fill(text)
  },
  tick: (target) => target.check(),
}

/** More than any page has. */
const MOST_STOPS = 200

const keyboard = (page: Page): Hands => {
  const reach = async (target: Locator): Promise<void> => {
    await target.waitFor()
    for (let stop = 0; stop < MOST_STOPS; stop++) {
      if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`The Tab key does not reach ${String(target)}.`)
  }
  return {
    press: async (target) => {
      await reach(target)
      await page.keyboard.press('Enter')
    },
    type: async (target, text) => {
      await reach(target)
      await page.keyboard.type(text)
    },
    tick: async (target) => {
      await reach(target)
      await page.keyboard.press('Space')
    },
  }
}

describe('the first hour in the console', function () {
  this.timeout(180_000)

  const hands: readonly (readonly [how: string, handsOf: (page: Page) => Hands])[] = [
    ['by keyboard alone', keyboard],
    ...(everyScreen ? [['by mouse', () => mouse] as const] : []),
  ]
  for (const [how, handsOf] of hands)
    it(`SGN-01 API-01 API-07 leads from the setup link to the claims of the first application ${how}`, async () => {
      const service = await testService()
      const { page, faults, close } = await newPage()
      try {
        page.setDefaultTimeout(30_000)
        await virtualAuthenticator(page)
        const { press, type, tick } = handsOf(page)
        const main = page.locator('main')
        const dialog = page.getByRole('dialog')
        const button = (name: string | RegExp, within: Page | Locator = main): Locator =>
          within.getByRole('button', { name, exact: true })
        const step = (name: RegExp): Locator => main.getByRole('listitem').filter({ hasText: name })
        const isDone = (name: RegExp): Promise<void> => step(name).getByText('done').waitFor()
        const toOverview = async (): Promise<void> => {
          await press(page.getByRole('navigation').getByRole('link', { name: 'Overview' }))
          await main.getByRole('heading', { name: 'First steps' }).waitFor()
        }
        const follow = (name: RegExp): Promise<void> => press(step(name).getByRole('link'))
        const sound = async (): Promise<void> => {
          expect(await axeFindings(page), page.url()).to.deep.equal([])
        }

        await page.goto((await setupLink(service.core)) ?? '')
        await type(page.locator('#profile-name'), firstAdministrator.name)
        await type(page.locator('#profile-email'), firstAdministrator.email)
        await press(page.getByRole('button', { name: 'Create a passkey' }))
        await press(page.getByRole('link', { name: 'Open the console' }))

        await follow(/first application/)
        await press(button('Connect application'))
        await type(dialog.getByLabel('Name'), 'Payroll')
        await type(dialog.getByLabel('Redirect URIs'), 'https://payroll.example.com/callback')
        await press(button('Connect application', dialog))
        await dialog.getByText('This is shown only once.').waitFor()
        await press(button('Show how to connect it', dialog))
        await main.locator('pre').getByText('client.discovery').waitFor()

        await toOverview()
        await isDone(/first application/)
        await follow(/Create a group/)
        await press(button('Create group'))
        await type(dialog.getByLabel('Name'), 'Staff')
        await press(button('Create group', dialog))
        await press(button('Add members'))
        await press(button(`Add ${firstAdministrator.name}`, dialog))
        await dialog.getByText('was added').waitFor()
        await press(button('Close', dialog))

        await toOverview()
        await isDone(/Create a group/)
        await follow(/Assign a group/)
        await press(button('Assign groups'))
        await press(button('Assign Staff', dialog))
        await dialog.getByText('Staff is assigned').waitFor()
        await press(button('Close', dialog))

        await toOverview()
        await isDone(/Assign a group/)
        await follow(/Test the sign-in/)
        await sound()
        await tick(main.getByLabel('groups'))
        await press(button('Test with my account'))
        await page.getByRole('heading', { name: 'The sign-in to Payroll works' }).waitFor()
        await sound()
        const claims = await page.getByRole('definition').allInnerTexts()
        expect(claims)
          .to.include(firstAdministrator.email)
          .and.to.include('["Staff"]')
          .and.to.include(service.publicUrl)
        await press(page.getByRole('link', { name: 'Back to the application' }))

        await toOverview()
        await follow(/Invite the people/)
        await press(button('Invite user'))
        await type(dialog.getByLabel('Name', { exact: true }), 'Grace Hopper')
        await type(dialog.getByLabel('Email', { exact: true }), 'grace@example.com')
        await press(button('Invite user', dialog))
        await dialog.getByText('This is shown only once.').waitFor()
        await press(button('Close', dialog))
        await press(main.getByRole('link', { name: 'Grace Hopper' }))
        await press(button('Change roles'))
        await tick(dialog.getByLabel('Global administrator'))
        await press(button('Save', dialog))
        await dialog.waitFor({ state: 'detached' })

        await toOverview()
        await isDone(/Invite the people/)
        await isDone(/Make somebody else/)
        await sound()
        expect(faults).to.deep.equal([])
      } finally {
        await close()
        await service.stop()
      }
    })
})
