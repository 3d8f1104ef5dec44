import { expect } from 'chai'
import {
  applicationDecider,
  applicationStream,
  type ApplicationCommand,
} from '../../domain/application/decider.ts'
import { grantTypesOf, isConfidential } from '../../domain/application/grant-types.ts'
import * as payroll from '../support/scim/payroll.ts'
import {
  application,
  applicationId,
  builtIn,
  create,
  created,
  deleted,
  disabled,
  enabled,
  groups,
  update,
} from '../support/scim/payroll.ts'

describe('An application', () => {
  it('ID-01 has its own stream', () => {
    expect(applicationStream(applicationId)).to.equal(`application-${applicationId}`)
  })

  it('OIDC-02 OIDC-08 OIDC-09 has the grants of its type', () => {
    expect(grantTypesOf('web')).to.deep.equal(['authorization_code', 'refresh_token'])
    expect(grantTypesOf('spa')).to.deep.equal(grantTypesOf('web'))
    expect(grantTypesOf('native')).to.deep.equal(grantTypesOf('web'))
    expect(grantTypesOf('service')).to.deep.equal(['client_credentials'])
    expect(grantTypesOf('cli')).to.deep.equal([
      'urn:ietf:params:oauth:grant-type:device_code',
      'refresh_token',
    ])
  })

  it('OIDC-05 has a secret if its type can keep one', () => {
    expect((['web', 'spa', 'native', 'service', 'cli'] as const).filter(isConfidential)).to.deep.equal([
      'web',
      'service',
    ])
  })

  describe('create', () => {
    it('OIDC-14 OIDC-15 OIDC-16 starts with the published defaults', () => {
      application().when(create).then(created())
    })
    it('ASG-01 is created with secret and groups, each group once', () => {
      application()
        .when({ ...create, secret: payroll.secret(1), groupIds: [groups[0], groups[1], groups[0]] })
        .then(created(), payroll.secretCreated(1), payroll.assigned(groups[0]), payroll.assigned(groups[1]))
    })
    it('API-01 stores descriptive fields separately from settings', () => {
      const fields = {
        name: 'Payroll',
        description: 'Wages',
        logoUrl: 'https://payroll.example.com/logo.png',
        launchUrl: 'https://payroll.example.com/',
        visibleInPortal: false,
      }
      const oidc = {
        ...payroll.oidc,
        backchannelLogoutUri: 'https://payroll.example.com/out',
        requirePkce: false,
      }
      const decision = applicationDecider.decide(
        { ...create, settings: { ...fields, ...oidc } },
        applicationDecider.initial,
      )
      expect(decision).to.have.nested.property('events[0].data').that.deep.include({ fields, oidc })
    })
    it('API-04 is possible only once', () => {
      for (const past of [[created()], [created(), disabled], [created(), deleted]])
        application(...past)
          .when(create)
          .refuses('ERR_CONFLICT')
    })
    it('OIDC-05 gives public clients no secret', () => {
      for (const applicationType of ['spa', 'native'] as const)
        application()
          .when({ ...create, applicationType, secret: payroll.secret(1) })
          .refuses('ERR_CONFLICT', /no secret/)
      application()
        .when({
          ...create,
          applicationType: 'service',
          settings: { name: 'Payroll' },
          secret: payroll.secret(1),
        })
        .then(payroll.service, payroll.secretCreated(1))
    })
  })

  const wrong: readonly (readonly [string, Readonly<Record<string, unknown>>, RegExp, string])[] = [
    ['no redirect URI', { redirectUris: [] }, /^redirectUris: expected at least one/, '/redirectUris'],
    [
      'a redirect URI twice',
      { redirectUris: ['https://a.example/', 'https://a.example/'] },
      /^redirectUris: .* once/,
      '/redirectUris',
    ],
    [
      'a bad redirect URI',
      { redirectUris: ['https://a.example/', 'http://a.example/'] },
      /^redirectUris: expected https.*got http:\/\/a\.example\//,
      '/redirectUris/1',
    ],
    [
      'a bad address after sign-out',
      { postLogoutRedirectUris: ['javascript:alert(1)'] },
      /^postLogoutRedirectUris: /,
      '/postLogoutRedirectUris/0',
    ],
    [
      'one address after sign-out twice',
      { postLogoutRedirectUris: ['https://a.example/', 'https://a.example/'] },
      /^postLogoutRedirectUris: .* once/,
      '/postLogoutRedirectUris',
    ],
    [
      'an origin with a path',
      { allowedOrigins: ['https://a.example', 'https://a.example/'] },
      /^allowedOrigins: /,
      '/allowedOrigins/1',
    ],
    [
      'an origin with a wildcard',
      { allowedOrigins: ['https://*.a.example'] },
      /^allowedOrigins: /,
      '/allowedOrigins/0',
    ],
    [
      'an origin with http',
      { allowedOrigins: ['http://a.example'] },
      /^allowedOrigins: /,
      '/allowedOrigins/0',
    ],
    ['the null origin', { allowedOrigins: ['null'] }, /^allowedOrigins: /, '/allowedOrigins/0'],
    ['a launch address that is a script', { launchUrl: 'javascript:alert(1)' }, /^launchUrl: /, '/launchUrl'],
    ['a logo with http', { logoUrl: 'http://a.example/logo.png' }, /^logoUrl: /, '/logoUrl'],
    ['a logo as a data URL', { logoUrl: 'data:image/svg+xml,x' }, /^logoUrl: /, '/logoUrl'],
    [
      'a sign-out callback with http',
      { backchannelLogoutUri: 'http://a.example/' },
      /^backchannelLogoutUri: /,
      '/backchannelLogoutUri',
    ],
  ]
  for (const [what, settings, message, field] of wrong)
    it(`API-05 OIDC-04 is rejected with ${what}`, () => {
      application()
        .when({ ...create, settings: { ...create.settings, ...settings } })
        .refuses('ERR_INVALID', message, field)
      application(created()).when(update(settings)).refuses('ERR_INVALID', message, field)
    })

  for (const applicationType of ['service', 'cli'] as const)
    it(`OIDC-08 OIDC-09 is rejected with redirect URIs for type ${applicationType}`, () => {
      application()
        .when({ ...create, applicationType })
        .refuses('ERR_INVALID', /not allowed/, '/redirectUris')
    })

  it('OIDC-03 only web applications can disable PKCE', () => {
    application(created())
      .when(update({ requirePkce: false }))
      .then({
        type: 'application.updated',
        data: { applicationId, changes: [{ field: 'requirePkce', from: true, to: false }] },
      })
    for (const type of ['spa', 'native'] as const)
      application(created(type))
        .when(update({ requirePkce: false }))
        .refuses('ERR_INVALID', /PKCE/, '/requirePkce')
    application(payroll.service)
      .when(update({ requirePkce: false }))
      .refuses('ERR_INVALID', /PKCE/, '/requirePkce')
  })

  describe('update', () => {
    it('API-03 records only real changes', () => {
      application(created())
        .when(update({ name: 'Wages', redirectUris: payroll.oidc.redirectUris, description: null }))
        .then({
          type: 'application.updated',
          data: { applicationId, changes: [{ field: 'name', from: 'Payroll', to: 'Wages' }] },
        })
    })
    it('API-03 changes nothing when all fields have the requested values', () => {
      application(created())
        .when(update({ ...payroll.oidc, name: 'Payroll' }))
        .changesNothing()
    })
    it('API-03 is allowed while disabled', () => {
      application(created(), disabled)
        .when(update({ launchUrl: 'https://payroll.example.com/' }))
        .then({
          type: 'application.updated',
          data: {
            applicationId,
            changes: [{ field: 'launchUrl', from: null, to: 'https://payroll.example.com/' }],
          },
        })
    })
    it('OIDC-04 accepts loopback addresses with any port from native applications only', () => {
      const redirectUris = ['http://[::1]/cb', 'com.example.payroll:/cb']
      application(created('native'))
        .when(update({ redirectUris }))
        .then({
          type: 'application.updated',
          data: {
            applicationId,
            changes: [{ field: 'redirectUris', from: payroll.oidc.redirectUris, to: redirectUris }],
          },
        })
      application(created('spa'))
        .when(update({ redirectUris }))
        .refuses('ERR_INVALID', null, '/redirectUris/0')
    })
  })

  describe('disable, enable, delete', () => {
    it('API-01 is disabled and enabled', () => {
      application(created()).when(payroll.disable).then(disabled)
      application(created(), disabled).when(payroll.enable).then(enabled)
    })
    it('API-04 is rejected the second time', () => {
      application(created(), disabled)
        .when(payroll.disable)
        .refuses('ERR_CONFLICT', /already disabled/)
      application(created())
        .when(payroll.enable)
        .refuses('ERR_CONFLICT', /already enabled/)
      application(created(), disabled, enabled).when(payroll.enable).refuses('ERR_CONFLICT')
    })
    it('API-01 is deleted from either status, with its groups and secrets', () => {
      application(created(), payroll.assigned(groups[0]), payroll.secretCreated(1))
        .when(payroll.remove)
        .then(deleted)
      application(created(), disabled).when(payroll.remove).then(deleted)
      const state = [created(), payroll.assigned(groups[0]), payroll.secretCreated(1), deleted].reduce(
        applicationDecider.evolve,
        applicationDecider.initial,
      )
      expect(state).to.deep.include({ status: 'deleted', groupIds: [], secrets: [] })
    })
    it('API-13 the built-in application cannot be deleted or disabled', () => {
      application(builtIn)
        .when(payroll.remove)
        .refuses('ERR_BUILT_IN', /cannot be deleted/)
      application(builtIn)
        .when(payroll.disable)
        .refuses('ERR_BUILT_IN', /cannot be disabled/)
      application(builtIn).when(payroll.assign).then(payroll.assigned(groups[0]))
    })
  })

  const commands: readonly ApplicationCommand[] = [
    update({ name: 'X' }),
    payroll.setGroups(groups[0]),
    payroll.assign,
    payroll.unassign,
    payroll.createSecret,
    payroll.rotate,
    payroll.revokeSecret,
    payroll.disable,
    payroll.enable,
    payroll.remove,
  ]
  for (const command of commands)
    it(`API-04 ${command.type} is rejected if there is no such application, and after deletion`, () => {
      application().when(command).refuses('ERR_NOT_FOUND')
      application(created(), payroll.assigned(groups[0]), payroll.secretCreated(1), deleted)
        .when(command)
        .refuses('ERR_NOT_FOUND')
    })
})
