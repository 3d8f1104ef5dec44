import { expect } from 'chai'
import fc from 'fast-check'
import {
  attributeOf,
  childElements,
  parseXml,
  XmlError,
  serializeXml,
  textOf,
} from '../../../adapters/kernel/xml.ts'

const refused = (text: string): string => {
  try {
    parseXml(text)
  } catch (error) {
    expect(error).to.be.instanceOf(XmlError)
    return (error as Error).message
  }
  return expect.fail(`taken: ${text.slice(0, 200)}`)
}

const root = (text: string): Element => parseXml(text).documentElement

describe('untrusted XML', () => {
  it('SAML-07 is parsed into a tree with its namespaces', () => {
    const element = root(
      '<?xml version="1.0" encoding="UTF-8"?>\n<!-- of us --><p:a xmlns:p="urn:a" xmlns="urn:b" x="1 &lt; &#50;"><b> &amp;c </b><!-- on --><p:d/></p:a>\n',
    )
    expect([element.namespaceURI, element.localName, element.prefix]).to.deep.equal(['urn:a', 'a', 'p'])
    expect(attributeOf(element, 'x')).to.equal('1 < 2')
    expect(attributeOf(element, 'y')).to.equal(null)
    const [b, d] = childElements(element)
    expect([b?.namespaceURI, b?.localName, textOf(b!)]).to.deep.equal(['urn:b', 'b', '&c'])
    expect([d?.namespaceURI, d?.localName]).to.deep.equal(['urn:a', 'd'])
    expect(serializeXml(element)).to.equal(
      '<p:a xmlns:p="urn:a" xmlns="urn:b" x="1 &lt; 2"><b> &amp;c </b><p:d/></p:a>',
    )
  })

  for (const [what, text, why] of [
    ['nothing', '', /well-formed/],
    ['a document type', '<!DOCTYPE a><a/>', /DOCTYPE/],
    ['an external entity', '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>', /DOCTYPE/],
    [
      'a thousand million laughs',
      `<!DOCTYPE a [<!ENTITY l0 "ha">${Array.from({ length: 30 }, (_, i) => `<!ENTITY l${String(i + 1)} "&l${String(i)};&l${String(i)};">`).join('')}]><a>&l30;</a>`,
      /DOCTYPE/,
    ],
    ['an unknown entity', '<a>&nbsp;</a>', /entity/],
    ['a parameter entity', '<!DOCTYPE a SYSTEM "http://127.0.0.1/a.dtd" [%p;]><a/>', /DOCTYPE/],
    ['an instruction', '<?xml-stylesheet href="a"?><a/>', /processing instructions/],
    ['an instruction inside', '<a><?php 1 ?></a>', /processing instructions/],
    ['CDATA', '<a>b<![CDATA[c]]></a>', /CDATA/],
    ['a comment within a value', '<a>https://good.example<!-- -->.evil</a>', /comment/],
    ['a comment after a value', '<a>https://good.example<!-- --></a>', /comment/],
    ['a comment within an attribute', '<a b="https://good.example<!-- -->.evil"/>', /well-formed/],
    ['an attribute twice', '<a b="1" b="2"/>', /well-formed/],
    ['an attribute twice by its namespace', '<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>', /well-formed/],
    ['an undeclared prefix', '<p:a/>', /well-formed/],
    ['an undeclared prefix of an attribute', '<a p:b="1"/>', /well-formed/],
    ['an undeclared prefix in an inner element', '<a xmlns:p="u"><b xmlns:p=""/></a>', /well-formed/],
    ['another XML', '<?xml version="1.1"?><a/>', /XML 1.0/],
    ['two roots', '<a/><b/>', /well-formed/],
    ['text after it', '<a/>b', /well-formed/],
    ['a missing end tag', '<a><b></a>', /well-formed/],
    ['a control character', '<a>\u0001</a>', /well-formed/],
    ['a control character as a reference', '<a>&#1;</a>', /well-formed/],
    ['HTML', '<!doctype html><html><br></html>', /DOCTYPE|well-formed/],
    ['great depth', '<a>'.repeat(41) + '</a>'.repeat(41), /40 levels/],
    ['many elements', `<a>${'<b/>'.repeat(5000)}</a>`, /5000 elements/],
    [
      'many attributes',
      `<a ${Array.from({ length: 51 }, (_, i) => `b${String(i)}=""`).join(' ')}/>`,
      /50 attributes/,
    ],
    ['great length', `<a>${'b'.repeat(256 * 1024)}</a>`, /262144 bytes/],
  ] as const)
    it(`SAML-07 is refused with ${what}`, () => {
      expect(refused(text)).to.match(why)
    })

  it('SAML-07 names of object properties are ordinary names', () => {
    const element = root('<constructor toString="1"><hasOwnProperty __proto__="2"/></constructor>')
    expect(attributeOf(element, 'toString')).to.equal('1')
    expect(attributeOf(childElements(element)[0]!, '__proto__')).to.equal('2')
  })

  it('SAML-07 any input is read or rejected, without other errors', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '/',
      '</',
      'a',
      'p:a',
      '=',
      '"',
      "'",
      ' ',
      'xmlns',
      'xmlns:p="u"',
      '&',
      '&amp;',
      '&#',
      ';',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<!DOCTYPE a [',
      ']>',
      '<?',
      '?>',
      '\u0000',
      '\ud800',
      '\n',
      '<a>',
      '</a>',
      '<a b="c"/>',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 40 }), (pieces) => {
        try {
          expect(parseXml(pieces.join('')).documentElement.nodeType).to.equal(1)
        } catch (error) {
          expect(error).to.be.instanceOf(XmlError)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('SAML-07 serialized XML is read back unchanged', () => {
    const name = fc.constantFrom('a', 'b', 'p:c')
    const text = fc
      .string({ unit: 'grapheme', maxLength: 5 })
      .filter((t) => /^[^\p{Cc}\p{Cs}\uFFFE\uFFFF]*$/u.test(t))
    const escaped = (t: string) => t.replace(/[&<>"]/g, (c) => `&#${String(c.charCodeAt(0))};`)
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc
        .tuple(
          name,
          text,
          fc.array(fc.oneof({ maxDepth: 3 }, text.map(escaped), tie('tree')), { maxLength: 3 }),
        )
        .map(([n, value, inside]) => `<${n} xmlns:p="urn:p" x="${escaped(value)}">${inside.join('')}</${n}>`),
    }))
    fc.assert(
      fc.property(tree, (xml) => {
        const once = serializeXml(parseXml(xml))
        expect(serializeXml(parseXml(once))).to.equal(once)
      }),
      { numRuns: 100 },
    )
  })
})
