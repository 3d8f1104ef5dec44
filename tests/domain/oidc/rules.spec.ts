import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { acrOf, knownAcrValues } from '../../../domain/oidc/acr.ts'
import { responseFields, responseLocation } from '../../../domain/oidc/authorization-response.ts'
import { claimNames, claimsFor } from '../../../domain/oidc/claims.ts'
import { originsOf } from '../../../domain/oidc/cors.ts'
import { discoveryDocument } from '../../../domain/oidc/discovery.ts'
import { isVerified } from '../../../domain/oidc/pkce.ts'
import { signInNeed } from '../../../domain/oidc/sign-in-need.ts'
import { at } from '../../support/fixed.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url')

describe('OIDC-03 PKCE', () => {
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
  const cases: [string, string | null, string | undefined, boolean][] = [
    ['the example of RFC 7636 appendix B', challenge, verifier, true],
    ['another verifier', challenge, `${verifier.slice(0, -1)}x`, false],
    ['no verifier', challenge, undefined, false],
    ['the challenge as verifier', challenge, challenge, false],
    ['a verifier that is too short', sha256('short'), 'short', false],
    ['a verifier that is too long', sha256('a'.repeat(129)), 'a'.repeat(129), false],
    ['a verifier with other characters', sha256(`${verifier}!`), `${verifier}!`, false],
    ['neither', null, undefined, true],
    ['a verifier without a challenge', null, verifier, false],
  ]
  for (const [what, made, sent, good] of cases)
    it(what, () => {
      expect(isVerified(made, sent, sha256)).to.equal(good)
    })
})

describe('OIDC-14 claims', () => {
  const facts = {
    email: 'ada@example.com',
    emailVerified: true,
    name: 'Ada',
    givenName: 'Ada',
    familyName: null,
    phone: '+44 20 7946 0000',
    locale: 'en-GB',
    timeZone: 'Europe/London',
    updatedAt: '2026-01-31T09:30:00.500000Z',
    amr: ['hwk'],
    groups: ['b', 'a', 'B', 'a'],
  }
  const cases: [readonly string[], object][] = [
    [['openid'], {}],
    [['openid', 'email'], { email: 'ada@example.com', email_verified: true }],
    [
      ['openid', 'profile'],
      {
        ...{ name: 'Ada', preferred_username: 'ada@example.com', given_name: 'Ada', locale: 'en-GB' },
        ...{ zoneinfo: 'Europe/London', updated_at: 1_769_851_800 },
      },
    ],
    [['openid', 'phone'], { phone_number: '+44 20 7946 0000', phone_number_verified: false }],
    [['openid', 'groups'], { groups: ['B', 'a', 'b'] }],
  ]
  for (const [scopes, extra] of cases)
    it(`of ${scopes.join(' ')}`, () => {
      const claims = claimsFor(scopes, 'usr_1', facts)
      expect(claims).to.deep.equal({ sub: 'usr_1', amr: ['hwk'], ...extra })
      expect(claimNames).to.include.members(Object.keys(claims))
    })
  it('acr states the strength of the sign-in', () => {
    expect([acrOf('phishing_resistant'), acrOf('otp'), acrOf('federated')]).to.deep.equal([
      'phr',
      'urn:svc:acr:otp',
      null,
    ])
  })
})

describe('OIDC-20 the need to sign in', () => {
  const session = { userId: 'usr_1', authTime: at(100), strength: 'phishing_resistant' } as const
  const facts = { session, requestedAt: at(200), notBefore: null, hintedUserId: null }
  type Facts = Parameters<typeof signInNeed>[1]
  const cases: [string, Parameters<typeof signInNeed>[0]['prompts'], Partial<Facts>, string][] = [
    ['a session', [], {}, 'none'],
    ['no session', [], { session: null }, 'sign_in'],
    ['no session, silently', ['none'], { session: null }, 'refuse'],
    ['login', ['login'], {}, 'sign_in again'],
    ['login, signed in since', ['login'], { requestedAt: at(50) }, 'none'],
    ['login, signed in at that exact time', ['login'], { requestedAt: at(100) }, 'sign_in again'],
    ['select_account', ['select_account'], {}, 'sign_in again'],
    ['consent', ['consent'], {}, 'none'],
    ['max_age satisfied', [], { notBefore: at(100) }, 'none'],
    ['max_age exceeded', [], { notBefore: at(101) }, 'sign_in again'],
    ['max_age exceeded, silently', ['none'], { notBefore: at(101) }, 'refuse'],
    ['max_age 0, signed in since', [], { notBefore: at(300), requestedAt: at(50) }, 'none'],
    ['a hint for the signed-in user', [], { hintedUserId: 'usr_1' }, 'none'],
    ['a hint for another user', [], { hintedUserId: 'usr_2' }, 'sign_in again'],
    [
      'a hint for another user, signed in since',
      [],
      { hintedUserId: 'usr_2', requestedAt: at(50) },
      'refuse',
    ],
  ]
  for (const [what, prompts, change, expected] of cases)
    it(`${what}: ${expected}`, () => {
      const result = signInNeed({ prompts, acrValues: [] }, { ...facts, ...change })
      const again = result.need === 'sign_in' && result.reason === 'ERR_REAUTH_REQUIRED'
      expect(again ? 'sign_in again' : result.need).to.equal(expected)
    })

  type Strength = NonNullable<Facts['session']>['strength']
  const wishes: [Strength, string, Parameters<typeof signInNeed>[0]['prompts'], boolean][] = [
    ['phishing_resistant', 'phr', [], true],
    ['phishing_resistant', 'phrh', [], true],
    ['phishing_resistant', 'urn:svc:acr:otp', [], true],
    ['otp', 'urn:svc:acr:otp', [], true],
    ['otp', 'phr', [], false],
    ['otp', 'phrh phr', [], false],
    ['otp', 'phr urn:svc:acr:otp', [], true],
    ['otp', 'phr', ['none'], true],
    ['otp', 'urn:unknown 1', [], true],
    ['otp', '', [], true],
    ['federated', 'urn:svc:acr:otp', [], false],
    ['federated', 'urn:unknown', [], true],
  ]
  for (const [strength, acrValues, prompts, enough] of wishes)
    it(`acr_values "${acrValues}" of a session ${strength}${prompts.includes('none') ? ', silently' : ''}: ${enough ? 'enough' : 'a stronger sign-in'}`, () => {
      const need = signInNeed(
        { prompts, acrValues: knownAcrValues(acrValues) },
        { ...facts, session: { ...session, strength } },
      )
      expect(need).to.deep.equal(
        enough ? { need: 'none' } : { need: 'sign_in', reason: 'ERR_STRONGER_AUTH_REQUIRED' },
      )
    })
  it('acr_values accept the result of a sign-in made for them', () => {
    const need = signInNeed(
      { prompts: [], acrValues: ['phr'] },
      { ...facts, requestedAt: at(50), session: { ...session, strength: 'otp' } },
    )
    expect(need).to.deep.equal({ need: 'none' })
  })
})

describe('the response', () => {
  const to = { redirectUri: 'https://a.example/cb', responseMode: 'query', state: 'a b&c=ü' } as const
  it('contains state and iss besides the code', () => {
    const fields = responseFields(to, 'https://id.example', { code: 'x' })
    expect(fields).to.deep.equal({ code: 'x', state: 'a b&c=ü', iss: 'https://id.example' })
    expect(Object.fromEntries(new URL(responseLocation(to.redirectUri, fields)).searchParams)).to.deep.equal(
      fields,
    )
  })
  const cases: [string, string][] = [
    ['https://a.example/cb', 'https://a.example/cb?code=x'],
    ['https://a.example', 'https://a.example?code=x'],
    ['https://a.example/cb?', 'https://a.example/cb?code=x'],
    ['https://a.example/cb?t=1', 'https://a.example/cb?t=1&code=x'],
    ['https://a.example/cb?t=1&', 'https://a.example/cb?t=1&code=x'],
    ['com.example.app:/cb', 'com.example.app:/cb?code=x'],
  ]
  for (const [uri, expected] of cases)
    it(`does not rewrite the registered ${uri}`, () => {
      expect(responseLocation(uri, { code: 'x' })).to.equal(expected)
    })
  it('accepts malformed text', () => {
    expect(responseLocation('https://a.example', { state: '\ud800' })).to.equal(
      'https://a.example?state=%EF%BF%BD',
    )
  })
})

describe('OIDC-01 discovery', () => {
  it('puts every endpoint below the issuer', () => {
    const document = discoveryDocument('https://id.example')
    for (const [name, value] of Object.entries(document))
      if (name.endsWith('_endpoint') || name === 'jwks_uri')
        expect(value).to.match(/^https:\/\/id\.example\//)
    expect(document.issuer).to.equal('https://id.example')
  })
})

describe('origins of a single-page application', () => {
  it('are the configured ones, otherwise those of its redirect URIs', () => {
    const redirectUris = ['https://a.example/cb', 'http://localhost:3000/cb']
    expect(originsOf({ allowedOrigins: [], redirectUris })).to.deep.equal([
      'https://a.example',
      'http://localhost:3000',
    ])
    expect(originsOf({ allowedOrigins: ['https://b.example'], redirectUris })).to.deep.equal([
      'https://b.example',
    ])
  })
})
