/** Where users ask for help, on pages of the service. */
import { expect } from 'chai'
import { testService, type TestService } from '../support/service/service.ts'

describe('the support address', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.stop())

  /** Of the sign-in page, of pages behind links that have expired, and of errors */
  const paths = [
    '/sign-in',
    '/enroll/none',
    '/magic-link/none',
    '/no-such-page',
    '/oauth2/authorize',
    '/saml/sso',
  ]

  const footerOf = async (path: string, language: string): Promise<string> => {
    const headers = { accept: 'text/html', 'accept-language': language }
    const page = await (await fetch(service.publicUrl + path, { headers })).text()
    const [, footer = ''] = /<footer[^>]*>([^]*?)<\/footer>/.exec(page) ?? []
    return footer
      .replaceAll(/<wbr ?\/?>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim()
  }

  it('is at the foot of every page, and without one the administrator', async () => {
    for (const path of paths)
      expect(await footerOf(path, 'en'), path).to.include('Need help? Ask your administrator.')
    const admin = await service.person({}, ['global_admin'])
    await service.api('PATCH', '/settings', { as: admin, body: { supportEmail: 'help@example.com' } })
    for (const path of paths) {
      expect(await footerOf(path, 'en'), path).to.match(
        /Need help\? <a href="mailto:help@example\.com" ?>help@example\.com</,
      )
      expect(await footerOf(path, 'de'), path).to.match(
        /Brauchen Sie Hilfe\? <a href="mailto:help@example\.com"/,
      )
    }
  })
})
