/** SAML in a browser, with a service provider on another site. */
import { expect } from 'chai'
import { atAccount, type AccountBrowser } from '../support/browser/account-browser.ts'
import { newPage } from '../support/browser/browser.ts'
import { oidcWorld, pkce, type OidcWorld } from '../support/oidc/oidc.ts'
import { samlWorld, type SamlWorld, type TestServiceProvider } from '../support/saml/saml.ts'
import { webServiceProvider, type WebServiceProvider } from '../support/saml/saml-sp.ts'
import { freePort, testService, type TestService } from '../support/service/service.ts'

describe('SAML in a browser', function () {
  this.timeout(60_000)
  let service: TestService
  let world: OidcWorld
  let saml: SamlWorld
  let provider: WebServiceProvider
  let application: TestServiceProvider
  let person: AccountBrowser
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    saml = samlWorld(service, world)
    provider = await webServiceProvider(await freePort())
    const { entityId, acsUrl } = provider
    application = await saml.provider({ entityId, acsUrls: [acsUrl], defaultRelayState: 'from here' })
    const { samlCertificate } = await service.core.services.configuration.fresh()
    provider.trust({ entryPoint: saml.ssoUrl, idpCert: samlCertificate?.certificatePem ?? '' })
    person = await atAccount(service)
    await world.join(application.groupId, person.userId)
  })
  after(async () => {
    await person.close()
    await provider.stop()
    await service.stop()
  })

  const welcomed = async (what: string): Promise<void> => {
    await person.page.waitForURL(`${provider.origin}/welcome?*`)
    expect(await person.page.textContent('#said')).to.equal(what)
    expect(person.faults).to.deep.equal([])
  }

  it('SAML-02 an application sends a signed-in user by HTTP-Redirect, and gets them back immediately', async () => {
    await person.page.goto(`${provider.origin}/redirect`)
    await welcomed(`${person.email} r`)
  })

  it('SAML-02 the same works by HTTP-POST, although the browser does not send the cookie', async () => {
    await person.page.goto(`${provider.origin}/post`)
    await welcomed(`${person.email} r`)
  })

  it('SAML-03 an application is opened from the account page', async () => {
    await person.page.goto(`${service.publicUrl}/saml/launch/${application.applicationId}`)
    await welcomed(`${person.email} from here`)
  })

  for (const way of ['redirect', 'post'])
    it(`SAML-02 a user who is not signed in signs in first (${way})`, async () => {
      await person.page.context().clearCookies()
      await person.page.goto(`${provider.origin}/${way}`)
      await person.page.waitForURL(`${service.publicUrl}/sign-in?authRequest=*`)
      await person.press('Sign in with a passkey')
      await welcomed(`${person.email} r`)
    })

  it('SAML-03 so does a user who opens it from the account page', async () => {
    await person.page.context().clearCookies()
    await person.page.goto(`${service.publicUrl}/saml/launch/${application.applicationId}`)
    await person.press('Sign in with a passkey')
    await welcomed(`${person.email} from here`)
  })

  it('cancelling notifies the application', async () => {
    const context = person.page.context()
    const signedIn = await context.cookies()
    await context.clearCookies()
    try {
      await person.page.goto(`${provider.origin}/redirect`)
      await person.press(`Back to ${application.name}`)
      await person.page.waitForURL(`${provider.origin}/welcome?*`)
      expect(await person.page.textContent('#said')).to.include('AuthnFailed')
      expect(person.faults).to.deep.equal([])
    } finally {
      await context.addCookies(signedIn)
    }
  })

  it('ASG-02 a user without an assigned group sees the reason, and can go back', async () => {
    const outsider = await atAccount(service)
    try {
      await outsider.page.goto(`${provider.origin}/post`)
      await outsider.page.waitForSelector('text=ERR_NOT_ASSIGNED')
      await outsider.sound()
      await outsider.press(`Back to ${application.name}`)
      await outsider.page.waitForURL(`${provider.origin}/welcome?*`)
      expect(await outsider.page.textContent('#said')).to.include('RequestDenied')
      expect(outsider.faults).to.deep.equal([])
    } finally {
      await outsider.close()
    }
  })

  it('SAML-02 works with a button if there is no JavaScript', async () => {
    const someone = await service.person()
    await world.join(application.groupId, someone.userId)
    const plain = await newPage({ javaScript: false })
    try {
      const [name = '', value = ''] = someone.cookie.split('=')
      await plain.page.context().addCookies([{ name, value, url: service.publicUrl }])
      await plain.page.goto(`${provider.origin}/redirect`)
      await plain.page.click('button:has-text("Continue")')
      await plain.page.waitForURL(`${provider.origin}/welcome?*`)
      expect(await plain.page.textContent('#said')).to.equal(`${someone.email} r`)
    } finally {
      await plain.close()
    }
  })

  it('an application may redirect browsers to another origin after it has received the response', async () => {
    const elsewhere = await webServiceProvider(await freePort())
    const landing = elsewhere.landElsewhere()
    try {
      const { entityId, acsUrl } = elsewhere
      const there = await saml.provider({ entityId, acsUrls: [acsUrl] })
      await world.join(there.groupId, person.userId)
      const { samlCertificate } = await service.core.services.configuration.fresh()
      elsewhere.trust({ entryPoint: saml.ssoUrl, idpCert: samlCertificate?.certificatePem ?? '' })
      for (const way of [
        `${elsewhere.origin}/redirect`,
        `${service.publicUrl}/saml/launch/${there.applicationId}`,
      ]) {
        await person.page.goto(way)
        await person.page.waitForURL(`${landing}/welcome?*`)
        expect(person.faults).to.deep.equal([])
      }
    } finally {
      await elsewhere.stop()
    }
  })

  it('OIDC-02 so may an application that received its code by form_post', async () => {
    const elsewhere = await webServiceProvider(await freePort())
    const landing = elsewhere.landElsewhere()
    try {
      const redirectUri = `${elsewhere.origin}/callback`
      const app = await world.application('web', { redirectUris: [redirectUri] })
      await world.join(app.groupId, person.userId)
      const query = new URLSearchParams({
        client_id: app.clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        response_mode: 'form_post',
        scope: 'openid',
        state: 's',
        code_challenge: pkce().challenge,
        code_challenge_method: 'S256',
      })
      await person.page.goto(`${service.publicUrl}/oauth2/authorize?${query.toString()}`)
      await person.page.waitForURL(`${landing}/welcome?*`)
      expect(await person.page.textContent('#said')).to.match(/^code \S{20}/)
      expect(person.faults).to.deep.equal([])
    } finally {
      await elsewhere.stop()
    }
  })
})
