import { expect } from 'chai'
import {
  parseAuthorizationRequest,
  type ParsedAuthorization,
} from '../../../domain/oidc/authorization-request.ts'
import type { AuthorizationClient } from '../../../domain/oidc/authorization-client.ts'
import { clientCredentials } from '../../../domain/oidc/client-credentials.ts'
import { parametersProblem, readParameters } from '../../../domain/oidc/parameters.ts'
import { parseTokenRequest } from '../../../domain/oidc/token-request.ts'

const REDIRECT = 'https://app.example.com/cb'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const web: AuthorizationClient = {
  type: 'web',
  redirectUris: [REDIRECT],
  requirePkce: true,
  scopes: {
    served: ['openid', 'profile', 'email', 'groups', 'offline_access'],
    apis: [
      {
        apiResourceId: 'api_1',
        identifier: 'https://api.example.com',
        scopes: ['billing:read', 'billing:write'],
      },
    ],
    isApiScope: (name) => ['billing:read', 'billing:write', 'payroll:read'].includes(name),
    signsIn: true,
  },
}
const usual = {
  client_id: 'sv_1',
  redirect_uri: REDIRECT,
  response_type: 'code',
  scope: 'openid',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
}

const parse = (
  change: Readonly<Record<string, string | undefined>> = {},
  client: AuthorizationClient | null = web,
): ParsedAuthorization =>
  parseAuthorizationRequest(
    readParameters(
      Object.entries({ ...usual, ...change }).filter((e): e is [string, string] => e[1] !== undefined),
    ),
    client,
  )
const errorOf = (parsed: ParsedAuthorization): string => {
  if (!('problem' in parsed)) return 'none'
  return parsed.problem.redirectable ? parsed.problem.error : parsed.problem.code
}

describe('the authorization request', () => {
  it('OIDC-02 is read in full', () => {
    const parsed = parse({
      scope: 'groups openid  unknown openid',
      state: 's',
      nonce: 'n',
      prompt: 'login consent',
      max_age: '60',
      login_hint: 'ada@example.com',
      response_mode: 'form_post',
      acr_values: 'urn:unknown phr',
      unknown: 'ignored',
      claims: 'x'.repeat(5000),
      display: 'popup',
      ui_locales: 'de fr',
    })
    expect(parsed).to.deep.equal({
      request: {
        redirectUri: REDIRECT,
        responseMode: 'form_post',
        state: 's',
        scopes: ['openid', 'groups'],
        apiResourceIds: [],
        nonce: 'n',
        codeChallenge: CHALLENGE,
        prompts: ['login', 'consent'],
        maxAge: 60,
        acrValues: ['phr'],
        loginHint: 'ada@example.com',
        domainHint: null,
        idTokenHint: null,
      },
    })
  })

  const spa: AuthorizationClient = { ...web, type: 'spa', requirePkce: false }
  const lax: AuthorizationClient = { ...web, requirePkce: false }
  const none = { code_challenge: undefined, code_challenge_method: undefined }
  const cases: [string, Record<string, string | undefined>, AuthorizationClient | null, string][] = [
    ['nothing amiss', {}, web, 'none'],
    ['no client', {}, null, 'ERR_INVALID_CLIENT'],
    ['no redirect URI', { redirect_uri: undefined }, web, 'ERR_INVALID_REDIRECT_URI'],
    [
      'an unregistered redirect URI together with other errors',
      { redirect_uri: 'https://x.example', scope: '' },
      web,
      'ERR_INVALID_REDIRECT_URI',
    ],
    ['OIDC-03 no challenge', none, web, 'invalid_request'],
    ['OIDC-03 no challenge of an exempt web application', none, lax, 'none'],
    [
      'OIDC-03 no challenge of a single-page application, whatever its settings',
      none,
      spa,
      'invalid_request',
    ],
    ['OIDC-03 plain', { code_challenge_method: 'plain' }, lax, 'invalid_request'],
    [
      'OIDC-03 an omitted method, which means plain',
      { code_challenge_method: undefined },
      lax,
      'invalid_request',
    ],
    ['OIDC-03 an unknown method', { code_challenge_method: 'S512' }, lax, 'invalid_request'],
    ['OIDC-03 a method without a challenge', { code_challenge: undefined }, lax, 'invalid_request'],
    ['OIDC-03 padding', { code_challenge: `${CHALLENGE}=` }, web, 'invalid_request'],
    ['an empty response type', { response_type: '' }, web, 'invalid_request'],
    ['a token response type', { response_type: 'id_token' }, web, 'unsupported_response_type'],
    [
      'form_post to an app scheme',
      { response_mode: 'form_post', redirect_uri: 'com.example:/cb' },
      { ...web, type: 'native', redirectUris: ['com.example:/cb'] },
      'invalid_request',
    ],
    ['a service application', {}, { ...web, type: 'service' }, 'unauthorized_client'],
    ['no scope', { scope: undefined }, web, 'invalid_scope'],
    ['only an unsupported scope', { scope: 'phone' }, web, 'invalid_scope'],
    ['APR-01 a scope of an API', { scope: 'billing:read' }, web, 'none'],
    [
      'a scope that nobody serves beside openid, which OpenID Connect ignores',
      { scope: 'openid address' },
      web,
      'none',
    ],
    [
      'APR-01 a scope that nobody serves in a request for an API',
      { scope: 'billing:read address' },
      web,
      'invalid_scope',
    ],
    ['OIDC-02 a scope that nobody serves, without openid', { scope: 'email address' }, web, 'invalid_scope'],
    ['APR-01 a scope of an API that was not granted', { scope: 'openid payroll:read' }, web, 'invalid_scope'],
    ['APR-02 a resource', { resource: 'https://api.example.com' }, web, 'none'],
    ['APR-03 a resource without a grant', { resource: 'https://payroll.example.com' }, web, 'invalid_target'],
    [
      'APR-03 a resource that differs in one character',
      { resource: 'https://api.example.com/' },
      web,
      'invalid_target',
    ],
    ['prompt none login', { prompt: 'none login' }, web, 'invalid_request'],
    ['prompt none', { prompt: 'none' }, web, 'none'],
    ['a fractional max_age', { max_age: '1.5' }, web, 'invalid_request'],
    ['a huge login_hint', { login_hint: 'a'.repeat(2049) }, web, 'invalid_request'],
    ['a request object', { request: 'x' }, web, 'request_not_supported'],
    ['a long request object', { request: 'x'.repeat(50_000) }, web, 'request_not_supported'],
    ['a registration', { registration: '{}' }, web, 'registration_not_supported'],
    ['a line break in state', { state: 'a\r\nb' }, web, 'invalid_request'],
  ]
  for (const [what, change, client, error] of cases)
    it(`with ${what}: ${error}`, () => {
      expect(errorOf(parse(change, client))).to.equal(error)
    })
})

describe('parameters', () => {
  it('sent twice, too long or empty are not read', () => {
    const parameters = readParameters([
      ['a', '1'],
      ['a', '1'],
      ['b', ''],
      ['c', 'x'.repeat(2049)],
      ['scope', 'x'.repeat(2049)],
      ['resource', 'r1'],
      ['resource', 'r2'],
    ])
    expect(parameters.oversized).to.deep.equal(['scope'])
    expect(['a', 'b', 'c', 'scope'].map((name) => parameters.get(name))).to.deep.equal([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect(parameters.all('resource')).to.deep.equal(['r1', 'r2'])
    expect(parametersProblem(parameters)).to.equal('a was sent more than once')
  })
  it('appear in errors without characters that a header or page must not contain', () => {
    const parameters = readParameters([
      ['a"\r\n<b>', '1'],
      ['a"\r\n<b>', '2'],
    ])
    expect(parametersProblem(parameters)).to.equal('a????b? was sent more than once')
  })
  it('with the names of object properties are ordinary parameters', () => {
    expect(readParameters([['__proto__', 'x']]).get('constructor')).to.equal(undefined)
  })
})

describe('client credentials', () => {
  const read = (authorization: string | undefined, body: Record<string, string>) =>
    clientCredentials(authorization, readParameters(Object.entries(body)))
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  const cases: [string, string | undefined, Record<string, string>, unknown][] = [
    ['Basic', basic('sv_1:s'), {}, { method: 'client_secret_basic', clientId: 'sv_1', secret: 's' }],
    [
      'Basic with escapes',
      basic('sv%5F1:a%3A%2B+b:c'),
      {},
      { method: 'client_secret_basic', clientId: 'sv_1', secret: 'a:+ b:c' },
    ],
    [
      'Basic and the same client_id',
      basic('sv_1:s'),
      { client_id: 'sv_1' },
      { method: 'client_secret_basic', clientId: 'sv_1', secret: 's' },
    ],
    ['Basic and another client_id', basic('sv_1:s'), { client_id: 'sv_2' }, 'invalid_request'],
    ['Basic and a secret', basic('sv_1:s'), { client_secret: 's' }, 'invalid_request'],
    ['Basic that is not base64', 'Basic *', {}, 'invalid_client'],
    ['Basic without a colon', basic('sv_1'), {}, 'invalid_client'],
    ['Basic with a broken escape', basic('sv_1:%E0%A4%A'), {}, 'invalid_client'],
    ['another scheme', 'Bearer x', { client_id: 'sv_1' }, 'invalid_client'],
    [
      'post',
      undefined,
      { client_id: 'sv_1', client_secret: 's' },
      { method: 'client_secret_post', clientId: 'sv_1', secret: 's' },
    ],
    ['none', undefined, { client_id: 'sv_1' }, { method: 'none', clientId: 'sv_1', secret: null }],
    ['nothing', undefined, {}, 'invalid_client'],
  ]
  for (const [what, header, body, expected] of cases)
    it(`OIDC-05 ${what}`, () => {
      const result = read(header, body)
      expect('error' in result ? result.error : result.client).to.deep.equal(expected)
    })
})

describe('the token request', () => {
  const form = { grant_type: 'authorization_code', code: 'c', redirect_uri: REDIRECT }
  const parseForm = (body: Record<string, string>, type: 'web' | 'service' = 'web') =>
    parseTokenRequest(readParameters(Object.entries(body)), type)
  const cases: [string, Record<string, string>, 'web' | 'service', string][] = [
    ['all required parameters', form, 'web', 'none'],
    ['no grant type', { ...form, grant_type: '' }, 'web', 'invalid_request'],
    ['an unknown grant type', { ...form, grant_type: 'implicit' }, 'web', 'unsupported_grant_type'],
    ['a grant of other applications', form, 'service', 'unauthorized_client'],
    ['no code', { ...form, code: '' }, 'web', 'invalid_request'],
    ['no redirect URI', { ...form, redirect_uri: '' }, 'web', 'invalid_request'],
    ['a refresh token', { grant_type: 'refresh_token', refresh_token: 'r' }, 'web', 'none'],
    ['no refresh token', { grant_type: 'refresh_token' }, 'web', 'invalid_request'],
    [
      'a refresh of a service',
      { grant_type: 'refresh_token', refresh_token: 'r' },
      'service',
      'unauthorized_client',
    ],
    ['OIDC-08 client credentials', { grant_type: 'client_credentials' }, 'service', 'none'],
    [
      'OIDC-08 client credentials of a web application',
      { grant_type: 'client_credentials' },
      'web',
      'unauthorized_client',
    ],
    [
      'OIDC-09 a device code of a web application',
      { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'd' },
      'web',
      'unauthorized_client',
    ],
  ]
  for (const [what, body, type, error] of cases)
    it(`with ${what}: ${error}`, () => {
      const parsed = parseForm(body, type)
      expect('error' in parsed ? parsed.error : 'none').to.equal(error)
    })
})
