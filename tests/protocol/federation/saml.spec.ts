import { expect } from 'chai'
import { verify } from 'node:crypto'
import { plainBrowser } from '../../support/federation/browser.ts'
import { DOMAIN, lastAttempt } from '../../support/federation/place.ts'
import { samlPlace, type SamlPlace } from '../../support/federation/saml-place.ts'
import { newSigner } from '../../support/federation/scripted-saml-provider.ts'
import { success, type Json } from '../../http/api/support.ts'
import { checkResponse } from '../../../adapters/application/sign-in/federation/saml-assertion.ts'
import { nameIdFormats } from '../../../domain/saml/names.ts'
import type { Assertion, Response } from '../../../domain/saml/response.ts'
import { samlTime } from '../../../domain/saml/time.ts'
import { wrapAssertion, wrapResponse } from '../../support/saml/saml-wrapping.ts'

describe('signing in with a SAML identity provider', function () {
  this.timeout(60_000)
  let place: SamlPlace
  before(async () => {
    place = await samlPlace()
  })
  after(() => place.stop())
  beforeEach(() => {
    place.provider.user = userOf('ada')
  })
  afterEach(async () => {
    place.provider.reset()
    await place.configure({ acceptUnsolicited: false, nameIdFormat: null, phishingResistantValues: [] })
  })

  const FAILED = '/sign-in?error=ERR_PROVIDER_FAILED'
  const userOf = (id: string, more: Readonly<Record<string, readonly string[]>> = {}) => ({
    nameId: { format: nameIdFormats.persistent, value: `id-of-${id}` },
    attributes: { mail: [`${id}@${DOMAIN}`], displayName: [`${id} of Contoso`], ...more },
  })
  const me = async (cookie: string): Promise<Json> => {
    const response = await fetch(`${place.service.core.services.publicUrl}/api/v1/me`, {
      headers: { cookie },
    })
    return response.json()
  }

  it('SGN-04 a new user gets an account with the attributes of the assertion, and the same one again', async () => {
    const { to, browser } = await place.signIn()
    expect(to).to.equal('/account')
    const user = await me(browser.cookies())
    expect([user.email, user.name]).to.deep.equal([`ada@${DOMAIN}`, 'ada of Contoso'])
    const again = await place.signIn()
    expect((await me(again.browser.cookies())).id).to.equal(user.id)
  })

  it('SGN-04 the request is signed, names this service and repeats nothing of the browser', async () => {
    await place.configure({ nameIdFormat: 'persistent' })
    const request = await place.leave(place.browser(), '?loginHint=ada@contoso.example')
    expect(request.issuer).to.equal(place.record.metadataUrl)
    expect(request.acsUrl).to.equal(place.record.callbackUrl)
    expect(request.forceAuthn).to.equal(false)
    expect(request.xml).to.include(nameIdFormats.persistent)
    expect(request.xml).to.not.include('RequestedAuthnContext')
    const query = new URLSearchParams(request.query)
    expect(query.get('login_hint')).to.equal('ada@contoso.example')
    const pairs = request.query.split('&')
    const signed = ['SAMLRequest', 'RelayState', 'SigAlg']
      .map((name) => pairs.find((pair) => pair.startsWith(`${name}=`)))
      .join('&')
    const metadata = await (await fetch(place.record.metadataUrl as string)).text()
    const certificates = [...metadata.matchAll(/<ds:X509Certificate>([^<]*)/g)].map(([, body]) => body)
    const signature = Buffer.from(query.get('Signature') ?? '', 'base64')
    // Some programs use only the first certificate, and Keycloak only the last.
    expect(certificates.length, 'the next one is listed').to.be.greaterThan(1)
    for (const certificate of [certificates[0], certificates.at(-1)]) {
      const pem = `-----BEGIN CERTIFICATE-----\n${String(certificate)}\n-----END CERTIFICATE-----`
      expect(verify('sha256', Buffer.from(signed), pem, signature)).to.equal(true)
    }
    expect(metadata).to.include('AuthnRequestsSigned="true" WantAssertionsSigned="true"')
  })

  it('SGN-04 groups follow the attribute, and a context counts as phishing-resistant if an administrator says so', async () => {
    const group = success(await place.send('POST', '/groups', { name: 'Engineering' }), 201)
    await place.configure({
      groupMapping: [{ value: 'eng', groupId: group.id }],
      phishingResistantValues: ['urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified'],
    })
    place.provider.user = userOf('grace', { groups: ['eng', 'other'] })
    const { browser } = await place.signIn()
    const { id } = await me(browser.cookies())
    const members = async (): Promise<Json[]> =>
      success(await place.send('GET', `/groups/${group.id}/members`))
    expect((await members()).map(({ userId, via }: Json) => [userId, via])).to.deep.equal([
      [id, 'identity_provider'],
    ])
    const [session] = success(await place.send('GET', `/sessions?userId=${id}`)) as Json[]
    expect(session.methods).to.deep.equal(['phishing_resistant_identity_provider'])
    place.provider.user = userOf('grace', { groups: ['other'] })
    await place.signIn()
    expect(await members()).to.deep.equal([])
  })

  it('SGN-04 no attribute replaces the name id or the context', async () => {
    place.provider.user = userOf('hedy', { sub: ['id-of-ada'], acr: ['strong'], NameID: ['id-of-ada'] })
    await place.configure({ phishingResistantValues: ['strong'] })
    const { browser } = await place.signIn()
    const user = await me(browser.cookies())
    expect(user.email).to.equal(`hedy@${DOMAIN}`)
    const [session] = success(await place.send('GET', `/sessions?userId=${user.id}`)) as Json[]
    expect(session.methods).to.deep.equal(['identity_provider'])
  })

  it('SGN-04 a user with a session has to authenticate at the provider again', async () => {
    const { browser } = await place.signIn()
    const request = await place.leave(browser)
    expect(request.forceAuthn).to.equal(true)
    const stale = samlTime(Date.now() - 600_000)
    place.provider.alter = inAssertion(() => ({ authnInstant: stale }))
    expect(await place.consume(browser, await place.provider.respond(request), request.relayState)).to.equal(
      FAILED,
    )
    place.provider.reset()
    place.provider.user = userOf('ada')
    const second = await place.leave(browser)
    const xml = await place.provider.respond(second)
    expect(await place.consume(browser, xml, second.relayState)).to.equal('/account')
  })

  it('SGN-04 a provider that says no is recorded as such', async () => {
    place.provider.alter = (response) => ({
      ...response,
      status: [
        'urn:oasis:names:tc:SAML:2.0:status:Responder',
        'urn:oasis:names:tc:SAML:2.0:status:AuthnFailed',
      ],
      assertion: null,
    })
    expect((await place.signIn()).to).to.equal('/sign-in?error=ERR_PROVIDER_DENIED')
    await lastAttempt(place, { result: 'failure', reason: 'provider_denied' })
  })

  const inAssertion =
    (change: (assertion: Assertion) => Partial<Assertion>) =>
    (response: Response): Response => ({
      ...response,
      assertion:
        response.assertion === null ? null : { ...response.assertion, ...change(response.assertion) },
    })
  const at = (seconds: number): string => samlTime(Date.now() + seconds * 1000)

  const wrong: [string, (response: Response) => Response][] = [
    ['another audience', inAssertion(() => ({ audience: 'https://other.example' }))],
    [
      'the audience of another provider here',
      inAssertion(({ audience }) => ({ audience: audience.replace(/idp_\w+/, 'idp_other') })),
    ],
    ['another issuer of the assertion', inAssertion(() => ({ issuer: 'https://evil.example' }))],
    ['another issuer of the response', (response) => ({ ...response, issuer: 'https://evil.example' })],
    ['another recipient', inAssertion(() => ({ recipient: 'https://other.example/acs' }))],
    ['another destination', (response) => ({ ...response, destination: 'https://other.example/acs' })],
    ['another request in the assertion', inAssertion(() => ({ inResponseTo: '_other' }))],
    ['no request in the assertion', inAssertion(() => ({ inResponseTo: null }))],
    ['another request in the response', (response) => ({ ...response, inResponseTo: '_other' })],
    ['an expired assertion', inAssertion(() => ({ notBefore: at(-600), notOnOrAfter: at(-60) }))],
    ['an assertion for later', inAssertion(() => ({ notBefore: at(60) }))],
    ['a session that has ended', inAssertion(() => ({ sessionNotOnOrAfter: at(-1) }))],
    [
      'a transient name id',
      inAssertion(({ nameId }) => ({
        nameId: { ...nameId, format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' },
      })),
    ],
    ['an empty name id', inAssertion(({ nameId }) => ({ nameId: { ...nameId, value: '' } }))],
  ]
  for (const [what, alter] of wrong)
    it(`SGN-04 ${what} is refused`, async () => {
      place.provider.alter = alter
      const { to, browser } = await place.signIn()
      expect(to).to.equal(FAILED)
      expect(browser.has('svc_session')).to.equal(false)
    })

  it('SGN-04 a clock that is a little wrong is accepted', async () => {
    place.provider.alter = inAssertion(() => ({ notBefore: at(20) }))
    expect((await place.signIn()).to).to.equal('/account')
    place.provider.alter = inAssertion(() => ({ notOnOrAfter: at(-10) }))
    expect((await place.signIn()).to).to.equal('/account')
  })

  /** The reason is what the check of the message says; null: only the signature shows it. */
  const messages: [string, (xml: string) => string, RegExp | null][] = [
    ['a changed attribute', (xml) => xml.replace('>ada@', '>root@'), null],
    ['a changed name id', (xml) => xml.replace('>id-of-ada<', '>id-of-root<'), null],
    ['no signature', (xml) => xml.replace(/<ds:Signature .*?<\/ds:Signature>/s, ''), null],
    ['no signature value', (xml) => xml.replace(/<ds:SignatureValue>[^<]*/, '<ds:SignatureValue>'), null],
    ['a name id with a comment', (xml) => xml.replace('>id-of-ada<', '>id-of-ada<!-- -->.evil<'), /comment/],
    ['a document type', (xml) => `<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml}`, /DOCTYPE/],
    [
      'SHA-1',
      (xml) => xml.replaceAll('2001/04/xmldsig-more#rsa-sha256', '2000/09/xmldsig#rsa-sha1'),
      /rsa-sha1 as SignatureMethod/,
    ],
    [
      'HMAC',
      (xml) => xml.replaceAll('2001/04/xmldsig-more#rsa-sha256', '2000/09/xmldsig#hmac-sha1'),
      /hmac-sha1 as SignatureMethod/,
    ],
    [
      'a SHA-1 digest',
      (xml) => xml.replaceAll('2001/04/xmlenc#sha256', '2000/09/xmldsig#sha1'),
      /sha1 as DigestMethod/,
    ],
    [
      'another transform',
      (xml) => xml.replace('2000/09/xmldsig#enveloped-signature', 'TR/1999/REC-xslt-19991116'),
      /as Transform/,
    ],
    [
      'a canonicalization with comments',
      (xml) => xml.replace('xml-exc-c14n#"></ds:Canon', 'xml-exc-c14n#WithComments"></ds:Canon'),
      /as CanonicalizationMethod/,
    ],
    [
      'an encrypted assertion',
      (xml) => xml.replaceAll('saml:Assertion', 'saml:EncryptedAssertion'),
      /encrypted/,
    ],
    ['a request', (xml) => xml.replaceAll('samlp:Response', 'samlp:AuthnRequest'), /no|not/],
    ['text that is not XML', () => 'SAML', /well-formed/],
    [
      'two assertions',
      (xml) =>
        xml.replace(
          /<saml:Assertion .*<\/saml:Assertion>/s,
          (one) => one + one.replace(/ ID="[^"]*"/, ' ID="_2"'),
        ),
      /more than one assertion/,
    ],
    [
      'the same ID twice',
      (xml) => xml.replace(/ ID="(_[^"]*)"(.*?) ID="_[^"]*"/s, ' ID="$1"$2 ID="$1"'),
      /the same ID/,
    ],
  ]
  for (const [what, tamper, reason] of messages)
    it(`SGN-04 a response with ${what} is refused`, async () => {
      place.provider.tamper = tamper
      const { to, browser } = await place.signIn()
      expect(to).to.equal(FAILED)
      expect(browser.has('svc_session')).to.equal(false)
      const request = await place.leave(place.browser())
      const expected = {
        issuer: place.provider.entityId,
        audience: request.issuer,
        recipient: request.acsUrl,
        requestId: request.id,
      }
      const xml = await place.provider.respond(request)
      const check = () => {
        checkResponse(xml, expected)
      }
      if (reason === null) expect(check).to.not.throw()
      else expect(check).to.throw(reason)
    })

  it('SGN-04 only the assertion signature counts: not of another key, nor only of the response', async () => {
    place.provider.signWith = await newSigner()
    expect((await place.signIn()).to).to.equal(FAILED)
    place.provider.reset()
    place.provider.user = userOf('ada')
    place.provider.signs = { assertion: false, response: true }
    expect((await place.signIn()).to).to.equal(FAILED)
    const logged = place.service.log.lines.filter((line) =>
      line.includes('no signature that its certificates'),
    )
    expect(logged).to.have.length.of.at.least(2)
    place.provider.signs = { assertion: true, response: true }
    expect((await place.signIn()).to).to.equal('/account')
  })

  it('SGN-04 a new key is accepted from when its certificate is added', async () => {
    const next = await newSigner()
    place.provider.signWith = next
    expect((await place.signIn()).to).to.equal(FAILED)
    await place.configure({ certificates: [place.provider.signer.certificatePem, next.certificatePem] })
    expect((await place.signIn()).to).to.equal('/account')
    await place.configure({ metadataXml: place.provider.metadataXml })
    expect((await place.signIn()).to).to.equal(FAILED)
  })

  it('SGN-04 no wrapped signature signs in anybody', async () => {
    for (const signResponse of [false, true]) {
      place.provider.signs = { assertion: true, response: signResponse }
      const request = await place.leave(place.browser())
      const signed = await place.provider.respond(request)
      const forge = (text: string): string => text.replaceAll('id-of-ada', 'id-of-root')
      const ways = [...wrapAssertion(signed, forge), ...(signResponse ? wrapResponse(signed, forge) : [])]
      for (const { name, xml } of ways) {
        const browser = place.browser()
        const fresh = await place.leave(browser)
        const to = await place.consume(browser, xml.replaceAll(request.id, fresh.id), fresh.relayState)
        expect(to, name).to.equal(FAILED)
        expect(browser.has('svc_session'), name).to.equal(false)
      }
    }
  })

  it('SGN-04 a response belongs to one browser, one request and one provider, once', async () => {
    const victim = place.browser()
    const attacker = place.browser()
    const request = await place.leave(attacker)
    const response = await place.provider.respond(request)
    const STATE = '/sign-in?error=ERR_PROVIDER_STATE'
    expect(await place.consume(victim, response, request.relayState)).to.equal(STATE)
    expect(await place.consume(victim, response, null)).to.equal(STATE)
    const own = await place.leave(victim)
    expect(await place.consume(victim, response, own.relayState)).to.equal(FAILED)
    expect(await place.consume(attacker, response, request.relayState)).to.equal('/account')
    expect(await place.consume(attacker, response, request.relayState)).to.equal(STATE)
    const copy = plainBrowser(place.service.core.services.publicUrl)
    const other = await place.leave(copy)
    for (const pair of copy.cookies().split('; ')) {
      const [name = '', value = ''] = pair.split('=')
      victim.set(name, value)
    }
    const once = await place.provider.respond(other)
    expect(await place.consume(copy, once, other.relayState)).to.equal('/account')
    expect(await place.consume(victim, once, other.relayState)).to.match(/^\/sign-in\?error=/)
  })

  it('SGN-04 a response without a request is refused, unless the provider is set so, and then counts once', async () => {
    const { metadataUrl: issuer, callbackUrl: acsUrl } = place.record
    const unsolicited = () => place.provider.respond({ id: null, issuer, acsUrl })
    const STATE = '/sign-in?error=ERR_PROVIDER_STATE'
    expect(await place.consume(place.browser(), await unsolicited(), null)).to.equal(STATE)
    await place.configure({ acceptUnsolicited: true })
    const response = await unsolicited()
    expect(await place.consume(place.browser(), response, null)).to.equal('/account')
    expect(await place.consume(place.browser(), response, null)).to.match(/^\/sign-in\?error=/)
    expect(await place.consume(place.browser(), await unsolicited(), '/account/security')).to.equal(
      '/account/security',
    )
    for (const relayState of ['https://evil.example/', '//evil.example', '/\\evil.example'])
      expect(await place.consume(place.browser(), await unsolicited(), relayState)).to.equal('/account')
    // What was requested elsewhere cannot be passed off as unsolicited.
    const stolen = await place.provider.respond(await place.leave(place.browser()))
    expect(await place.consume(place.browser(), stolen, null)).to.equal(STATE)
    // Nobody is signed in as somebody else.
    const { browser } = await place.signIn()
    const before = await me(browser.cookies())
    place.provider.user = userOf('mallory')
    expect(await place.consume(browser, await unsolicited(), null)).to.equal('/account')
    expect((await me(browser.cookies())).id).to.equal(before.id)
  })

  it('SGN-04 the page of a post calls no other operation, whatever its address says', async () => {
    const { publicUrl } = place.service.core.services
    const ids = [
      '..%2f..%2f..%2fme%2fsessions%2frevoke%3f',
      'x',
      'idp_x',
      '..%2f',
      `${String(place.record.id)}%2f..`,
    ]
    for (const id of ids) {
      const response = await fetch(`${publicUrl}/saml/providers/${id}/acs`, {
        method: 'POST',
        body: new URLSearchParams({ SAMLResponse: 'PHg+' }),
      })
      const text = await response.text()
      expect([response.status, text.includes('data-provider')], id).to.deep.equal([400, false])
    }
    const tooLong = await fetch(place.record.callbackUrl as string, {
      method: 'POST',
      body: new URLSearchParams({ SAMLResponse: 'A'.repeat(60_004) }),
    })
    expect(tooLong.status).to.equal(400)
    expect(await tooLong.text()).to.include('SAMLResponse is longer than 60000 characters')
  })

  it('SGN-04 a post that is no response gets a page, and no page echoes markup', async () => {
    const post = (body: string, type = 'application/x-www-form-urlencoded') =>
      fetch(place.record.callbackUrl as string, { method: 'POST', body, headers: { 'content-type': type } })
    for (const body of [
      '',
      'SAMLResponse=',
      'SAMLResponse=%3Cscript%3E',
      'RelayState=x',
      'SAMLResponse=AA&SAMLResponse=AA',
    ])
      expect((await post(body)).status, body).to.equal(400)
    expect((await post('{}', 'application/json')).status).to.equal(400)
    const page = await (await post(`SAMLResponse=AAAA&RelayState=${encodeURIComponent('"><script>')}`)).text()
    expect(page).to.not.include('"><script>')
  })
})
