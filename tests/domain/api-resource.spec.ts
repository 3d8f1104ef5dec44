import { expect } from 'chai'
import { apiResourceDecider, apiResourceStream } from '../../domain/api-resource/decider.ts'
import { identifierProblem } from '../../domain/api-resource/identifier.ts'
import * as billing from '../support/oidc/billing.ts'
import { id } from '../support/fixed.ts'

const { resource, create, created, deleted, update, remove, scopes } = billing
const [read, write] = [{ name: 'billing:read', description: 'Read invoices' }, { name: 'billing:write' }]

describe('An API resource', () => {
  it('APR-01 has its own stream', () => {
    expect(apiResourceStream(billing.apiResourceId)).to.equal(`api_resource-${billing.apiResourceId}`)
  })

  it('APR-01 is created with an identifier and scopes', () => {
    resource().when(create).then(created)
    const all = { name: 'B', description: 'Text', accessTokenLifetimeSeconds: 60, ownerApplicationIds: [] }
    resource()
      .when({ ...create, fields: all, scopes: [] })
      .then({
        type: 'api_resource.created',
        data: {
          apiResourceId: billing.apiResourceId,
          identifier: billing.identifier,
          ...all,
          scopes: [],
        },
      })
    expect(apiResourceDecider.evolve(apiResourceDecider.initial, created)).to.deep.equal({
      status: 'exists',
      identifier: billing.identifier,
      fields: create.fields,
      scopes,
    })
  })

  it('API-04 is created once', () => {
    resource(created).when(create).refuses('ERR_CONFLICT')
    resource(created, deleted).when(create).refuses('ERR_CONFLICT')
  })

  for (const command of [update({ name: 'X' }), remove])
    it(`API-04 ${command.type} is rejected if there is no such API`, () => {
      resource().when(command).refuses('ERR_NOT_FOUND')
      resource(created, deleted).when(command).refuses('ERR_NOT_FOUND')
    })

  for (const identifier of [
    'https://billing.example.com',
    'https://billing.example.com/',
    'https://billing.example.com:8443/v1?tenant=a',
    'http://billing.internal/api',
    'urn:example:billing',
    'api://billing',
    'com.example.billing:/v1',
    'https://billing.example.com/caf%C3%A9',
  ])
    it(`APR-01 ${identifier} can identify an API`, () => {
      expect(identifierProblem(identifier)).to.equal(null)
    })

  const wrong: readonly (readonly [string, RegExp])[] = [
    ['', /absolute URI/],
    ['billing', /absolute URI/],
    ['/billing', /absolute URI/],
    ['//billing.example.com', /absolute URI/],
    ['https:', /absolute URI/],
    ['https://billing.example.com/a b', /absolute URI/],
    [' https://billing.example.com', /absolute URI/],
    ['https://billing.example.com\n', /absolute URI/],
    ['https://billing.example.com/%zz', /absolute URI/],
    ['https://büro.example.com', /absolute URI/],
    ['Urn:example:billing', /absolute URI/],
    ['javascript:alert(1)', /absolute URI/],
    ['data:text/html,x', /absolute URI/],
    ['https://billing.example.com/#a', /without a fragment/],
    ['urn:example:billing#', /without a fragment/],
    ['https://ada@billing.example.com', /user name/],
    ['https://Billing.example.com', /normalized form, https:\/\/billing\.example\.com\/$/],
    ['https://billing.example.com:443/', /normalized form/],
    ['https://billing.example.com/a/../b', /normalized form/],
    ['https:billing.example.com', /normalized form/],
  ]
  for (const [identifier, message] of wrong)
    it(`APR-01 ${JSON.stringify(identifier)} cannot identify an API`, () => {
      resource()
        .when({ ...create, identifier })
        .refuses('ERR_INVALID', message, '/identifier')
    })

  const wrongScopes: readonly (readonly [readonly string[], RegExp, string])[] = [
    [[''], /1 to 100/, '/scopes/0/name'],
    [['Billing'], /1 to 100/, '/scopes/0/name'],
    [['a', 'a b'], /1 to 100/, '/scopes/1/name'],
    [[':a'], /1 to 100/, '/scopes/0/name'],
    [['a\n'], /1 to 100/, '/scopes/0/name'],
    [['x'.repeat(101)], /1 to 100/, '/scopes/0/name'],
    [['a', 'b', 'a'], /each scope once, got a twice/, '/scopes/2/name'],
    ...['openid', 'profile', 'email', 'address', 'phone', 'offline_access', 'groups', 'api', 'scim'].map(
      (name): readonly [readonly string[], RegExp, string] => [
        [name],
        new RegExp(`${name} is a reserved scope of this service`),
        '/scopes/0/name',
      ],
    ),
  ]
  for (const [names, message, field] of wrongScopes)
    it(`APR-01 ${JSON.stringify(names)} are invalid scopes`, () => {
      const named = names.map((name) => ({ name }))
      resource()
        .when({ ...create, scopes: named })
        .refuses('ERR_INVALID', message, field)
      resource(created)
        .when(update({}, { scopes: named }))
        .refuses('ERR_INVALID', message, field)
    })

  it('API-03 changes only what differs', () => {
    resource(created)
      .when(update({ name: 'Invoices', description: null, ownerApplicationIds: [id('application')] }))
      .then(billing.updated('name', 'Billing', 'Invoices'))
    resource(created, billing.updated('accessTokenLifetimeSeconds', null, 600))
      .when(update({ accessTokenLifetimeSeconds: null }))
      .then(billing.updated('accessTokenLifetimeSeconds', 600, null))
    resource(created)
      .when(update({ ...create.fields }, { scopes }))
      .changesNothing()
  })

  it('APR-01 scopes are added, described and removed; their order does not matter', () => {
    resource(created)
      .when(update({ name: 'B' }, { scopes: [{ name: 'billing:refund' }, { ...write, description: 'W' }] }))
      .then(
        billing.updated('name', 'Billing', 'B'),
        billing.scopeAdded('billing:refund'),
        billing.scopeDescribed('billing:write', null, 'W'),
        billing.scopeRemoved('billing:read'),
      )
    resource(created)
      .when(update({}, { scopes: [write, { name: 'billing:read' }] }))
      .then(billing.scopeDescribed('billing:read', 'Read invoices', null))
    resource(created)
      .when(update({}, { scopes: [write, read] }))
      .changesNothing()
    resource(created, billing.scopeRemoved('billing:read'), billing.scopeAdded('billing:refund'))
      .when(update({}, { scopes: [] }))
      .then(billing.scopeRemoved('billing:write'), billing.scopeRemoved('billing:refund'))
  })

  it('APR-01 a granted scope cannot be removed, and the error names its applications', () => {
    const granted = [
      { application: 'Payroll', scopes: ['billing:read', 'billing:write'] },
      { application: 'Wiki', scopes: ['billing:read'] },
    ]
    resource(created)
      .when(update({ name: 'B' }, { scopes: [write], granted }))
      .refuses('ERR_CONFLICT', /billing:read is still granted to Payroll, Wiki/, '/scopes')
    resource(created)
      .when(update({}, { scopes: [read], granted: granted.slice(1) }))
      .then(billing.scopeRemoved('billing:write'))
    resource(created)
      .when(update({ name: 'B' }, { granted }))
      .then(billing.updated('name', 'Billing', 'B'))
  })

  it('APR-01 is deleted unless it is granted; the error names the applications', () => {
    resource(created).when(remove).then(deleted)
    resource(created)
      .when({ ...remove, granted: [{ application: 'Payroll', scopes: ['billing:read'] }] })
      .refuses('ERR_CONFLICT', /still granted to Payroll/)
  })
})
