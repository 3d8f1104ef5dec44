import { expect } from 'chai'
import { safeSvg } from '../../adapters/application/commands/safe-svg.ts'
import { DomainError } from '../../domain/errors.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const svg = (content: string, more = ''): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 8 8"${more}>${content}</svg>`

describe('API-11 the logo of the organization', function () {
  this.timeout(60_000)
  let service: TestService
  let admin: TestPerson
  before(async () => {
    service = await testService()
    admin = await service.person({}, ['global_admin'])
  })
  after(() => service.stop())
  it('API-11 the accent colour is on pages and in a style sheet that changes with it', async () => {
    const change = (accentColor: unknown) =>
      service.api('PUT', '/branding/accent-color', { as: admin, body: { accentColor } })
    const sheet = () => fetch(`${service.publicUrl}/api/v1/branding/theme.css?v=7a1fa2`)
    const page = async () => (await fetch(`${service.publicUrl}/sign-in`)).text()
    expect((await sheet()).status).to.equal(404)
    expect(await page()).not.to.contain('theme.css')
    expect((await change('#7A1FA2')).body).to.deep.equal({ accentColor: '#7a1fa2' })
    const response = await sheet()
    expect(Object.fromEntries(response.headers)).to.include({
      'content-type': 'text/css; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(await response.text()).to.match(/^:root\{--accent:#7a1fa2;.*\}\}\n$/)
    expect(await page()).to.contain('href="/api/v1/branding/theme.css?v=7a1fa2"')
    expect((await service.api('GET', '/organization')).body.accentColor).to.equal('#7a1fa2')
    for (const wrong of ['red', '#fff', '#1234567', '#12345;', 5])
      expect((await change(wrong)).status, String(wrong)).to.equal(422)
    expect((await put('image/png', PNG)).status).to.equal(200)
    expect((await service.api('DELETE', '/branding/logo', { as: admin })).status).to.equal(204)
    expect(
      (await service.api('GET', '/organization')).body.accentColor,
      'the logo is another thing',
    ).to.equal('#7a1fa2')
    expect((await change(null)).body).to.deep.equal({ accentColor: null })
    expect(await page()).not.to.contain('theme.css')
  })

  afterEach(() => service.api('DELETE', '/branding/logo', { as: admin }))

  const put = async (type: string, bytes: Buffer | string, as: TestPerson = admin) => {
    const response = await fetch(`${service.publicUrl}/api/v1/branding/logo`, {
      method: 'PUT',
      headers: { Cookie: as.cookie, Origin: service.publicUrl, 'Content-Type': type },
      body: typeof bytes === 'string' ? bytes : new Uint8Array(bytes),
    })
    return { status: response.status, body: await response.json() }
  }
  const logoUrl = async () => (await service.api('GET', '/organization')).body.logoUrl

  it('API-11 is shown to anyone at an address that changes with it, on pages too', async () => {
    expect(await logoUrl()).to.equal(null)
    expect((await fetch(`${service.publicUrl}/api/v1/branding/logo`)).status).to.equal(404)
    const saved = await put('image/png', PNG)
    expect(saved.status, JSON.stringify(saved.body)).to.equal(200)
    expect(await logoUrl()).to.equal(saved.body.logoUrl)
    const shown = await fetch(saved.body.logoUrl)
    expect(shown.status).to.equal(200)
    expect(Buffer.from(await shown.arrayBuffer())).to.deep.equal(PNG)
    expect(Object.fromEntries(shown.headers)).to.deep.include({
      ...{ 'content-type': 'image/png', 'x-content-type-options': 'nosniff' },
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
    })
    const page = await (await fetch(`${service.publicUrl}/sign-in`)).text()
    const { pathname, search } = new URL(saved.body.logoUrl)
    expect(page).to.contain(`src="${pathname}${search}"`)

    const replaced = await put('image/svg+xml', svg('<circle r="4"/>'))
    expect(replaced.body.logoUrl).not.to.equal(saved.body.logoUrl)
    const old = await fetch(saved.body.logoUrl)
    expect(old.headers.get('content-type'), 'an old address shows the new logo').to.equal('image/svg+xml')
    expect(old.headers.get('cache-control')).to.equal('public, max-age=300')

    expect((await service.api('DELETE', '/branding/logo', { as: admin })).status).to.equal(204)
    expect(await logoUrl()).to.equal(null)
    expect((await fetch(replaced.body.logoUrl)).status).to.equal(404)
  })

  it('API-11 has at most 256 KB', async () => {
    const large = (bytes: number) => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length)])
    const { status, body } = await put('image/png', large(256 * 1024 + 1))
    expect([status, body.error.code]).to.deep.equal([413, 'ERR_TOO_LARGE'])
    expect((await put('image/png', large(256 * 1024))).status).to.equal(200)
    const shown = await fetch(await logoUrl())
    expect((await shown.arrayBuffer()).byteLength).to.equal(256 * 1024)
  })

  const refused: readonly (readonly [what: string, type: string, bytes: Buffer | string])[] = [
    ['another format than its media type', 'image/jpeg', PNG],
    ['a page', 'image/png', '<html><script>alert(1)</script></html>'],
    ['another media type', 'text/html', '<p>'],
    ['a GIF', 'image/gif', 'GIF89a'],
    ['nothing', 'image/png', ''],
    ['an SVG that is no XML', 'image/svg+xml', '<svg'],
    ['another XML document', 'image/svg+xml', '<svg><circle/></svg>'],
    ['a document type', 'image/svg+xml', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('&a;')}`],
    ['an external entity', 'image/svg+xml', `<!doctype svg SYSTEM "file:///etc/passwd">${svg('')}`],
  ]
  for (const [what, type, bytes] of refused)
    it(`API-11 ${what} is refused`, async () => {
      const { status, body } = await put(type, bytes)
      expect([status, body.error.code], JSON.stringify(body)).to.deep.equal([422, 'ERR_INVALID'])
    })

  const unsafe: readonly (readonly [content: string, more?: string])[] = [
    ['<script>alert(1)</script>'],
    ['<script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script>'],
    ['<foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="alert(1)"/></foreignObject>'],
    ['<circle r="1" onclick="alert(1)"/>'],
    ['', ' onload="alert(1)"'],
    ['<a xlink:href="javascript:alert(1)"><circle r="1"/></a>'],
    ['<image href="https://evil.example/track.png"/>'],
    ['<use xlink:href="https://evil.example/x.svg#a"/>'],
    ['<use href="data:image/svg+xml,x"/>'],
    ['<style>@import url(https://evil.example/x.css)</style>'],
    ['<circle r="1" style="fill:url(https://evil.example/x)"/>'],
    ['<circle r="1" fill="url( https://evil.example/x )"/>'],
    ['<circle r="1" fill="u\\72l(https://evil.example/x)"/>'],
    ['<animate attributeName="href" to="javascript:alert(1)"/><set attributeName="onload" to="alert(1)"/>'],
    ['<?xml-stylesheet href="https://evil.example/x.css"?>'],
    ['<![CDATA[<script>alert(1)</script>]]>'],
  ]
  for (const [content, more] of unsafe)
    it(`API-11 of an SVG, this does not stay: ${content}${more ?? ''}`, () => {
      expect(safeSvg(svg(content, more))).not.to.match(
        /<script|alert\(1\)(?!&)"|javascript:|evil\.example|onload|onclick|style|foreignObject|data:|\\72/,
      )
    })

  it('API-11 of an SVG, what draws stays', () => {
    const safe = safeSvg(
      `<?xml version="1.0"?><!-- made with love -->${svg(
        '<defs><linearGradient id="a"><stop offset="0" stop-color="#0f5f66"/></linearGradient></defs>' +
          '<g transform="scale(2)"><path d="M0 0h4v4z" fill="url(#a)"/><use xlink:href="#a"/></g><title>Ltd &amp; Co</title>',
      )}`,
    )
    for (const part of ['viewBox="0 0 8 8"', 'stop-color="#0f5f66"', 'd="M0 0h4v4z"', 'fill="url(#a)"'])
      expect(safe).to.contain(part)
    expect(safe).to.contain('href="#a"').and.to.contain('Ltd &amp; Co')
    expect(safeSvg(safe), 'safe SVGs stay as they are').to.equal(safe)
  })

  it('API-11 an SVG that nests without end is refused', () => {
    expect(() => safeSvg(svg('<g>'.repeat(5000) + '</g>'.repeat(5000)))).to.throw(DomainError)
  })

  it('API-11 only global administrators change it', async () => {
    const other = await service.person({}, ['security_admin'])
    expect((await put('image/png', PNG, other)).status).to.equal(403)
    expect((await service.api('DELETE', '/branding/logo', { as: other })).status).to.equal(403)
  })
})
