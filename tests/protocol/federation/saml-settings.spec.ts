import { expect } from 'chai'
import { readAssertion } from '../../../adapters/application/sign-in/federation/saml-assertion.ts'
import { samlPlace, type SamlPlace } from '../../support/federation/saml-place.ts'
import { newSigner } from '../../support/federation/scripted-saml-provider.ts'
import { refusal, success } from '../../http/api/support.ts'

describe('the settings of SAML identity providers', () => {
  let place: SamlPlace
  before(async () => {
    place = await samlPlace()
  })
  after(() => place.stop())

  it('SGN-04 are read from metadata, or sent one by one', async () => {
    const { provider, record, send } = place
    expect(record).to.deep.include({
      type: 'saml',
      issuer: provider.entityId,
      ssoUrl: provider.ssoUrl,
      nameIdFormat: null,
      acceptUnsolicited: false,
      hasSecret: false,
    })
    expect(record.certificates).to.deep.equal([provider.signer.certificatePem])
    expect(record).to.not.have.any.keys('clientId', 'scopes', 'clientAuthentication')
    const { certificatePem } = provider.signer
    const sent = { name: 'Other', type: 'saml', entityId: 'urn:other', ssoUrl: 'https://other.example/sso' }
    const certificates = [certificatePem.replaceAll(/-----[A-Z ]+-----|\s/g, '')]
    const other = success(await send('POST', '/identity-providers', { ...sent, certificates }), 201)
    expect([other.issuer, other.certificates]).to.deep.equal(['urn:other', [certificatePem]])
  })

  it('SGN-04 map attributes by Name, or by FriendlyName where no other attribute has this name', async () => {
    const { provider } = place
    const request = { id: '_1', issuer: 'https://sp.example', acsUrl: 'https://sp.example/acs' }
    provider.user = {
      ...provider.user,
      attributes: { 'urn:oid:0.9.2342.19200300.100.1.3': ['ada@contoso.example'], groups: ['a', 'b'] },
    }
    const xml = await provider.respond(request)
    const [assertion = ''] = /<saml:Assertion .*<\/saml:Assertion>/s.exec(xml) ?? []
    const friendly = assertion
      .replace('Name="urn:oid', 'FriendlyName="mail" Name="urn:oid')
      .replace('Name="groups"', 'FriendlyName="urn:oid:0.9.2342.19200300.100.1.3" Name="groups"')
    const { claims } = readAssertion(
      friendly,
      { issuer: provider.entityId, audience: request.issuer, recipient: request.acsUrl, requestId: '_1' },
      Date.now(),
    )
    expect(claims).to.deep.include({
      mail: 'ada@contoso.example',
      'urn:oid:0.9.2342.19200300.100.1.3': 'ada@contoso.example',
      groups: ['a', 'b'],
      NameID: 'subject-1',
      sub: 'subject-1',
    })
  })

  it('SGN-04 are refused with the field that is wrong', async () => {
    const { provider, send, record } = place
    const { metadataXml } = provider
    const weak = await newSigner(1024)
    const create = (body: object) =>
      send('POST', '/identity-providers', { name: 'Third', type: 'saml', ...body })
    const change = (body: object) => send('PATCH', `/identity-providers/${record.id}`, body)
    const cases: [ReturnType<typeof send>, string][] = [
      [create({}), '/entityId'],
      [create({ entityId: 'urn:x' }), '/ssoUrl'],
      [create({ entityId: 'urn:x', ssoUrl: 'https://x.example' }), '/certificates'],
      [create({ metadataXml: '<a/>' }), '/metadataXml'],
      [
        create({ metadataXml: metadataXml.replace('IDPSSO', 'SPSSO').replace('IDPSSO', 'SPSSO') }),
        '/metadataXml',
      ],
      [
        create({ metadataXml: metadataXml.replace('bindings:HTTP-Redirect', 'bindings:SOAP') }),
        '/metadataXml',
      ],
      [create({ metadataXml, certificates: ['AAAA'] }), '/certificates/0'],
      [create({ metadataXml, certificates: [weak.certificatePem] }), '/certificates/0'],
      [create({ metadataXml, ssoUrl: 'http://x.example' }), '/ssoUrl'],
      [create({ metadataXml, clientId: 'us' }), '/clientId'],
      [create({ metadataXml, issuer: 'https://x.example' }), '/issuer'],
      [change({ clientId: 'us' }), '/clientId'],
      [change({ metadataXml: metadataXml.replace(provider.entityId, 'urn:other') }), '/metadataXml'],
      [
        send('POST', '/identity-providers', {
          ...{ name: 'Fourth', type: 'oidc', clientId: 'us', clientSecret: 'secret' },
          ...{ issuer: 'https://x.example', acceptUnsolicited: true },
        }),
        '/acceptUnsolicited',
      ],
    ]
    for (const [answer, field] of cases) refusal(await answer, 422, 'ERR_INVALID', field)
  })
})
