import { expect } from 'chai'
import { accessTokenFormatOf } from '../../domain/application/access-token-format.ts'
import { applicationDecider, type ApplicationCommand } from '../../domain/application/decider.ts'
import type { OidcApplicationType } from '../../domain/application/events.ts'
import { takesAway } from '../../domain/consequences.ts'
import { grant, granted, withdrawn } from '../support/oidc/billing.ts'
import { id } from '../support/fixed.ts'
import { fold } from '../support/domain/given.ts'
import { application, applicationId, builtIn, created, deleted, disabled } from '../support/scim/payroll.ts'

const set = (n: number, ...scopes: string[]): ApplicationCommand => ({
  type: 'set_api_grant',
  applicationId,
  apiGrant: grant(n, ...scopes),
})
const setAll = (...grants: ReturnType<typeof grant>[]): ApplicationCommand => ({
  type: 'set_api_grants',
  applicationId,
  apiGrants: grants,
})
const remove: ApplicationCommand = {
  type: 'remove_api_grant',
  applicationId,
  apiResourceId: id('apiResource', 1),
}

describe('Grants of API scopes to an application', () => {
  it('APR-01 scopes are granted, whatever the type and status', () => {
    for (const past of [[created()], [created('service')], [builtIn], [created(), disabled]])
      application(...past)
        .when(set(1, 'b', 'a'))
        .then(granted(1, ['a', 'b']))
  })

  it('APR-01 other scopes replace the previous ones, under the same id', () => {
    application(created(), granted(1, ['a', 'b']))
      .when({
        type: 'set_api_grant',
        applicationId,
        apiGrant: { ...grant(1, 'c', 'a'), grantId: id('grant', 9) },
      })
      .then(granted(1, ['a', 'c'], ['a', 'b']))
    application(created(), granted(1, ['a', 'b']))
      .when(set(1, 'b', 'a'))
      .changesNothing()
  })

  it('APR-01 a grant has at least one scope, each once', () => {
    application(created())
      .when(set(1))
      .refuses('ERR_INVALID', /at least one/, '/scopes')
    application(created())
      .when(set(1, 'a', 'b', 'a'))
      .refuses('ERR_INVALID', /once/, '/scopes/2')
    application(created())
      .when(setAll(grant(1, 'a'), grant(2)))
      .refuses('ERR_INVALID', /at least one/, '/apiGrants/1/scopes')
    application(created())
      .when(setAll(grant(1, 'a', 'a')))
      .refuses('ERR_INVALID', /once/, '/apiGrants/0/scopes/1')
    application(created())
      .when(setAll(grant(1, 'a'), grant(1, 'b')))
      .refuses('ERR_INVALID', /each API resource once/, '/apiGrants/1/apiResourceId')
  })

  it('APR-01 a grant is revoked once', () => {
    application(created(), granted(1, ['a']), granted(2, ['b']))
      .when(remove)
      .then(withdrawn(1, ['a']))
    application(created(), granted(2, ['b']))
      .when(remove)
      .refuses('ERR_NOT_FOUND')
    application(created(), granted(1, ['a']), withdrawn(1, ['a']))
      .when(remove)
      .refuses('ERR_NOT_FOUND')
  })

  it('APR-01 the whole list adds, changes and revokes', () => {
    application(created(), granted(1, ['a']), granted(2, ['b']), granted(3, ['c']))
      .when(setAll(grant(4, 'd'), grant(2, 'b', 'bb'), grant(3, 'c')))
      .then(granted(4, ['d']), granted(2, ['b', 'bb'], ['b']), withdrawn(1, ['a']))
    application(created(), granted(1, ['a']))
      .when(setAll(grant(1, 'a')))
      .changesNothing()
    application(created(), granted(1, ['a']))
      .when(setAll())
      .then(withdrawn(1, ['a']))
  })

  for (const command of [set(1, 'a'), remove, setAll(grant(1, 'a'))])
    it(`API-04 ${command.type} is rejected if there is no application, and after deletion`, () => {
      application().when(command).refuses('ERR_NOT_FOUND')
      application(created(), granted(1, ['a']), deleted)
        .when(command)
        .refuses('ERR_NOT_FOUND')
    })

  it('API-01 a deleted application has no grants', () => {
    expect(fold(applicationDecider, [created(), granted(1, ['a']), deleted]).apiGrants).to.deep.equal([])
  })

  it('APR-01 reducing or revoking a grant is in effect before it is acknowledged', () => {
    for (const type of [
      'application.api_granted',
      'application.api_grant_withdrawn',
      'api_resource.updated',
      'api_resource.deleted',
    ] as const)
      expect(takesAway(type), type).to.equal(true)
  })

  const formats: readonly (readonly [OidcApplicationType, number, 'opaque' | 'jwt'])[] = [
    ['web', 0, 'opaque'],
    ['spa', 0, 'opaque'],
    ['native', 0, 'opaque'],
    ['service', 0, 'jwt'],
    ['cli', 0, 'jwt'],
    ['web', 1, 'jwt'],
    ['spa', 2, 'jwt'],
    ['native', 1, 'jwt'],
    ['service', 1, 'jwt'],
  ]
  for (const [type, grants, format] of formats)
    it(`APR-01 ${type} with ${String(grants)} grants gets ${format} access tokens`, () => {
      expect(accessTokenFormatOf(type, Array(grants).fill({}))).to.equal(format)
    })
})
