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

describe('API-11 the preview of the branding', function () {
  this.timeout(60_000)
  let service: TestService
  let admin: TestPerson
  before(async () => {
    service = await testService()
    admin = await service.person({}, ['auditor'])
  })
  after(() => service.stop())

  const usual = { page: 'sign_in', theme: 'light', language: 'en' }
  const preview = async (query: Readonly<Record<string, string>> = {}, as: TestPerson | null = admin) => {
    const search = new URLSearchParams({ ...usual, ...query }).toString()
    const response = await fetch(`${service.publicUrl}/api/v1/branding/preview?${search}`, {
      headers: as === null ? {} : { Cookie: as.cookie },
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const policyOf = ({ headers }: { readonly headers: Headers }) =>
    (headers.get('content-security-policy') ?? '').split(';').sort()

  it('API-11 is the sign-in page as it is, in either theme and language, with a colour and a name that are not saved', async () => {
    const light = await preview({ accentColor: '#7A1FA2', name: 'Näher & Co' })
    expect(light.status, light.text).to.equal(200)
    expect(light.headers.get('content-type')).to.equal('text/html; charset=utf-8')
    expect(light.headers.get('cache-control')).to.equal('no-store')
    expect(light.text).to.contain('<title>Sign in · Näher &amp; Co</title>').and.contain('--accent:#7a1fa2')
    expect(light.text).to.contain('<meta name="color-scheme" content="light"')
    const dark = await preview({ accentColor: '#7a1fa2', theme: 'dark', language: 'de' })
    expect(dark.text).to.contain('<html lang="de">').and.contain('Mit einem Passkey anmelden')
    expect(dark.text).to.contain('<meta name="color-scheme" content="dark"')
    expect(dark.headers.get('content-language')).to.equal('de')
    expect(light.text, 'the theme').to.contain('@media not all{:root').and.not.contain('prefers-color-scheme')
    expect(dark.text, 'the theme').to.contain('@media all{:root').and.not.contain('prefers-color-scheme')

    const real = await (await fetch(`${service.publicUrl}/sign-in`)).text()
    const card = (text: string) =>
      /<section[^]*<\/section>/.exec(text.replace(/<noscript>[^]*?<\/noscript>/, ''))?.[0]
    expect(card((await preview()).text))
      .to.equal(card(real))
      .and.contain('data-action="passkey"')
    expect(real, 'nothing was saved').not.to.contain('Näher').and.not.to.contain('inert')
    expect((await service.api('GET', '/organization')).body.accentColor).to.equal(null)
  })

  it('API-11 style sheets of the preview are those of pages in one theme', async () => {
    const sheets = await Promise.all(
      (['light', 'dark'] as const).map(async (theme) => {
        const { text } = await preview({ theme })
        const path = /<link rel="stylesheet" href="([^"]+)"/.exec(text)?.[1] ?? ''
        return (await fetch(service.publicUrl + path)).text()
      }),
    )
    const [light = '', dark = ''] = sheets
    for (const sheet of sheets) {
      expect(sheet).to.contain('--accent: #0f5f66').and.contain('--accent: #79d2d0')
      expect(sheet).not.to.match(/prefers-color-scheme|scripting:|light dark/)
    }
    expect(light)
      .to.contain('color-scheme: light;')
      .and.match(/@media not all \{\s+:root \{\s+--ground: #0e1314/)
    expect(dark)
      .to.contain('color-scheme: dark;')
      .and.match(/@media all \{\s+:root \{\s+--ground: #0e1314/)
  })

  it('API-11 is an invitation as it is sent, with a support address that is not saved, or none', async () => {
    const email = { page: 'email', accentColor: '#7a1fa2', supportEmail: 'help@example.com' }
    const { text } = await preview({ ...email, name: 'Example Ltd' })
    expect(text).to.contain('Ada Lovelace').and.contain('Example Ltd').and.contain('help@example.com')
    expect(text).to.contain('background:#7a1fa2')
    const german = await preview({ ...email, language: 'de', theme: 'dark' })
    expect(german.text)
      .to.contain('<html lang="de">')
      .and.match(/@media all\{\.ground/)
    expect((await preview({ ...email, supportEmail: '' })).text).not.to.contain('help@example.com')
    const root = await service.person({}, ['global_admin'])
    const body = { supportEmail: 'saved@example.com' }
    expect((await service.api('PATCH', '/settings', { as: root, body })).status).to.equal(200)
    expect((await preview({ page: 'email' })).text).to.contain('saved@example.com')
    expect((await preview({ page: 'email', supportEmail: '' })).text).not.to.contain('@example.com')
  })

  it('API-11 has the saved colour, or that of the service on request', async () => {
    const root = await service.person({}, ['global_admin'])
    const change = (accentColor: string | null) =>
      service.api('PUT', '/branding/accent-color', { as: root, body: { accentColor } })
    await change('#7a1fa2')
    expect((await preview()).text)
      .to.contain('--accent:#7a1fa2')
      .and.not.contain('theme.css')
    expect((await preview({ accentColor: '' })).text).not.to.contain('--accent:')
    expect((await preview({ page: 'email', accentColor: '' })).text).to.contain('background:#0f5f66')
    await change(null)
  })

  it('API-11 runs nothing, sends nothing, loads only what is ours, and is framed only by our own pages', async () => {
    const { origin } = new URL(service.publicUrl)
    for (const page of ['sign_in', 'email']) {
      const answer = await preview({ page, accentColor: '#7a1fa2' })
      const policy = policyOf(answer)
      expect(policy.filter((part) => !part.startsWith('style-src'))).to.deep.equal([
        ...["base-uri 'none'", "default-src 'none'", "form-action 'none'", "frame-ancestors 'self'"],
        ...[`img-src ${origin} data:`, 'sandbox'],
      ])
      const styles = policy.find((part) => part.startsWith('style-src')) ?? ''
      expect(styles).not.to.contain('unsafe-inline')
      expect(styles.split(' ').slice(1), styles).to.satisfy((sources: string[]) =>
        sources.every(
          (each) => each === origin || each === "'unsafe-hashes'" || /^'sha256-.{44}'$/.test(each),
        ),
      )
      expect(answer.headers.get('x-frame-options')).to.equal('SAMEORIGIN')
      expect(answer.text).not.to.match(/<script|<noscript| on\w+=/)
      expect(answer.text).to.match(/<body inert /)
    }
  })

  it('API-11 markup in a name is text', async () => {
    const name = `</style></title><script>alert(1)</script><img src=x onerror="alert(1)" style="x">`
    for (const page of ['sign_in', 'email']) {
      const { status, text, headers } = await preview({ page, name })
      expect(status).to.equal(200)
      expect(text).to.contain('&lt;script&gt;')
      expect(text).not.to.match(/<script|<img src=x|style="x"/)
      const plain = await preview({ page, name: 'Example' })
      expect(policyOf({ headers }), 'no style of the name is allowed').to.deep.equal(policyOf(plain))
    }
  })

  const refused: readonly (readonly [field: string, value: string])[] = [
    ...['red', '#fff', '#12345;', '#1234567', '#0f5f66;}body{}'].map(
      (value) => ['accentColor', value] as const,
    ),
    ...['', ' x', 'x'.repeat(101), 'a\nb', 'a\u0000b'].map((value) => ['name', value] as const),
    ...['x', '@', 'a b@example.com', `${'x'.repeat(250)}@example.com`].map(
      (value) => ['supportEmail', value] as const,
    ),
    ...[['page', 'account'] as const, ['theme', 'sepia'] as const, ['language', 'fr'] as const],
    ['script', '1'],
  ]
  for (const [field, value] of refused)
    it(`API-11 refuses ${field} ${JSON.stringify(value.slice(0, 20))}`, async () => {
      const { status, text, headers } = await preview({ [field]: value })
      const { error } = JSON.parse(text)
      expect([status, error.code, error.field], text).to.deep.equal([422, 'ERR_INVALID', `/${field}`])
      expect(headers.get('content-type')).to.match(/^application\/json/)
    })

  it('API-11 needs a role', async () => {
    expect((await preview({}, null)).status).to.equal(401)
    expect((await preview({}, await service.person())).status).to.equal(403)
  })
})
