import { consoleScenarios } from '../../support/browser/console-browser.ts'
import { DOMAIN, federationPlace, type FederationPlace } from '../../support/federation/place.ts'

describe('test sign-ins with identity providers in the console', function () {
  this.timeout(120_000)
  let place: FederationPlace
  before(async () => {
    place = await federationPlace()
  })
  after(() => place.stop())
  const withConsole = consoleScenarios(() => place.service, ['security_admin'])

  it('SGN-04 goes to the provider and back, and shows each claim and what would come of it', () =>
    withConsole(async ({ page, go, sound }) => {
      place.provider.claims = {
        sub: 's-42',
        email: `new@${DOMAIN}`,
        email_verified: true,
        name: 'New Person',
      }
      await go(`/console/identity-providers/${String(place.record.id)}?tab=test`)
      await page.getByRole('button', { name: 'Test sign-in' }).click()
      await page.getByText('Accepted', { exact: true }).waitFor()
      await page.getByText('s-42').first().waitFor()
      await page.getByText('Creates a user').waitFor()
      await sound()

      place.provider.alter = (claims) => ({ ...claims, iss: 'https://elsewhere.example' })
      await page.getByRole('button', { name: 'Test sign-in' }).click()
      await page.getByText('Rejected', { exact: true }).waitFor()
      await page.getByText(/"iss"/).waitFor()
      await sound()
    }))
})
