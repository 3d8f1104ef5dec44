import { expect } from 'chai'
import fc from 'fast-check'
import type { OidcApplicationType } from '../../domain/application/events.ts'
import { isRegisteredRedirectUri, redirectUriProblem } from '../../domain/application/redirect-uri.ts'

const browserTypes: readonly OidcApplicationType[] = ['web', 'spa']

const good = [
  'https://app.example.com/callback',
  'https://app.example.com',
  'https://app.example.com/',
  'https://app.example.com:8443/cb',
  'https://app.example.com:443/cb',
  'https://app.example.com/cb?tenant=a&x=%20',
  'https://app.example.com?tenant=a',
  'https://app.example.com/Call%2Fback/~a.b-c_d',
  'https://xn--bcher-kva.example/cb',
  'https://192.0.2.7/cb',
  'https://[2001:db8::7]/cb',
  'http://localhost/cb',
  'http://localhost:3000/cb',
  'http://127.0.0.1/cb',
  'http://127.0.0.1:5000',
]

const bad: readonly (readonly [string, RegExp])[] = [
  ['', /absolute URL/],
  ['/callback', /absolute URL/],
  ['//app.example.com/cb', /absolute URL/],
  ['app.example.com/cb', /absolute URL/],
  ['https://', /absolute URL/],
  ['https://app.example.com:99999/cb', /absolute URL/],
  ['https://app.exa mple.com/cb', /absolute URL/],
  [' https://app.example.com/cb', /absolute URL/],
  ['https://app.example.com/cb\n', /absolute URL/],
  ['https://app.example.com/c\tb', /absolute URL/],
  ['https://app.example.com/c\u0000b', /absolute URL/],
  ['https://bücher.example/cb', /absolute URL/],
  ['https://аpp.example.com/cb', /absolute URL/],
  ['https://app.example.com\u3002evil.example/cb', /absolute URL/],
  ['https://app.example.com/ü', /absolute URL/],
  ['https://app.example.com/cb\u202e', /absolute URL/],
  ['https://app.example.com/cb#top', /fragment/],
  ['https://app.example.com/cb#', /fragment/],
  ['https://*.example.com/cb', /wildcards/],
  ['https://app.example.com/*', /wildcards/],
  ['https://app.example.com\\@evil.example/cb', /backslashes/],
  ['https:\\\\app.example.com\\cb', /backslashes/],
  ['https://ada@app.example.com/cb', /user name/],
  ['https://ada:pw@app.example.com/cb', /user name/],
  ['https://app.example.com@evil.example/cb', /user name/],
  ['https://@app.example.com/cb', /normalized form/],
  ['https://:@app.example.com/cb', /normalized form/],
  ['https:app.example.com/cb', /normalized form, https:\/\/app\.example\.com\/cb/],
  ['https:/app.example.com/cb', /normalized form/],
  ['https:///app.example.com/cb', /normalized form/],
  ['HTTPS://app.example.com/cb', /normalized form/],
  ['https://App.Example.com/cb', /normalized form/],
  ['https://app.ex%61mple.com/cb', /normalized form/],
  ['https://app.example.com:/cb', /normalized form/],
  ['https://app.example.com:08443/cb', /normalized form/],
  ['https://app.example.com/a/../cb', /normalized form/],
  ['https://app.example.com/./cb', /normalized form/],
  ['https://app.example.com/%2e%2e/cb', /normalized form/],
  ['https://app.example.com/"cb"', /normalized form/],
  ['https://0x7f.1/cb', /normalized form/],
  ['https://[2001:DB8:0:0::7]/cb', /normalized form/],
  ['https://app.example.com./cb', /trailing dot/],
  ['http://app.example.com/cb', /https, or http on localhost/],
  ['http://localhost.example.com/cb', /https, or http on localhost/],
  ['http://localhost./cb', /https, or http on localhost/],
  ['http://localhost@evil.example/cb', /user name/],
  ['http://127.0.0.1.evil.example/cb', /https, or http on localhost/],
  ['http://127.0.0.2/cb', /https, or http on localhost/],
  ['http://0.0.0.0/cb', /https, or http on localhost/],
  ['http://192.168.0.1/cb', /https, or http on localhost/],
  ['http://[::ffff:127.0.0.1]/cb', /https, or http on localhost/],
  ['http://127.1/cb', /normalized form/],
  ['http://2130706433/cb', /normalized form/],
  ['http://0x7f000001/cb', /normalized form/],
  ['http://0177.0.0.1/cb', /normalized form/],
  ['http://127.0.0.1./cb', /normalized form/],
  ['http://LOCALHOST/cb', /normalized form/],
  ['http://%6cocalhost/cb', /normalized form/],
  ['javascript:alert(1)', /https, or http/],
  ['JavaScript:alert(1)', /https, or http/],
  ['javascript://app.example.com/%0aalert(1)', /https, or http/],
  ['data:text/html,hello', /https, or http/],
  ['file:///etc/passwd', /https, or http/],
  ['vbscript:x', /https, or http/],
  ['blob:https://app.example.com/1', /https, or http/],
  ['ftp://app.example.com/cb', /https, or http/],
  ['ws://localhost/cb', /https, or http/],
  ['about:blank', /https, or http/],
  ['urn:ietf:wg:oauth:2.0:oob', /https, or http/],
  ['myapp:/cb', /https, or http/],
  ['myapp://cb', /https, or http/],
]

describe('A redirect URI', () => {
  for (const uri of good)
    it(`OIDC-04 may be ${uri}`, () => {
      for (const type of [...browserTypes, 'native'] as const)
        expect(redirectUriProblem(uri, type), type).to.equal(null)
    })

  for (const [uri, problem] of bad)
    it(`OIDC-04 may not be ${JSON.stringify(uri)}`, () => {
      for (const type of [...browserTypes, 'native'] as const)
        expect(redirectUriProblem(uri, type), type).to.match(problem)
    })

  for (const uri of [
    'com.example.app:/cb',
    'com.example.app://cb',
    'com.example.my-app:/cb?x=1',
    'http://[::1]/cb',
    'http://[::1]:5000/cb',
  ])
    it(`OIDC-04 may be ${uri} for native applications only (RFC 8252 §7)`, () => {
      expect(redirectUriProblem(uri, 'native')).to.equal(null)
      for (const type of [...browserTypes, 'service', 'cli'] as const)
        expect(redirectUriProblem(uri, type), type).to.match(/https, or http on localhost/)
    })

  const badNative: readonly (readonly [string, RegExp])[] = [
    ['Com.Example.App:/cb', /lower case/],
    ['com.example.app://user@host/cb', /user name/],
    ['com.example.app:/cb#x', /fragment/],
    ['com.example.app:/*', /wildcards/],
    ['com.example.app:/c b', /absolute URL/],
    ['com..app:/cb', /https, or http/],
    ['1.example:/cb', /absolute URL/],
    ['http://[0:0:0:0:0:0:0:1]/cb', /normalized form/],
  ]
  for (const [uri, problem] of badNative)
    it(`OIDC-04 may not be ${uri} even for native applications`, () => {
      expect(redirectUriProblem(uri, 'native')).to.match(problem)
    })

  const pieces = fc.constantFrom(
    ...[
      'http',
      'https',
      'HTTP',
      'javascript',
      'data',
      'com.example',
      ':',
      '/',
      '//',
      '\\',
      '@',
      '#',
      '?',
      '*',
      '.',
      '%2e',
      '%00',
    ],
    ...[
      'localhost',
      '127.0.0.1',
      '127.1',
      '[::1]',
      'evil.example',
      'xn--a',
      'ü',
      ' ',
      '\t',
      ':80',
      ':8080',
      'cb',
    ],
  )
  const tricky = fc.oneof(
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.array(pieces, { maxLength: 9 }).map((parts) => parts.join('')),
    fc.array(pieces, { maxLength: 7 }).map((parts) => `http://localhost${parts.join('')}`),
    fc.string({ unit: 'binary' }),
  )

  it('OIDC-04 accepts for browsers only https, or http on this machine, in normalized form', () => {
    fc.assert(
      fc.property(tricky, fc.constantFrom(...browserTypes), (uri, type) => {
        if (redirectUriProblem(uri, type) !== null) return
        expect(uri).to.match(/^(https:\/\/[a-z0-9[]|http:\/\/(localhost|127\.0\.0\.1)([:/?]|$))/)
        const { origin, username, password, hash } = new URL(uri)
        const host = /^https?:\/\/([^/?]*)/.exec(uri)?.[1] ?? ''
        expect(new URL(`${uri.split(':')[0] ?? ''}://${host}`).origin).to.equal(origin)
        expect(username + password + hash).to.equal('')
        expect(new URL(uri, 'https://id.example.com/oauth2/authorize').origin).to.equal(origin)
        expect(new URL(uri, 'http://localhost:8080/oauth2/authorize').origin).to.equal(origin)
      }),
      { numRuns: 2000 },
    )
  })

  it('OIDC-04 accepts for native applications nothing that a browser would execute or open', () => {
    fc.assert(
      fc.property(tricky, (uri) => {
        if (redirectUriProblem(uri, 'native') !== null) return
        expect(uri).not.to.match(/^(javascript|data|file|blob|vbscript|about|ftp|wss?|filesystem):/i)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('A requested redirect URI', () => {
  const registered = [
    'https://app.example.com/cb',
    'http://localhost:3000/cb',
    'http://127.0.0.1/cb',
    'http://[::1]/cb',
    'com.example.app:/cb',
  ]

  it('OIDC-04 must equal a registered one, character by character', () => {
    for (const type of [...browserTypes, 'native'] as const)
      for (const uri of registered) expect(isRegisteredRedirectUri(uri, registered, type)).to.equal(true)
  })

  const others = [
    'https://app.example.com/cb/',
    'https://app.example.com/CB',
    'https://APP.example.com/cb',
    'https://app.example.com:443/cb',
    'https://app.example.com/cb?x=1',
    'https://app.example.com/cb#x',
    'https://app.example.com/c%62',
    'https://app.example.com/x/../cb',
    'https://app.example.com/cb ',
    'https://app.example.com',
    'http://app.example.com/cb',
    'http://localhost:3001/cb',
    'http://localhost/cb',
    'com.example.app:/cb/x',
    'com.example.app:/CB',
    '',
  ]
  for (const uri of others)
    it(`OIDC-04 must not be ${JSON.stringify(uri)}`, () => {
      for (const type of [...browserTypes, 'native'] as const)
        expect(isRegisteredRedirectUri(uri, registered, type), type).to.equal(false)
    })

  it('OIDC-04 may have any port of the loopback address, for native applications (RFC 8252 §7.3)', () => {
    for (const uri of [
      'http://127.0.0.1:1/cb',
      'http://127.0.0.1:80/cb',
      'http://127.0.0.1:65535/cb',
      'http://[::1]:5000/cb',
    ]) {
      expect(isRegisteredRedirectUri(uri, registered, 'native'), uri).to.equal(true)
      for (const type of browserTypes)
        expect(isRegisteredRedirectUri(uri, registered, type), uri).to.equal(false)
    }
    expect(isRegisteredRedirectUri('http://127.0.0.1:9/cb', ['http://127.0.0.1:5000/cb'], 'native')).to.equal(
      true,
    )
    expect(isRegisteredRedirectUri('http://127.0.0.1:9', ['http://127.0.0.1'], 'native')).to.equal(true)
  })

  for (const uri of [
    'http://127.0.0.1:65536/cb',
    'http://127.0.0.1:/cb',
    'http://127.0.0.1:05000/cb',
    'http://127.0.0.1:5000/cb/',
    'http://127.0.0.1:5000/cb?x=1',
    'http://127.0.0.1:5000/cb#x',
    'http://127.0.0.1:5000@evil.example/cb',
    'http://127.0.0.1:5000\\@evil.example/cb',
    'http://127.0.0.1:5000.evil.example/cb',
    'http://127.0.0.2:5000/cb',
    'http://127.1:5000/cb',
    'https://127.0.0.1:5000/cb',
    'http://localhost:5000/cb',
    'HTTP://127.0.0.1:5000/cb',
    'http://127.0.0.1:5000/x/../cb',
    'http://127.0.0.1:5000/cb\n',
  ])
    it(`OIDC-04 the loopback rule does not apply to ${JSON.stringify(uri)}`, () => {
      expect(isRegisteredRedirectUri(uri, registered, 'native')).to.equal(false)
    })

  it('OIDC-04 a registered [::1] is not 127.0.0.1', () => {
    expect(isRegisteredRedirectUri('http://127.0.0.1:5000/cb', ['http://[::1]/cb'], 'native')).to.equal(false)
  })
})
