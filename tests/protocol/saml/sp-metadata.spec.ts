import { expect } from 'chai'
import fc from 'fast-check'
import { MetadataError } from '../../../adapters/inbound/saml/metadata-document.ts'
import { readSpMetadata } from '../../../adapters/inbound/saml/sp-metadata.ts'

const MD = 'urn:oasis:names:tc:SAML:2.0:metadata'
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const BINDINGS = 'urn:oasis:names:tc:SAML:2.0:bindings'
const now = new Date('2026-06-01T12:00:00Z')
const entityId = 'https://wiki.example.com/saml'

const acs = (location: string, more = '', binding = 'HTTP-POST'): string =>
  `<md:AssertionConsumerService Binding="${BINDINGS}:${binding}" Location="${location}" ${more}/>`
const one = acs('https://wiki.example.com/acs', 'index="0"')
const descriptor = (inside = one, more = ''): string =>
  `<md:SPSSODescriptor protocolSupportEnumeration="${PROTOCOL}" ${more}>${inside}</md:SPSSODescriptor>`
const entity = (inside = descriptor(), more = '', id = entityId): string =>
  `<md:EntityDescriptor xmlns:md="${MD}" entityID="${id}" ${more}>${inside}</md:EntityDescriptor>`
const entities = (inside: string, more = ''): string =>
  `<md:EntitiesDescriptor xmlns:md="${MD}" ${more}>${inside}</md:EntitiesDescriptor>`

const refused = (text: string): string => {
  try {
    readSpMetadata(text, now)
  } catch (error) {
    expect(error).to.be.instanceOf(MetadataError)
    return (error as Error).message
  }
  return expect.fail(`taken: ${text.slice(0, 300)}`)
}
const acsUrls = (inside: string): readonly string[] => readSpMetadata(entity(descriptor(inside)), now).acsUrls

describe('SAML-07 metadata of a service provider', () => {
  it('contains its entity id and its addresses', () => {
    expect(readSpMetadata(entity(), now)).to.deep.equal({
      entityId,
      acsUrls: ['https://wiki.example.com/acs'],
    })
  })

  it('may contain a signature, contacts, keys and comments', () => {
    const text = `<?xml version="1.0"?><!-- ours -->${entity(
      `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignatureValue>AA==</ds:SignatureValue></ds:Signature>
       <!-- the application -->${descriptor(
         `<md:KeyDescriptor use="signing"/><md:NameIDFormat>
            urn:oasis:names:tc:SAML:2.0:nameid-format:transient</md:NameIDFormat>
          <md:NameIDFormat> urn:oasis:names:tc:SAML:2.0:nameid-format:persistent </md:NameIDFormat>
          <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat>${one}`,
         'AuthnRequestsSigned="true" WantAssertionsSigned="true"',
       )}<md:ContactPerson contactType="technical"><md:EmailAddress>a@b</md:EmailAddress></md:ContactPerson>`,
      'validUntil="2026-06-01T12:00:01Z" ID="_1"',
    )}`
    expect(readSpMetadata(text, now)).to.deep.equal({
      entityId,
      acsUrls: ['https://wiki.example.com/acs'],
      nameIdFormat: 'persistent',
    })
  })

  it('starts with the default address, then those with other indexes; addresses of other bindings are omitted', () => {
    const [a, b, c] = ['https://a.example/', 'https://b.example/', 'https://c.example/']
    expect(acsUrls(acs(a, 'index="2"') + acs(b, 'index="1"') + acs(c, 'index="0"'))).to.deep.equal([a, c, b])
    expect(acsUrls(acs(a, 'index="0"') + acs(b, 'index="1" isDefault="true"'))).to.deep.equal([b, a])
    expect(acsUrls(acs(a, 'index="0" isDefault="false"') + acs(b, 'index="1"'))).to.deep.equal([b, a])
    expect(acsUrls(acs(a, 'index="0" isDefault="0"'))).to.deep.equal([a])
    expect(
      acsUrls(acs(c, 'index="0" isDefault="1"', 'HTTP-Artifact') + acs(a, 'index="1"') + acs(a, 'index="2"')),
    ).to.deep.equal([a])
  })

  it('keeps the indexes of addresses, unless they equal their positions', () => {
    const [a, b] = ['https://a.example/', 'https://b.example/']
    const indexes = (inside: string) => readSpMetadata(entity(descriptor(inside)), now).acsIndexes
    expect(indexes(acs(a, 'index="0"') + acs(b, 'index="1"'))).to.equal(undefined)
    expect(indexes(acs(a) + acs(b))).to.equal(undefined)
    expect(indexes(acs(a, 'index="1"') + acs(b, 'index="1"'))).to.equal(undefined)
    expect(indexes(acs(a, 'index="1"'))).to.deep.equal([1])
    expect(indexes(acs(a, 'index="1"') + acs(b, 'index="5" isDefault="true"'))).to.deep.equal([5, 1])
  })

  it('may be a list with one service provider', () => {
    const idp = entity(
      `<md:IDPSSODescriptor protocolSupportEnumeration="${PROTOCOL}"/>`,
      '',
      'https://idp.example.com',
    )
    expect(readSpMetadata(entities(idp + entities(entity())), now).entityId).to.equal(entityId)
    expect(refused(entities(entity() + entity(descriptor(), '', 'urn:b')))).to.match(/one service provider/)
    expect(refused(entities(idp))).to.match(/SPSSODescriptor/)
    expect(refused(entities(entity(), 'validUntil="2026-06-01T12:00:00Z"'))).to.match(/still valid/)
  })

  it('can be read in any encoding: with a byte order mark, from UTF-16, with line ends of any kind', () => {
    const expected = readSpMetadata(entity(), now)
    const lines = entity(`\n${descriptor(`\n  ${one}\n`)}\n`)
    for (const text of [
      `\ufeff${entity()}`,
      `\ufeff<?xml version="1.0" encoding="UTF-8"?>${entity()}`,
      `\ufeff<?xml version="1.0" encoding="UTF-16"?>\r\n${entity()}`,
      `<?xml version='1.0' encoding='utf-16le' standalone='yes'?>\n${entity()}\n`,
      lines.replaceAll('\n', '\r\n'),
      lines.replaceAll('\n', '\r'),
      lines.replaceAll(' ', '\r\n\t'),
    ])
      expect(readSpMetadata(text, now), JSON.stringify(text.slice(0, 80))).to.deep.equal(expected)
  })

  for (const [what, text, why] of [
    ['nothing', '', /well-formed/],
    [
      'bytes of UTF-16 read in another encoding',
      Buffer.from(entity(), 'utf16le').toString('latin1'),
      /well-formed/,
    ],
    ['a byte order mark inside', entity().replace('<md:SP', '<\ufeffmd:SP'), /well-formed/],
    ['XML 1.1', `<?xml version="1.1"?>${entity()}`, /XML 1\.0/],
    [
      'two service providers in a row',
      entities(entity() + entity(descriptor(), '', 'urn:b')),
      /one service provider, got 2/,
    ],
    ['two documents', entity() + entity(), /well-formed/],
    ['no XML', 'https://wiki.example.com/metadata', /well-formed/],
    ['another document', '<html/>', /EntityDescriptor/],
    ['another namespace', entity().replaceAll(MD, `${MD}x`), /EntityDescriptor/],
    ['no entity id', entity().replace('entityID', 'entityId'), /entityID/],
    ['SAML 1.1', entity(descriptor().replace('SAML:2.0:protocol', 'SAML:1.1:protocol')), /SAML 2.0/],
    ['two roles', entity(descriptor() + descriptor()), /one service provider/],
    ['no address', entity(descriptor('')), /HTTP-POST/],
    ['an address of another binding', entity(descriptor(acs('https://a.example/', '', 'PAOS'))), /HTTP-POST/],
    ['no Location', entity(descriptor(one.replace('Location', 'location'))), /Location/],
    ['an index of words', entity(descriptor(acs('https://a.example/', 'index="one"'))), /index/],
    ['a default of words', entity(descriptor(acs('https://a.example/', 'isDefault="yes"'))), /isDefault/],
    [
      '21 addresses',
      entity(
        descriptor(Array.from({ length: 21 }, (_, i) => acs(`https://a.example/${String(i)}`)).join('')),
      ),
      /at most 20/,
    ],
    ['a past', entity(descriptor(), 'validUntil="2026-06-01T12:00:00Z"'), /still valid/],
    [
      'a past validUntil without a time zone',
      entity(descriptor(), 'validUntil="2026-06-01T12:00:00"'),
      /still valid/,
    ],
    [
      'a past validUntil of its role',
      entity(descriptor(one, 'validUntil="2020-01-01T00:00:00Z"')),
      /still valid/,
    ],
    ['no time', entity(descriptor(), 'validUntil="tomorrow"'), /validUntil/],
    ['an invalid month', entity(descriptor(), 'validUntil="2026-13-01T00:00:00Z"'), /validUntil/],
    [
      'an element within a name format',
      entity(descriptor(`<md:NameIDFormat>urn:a<b/></md:NameIDFormat>${one}`)),
      /NameIDFormat/,
    ],
    [
      'a comment within a name format',
      entity(descriptor(`<md:NameIDFormat>urn:<!-- -->a</md:NameIDFormat>${one}`)),
      /comment/,
    ],
    [
      'a comment within the entity id',
      entity(descriptor(), '', 'https://good.example<!-- -->.evil'),
      /well-/,
    ],
    [
      'a comment within an address',
      entity(descriptor(acs('https://good.example<!-- -->.evil'))),
      /well-formed/,
    ],
    ['the entity id twice', entity(descriptor(), 'entityID="urn:b"'), /well-formed/],
    [
      'a file entity',
      `<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>${entity(descriptor(), '', '&e;')}`,
      /DOCTYPE/,
    ],
    ['a document type', `<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd">${entity()}`, /DOCTYPE/],
    ['great length', entity(`${descriptor()}<!--${'x'.repeat(262_144)}-->`), /bytes/],
  ] as const)
    it(`is refused with ${what}`, () => {
      expect(refused(text))
        .to.match(why)
        .and.match(/^metadataXml: expected /)
    })

  it('altered in any way is read or rejected, without other errors', () => {
    const whole = entities(entity(descriptor(one + acs('https://b.example/', 'index="1"')), 'ID="_1"'))
    const cut = fc.tuple(fc.nat(whole.length), fc.nat(20), fc.string({ maxLength: 6 }))
    fc.assert(
      fc.property(fc.array(cut, { minLength: 1, maxLength: 3 }), (cuts) => {
        const text = cuts.reduce(
          (t, [from, length, put]) => t.slice(0, from) + put + t.slice(from + length),
          whole,
        )
        try {
          expect(readSpMetadata(text, now).acsUrls.length).to.be.within(1, 2)
        } catch (error) {
          expect(error).to.be.instanceOf(MetadataError)
        }
      }),
      { numRuns: 500 },
    )
  })
})
