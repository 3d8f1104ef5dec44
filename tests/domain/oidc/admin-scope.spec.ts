/** The scope of terminals that act with the roles of their user, beside old permissions of APIs with the same name. */
import { expect } from 'chai'
import {
  decideScopes,
  isAdminGrant,
  servedScopes,
  stillGranted,
  type ScopeClient,
} from '../../../domain/oidc/scopes.ts'

const billing = { apiResourceId: 'api_1', identifier: 'https://billing.example.com', scopes: ['admin'] }

const client = (differences: Partial<ScopeClient>): ScopeClient => ({
  served: servedScopes,
  apis: [],
  isApiScope: () => false,
  signsIn: true,
  ...differences,
})

describe('OIDC-09 the scope admin', () => {
  it('of an API that had it before it was reserved stays a scope of that API', () => {
    const app = client({ apis: [billing], isApiScope: (name) => name === 'admin' })
    const decided = decideScopes('openid admin', [], app)
    const granted = { scopes: ['openid', 'admin'], apiResourceIds: ['api_1'] }
    expect(decided).to.deep.equal({ granted })
    expect(isAdminGrant(granted)).to.equal(false)
    expect(stillGranted(granted, client({})), 'after the API was taken away').to.deep.equal({
      scopes: ['openid'],
      apiResourceIds: [],
      audience: [],
    })
  })

  it('is refused to the command-line client together with such an API', () => {
    const terminal = client({ served: [...servedScopes, 'admin'], apis: [billing] })
    for (const scope of ['openid admin', 'admin'])
      expect(decideScopes(scope, [], terminal)).to.include({ error: 'invalid_scope' })
    expect(decideScopes('admin', [billing.identifier], terminal)).to.include({ error: 'invalid_scope' })
  })

  it('is never ignored, unlike other unknown scopes of an OpenID Connect request', () => {
    expect(decideScopes('openid claims_of_others', [], client({}))).to.have.property('granted')
    expect(decideScopes('openid admin', [], client({}))).to.include({ error: 'invalid_scope' })
    expect(decideScopes('admin', [], client({ signsIn: false, served: [] }))).to.include({
      error: 'invalid_scope',
    })
  })

  it('is granted alone or with scopes about the user', () => {
    const terminal = client({ served: [...servedScopes, 'admin'] })
    for (const [scope, scopes] of [
      ['admin', ['admin']],
      ['admin email openid', ['openid', 'email', 'admin']],
    ] as const) {
      const granted = { scopes, apiResourceIds: [] }
      expect(decideScopes(scope, [], terminal)).to.deep.equal({ granted })
      expect(isAdminGrant(granted)).to.equal(true)
    }
  })
})
