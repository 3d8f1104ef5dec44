import { DOMParser } from '@xmldom/xmldom'
import { expect } from 'chai'
import fc from 'fast-check'
import { generateKeyPairSync } from 'node:crypto'
import { ExclusiveCanonicalization, SignedXml } from 'xml-crypto'
import { signedResponse } from '../../../adapters/inbound/saml/response.ts'
import { assertionResponse, denialResponse, type AssertionFacts } from '../../../domain/saml/response.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const signer = {
  privateKey,
  certificatePem: '-----BEGIN CERTIFICATE-----\nAAAA\nBBBB\n-----END CERTIFICATE-----\n',
}
const pem = publicKey.export({ type: 'spki', format: 'pem' })

const facts = (text: string): AssertionFacts => ({
  issuer: 'https://id.example.com/saml/metadata',
  acsUrl: `https://app.example.com/acs?a=1&b=${text}`,
  inResponseTo: '_request',
  responseId: '_response',
  assertionId: '_assertion',
  audience: text,
  nameId: { format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress', value: text },
  attributes: [
    { name: `name ${text}`, values: [text, `${text} again`] },
    { name: 'groups', values: ['Staff', text] },
  ],
  session: {
    sessionId: 'ses_1',
    authTime: '2026-01-02T01:00:00.000000Z',
    expiresAt: '2026-01-02T13:00:00.000000Z',
  },
  nowMs: Date.parse('2026-01-02T03:04:05Z'),
})

const parsed = (xml: string) =>
  new DOMParser({
    errorHandler: (_: string, message: string) => {
      throw new Error(message)
    },
  }).parseFromString(xml, 'text/xml')

const canonical = (xml: string): string =>
  new ExclusiveCanonicalization().process(parsed(xml).documentElement, {})

/** Returns the ids of the elements with valid signatures, outermost first, verified by another implementation. */
const signedIds = (xml: string): readonly string[] => {
  const signatures = Array.from(
    parsed(xml).getElementsByTagNameNS('http://www.w3.org/2000/09/xmldsig#', 'Signature'),
  )
  return signatures.map((node) => {
    const check = new SignedXml({ publicCert: pem })
    check.loadSignature(node)
    if (!check.checkSignature(xml)) expect.fail('a signature is invalid')
    return check.getReferences()[0]?.uri?.slice(1) ?? ''
  })
}

/** Characters that are special in XML, and others that a name may contain. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      ...['&', '<', '>', '"', "'", '\t', '\r', '\n', ' ', ']', '-'],
      ...['\0', '\u0085', '\u2028', '\ufffe', '\ud800', 'é', '😀'],
    ),
  }),
)

describe('Signatures of SAML responses', () => {
  it('SAML-06 the assertion is signed, with SHA-256 and RSA', async () => {
    const xml = await signedResponse(assertionResponse(facts('Ada')), signer, false)
    expect(signedIds(xml)).to.deep.equal(['_assertion'])
    expect(xml).to.include('xmldsig-more#rsa-sha256').and.include('xmlenc#sha256')
    expect(xml).to.include('<ds:X509Certificate>AAAABBBB</ds:X509Certificate>')
  })

  it('SAML-06 the whole response is signed too if the application expects it', async () => {
    const xml = await signedResponse(assertionResponse(facts('Ada')), signer, true)
    expect([...signedIds(xml)].sort()).to.deep.equal(['_assertion', '_response'])
  })

  it('SAML-06 a response without an assertion is always signed', async () => {
    const denied = denialResponse(facts('Ada'), { responseId: '_r', denial: 'authnFailed', nowMs: 0 })
    expect(signedIds(await signedResponse(denied, signer, false))).to.deep.equal(['_r'])
  })

  it('SAML-06 signed elements are in canonical form with valid signatures, for any names of users', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (called) => {
        const xml = await signedResponse(assertionResponse(facts(called)), signer, true)
        expect(canonical(xml)).to.equal(xml.replaceAll('&#x85;', '\u0085').replaceAll('&#x2028;', '\u2028'))
        expect(signedIds(xml)).to.have.length(2)
      }),
      { numRuns: 60 },
    )
  })

  it('SAML-05 names are preserved; characters that XML does not allow are replaced', async () => {
    const said = async (value: string): Promise<string> => {
      const xml = await signedResponse(assertionResponse(facts(value)), signer, false)
      return parsed(xml).getElementsByTagName('saml:NameID')[0]?.textContent ?? ''
    }
    for (const value of [
      'O\'Neil & <b>"Söhne"</b> ]]>',
      'a\r\nb\tc',
      '<!-- x -->',
      '&amp;',
      '😀',
      'a\u0085b\u2028c',
    ])
      expect(await said(value)).to.equal(value)
    expect(await said('adm\0in\ud800\uffff')).to.equal('adm\ufffdin\ufffd\ufffd')
  })

  it('SAML-06 one changed byte invalidates the signature', async () => {
    const xml = await signedResponse(assertionResponse(facts('Ada')), signer, false)
    expect(() => signedIds(xml.replace('>Ada<', '>Eve<'))).to.throw()
  })
})
