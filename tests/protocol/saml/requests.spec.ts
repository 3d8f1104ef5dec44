import { expect } from 'chai'
import fc from 'fast-check'
import { deflateRawSync } from 'node:zlib'
import { readPost, readRedirect } from '../../../adapters/inbound/saml/binding.ts'
import { SamlRequestError } from '../../../adapters/inbound/saml/request-error.ts'
import { readAuthnRequest } from '../../../adapters/inbound/saml/request.ts'
import { DEFLATE } from '../../../domain/saml/names.ts'
import { authnRequestXml } from '../../support/saml/saml.ts'

const xml = authnRequestXml()
const deflated = (text: string): string => encodeURIComponent(deflateRawSync(text).toString('base64'))
const based = (text: string): string => encodeURIComponent(Buffer.from(text).toString('base64'))
const refusal = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof SamlRequestError) return error.message
    throw error
  }
  return 'accepted'
}

describe('The HTTP-Redirect binding', () => {
  it('SAML-02 accepts deflated messages in percent-encoded base64', () => {
    expect(readRedirect(`SAMLRequest=${deflated(xml)}`)).to.deep.equal({ xml, relayState: null })
  })

  it('SAML-09 ignores a signature and its algorithm', () => {
    const query = `SAMLRequest=${deflated(xml)}&SAMLEncoding=${DEFLATE}&SigAlg=none&Signature=%41`
    expect(readRedirect(query).xml).to.equal(xml)
  })

  for (const [written, read] of [
    ['', ''],
    ['a%20b+c', 'a b c'],
    ['%2B%26%3D%25', '+&=%'],
    ['%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E', '"><script>alert(1)</script>'],
    ['%C3%A9%F0%9F%98%80', 'é😀'],
    ['%EF%BB%BFx', '\ufeffx'],
    ["'%27%60%5C%09", "''`\\\t"],
    ['x'.repeat(80), 'x'.repeat(80)],
    ['x'.repeat(2048), 'x'.repeat(2048)],
  ] as const)
    it(`SAML-02 returns RelayState '${written.slice(0, 40)}' byte for byte`, () => {
      expect(readRedirect(`RelayState=${written}&SAMLRequest=${deflated(xml)}`).relayState).to.equal(read)
    })

  const refused: readonly (readonly [string, string, string])[] = [
    ['nothing', '', 'SAMLRequest is missing'],
    ['an empty request', 'SAMLRequest=', 'SAMLRequest is not base64'],
    [
      'two requests',
      `SAMLRequest=${deflated(xml)}&SAMLRequest=${deflated(xml)}`,
      'SAMLRequest was sent twice',
    ],
    [
      'two RelayStates',
      `SAMLRequest=${deflated(xml)}&RelayState=a&RelayState=a`,
      'RelayState was sent twice',
    ],
    ['another encoding', `SAMLRequest=${deflated(xml)}&SAMLEncoding=gzip`, 'SAMLEncoding is not DEFLATE'],
    ['a message that is not base64', 'SAMLRequest=%21%21%21', 'SAMLRequest is not base64'],
    ['a message that is not deflated', `SAMLRequest=${based(xml)}`, 'SAMLRequest is not deflated'],
    ['a bomb', `SAMLRequest=${deflated(`<a>${' '.repeat(50_000_000)}</a>`)}`, 'more than 64 KiB'],
    [
      'a message that is not UTF-8',
      `SAMLRequest=${encodeURIComponent(deflateRawSync(Buffer.from([60, 255])).toString('base64'))}`,
      'is not UTF-8',
    ],
    [
      'an incomplete percent code',
      `SAMLRequest=${deflated(xml)}&RelayState=%4`,
      'RelayState is not percent-encoded',
    ],
    [
      'RelayState that is not UTF-8',
      `SAMLRequest=${deflated(xml)}&RelayState=%FF`,
      'RelayState is not UTF-8',
    ],
    [
      'RelayState with a line break',
      `SAMLRequest=${deflated(xml)}&RelayState=a%0D%0Ab`,
      'RelayState contains a line break',
    ],
    [
      'RelayState of more than 2 KiB',
      `SAMLRequest=${deflated(xml)}&RelayState=${'x'.repeat(2049)}`,
      'longer than 2048',
    ],
  ]
  for (const [what, query, why] of refused)
    it(`SAML-02 refuses ${what}`, () => {
      expect(refusal(() => readRedirect(query))).to.include(why)
    })
})

describe('The HTTP-POST binding', () => {
  it('SAML-02 accepts base64, also in several lines', () => {
    const lines = Buffer.from(xml).toString('base64').replace(/.{76}/g, '$&\r\n')
    expect(readPost(`SAMLRequest=${encodeURIComponent(lines)}&RelayState=r`)).to.deep.equal({
      xml,
      relayState: 'r',
    })
  })

  it('SAML-02 accepts deflated messages too', () => {
    expect(readPost(`SAMLRequest=${deflated(xml)}`).xml).to.equal(xml)
    expect(refusal(() => readPost(`SAMLRequest=${deflated(' '.repeat(70_000))}`))).to.include('64 KiB')
  })

  it('SAML-02 refuses a message of more than 64 KiB', () => {
    expect(refusal(() => readPost(`SAMLRequest=${based(`<a>${' '.repeat(65_536)}</a>`)}`))).to.include(
      '64 KiB',
    )
  })
})

describe('An AuthnRequest', () => {
  it('SAML-02 is read with any prefixes', () => {
    const read = readAuthnRequest(
      `<?xml version="1.0"?>\n<AuthnRequest xmlns="urn:oasis:names:tc:SAML:2.0:protocol" ID="_1" Version="2.0"
        IssueInstant="2026-01-02T03:04:05Z" ForceAuthn="true" IsPassive="1">
        <x:Issuer xmlns:x="urn:oasis:names:tc:SAML:2.0:assertion"> https://app.example.com/?a&amp;b </x:Issuer>
        <x:Subject xmlns:x="urn:oasis:names:tc:SAML:2.0:assertion"><x:NameID>ada@example.com</x:NameID></x:Subject>
      </AuthnRequest>`,
    )
    expect(read).to.deep.equal({
      id: '_1',
      version: '2.0',
      issueInstant: '2026-01-02T03:04:05Z',
      issuer: 'https://app.example.com/?a&b',
      destination: null,
      protocolBinding: null,
      acsUrl: null,
      acsIndex: null,
      subject: 'ada@example.com',
    })
  })

  it('SAML-02 may contain the longest values that can be registered: an issuer of 1,024 characters, an address of 2,048', () => {
    const name = `urn:${'x'.repeat(1020)}`
    const address = `https://app.example.com/acs?t=${'a'.repeat(2018)}`
    expect([name.length, address.length]).to.deep.equal([1024, 2048])
    const attributes = ` AssertionConsumerServiceURL="${address}"`
    expect(readAuthnRequest(authnRequestXml({ issuer: name, attributes }))).to.include({
      issuer: name,
      acsUrl: address,
    })
    const longer = ` AssertionConsumerServiceURL="${address}a"`
    expect(refusal(() => readAuthnRequest(authnRequestXml({ attributes: longer })))).to.include('too long')
  })

  const issuer = '<saml:Issuer>https://app.example.com</saml:Issuer>'
  const with_ = (from: string, to: string): string => {
    const base = authnRequestXml({ issuer: 'https://app.example.com' })
    expect(base).to.include(from)
    return base.replace(from, to)
  }
  const refused: readonly (readonly [string, () => string, string])[] = [
    ['nothing', () => '', 'not plain XML'],
    ['text', () => 'hello', 'not plain XML'],
    ['a document type', () => `<!DOCTYPE a>${xml}`, 'not plain XML'],
    ['an entity bomb', () => `<!DOCTYPE a [<!ENTITY x "y">]>${xml}`, 'not plain XML'],
    ['an unknown entity', () => with_('>https', '>&x;https'), 'not plain XML'],
    ['a comment in a value', () => with_('>https', '><!-- -->https'), 'not plain XML'],
    ['CDATA in a value', () => with_('>https://app', '><![CDATA[https://app]]>'), 'not plain XML'],
    ['a processing instruction', () => with_('>https', '><?x y?>https'), 'not plain XML'],
    ['an element in a value', () => with_('>https', '><saml:b/>https'), 'not plain XML'],
    ['two issuers', () => with_(issuer, issuer + issuer), 'Issuer appears twice'],
    ['no issuer', () => with_(issuer, ''), 'Issuer is missing'],
    [
      'an issuer of another namespace',
      () => with_(issuer, issuer.replaceAll('saml:', 'samlp:')),
      'Issuer is missing',
    ],
    [
      'an issuer of another format',
      () => with_('<saml:Issuer>', '<saml:Issuer Format="x">'),
      'the Format of the Issuer must be entity',
    ],
    ['another root', () => xml.replaceAll('AuthnRequest', 'LogoutRequest'), 'not an AuthnRequest'],
    [
      'another namespace',
      () => xml.replaceAll('SAML:2.0:protocol', 'SAML:1.0:protocol'),
      'not an AuthnRequest',
    ],
    ['a request within something else', () => `<a>${xml}</a>`, 'not an AuthnRequest'],
    ['two requests', () => xml + xml, 'not plain XML'],
    ['an attribute twice', () => with_(' Version="2.0"', ' Version="2.0" Version="2.0"'), 'not plain XML'],
    ['no ID', () => with_(' ID="', ' Id="'), 'ID is missing'],
    ['an endless value', () => with_('>https', `>${'x'.repeat(1025)}https`), 'Issuer is too long'],
    ['endless elements', () => with_(issuer, '<a>'.repeat(17)), 'not plain XML'],
  ]
  for (const [what, message, why] of refused)
    it(`SAML-02 refuses ${what}`, () => {
      expect(refusal(() => readAuthnRequest(message()))).to.include(why)
    })

  it('SAML-02 any input results in a request or an error for the client, never in another error', () => {
    const pieces = fc.constantFrom(
      ...[
        '<',
        '>',
        '/',
        '"',
        "'",
        '=',
        '&',
        ';',
        '&#',
        '&#x0;',
        '&#xD800;',
        '&lt;',
        '<!--',
        '-->',
        '<![CDATA[',
        ']]>',
      ],
      ...[
        '<?xml version="1.0"?>',
        '<!DOCTYPE',
        '[',
        ']',
        'xmlns',
        'xmlns:',
        'xmlns:saml="x"',
        ' ID="_1"',
        ' ID=""',
      ],
      ...[
        '<samlp:AuthnRequest',
        '</samlp:AuthnRequest>',
        '<saml:Issuer>',
        '</saml:Issuer>',
        '\0',
        '\ufffe',
        '\ud800',
      ],
      ...[xml, xml.slice(0, 200), xml.slice(200)],
    )
    const soup = fc
      .array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 12 })
      .map((all) => all.join(''))
    const cut = fc
      .tuple(fc.nat(xml.length), fc.nat(xml.length), fc.string({ unit: 'binary' }))
      .map(([from, to, put]) => xml.slice(0, from) + put + xml.slice(to))
    fc.assert(
      fc.property(fc.oneof(soup, cut), (message) => {
        refusal(() => readAuthnRequest(message))
        refusal(() => readRedirect(message))
        refusal(() => readPost(`SAMLRequest=${message}`))
        refusal(() => readAuthnRequest(readPost(`SAMLRequest=${based(message)}`).xml))
      }),
      { numRuns: 2000 },
    )
  })
})
