import { expect } from 'chai'
import type { SamlInput } from '../../../domain/application/saml-settings.ts'
import { oidcWorld, type OidcWorld } from '../../support/oidc/oidc.ts'
import {
  authnRequestXml,
  formIn,
  samlWorld,
  type SamlWorld,
  type TestServiceProvider,
} from '../../support/saml/saml.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

const responseIn = (html: string): string =>
  Buffer.from(formIn(html).fields['SAMLResponse'] ?? '', 'base64').toString()

describe('edge cases of SAML single sign-on', () => {
  let service: TestService
  let world: OidcWorld
  let saml: SamlWorld
  let sp: TestServiceProvider
  let person: TestPerson
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    saml = samlWorld(service, world)
    sp = await saml.provider()
    person = await saml.member(sp)
  })
  after(() => service.stop())

  it('SAML-07 two applications may share one address: each response is for the one that requested it', async () => {
    const acsUrls = [
      'https://gateway.example.com/acs?tenant=1&next=%2Fa+b',
      'https://gateway.example.com/acs',
    ]
    const both = await Promise.all([saml.provider({ acsUrls }), saml.provider({ acsUrls })])
    for (const provider of both) {
      const someone = await saml.member(provider)
      const client = await saml.client(provider)
      const answer = await saml.get(await client.getAuthorizeUrlAsync('', undefined, {}), someone)
      const form = formIn(answer.text)
      expect(form.action, 'with its exact query').to.equal(acsUrls[0])
      expect((await saml.received(client, form)).nameID).to.equal(someone.email)
      const xml = responseIn(answer.text)
      expect(xml).to.include(`<saml:Audience>${provider.entityId}</saml:Audience>`)
      expect(xml.match(/(?:Destination|Recipient)="[^"]*"/g)).to.deep.equal([
        `Destination="${String(acsUrls[0]).replace('&', '&amp;')}"`,
        `Recipient="${String(acsUrls[0]).replace('&', '&amp;')}"`,
      ])
      const outsider = both.find((each) => each !== provider)
      expect((await saml.ask(outsider!, someone)).status, 'each has its own groups').to.equal(403)
    }
  })

  it('SAML-07 accepts the longest allowed entity id and address', async () => {
    const entityId = `urn:${'e'.repeat(1020)}`
    const acsUrl = `https://long.example.com/acs?t=${'a'.repeat(2017)}`
    const provider = await saml.provider({ entityId, acsUrls: ['https://long.example.com/', acsUrl] })
    const someone = await saml.member(provider)
    const attributes = ` AssertionConsumerServiceURL="${acsUrl}"`
    const { text } = await saml.ask(provider, someone, { attributes })
    expect(formIn(text).action).to.equal(acsUrl)
    expect(responseIn(text)).to.include(`<saml:Audience>${entityId}</saml:Audience>`)
  })

  it('SAML-07 changes of an application are in effect once they are acknowledged', async () => {
    const [first, second] = [await saml.provider(), await saml.provider()]
    const someone = await saml.member(first)
    await world.join(second.groupId, someone.userId)
    const { entityId } = first
    const update = ({ applicationId }: TestServiceProvider, changed: SamlInput) =>
      world.change({ type: 'update', applicationId, settings: {}, saml: changed })
    expect(formIn((await saml.ask(first, someone)).text).action).to.equal(first.acsUrl)

    const moved = 'https://moved.example.com/acs'
    await update(first, { acsUrls: [moved, first.acsUrl], nameIdFormat: 'persistent' })
    const { text } = await saml.ask(first, someone)
    expect(formIn(text).action).to.equal(moved)
    expect(responseIn(text)).to.include(`>${someone.userId}</saml:NameID>`)

    await update(first, { entityId: `${entityId}/old` })
    expect((await saml.ask({ entityId }, someone)).text).to.include('ERR_INVALID_CLIENT')
    await update(second, { entityId })
    expect(formIn((await saml.ask({ entityId }, someone)).text).action).to.equal(second.acsUrl)
  })

  describe('returns RelayState byte for byte:', () => {
    for (const relayState of [
      '',
      ' a  b ',
      '"><script>alert(1)</script>',
      `'";&<>&amp;%41+`,
      'é\u00a0😀\u202e',
      'javascript:alert(1)',
      'x'.repeat(79),
      'x'.repeat(80),
      'x'.repeat(81),
      `${'é'.repeat(38)}😀`,
      `${'é'.repeat(39)}😀`,
      'é'.repeat(1024),
    ])
      it(JSON.stringify(relayState.slice(0, 40)), async () => {
        const { text } = await saml.ask(sp, person, { relayState })
        expect(formIn(text).fields['RelayState']).to.equal(relayState)
        expect(text).not.to.include('<script>')
        const SAMLRequest = Buffer.from(authnRequestXml({ issuer: sp.entityId })).toString('base64')
        const posted = await saml.post({ SAMLRequest, RelayState: relayState })
        const answer = await saml.get(posted.location ?? '', person)
        expect(formIn(answer.text).fields['RelayState']).to.equal(relayState)
      })

    it('none if none was sent', async () => {
      expect(formIn((await saml.ask(sp, person)).text).fields).to.have.all.keys('SAMLResponse')
    })
  })
})
