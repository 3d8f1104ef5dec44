/** For each public endpoint: an ordinary request, and the most expensive ones that its limits allow. */
import { deflateRawSync, gzipSync } from 'node:zlib'
import type { HostileTarget } from './hostile-target.ts'

export interface OpenEndpoint {
  readonly what: string
  readonly ordinary: Buffer
  /** Named by what makes them expensive */
  readonly worst: readonly (readonly [string, Buffer])[]
}

type Headers = Readonly<Record<string, string>>

const request = (
  method: string,
  target: string,
  headers: Headers = {},
  body: Buffer | string = '',
): Buffer => {
  const bytes = Buffer.from(body)
  const lines = Object.entries({
    Host: 'localhost',
    Connection: 'close',
    ...headers,
    ...(bytes.length === 0 ? {} : { 'Content-Length': String(bytes.length) }),
  }).map(([name, value]) => `${name}: ${value}`)
  return Buffer.concat([Buffer.from([`${method} ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n')), bytes])
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'Content-Type': 'application/json' }
const KIB = 1024
/** The request line and all headers may have 16 KiB. */
const HEADER_ROOM = 15 * KIB

const times = (count: number, one: (n: number) => string, between = ''): string =>
  Array.from({ length: count }, (_, n) => one(n)).join(between)

const filled = (frame: string, size: number, what = 'a'): string =>
  frame.replace('$', what.repeat(Math.floor((size - frame.length) / what.length)))

const json = (path: string, frame: string): OpenEndpoint => {
  const post = (body: string | Buffer, headers: Headers = {}) =>
    request('POST', `/api/v1${path}`, { ...JSON_TYPE, ...headers }, body)
  return {
    what: `POST /api/v1${path}`,
    ordinary: post(frame.replace('$', 'a')),
    worst: [
      ['a long text', post(filled(frame, 64 * KIB))],
      ['escaped quotes', post(filled(frame, 64 * KIB, '\\"'))],
      ['escapes', post(filled(frame, 64 * KIB, '\\u0041'))],
      ['spaces', post(`${frame.replace('$', 'a')}${' '.repeat(60 * KIB)}`)],
      ['499 fields', post(`{${times(499, (n) => `"k${String(n)}":1`, ',')}}`)],
      ['the same field again', post(`{${times(499, () => '"a":1', ',')}}`)],
      ['objects', post(`{"a":[${times(990, () => '{}', ',')}]}`)],
      ['too many fields', post(`{${times(8000, (n) => `"k${String(n)}":1`, ',')}}`)],
      ['compressed', post(gzipSync(filled(frame, 64 * KIB)), { 'Content-Encoding': 'gzip' })],
      ['a mebibyte that is refused', post(filled(frame, KIB * KIB))],
      [
        'a compressed mebibyte that is refused',
        post(gzipSync(filled(frame, KIB * KIB)), { 'Content-Encoding': 'gzip' }),
      ],
    ],
  }
}

const form = (path: string, ordinary: string): OpenEndpoint => {
  const post = (body: string | Buffer, headers: Headers = {}) =>
    request('POST', path, { ...FORM, ...headers }, body)
  return {
    what: `POST ${path}`,
    ordinary: post(ordinary),
    worst: [
      ['a long parameter', post(`${ordinary}&state=${'a'.repeat(63 * KIB)}`)],
      ['percent', post(`${ordinary}&state=${'%41'.repeat(21 * KIB)}`)],
      ['percent beyond ASCII', post(`${ordinary}&state=${'%C3%A4'.repeat(10 * KIB)}`)],
      ['plus', post(`${ordinary}&state=${'+'.repeat(63 * KIB)}`)],
      ['90 parameters', post(`${ordinary}&${times(90, (n) => `a${String(n)}=${'b'.repeat(600)}`, '&')}`)],
      ['too many parameters', post('a&'.repeat(32 * KIB - 1))],
      [
        'a long token',
        post(
          `${ordinary}&token=eyJ${'a'.repeat(16_000)}.e.e&code=${'b'.repeat(16_000)}&refresh_token=${'c'.repeat(16_000)}`,
        ),
      ],
      [
        'compressed',
        post(gzipSync(`${ordinary}&state=${'a'.repeat(63 * KIB)}`), { 'Content-Encoding': 'gzip' }),
      ],
    ],
  }
}

const get = (path: string, query = ''): OpenEndpoint => {
  const ask = (headers: Headers = {}, more = '') => {
    const separator = query === '' ? '?' : '&'
    return request('GET', `${path}${query}${more === '' ? '' : separator + more}`, headers)
  }
  return {
    what: `GET ${path}`,
    ordinary: ask(),
    worst: [
      ['cookies', ask({ Cookie: times(2500, (n) => `a${String(n % 1000)}=`, ';').slice(0, HEADER_ROOM) })],
      ['percent in cookies', ask({ Cookie: `svc_session=${'%41'.repeat(HEADER_ROOM / 3)}` })],
      ['parameters', ask({}, 'a&'.repeat(HEADER_ROOM / 2))],
      [
        'parameters of their own names',
        ask({}, times(3000, (n) => n.toString(36), '&').slice(0, HEADER_ROOM)),
      ],
      ['percent', ask({}, `state=${'%41'.repeat(HEADER_ROOM / 3)}`)],
      ['Accept', ask({ Accept: 'a/b;q=0.1,'.repeat(HEADER_ROOM / 10) })],
      ['Accept-Encoding', ask({ 'Accept-Encoding': 'a;q=0.1,'.repeat(HEADER_ROOM / 8) })],
      ['bearer', ask({ Authorization: `Bearer eyJ${'a'.repeat(HEADER_ROOM - 100)}` })],
      ['bearer of parts', ask({ Authorization: `Bearer ${'a.'.repeat(HEADER_ROOM / 2)}` })],
      [
        'headers',
        request(
          'GET',
          path + query,
          Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`a${String(n)}`, 'b'.repeat(150)])),
        ),
      ],
    ],
  }
}

const saml = (entityId: string): readonly OpenEndpoint[] => {
  const xml = (attributes = '', content = ''): string =>
    `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_a1" Version="2.0" IssueInstant="${new Date().toISOString()}"${attributes}><saml:Issuer>${entityId}</saml:Issuer>${content}</samlp:AuthnRequest>`
  const room = 63 * KIB
  const worst: readonly (readonly [string, string])[] = [
    ['attributes', xml(` ${times(29, (n) => `a${String(n)}="${'b'.repeat(1500)}"`, ' ')}`)],
    ['attributes of elements', xml('', `<b ${times(29, (n) => `a${String(n)}=""`, ' ')}/>`.repeat(9))],
    ['too many attributes', xml(` ${times(8000, (n) => `a${n.toString(36)}=""`, ' ')}`).slice(0, room)],
    [
      'namespaces',
      xml(
        '',
        times(48, (n) => `<n${String(n)}:b xmlns:n${String(n)}="u"/>`),
      ),
    ],
    ['elements', xml('', '<b/>'.repeat(290))],
    ['depth', xml('', '<b>'.repeat(14) + '</b>'.repeat(14))],
    ['references', xml('', `<b>${'&#65;'.repeat(1400)}</b>`)],
    ['too many references', xml('', `<b>${'&amp;'.repeat(12_000)}</b>`)],
    ['comments', xml('', '<!---->'.repeat(1400))],
    ['text', xml('', `<b>${'a'.repeat(46 * KIB)}</b>`)],
    ['line ends', xml('', `<b>${'\r\n'.repeat(31 * KIB)}</b>`)],
    ['beyond ASCII', xml('', `<b>${'ä'.repeat(23 * KIB)}</b>`)],
    ['a long name', xml('', `<${'a'.repeat(62 * KIB)}/>`)],
    ['spaces in a tag', xml(' '.repeat(62 * KIB))],
    ['a long comment', xml('', `<!--${'-a'.repeat(31 * KIB)}-->`)],
  ]
  const redirect = (text: string) =>
    request('GET', `/saml/sso?SAMLRequest=${encodeURIComponent(deflateRawSync(text).toString('base64'))}`)
  const post = (text: string, headers: Headers = {}) =>
    request(
      'POST',
      '/saml/sso',
      { ...FORM, ...headers },
      `SAMLRequest=${encodeURIComponent(Buffer.from(text).toString('base64'))}`,
    )
  const percent = [...Buffer.from(xml('', `<b>${'a'.repeat(40 * KIB)}</b>`)).toString('base64')]
    .map((char) => `%${char.charCodeAt(0).toString(16)}`)
    .join('')
  return [
    {
      what: 'GET /saml/sso',
      ordinary: redirect(xml()),
      worst: worst
        .map(([name, text]) => [name, redirect(text)] as const)
        .filter(([, { length }]) => length < 16 * KIB),
    },
    {
      what: 'POST /saml/sso',
      ordinary: post(xml()),
      worst: [
        ...worst.map(([name, text]) => [name, post(text)] as const),
        ['all of it percent-encoded', request('POST', '/saml/sso', FORM, `SAMLRequest=${percent}`)],
        ['parameters', request('POST', '/saml/sso', FORM, 'a&'.repeat(95 * KIB))],
      ],
    },
  ]
}

export const openEndpoints = ({ entityId, clientId }: HostileTarget): readonly OpenEndpoint[] => [
  ...saml(entityId),
  form('/oauth2/token', `grant_type=authorization_code&client_id=${clientId}&code=x&redirect_uri=x`),
  form('/oauth2/revoke', `client_id=${clientId}&token=x`),
  form('/oauth2/introspect', 'client_id=x&client_secret=y&token=x'),
  form('/oauth2/device_authorization', 'client_id=svc-cli&scope=openid'),
  form('/oauth2/authorize', `client_id=${clientId}`),
  form('/oauth2/logout', `client_id=${clientId}`),
  get(
    '/oauth2/authorize',
    `?client_id=${clientId}&redirect_uri=${encodeURIComponent('https://app.example.com/callback')}&response_type=code&scope=openid&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256`,
  ),
  get('/oauth2/userinfo'),
  get('/oauth2/keys'),
  get('/.well-known/openid-configuration'),
  get('/sign-in'),
  get('/enroll/x'),
  get('/device'),
  get('/nothing/here'),
  get('/healthz'),
  get('/scim/v2/Users'),
  get('/api/v1/auth/methods'),
  get('/api/v1/me'),
  get('/api/v1/openapi.yaml'),
  json('/auth/code', '{"email":"a@example.com","code":"$"}'),
  json('/auth/magic-link', '{"email":"$@example.com"}'),
  json('/auth/magic-link/redeem', '{"token":"$"}'),
  json('/auth/passkey/options', '{"email":"$@example.com"}'),
  json(
    '/auth/passkey/verify',
    '{"ceremonyId":"$","credential":{"id":"a","rawId":"a","type":"public-key","response":{},"clientExtensionResults":{}}}',
  ),
  json('/auth/enroll/x/authenticator/verify', '{"ceremonyId":"a","code":"$"}'),
]
