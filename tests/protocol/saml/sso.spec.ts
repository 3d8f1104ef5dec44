import { expect } from 'chai'
import { samlCertificateCommands } from '../../../adapters/application/commands/saml-certificates.ts'
import { samlAssertionStream } from '../../../domain/saml-assertion/decider.ts'
import { oidcWorld, type OidcWorld } from '../../support/oidc/oidc.ts'
import { formIn, samlWorld, type SamlWorld, type TestServiceProvider } from '../../support/saml/saml.ts'
import { system, testService, type TestPerson, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

const responseIn = (html: string): string =>
  Buffer.from(formIn(html).fields['SAMLResponse'] ?? '', 'base64').toString()

describe('SAML single sign-on', () => {
  let service: TestService
  let world: OidcWorld
  let saml: SamlWorld
  let sp: TestServiceProvider
  let person: TestPerson
  let administrator: TestPerson
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    saml = samlWorld(service, world)
    sp = await saml.provider()
    person = await saml.member(sp, { name: 'Ada King Lovelace', email: 'ada@example.com' })
    administrator = await service.person({}, ['global_admin'])
  })
  after(() => service.stop())

  for (const signResponse of [false, true])
    for (const nameIdFormat of ['email', 'persistent', 'unspecified'] as const)
      it(`SAML-02 SAML-04 SAML-06 by HTTP-Redirect: NameID ${nameIdFormat}, response ${signResponse ? '' : 'not '}signed`, async () => {
        const provider = await saml.provider({ nameIdFormat, signResponse })
        const someone = await saml.member(provider)
        const client = await saml.client(provider, { wantAuthnResponseSigned: signResponse })
        const answer = await saml.get(await client.getAuthorizeUrlAsync('r', undefined, {}), someone)
        expect(answer.status).to.equal(200)
        const form = formIn(answer.text)
        expect(form.action).to.equal(provider.acsUrl)
        expect(form.fields['RelayState']).to.equal('r')
        const profile = await saml.received(client, form)
        expect(profile.nameID).to.equal(nameIdFormat === 'persistent' ? someone.userId : someone.email)
        expect(profile.nameIDFormat).to.match(
          { email: /emailAddress$/, persistent: /2\.0.*persistent$/, unspecified: /unspecified$/ }[
            nameIdFormat
          ],
        )
        expect(profile['sessionIndex']).to.equal(someone.sessionId)
      })

  for (const skipRequestCompression of [true, false])
    it(`SAML-02 by HTTP-POST, ${skipRequestCompression ? 'as it is' : 'deflated'}, without the cookie at first`, async () => {
      const client = await saml.client(sp, { authnRequestBinding: 'HTTP-POST', skipRequestCompression })
      const { SAMLRequest } = await client.getAuthorizeMessageAsync('', undefined, {})
      const posted = await saml.post({ SAMLRequest: String(SAMLRequest), RelayState: 'r' })
      expect(posted.status).to.equal(303)
      expect(posted.location).to.match(/\/saml\/sso\/resume\?authRequest=[\w-]{43}$/)
      const answer = await saml.get(posted.location ?? '', person)
      const form = formIn(answer.text)
      expect(form.fields['RelayState']).to.equal('r')
      expect((await saml.received(client, form)).nameID).to.equal('ada@example.com')
    })

  it('SAML-05 attributes have the names of the application, and groups all their values', async () => {
    const provider = await saml.provider({ attributeNames: { groups: 'memberOf', email: 'mail' } })
    const someone = await saml.member(provider, { name: 'Grace Brewster Hopper' })
    await world.join(await world.group(`A & <b> "c" ${provider.name}`), someone.userId)
    const client = await saml.client(provider)
    const answer = await saml.get(await client.getAuthorizeUrlAsync('', undefined, {}), someone)
    const { attributes } = await saml.received(client, formIn(answer.text))
    expect(attributes).to.deep.include({
      mail: someone.email,
      name: 'Grace Brewster Hopper',
      given_name: 'Grace Brewster',
      family_name: 'Hopper',
    })
    expect((attributes as { memberOf: readonly string[] }).memberOf)
      .to.have.length(2)
      .and.include(`A & <b> "c" ${provider.name}`)
  })

  it('SAML-05 names come from the profile if it has them', async () => {
    const someone = await saml.member(sp, { name: 'Bob', givenName: 'Robert', familyName: 'Van der Berg' })
    const client = await saml.client(sp)
    const answer = await saml.get(await client.getAuthorizeUrlAsync('', undefined, {}), someone)
    expect((await saml.received(client, formIn(answer.text)))['attributes']).to.deep.include({
      given_name: 'Robert',
      family_name: 'Van der Berg',
    })
  })

  it('SAML-03 an application is opened from here, with its default RelayState', async () => {
    const provider = await saml.provider({ defaultRelayState: '/home?a="b"' })
    const someone = await saml.member(provider)
    const answer = await saml.get(`/saml/launch/${provider.applicationId}`, someone)
    const form = formIn(answer.text)
    expect(form.action).to.equal(provider.acsUrl)
    expect(form.fields['RelayState']).to.equal('/home?a="b"')
    expect(responseIn(answer.text)).not.to.include('InResponseTo')
    const client = await saml.client(provider, { validateInResponseTo: 'never' as never })
    expect((await saml.received(client, form)).nameID).to.equal(someone.email)
  })

  it('contains the end of the session, unless the application is configured otherwise', async () => {
    const silent = await saml.provider({ sessionNotOnOrAfter: false })
    const someone = await saml.member(silent)
    const xml = responseIn((await saml.ask(sp, person)).text)
    expect(xml).to.match(/SessionNotOnOrAfter="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/)
    expect(responseIn((await saml.ask(silent, someone)).text)).not.to.include('SessionNotOnOrAfter')
  })

  it('the page that posts itself contains one form, is not cached and sends no referrer', async () => {
    const { headers, text } = await saml.ask(sp, person)
    expect(text.match(/<form[^>]* action="[^"]*"/g)).to.deep.equal([
      `<form method="post" action="${sp.acsUrl}"`,
    ])
    expect(headers.get('content-security-policy')).to.include("script-src 'self';")
    // Browsers would apply the policy to redirects of the application after the post.
    expect(headers.get('content-security-policy')).to.include("form-action 'self' https:;")
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(headers.get('referrer-policy')).to.equal('no-referrer')
    expect(text)
      .to.match(/<script[^>]* src="[^"]*submit[^"]*"/)
      .and.include('type="submit"')
  })

  it('SAML-09 ForceAuthn, IsPassive, NameIDPolicy and a request for an authentication context have no effect', async () => {
    const content =
      '<samlp:NameIDPolicy Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient"/>' +
      '<samlp:RequestedAuthnContext Comparison="exact"><saml:AuthnContextClassRef>x</saml:AuthnContextClassRef>' +
      '</samlp:RequestedAuthnContext>'
    const request = { attributes: ' ForceAuthn="true" IsPassive="true"', content }
    const xml = responseIn((await saml.ask(sp, person, request)).text)
    expect(xml).to.include('nameid-format:emailAddress').and.include('ac:classes:unspecified')
    const nobody = await saml.ask(sp, null, request)
    expect(nobody.location).to.match(/\/sign-in\?authRequest=/)
  })

  describe('through the sign-in page', () => {
    const signInPage = async (request: Parameters<SamlWorld['ask']>[2] = {}) => {
      const { status, location } = await saml.ask(sp, null, request)
      expect(status).to.equal(303)
      return new URL(location ?? '').searchParams.get('authRequest') ?? ''
    }

    it('SAML-02 shows the application and the expected user', async () => {
      const content = '<saml:Subject><saml:NameID>grace@example.com</saml:NameID></saml:Subject>'
      const id = await signInPage({ content })
      const { text, headers } = await saml.get(`/sign-in?authRequest=${id}`, null)
      expect(text).to.include(sp.name).and.include('grace@example.com')
      expect(headers.get('content-security-policy')).to.include(new URL(sp.acsUrl).origin)
      const { body } = await service.api('GET', `/auth/requests/${id}`)
      expect(body).to.include({ applicationName: sp.name, loginHint: 'grace@example.com' })
    })

    it('SAML-02 continues once, with its RelayState', async () => {
      const id = await signInPage({ relayState: 'deep' })
      const answer = await saml.get(`/saml/sso/resume?authRequest=${id}`, person)
      expect(formIn(answer.text).fields['RelayState']).to.equal('deep')
      const again = await saml.get(`/saml/sso/resume?authRequest=${id}`, person)
      expect(again.status).to.equal(404)
      expect(again.text).to.include('ERR_AUTH_REQUEST_EXPIRED')
    })

    it('does not continue at the endpoint of another protocol', async () => {
      const id = await signInPage()
      const answer = await saml.get(`/oauth2/authorize/resume?authRequest=${id}`, person)
      expect(answer.status).to.equal(404)
      const app = await world.application('web')
      const waiting = await world.authorize(app, null)
      const other = waiting.query['authRequest'] ?? ''
      expect((await saml.get(`/saml/sso/resume?authRequest=${other}`, person)).status).to.equal(404)
    })

    it('leads back to the application with a signed response without a sign-in', async () => {
      const client = await saml.client(sp, { wantAuthnResponseSigned: true })
      const { location } = await saml.get(await client.getAuthorizeUrlAsync('r', undefined, {}), null)
      const id = new URL(location ?? '').searchParams.get('authRequest') ?? ''
      const back = await world.browse('/sign-in/cancel', null, {
        method: 'POST',
        body: new URLSearchParams({ authRequest: id }),
      })
      const form = formIn(back.text)
      expect(form.action).to.equal(sp.acsUrl)
      expect(form.fields['RelayState']).to.equal('r')
      const failure = await saml.received(client, form).catch((error: unknown) => error)
      expect(String(failure)).to.match(/Responder.*AuthnFailed/)
      expect(responseIn(back.text)).to.match(/InResponseTo="_[0-9a-f]+"/)
    })

    it('SAML-03 leads to our own pages if no application sent a request', async () => {
      const { location } = await saml.get(`/saml/launch/${sp.applicationId}`, null)
      const id = new URL(location ?? '').searchParams.get('authRequest') ?? ''
      const back = await world.browse('/sign-in/cancel', null, {
        method: 'POST',
        body: new URLSearchParams({ authRequest: id }),
      })
      expect([back.status, back.location]).to.deep.equal([303, `${service.publicUrl}/`])
    })
  })

  it('SAML-08 rotation: an application that trusts all certificates of the metadata keeps working, one with only the old certificate does not', async () => {
    const { configuration } = service.core.services
    const { samlCertificates, samlCertificate } = await configuration.fresh()
    const listed = await saml.client(sp, {
      idpCert: samlCertificates.map(({ certificatePem }) => certificatePem),
    })
    const old = await saml.client(sp)
    expect(await (await fetch(`${service.publicUrl}/saml/certificate`)).text()).to.equal(
      samlCertificate?.certificatePem,
    )
    const formFor = async (client: typeof old) =>
      formIn((await saml.get(await client.getAuthorizeUrlAsync('', undefined, {}), person)).text)
    expect((await saml.received(listed, await formFor(listed))).nameID).to.equal(person.email)
    await samlCertificateCommands(service.core.services).rotate(system)
    expect((await saml.received(listed, await formFor(listed))).nameID).to.equal(person.email)
    const failure = await saml.received(old, await formFor(old)).catch((error: unknown) => error)
    expect(String(failure)).to.include('Invalid signature')
  })

  it('each sign-in is in the sign-in events, the session and the log', async () => {
    const provider = await saml.provider()
    const someone = await saml.member(provider)
    const { text } = await saml.ask(provider, someone)
    const assertionId = /<saml:Assertion [^>]*ID="(_[0-9a-f]{32})"/.exec(responseIn(text))?.[1]
    await until(async () => {
      const { body } = await service.api('GET', `/sign-ins?userId=${someone.userId}`, { as: administrator })
      return (body as { appId: string; method: string; result: string }[]).some(
        ({ appId, method, result }) =>
          appId === provider.applicationId && method === 'session' && result === 'success',
      )
    })
    await until(async () => {
      const { body } = await service.api('GET', `/sessions/${someone.sessionId}`, { as: administrator })
      return (body as { applications: { appId: string }[] }).applications.some(
        ({ appId }) => appId === provider.applicationId,
      )
    })
    const launched = responseIn((await saml.get(`/saml/launch/${provider.applicationId}`, someone)).text)
    const id = /<saml:Assertion [^>]*ID="(_[0-9a-f]{32})"/.exec(launched)?.[1] ?? ''
    const [event] = await service.core.eventLog.readStream(samlAssertionStream(id))
    expect(event?.type).to.equal('saml_assertion.issued')
    expect(event?.data).to.deep.equal({
      assertionId: id,
      applicationId: provider.applicationId,
      userId: someone.userId,
      sessionId: someone.sessionId,
    })
    expect(assertionId).not.to.equal(undefined)
  })
})
