import { expect } from 'chai'
import { assertionResponse, denialResponse } from '../../../domain/saml/response.ts'
import { attributesOf, nameIdOf, type SamlPerson } from '../../../domain/saml/subject.ts'

const person: SamlPerson = {
  userId: 'usr_01JZ0000000000000000000007',
  email: 'ada@example.com',
  name: 'Ada King Lovelace',
  givenName: null,
  familyName: null,
  groups: ['Staff', 'Engineers', 'Staff'],
}
const names = {
  email: 'email',
  name: 'name',
  given_name: 'given_name',
  family_name: 'family_name',
  groups: 'groups',
}
const valuesOf = (changes: Partial<SamlPerson>): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(attributesOf(names, { ...person, ...changes }).map(({ name, values }) => [name, values]))

describe('What an assertion states about a user', () => {
  it('SAML-04 the NameID is the address, or the id if it must be persistent', () => {
    expect(nameIdOf('email', person)).to.deep.equal({
      format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      value: 'ada@example.com',
    })
    expect(nameIdOf('persistent', person)).to.deep.equal({
      format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      value: 'usr_01JZ0000000000000000000007',
    })
    expect(nameIdOf('unspecified', person)).to.deep.equal({
      format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
      value: 'ada@example.com',
    })
  })

  it('SAML-05 has five attributes, with one value for each group', () => {
    expect(valuesOf({})).to.deep.equal({
      email: ['ada@example.com'],
      name: ['Ada King Lovelace'],
      given_name: ['Ada King'],
      family_name: ['Lovelace'],
      groups: ['Engineers', 'Staff'],
    })
  })

  it('SAML-05 the profile overrides how a name is composed', () => {
    const said = valuesOf({ givenName: 'Ada', familyName: 'King Lovelace' })
    expect(said['given_name']).to.deep.equal(['Ada'])
    expect(said['family_name']).to.deep.equal(['King Lovelace'])
  })

  it('SAML-05 empty values are omitted', () => {
    expect(valuesOf({ name: 'Ada', groups: [] })).to.have.all.keys('email', 'name', 'given_name')
    expect(valuesOf({ name: '  ', groups: [''] })).to.have.all.keys('email', 'name')
  })

  it('SAML-05 attributes have the names that the application wants', () => {
    const renamed = { ...names, email: 'urn:oid:0.9.2342.19200300.100.1.3', groups: 'memberOf' }
    expect(attributesOf(renamed, person).map(({ name }) => name)).to.deep.equal([
      'urn:oid:0.9.2342.19200300.100.1.3',
      'name',
      'given_name',
      'family_name',
      'memberOf',
    ])
  })
})

describe('A response to an application', () => {
  const facts = {
    issuer: 'https://id.example.com/saml/metadata',
    acsUrl: 'https://app.example.com/acs',
    inResponseTo: '_request',
    responseId: '_r',
    assertionId: '_a',
    audience: 'https://app.example.com',
    nameId: nameIdOf('email', person),
    attributes: [],
    session: {
      sessionId: 'ses_1',
      authTime: '2026-01-02T01:00:00.999999Z',
      expiresAt: '2026-01-02T13:00:00.000000Z',
    },
    nowMs: Date.parse('2026-01-02T03:04:05.678Z'),
  }

  it('SAML-06 is valid from a minute ago to five minutes from now, at one address, for one application', () => {
    const { destination, inResponseTo, assertion } = assertionResponse(facts)
    expect({ destination, inResponseTo }).to.deep.equal({
      destination: facts.acsUrl,
      inResponseTo: '_request',
    })
    expect(assertion).to.deep.include({
      recipient: facts.acsUrl,
      inResponseTo: '_request',
      notBefore: '2026-01-02T03:03:05Z',
      notOnOrAfter: '2026-01-02T03:09:05Z',
      audience: 'https://app.example.com',
      authnInstant: '2026-01-02T01:00:00Z',
      sessionIndex: 'ses_1',
      sessionNotOnOrAfter: '2026-01-02T13:00:00Z',
    })
  })

  it('SAML-03 contains no request id without a request', () => {
    const { inResponseTo, assertion } = assertionResponse({ ...facts, inResponseTo: null })
    expect([inResponseTo, assertion?.inResponseTo]).to.deep.equal([null, null])
  })

  it('states the end of the session only to applications configured for it', () => {
    const response = assertionResponse({ ...facts, session: { ...facts.session, expiresAt: null } })
    expect(response.assertion?.sessionNotOnOrAfter).to.equal(null)
  })

  it('without an assertion states which side failed and why', () => {
    const response = denialResponse(facts, { responseId: '_r', denial: 'requestDenied', nowMs: facts.nowMs })
    expect(response.assertion).to.equal(null)
    expect(response.status).to.deep.equal([
      'urn:oasis:names:tc:SAML:2.0:status:Responder',
      'urn:oasis:names:tc:SAML:2.0:status:RequestDenied',
    ])
  })
})
