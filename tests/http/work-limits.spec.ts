/** Counts the contents of a request before they are parsed. */
import { expect } from 'chai'
import { deflateRawSync } from 'node:zlib'
import { BODY_LIMITS, OPEN_BODY_LIMITS } from '../../adapters/inbound/http/input.ts'
import { JsonProblem, MAX_DEPTH, parseJson } from '../../adapters/inbound/http/json.ts'
import { readPost, readRedirect } from '../../adapters/inbound/saml/binding.ts'
import { readAuthnRequest } from '../../adapters/inbound/saml/request.ts'
import { parseXml, xmlLimits } from '../../adapters/kernel/xml.ts'
import { oidcWorld } from '../support/oidc/oidc.ts'
import { authnRequestXml } from '../support/saml/saml.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'

const refusal = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    return (error as Error).message
  }
  return 'none'
}

describe('JSON is counted before it is parsed', () => {
  const limits = { tokens: 10 }
  const read = (text: string) => parseJson(Buffer.from(text), limits)
  // Returns how many texts reach `JSON.parse`: none that was rejected before.
  const parsed = (text: string): number => {
    const { parse } = JSON
    let calls = 0
    JSON.parse = (...args: Parameters<typeof parse>) => {
      calls++
      return parse(...args) as unknown
    }
    try {
      read(text)
    } catch (error) {
      if (!(error instanceof JsonProblem)) throw error
    } finally {
      JSON.parse = parse
    }
    return calls
  }

  it('counts values and field names together', () => {
    expect(read('[0,1,2,3,4,5,6,7,8]')).to.have.length(9)
    expect(read('{"a":1,"b":2,"c":3,"d":4}')).to.have.property('d', 4)
    for (const text of [
      '[0,1,2,3,4,5,6,7,8,9]',
      '{"a":1,"b":2,"c":3,"d":4,"e":5}',
      '[{},{},{},{},{},{}]',
      '["","","","","","","","","",""]',
      '{"a":1,"a":1,"a":1,"a":1,"a":1,"a":1}',
    ]) {
      expect(
        refusal(() => read(text)),
        text,
      ).to.equal('The body has more than 10 fields and values.')
      expect(parsed(text), text).to.equal(0)
    }
  })

  it('ignores similar characters inside text', () => {
    expect(read('["{,:[{,:[{,:[{,:[", "\\",,,,,,,,,,,,,", "\\\\"]')).to.have.length(3)
    expect(refusal(() => read('["\\\\",0,0,0,0,0,0,0,0,0]'))).to.contain('more than 10')
  })

  it('counts levels, too', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    const deep = { tokens: 1000 }
    expect(parseJson(Buffer.from(nested(MAX_DEPTH)), deep)).to.be.an('array')
    expect(refusal(() => parseJson(Buffer.from(nested(MAX_DEPTH + 1)), deep))).to.contain('nested deeper')
    expect(parsed(nested(MAX_DEPTH + 1))).to.equal(0)
  })
})

describe('XML is counted while it is read', () => {
  const doc = (attributes: string, content = '') => `<a ${attributes}>${content}</a>`
  const many = (count: number, one: (n: number) => string, between = ' ') =>
    Array.from({ length: count }, (_, n) => one(n)).join(between)
  const limits = { ...xmlLimits, attributes: 5, allAttributes: 8, namespaces: 3, marks: 20 }
  const why = (text: string) => refusal(() => parseXml(text, limits))

  it('counts attributes of an element before the element is complete', () => {
    expect(why(doc(many(5, (n) => `a${String(n)}=""`)))).to.equal('none')
    const sixth = doc(many(6, (n) => `a${String(n)}=""`))
    expect(why(sixth)).to.equal('expected at most 5 attributes on one element')
    // It is rejected at the sixth attribute: the rest is not even XML.
    expect(why(`${sixth.slice(0, sixth.indexOf('>'))} <<<`)).to.equal(
      'expected at most 5 attributes on one element',
    )
  })

  it('counts attributes, namespace declarations and marks of the whole document', () => {
    expect(
      why(
        doc(
          '',
          many(3, () => '<b x="" y="" z=""/>', ''),
        ),
      ),
    ).to.equal('expected at most 8 attributes')
    expect(why(doc(many(4, (n) => `xmlns:n${String(n)}="u"`)))).to.equal(
      'expected at most 3 namespace declarations',
    )
    expect(why(doc('', '<!---->'.repeat(5)))).to.contain(
      'expected at most 20 tags, comments, references and lines',
    )
    expect(why(doc('x="' + '&#65;'.repeat(19) + '"'))).to.contain('tags, comments, references and lines')
    expect(why(doc('', '\r\n'.repeat(10)))).to.contain('references and lines')
    expect(why(doc('', `<!--${'-a'.repeat(20)}-->`))).to.contain('references and lines')
  })

  it('rejects long names and long runs of blanks', () => {
    for (const text of [doc(' '.repeat(256)), `<${'a'.repeat(600)}/>`, doc('', `<!--${'a'.repeat(600)}-->`)])
      expect(why(text)).to.equal('expected no long names and no long runs of whitespace')
    expect(why(doc('', `${' '.repeat(255)}\n<b/>${'A'.repeat(5000)}`))).to.equal('none')
  })

  it('SAML-02 accepts requests of real service providers, and rejects 64 KiB of anything small', () => {
    const signed = `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${'<ds:X a="b" c="d"/>'.repeat(60)}<ds:X509Certificate>${'A'.repeat(8000)}</ds:X509Certificate></ds:Signature>`
    expect(readAuthnRequest(authnRequestXml({ content: signed })).version).to.equal('2.0')
    for (const xml of [
      authnRequestXml({ attributes: ` ${many(31, (n) => `a${String(n)}=""`)}` }),
      authnRequestXml({ content: `<b ${many(20, (n) => `a${String(n)}=""`)}/>`.repeat(20) }),
      authnRequestXml({ content: many(60, (n) => `<n${String(n)}:b xmlns:n${String(n)}="u"/>`, '') }),
      authnRequestXml({ content: '<b/>'.repeat(400) }),
      authnRequestXml({ content: '<!---->'.repeat(1600) }),
      authnRequestXml({ content: `<b>${'&amp;'.repeat(1600)}</b>` }),
    ])
      expect(refusal(() => readAuthnRequest(xml))).to.contain('not plain XML')
  })

  it('a binding has at most a hundred parameters', () => {
    const request = `SAMLRequest=${encodeURIComponent(deflateRawSync('<a/>').toString('base64'))}`
    expect(readRedirect(`${request}${'&a'.repeat(99)}`).xml).to.equal('<a/>')
    expect(refusal(() => readRedirect(`${request}${'&a'.repeat(100)}`))).to.equal('too many parameters')
    expect(refusal(() => readPost('&'.repeat(100_000)))).to.equal('too many parameters')
  })

  it('parameters are decoded correctly', () => {
    const text = 'a b+c%/?ä€😀\u0001'
    const encoded = encodeURIComponent(text).replaceAll('%20', '+').replaceAll('%2F', '%2f')
    const post = `SAMLRequest=${encodeURIComponent(Buffer.from('<a/>').toString('base64'))}&RelayState=${encoded}`
    expect(readPost(post).relayState).to.equal(text)
    for (const bad of ['%', '%4', '%zz', '%ff', 'ä'])
      expect(
        refusal(() => readPost(`SAMLRequest=PGEvPg==&RelayState=${bad}`)),
        bad,
      ).to.match(/not percent-encoded|not UTF-8/)
  })
})

describe('the limits of a request to the service', function () {
  this.timeout(60_000)
  let service: TestService
  let admin: TestPerson
  before(async () => {
    service = await testService()
    admin = await service.person({}, ['global_admin'])
  })
  after(() => service.stop())
  const post = async (path: string, body: string, cookie?: string) => {
    const response = await fetch(`${service.publicUrl}/api/v1${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(cookie === undefined ? {} : { Cookie: cookie }) },
      body,
    })
    return [response.status, ((await response.json()) as { error: { message: string } }).error.message]
  }

  it('API-03 a body of a public route has at most 64 KiB and a thousand fields and values', async () => {
    const { bytes, tokens } = OPEN_BODY_LIMITS
    expect([bytes, tokens]).to.deep.equal([65_536, 1000])
    const padded = (size: number) => {
      const frame = '{"email":"a@example.com","code":""}'
      return frame.replace('""', `"${'1'.repeat(size - frame.length)}"`)
    }
    expect((await post('/auth/code', padded(bytes)))[0]).to.equal(422)
    expect(await post('/auth/code', padded(bytes + 1))).to.deep.equal([400, 'The body exceeds 64 KiB.'])
    expect(await post('/auth/code', `{"email":[${'0,'.repeat(tokens)}0]}`)).to.deep.equal([
      400,
      'The body has more than 1000 fields and values.',
    ])
  })

  it('API-03 a body of an authenticated caller has at most 1 MiB, and a list of that size is accepted', async () => {
    const ids = (count: number) =>
      JSON.stringify({
        name: 'x',
        applicationIds: Array.from({ length: count }, () => `app_${'0'.repeat(26)}`),
      })
    const fitting = Math.floor((BODY_LIMITS.bytes - 100) / 33)
    expect((await post('/groups', ids(fitting), admin.cookie))[1]).to.match(/unknown field/)
    expect(await post('/groups', ids(fitting + 10), admin.cookie)).to.deep.equal([
      400,
      'The body exceeds 1 MiB.',
    ])
  })

  it('a query of the API has at most a hundred parameters', async () => {
    const get = async (query: string) => {
      const response = await fetch(`${service.publicUrl}/api/v1/auth/methods?${query}`)
      return ((await response.json()) as { error: { message: string } }).error.message
    }
    expect(await get('a&'.repeat(99))).to.contain('is not a query parameter')
    expect(await get('a&'.repeat(100))).to.equal('expected at most 100 query parameters')
  })

  it('a form of a protocol endpoint has at most a hundred parameters', async () => {
    const { token } = oidcWorld(service)
    const form = 'grant_type=client_credentials&client_id=nobody'
    expect((await token(`${form}${'&a'.repeat(98)}`)).body.error).to.equal('invalid_request')
    expect(
      (await token(`${form}${[...Array(98).keys()].map((n) => `&a${String(n)}=`).join('')}`)).body.error,
    ).to.equal('invalid_client')
    expect(
      (await token(`${form}${[...Array(99).keys()].map((n) => `&a${String(n)}=`).join('')}`)).body,
    ).to.include({
      error: 'invalid_request',
    })
  })
})
