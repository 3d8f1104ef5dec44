import { expect } from 'chai'
import {
  acceptAuthnRequest,
  type AuthnRequest,
  type AuthnRequestFacts,
} from '../../../domain/saml/authn-request.ts'
import { bindings } from '../../../domain/saml/names.ts'
import { epochMillis, samlTime } from '../../../domain/saml/time.ts'

const nowMs = Date.parse('2026-01-02T03:04:05Z')
const facts: AuthnRequestFacts = {
  acsUrls: ['https://app.example.com/acs', 'https://app.example.com/acs2'],
  ssoUrl: 'https://id.example.com/saml/sso',
  nowMs,
}
const request: AuthnRequest = {
  id: '_a1b2',
  version: '2.0',
  issueInstant: '2026-01-02T03:04:05Z',
  issuer: 'https://app.example.com',
  destination: null,
  protocolBinding: null,
  acsUrl: null,
  acsIndex: null,
  subject: null,
}

const outcomeOf = (changes: Partial<AuthnRequest>): string => {
  const accepted = acceptAuthnRequest({ ...request, ...changes }, facts)
  return 'problem' in accepted ? accepted.problem.code : accepted.acsUrl
}

describe('An authentication request of SAML', () => {
  const [first, second] = facts.acsUrls as [string, string]
  const accepted: readonly (readonly [string, Partial<AuthnRequest>, string])[] = [
    ['without a consumer goes to the first address', {}, first],
    ['with a registered address goes there', { acsUrl: second }, second],
    ['with an index goes to that address', { acsIndex: '1' }, second],
    ['may have this endpoint as destination', { destination: facts.ssoUrl }, first],
    ['may request HTTP-POST', { protocolBinding: bindings.post }, first],
    ['may be five minutes old', { issueInstant: '2026-01-02T02:59:05Z' }, first],
    [
      'may come from a clock that is five minutes ahead',
      { issueInstant: '2026-01-02T03:09:05.000000Z' },
      first,
    ],
    ['may have its time in another time zone', { issueInstant: '2026-01-02T04:04:05.1234567+01:00' }, first],
  ]
  for (const [what, changes, acsUrl] of accepted)
    it(`SAML-02 ${what}`, () => {
      expect(outcomeOf(changes)).to.equal(acsUrl)
    })

  it('SAML-02 with an index goes to the endpoint with that index in the metadata, never by position', () => {
    const outcome = (acsIndex: string | null) => {
      const accepted = acceptAuthnRequest({ ...request, acsIndex }, { ...facts, acsIndexes: [5, 0] })
      return 'problem' in accepted ? accepted.problem.code : accepted.acsUrl
    }
    expect(['5', '0', null].map(outcome)).to.deep.equal([first, second, first])
    expect(outcome('1')).to.equal('ERR_INVALID_REDIRECT_URI')
  })

  const invalid: readonly (readonly [string, Partial<AuthnRequest>])[] = [
    ['of another version', { version: '1.1' }],
    ['with an ID that is not an NCName', { id: '1 2' }],
    ['with an empty ID', { id: '' }],
    ['with a long ID', { id: `_${'a'.repeat(256)}` }],
    ['for another endpoint', { destination: 'https://other.example.com/saml/sso' }],
    ['for this endpoint with a query', { destination: `${facts.ssoUrl}?a=b` }],
    ['older than five minutes', { issueInstant: '2026-01-02T02:59:04.999Z' }],
    ['from more than five minutes ahead', { issueInstant: '2026-01-02T03:09:05.001Z' }],
    ['without a time zone', { issueInstant: '2026-01-02T03:04:05' }],
    ['with a day that does not exist', { issueInstant: '2026-13-02T03:04:05Z' }],
    ['for a response by HTTP-Redirect', { protocolBinding: bindings.redirect }],
    ['with both an address and an index', { acsUrl: first, acsIndex: '0' }],
    ['with an index that is no number', { acsIndex: '-1' }],
  ]
  for (const [what, changes] of invalid)
    it(`SAML-02 ${what} is refused`, () => {
      expect(outcomeOf(changes)).to.equal('ERR_INVALID_SAML_REQUEST')
    })

  for (const acsUrl of [
    'https://evil.example.com/acs',
    'https://app.example.com/acs/',
    'https://app.example.com/acs?x',
    'HTTPS://app.example.com/acs',
    'https://app.example.com/acs#',
    '',
  ])
    it(`SAML-02 a response never goes to '${acsUrl}', which is not registered`, () => {
      expect(outcomeOf({ acsUrl })).to.equal('ERR_INVALID_REDIRECT_URI')
    })

  it('SAML-02 a response never goes to an index that is not registered', () => {
    expect(outcomeOf({ acsIndex: '2' })).to.equal('ERR_INVALID_REDIRECT_URI')
    expect(outcomeOf({ acsIndex: '99999' })).to.equal('ERR_INVALID_REDIRECT_URI')
  })
})

describe('Times in SAML', () => {
  it('are read in any zone and with any fraction', () => {
    expect(epochMillis('2026-01-02T03:04:05.9999Z')).to.equal(nowMs + 999)
    expect(epochMillis('2026-01-02T03:04:05-00:30')).to.equal(nowMs + 1_800_000)
    expect(epochMillis('today')).to.equal(null)
  })

  it('are written in whole seconds, rounded down', () => {
    expect(samlTime(nowMs + 999)).to.equal('2026-01-02T03:04:05Z')
  })
})
