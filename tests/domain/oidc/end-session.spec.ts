import { expect } from 'chai'
import {
  clientOfRequest,
  mustAsk,
  parseEndSessionRequest,
  type EndSessionClient,
  type IdTokenHint,
} from '../../../domain/oidc/end-session.ts'
import { readParameters } from '../../../domain/oidc/parameters.ts'

const hint: IdTokenHint = { clientId: 'sv_a', userId: 'usr_a', sessionId: 'ses_a' }
const OUT = 'https://app.example/out'
const client: EndSessionClient = { type: 'web', postLogoutRedirectUris: [OUT, 'https://app.example/q?x=1'] }
const native: EndSessionClient = {
  type: 'native',
  postLogoutRedirectUris: ['http://127.0.0.1/out', 'com.example.app:/out'],
}

const parse = (
  query: string,
  facts: { readonly hint?: IdTokenHint | null; readonly client?: EndSessionClient | null } = {},
) => {
  const parameters = readParameters(new URLSearchParams(query))
  const theirs = facts.hint ?? null
  const named = clientOfRequest(parameters, theirs)
  return parseEndSessionRequest(
    parameters,
    theirs,
    facts.client === undefined ? (named === undefined ? null : client) : facts.client,
  )
}
const targetOf = (...args: Parameters<typeof parse>): string | null => {
  const parsed = parse(...args)
  if ('problem' in parsed) expect.fail(parsed.problem.description)
  return parsed.request.target
}
const problemOf = (...args: Parameters<typeof parse>): string => {
  const parsed = parse(...args)
  if (!('problem' in parsed)) expect.fail(`leads to ${String(parsed.request.target)}`)
  return `${parsed.problem.code}: ${parsed.problem.description}`
}

describe('OIDC-13 a request to sign out', () => {
  it('may have no parameters', () => {
    expect(targetOf('')).to.equal(null)
    expect(targetOf('state=only&ui_locales=de&logout_hint=ada&unknown=1')).to.equal(null)
  })

  it('leads to a registered address, with the state unchanged', () => {
    expect(targetOf(`client_id=sv_a&post_logout_redirect_uri=${OUT}`)).to.equal(OUT)
    expect(targetOf(`post_logout_redirect_uri=${OUT}&state=a%20b%26c`, { hint })).to.equal(
      `${OUT}?state=a%20b%26c`,
    )
    const withQuery = encodeURIComponent('https://app.example/q?x=1')
    expect(targetOf(`client_id=sv_a&post_logout_redirect_uri=${withQuery}&state=s`)).to.equal(
      'https://app.example/q?x=1&state=s',
    )
  })

  it('leads a native application to any port of its loopback address, and to its own scheme', () => {
    const to = (uri: string) =>
      targetOf(`client_id=sv_a&post_logout_redirect_uri=${encodeURIComponent(uri)}`, { client: native })
    expect(to('http://127.0.0.1:50123/out')).to.equal('http://127.0.0.1:50123/out')
    expect(to('com.example.app:/out')).to.equal('com.example.app:/out')
  })

  const elsewhere = [
    `${OUT}/`,
    `${OUT}?`,
    `${OUT}?state=x`,
    `${OUT}#fragment`,
    `${OUT}/../evil`,
    'https://APP.example/out',
    'https://app.example:443/out',
    'https://app.example.evil.example/out',
    'https://app.example@evil.example/out',
    'https://evil.example/?https://app.example/out',
    '//evil.example',
    '/account',
    'http://app.example/out',
    'javascript:alert(1)',
    'data:text/html,hello',
    'http://127.0.0.1:50123/out',
  ]
  for (const uri of elsewhere)
    it(`does not redirect to ${uri}`, () => {
      const query = `client_id=sv_a&post_logout_redirect_uri=${encodeURIComponent(uri)}`
      expect(problemOf(query)).to.include('ERR_INVALID_LOGOUT')
      expect(problemOf(query, { hint })).to.include('ERR_INVALID_LOGOUT')
    })

  const mistakes: readonly (readonly [string, string, Parameters<typeof parse>[1]?])[] = [
    ['only an address', `post_logout_redirect_uri=${OUT}`],
    ['a foreign token', 'id_token_hint=eyJhbGciOiJub25lIn0.e30.'],
    ['a token of another client', 'client_id=sv_b', { hint }],
    ['a parameter sent twice', `client_id=sv_a&client_id=sv_a`],
    [
      'an address sent twice',
      `client_id=sv_a&post_logout_redirect_uri=${OUT}&post_logout_redirect_uri=${OUT}`,
    ],
    ['a state too long', `client_id=sv_a&post_logout_redirect_uri=${OUT}&state=${'x'.repeat(2049)}`],
  ]
  for (const [what, query, facts] of mistakes)
    it(`is rejected with ${what}`, () => {
      expect(problemOf(query, facts)).to.include('ERR_INVALID_LOGOUT')
    })

  it('is rejected for an unknown application', () => {
    expect(problemOf('client_id=sv_x', { client: null })).to.include('ERR_INVALID_CLIENT')
    expect(problemOf('', { hint, client: null })).to.include('ERR_INVALID_CLIENT')
  })
})

describe('OIDC-13 the user must confirm', () => {
  const here = { userId: 'usr_a', sessionId: 'ses_a' }
  const later = { userId: 'usr_a', sessionId: 'ses_b' }
  const another = { userId: 'usr_b', sessionId: 'ses_c' }
  const cases = [
    ['nobody is signed in here', null, null, null, false],
    ['nobody is signed in here, with a token', hint, null, OUT, false],
    ['no token', null, here, null, true],
    ['no token, with an address', null, here, OUT, true],
    ['a token of this session', hint, here, null, false],
    ['a token of another session of the same user', hint, later, OUT, false],
    [
      'the same without an address: the page must not claim a sign-out that did not happen',
      hint,
      later,
      null,
      true,
    ],
    ['a token of someone else', hint, another, OUT, true],
  ] as const
  for (const [what, token, browser, target, expected] of cases)
    it(`${expected ? 'yes' : 'no'}: ${what}`, () => {
      expect(mustAsk({ hint: token, target }, browser)).to.equal(expected)
    })
})
