import { expect } from 'chai'
import {
  identityProviderDecider,
  MAX_IDENTITY_PROVIDERS,
  type IdentityProviderCommand,
} from '../../domain/identity-provider/decider.ts'
import type {
  IdentityProviderEvent,
  IdentityProviderSettings,
  OauthConnection,
  SamlConnection,
} from '../../domain/identity-provider/events.ts'
import { issuerProblem, presetIssuer } from '../../domain/identity-provider/issuer.ts'
import { given } from '../support/domain/given.ts'
import { id } from '../support/fixed.ts'

const identityProviderId = id('identityProvider')
const fields: IdentityProviderSettings & OauthConnection = {
  name: 'Contoso',
  clientId: 'us',
  clientAuthentication: 'client_secret_basic',
  scopes: ['profile', 'email'],
  attributeMapping: { email: 'email' },
  groupMapping: [],
  domains: ['contoso.example'],
  requiredForDomains: false,
  linking: 'email_verified',
  provisioning: 'jit',
  jitGroupIds: [],
  syncProfile: false,
  trustEmailVerified: true,
  phishingResistantValues: [],
}
const create: Extract<IdentityProviderCommand, { type: 'create' }> = {
  type: 'create',
  identityProviderId,
  providerType: 'oidc',
  issuer: 'https://login.contoso.example',
  fields,
  sealedSecret: 'sealed',
  count: 0,
}
const created: IdentityProviderEvent = {
  type: 'identity_provider.created',
  data: {
    identityProviderId,
    providerType: 'oidc',
    issuer: create.issuer,
    ...fields,
    sealedSecret: 'sealed',
  },
}
const enabled: IdentityProviderEvent = { type: 'identity_provider.enabled', data: { identityProviderId } }
const disabled: IdentityProviderEvent = { type: 'identity_provider.disabled', data: { identityProviderId } }
const deleted: IdentityProviderEvent = { type: 'identity_provider.deleted', data: { identityProviderId } }
const provider = (...past: readonly IdentityProviderEvent[]) => given(identityProviderDecider, ...past)

describe('Identity providers', () => {
  it('SGN-04 a provider is created enabled, with its secret sealed', () => {
    provider().when(create).then(created)
    provider(created).when(create).refuses('ERR_CONFLICT')
    provider()
      .when({ ...create, sealedSecret: null })
      .refuses('ERR_INVALID', null, '/clientSecret')
    provider()
      .when({ ...create, issuer: 'http://login.contoso.example' })
      .refuses('ERR_INVALID', null, '/issuer')
    provider()
      .when({ ...create, count: MAX_IDENTITY_PROVIDERS })
      .refuses('ERR_CONFLICT')
    const withKey = { ...fields, clientAuthentication: 'private_key_jwt' } as const
    provider()
      .when({ ...create, fields: withKey })
      .then({
        ...created,
        data: { ...created.data, ...withKey, sealedSecret: null },
      })
  })

  it('SGN-04 a change names its fields, and never the secret', () => {
    const update = { type: 'update', identityProviderId, fields: { name: 'Fabrikam' } } as const
    const renamed = { field: 'name', from: 'Contoso', to: 'Fabrikam' }
    provider(created)
      .when(update)
      .then({ type: 'identity_provider.updated', data: { identityProviderId, changes: [renamed] } })
    provider(created)
      .when({ ...update, fields: { name: 'Contoso' } })
      .changesNothing()
    provider(created)
      .when({ ...update, fields: {}, sealedSecret: 'newer' })
      .then({
        type: 'identity_provider.updated',
        data: {
          identityProviderId,
          changes: [{ field: 'clientSecret', from: '•', to: '•' }],
          sealedSecret: 'newer',
        },
      })
    const toKey = { ...update, fields: { clientAuthentication: 'private_key_jwt' } } as const
    const forgot: IdentityProviderEvent = {
      type: 'identity_provider.updated',
      data: {
        identityProviderId,
        changes: [
          { field: 'clientAuthentication', from: 'client_secret_basic', to: 'private_key_jwt' },
          { field: 'clientSecret', from: '•', to: null },
        ],
        sealedSecret: null,
      },
    }
    provider(created).when(toKey).then(forgot)
    provider(created, forgot)
      .when({ ...update, fields: { clientAuthentication: 'client_secret_post' } })
      .refuses('ERR_INVALID', null, '/clientSecret')
  })

  it('SGN-04 fields of one protocol are refused for providers of another', () => {
    const { clientId: _, clientAuthentication: __, scopes: ___, ...settings } = fields
    const connection: SamlConnection = {
      ssoUrl: 'https://login.contoso.example/sso?tenant=1',
      certificates: ['PEM'],
      nameIdFormat: null,
      acceptUnsolicited: false,
    }
    const saml: typeof create = {
      ...create,
      providerType: 'saml',
      issuer: 'urn:contoso',
      fields: { ...settings, ...connection },
    }
    const samlCreated: IdentityProviderEvent = {
      type: 'identity_provider.created',
      data: {
        ...{ identityProviderId, providerType: 'saml', issuer: 'urn:contoso' },
        ...{ ...settings, ...connection, sealedSecret: null },
      },
    }
    provider().when(saml).then(samlCreated)
    const refused = (change: object, field: string) =>
      provider()
        .when({ ...saml, fields: { ...saml.fields, ...change } })
        .refuses('ERR_INVALID', null, field)
    refused({ clientId: 'us' }, '/clientId')
    refused({ ssoUrl: 'http://login.contoso.example' }, '/ssoUrl')
    refused({ certificates: [] }, '/certificates')
    refused({ certificates: Array.from({ length: 11 }, String) }, '/certificates')
    for (const issuer of ['', 'contoso', 'urn:con toso', `urn:${'x'.repeat(1021)}`])
      provider()
        .when({ ...saml, issuer })
        .refuses('ERR_INVALID', null, '/entityId')
    const update = { type: 'update', identityProviderId } as const
    provider(samlCreated)
      .when({ ...update, fields: { scopes: ['email'] } })
      .refuses('ERR_INVALID', null, '/scopes')
    provider(samlCreated)
      .when({ ...update, fields: { acceptUnsolicited: true } })
      .then({
        type: 'identity_provider.updated',
        data: { identityProviderId, changes: [{ field: 'acceptUnsolicited', from: false, to: true }] },
      })
    provider(created)
      .when({ ...update, fields: { acceptUnsolicited: true } })
      .refuses('ERR_INVALID', null, '/acceptUnsolicited')
    provider()
      .when({
        ...create,
        ...{ providerType: 'github', fields: { ...fields, clientAuthentication: 'private_key_jwt' } },
      })
      .refuses('ERR_INVALID', null, '/clientAuthentication')
  })

  it('SGN-04 the only sign-in method of users is not taken away, unless forced', () => {
    for (const [type, event] of [
      ['disable', disabled],
      ['delete', deleted],
    ] as const) {
      const command = { type, identityProviderId, onlyMethodOf: 3, force: false }
      provider(created).when(command).refuses('ERR_CONFLICT')
      provider(created)
        .when({ ...command, force: true })
        .then(event)
      provider(created)
        .when({ ...command, onlyMethodOf: 0 })
        .then(event)
    }
    provider(created, disabled)
      .when({ type: 'delete', identityProviderId, onlyMethodOf: 3, force: false })
      .then(deleted)
    provider(created, disabled).when({ type: 'enable', identityProviderId }).then(enabled)
    provider(created).when({ type: 'enable', identityProviderId }).changesNothing()
    provider(created, deleted).when({ type: 'enable', identityProviderId }).refuses('ERR_NOT_FOUND')
  })

  it('SGN-04 issuers are https addresses; presets know theirs', () => {
    for (const issuer of [
      'https://a.example',
      'https://a.example/tenant/',
      'http://localhost:8080',
      'http://127.0.0.1:1',
    ])
      expect(issuerProblem(issuer), issuer).to.equal(null)
    for (const issuer of [
      'a.example',
      'http://a.example',
      'https://u:p@a.example',
      'https://a.example?x',
      'https://a.example#',
      'javascript:1',
    ])
      expect(issuerProblem(issuer), issuer).to.be.a('string')
    const tenant = '72F988BF-86F1-41AF-91AB-2D7CD011DB47'
    expect(presetIssuer('google', undefined)).to.equal('https://accounts.google.com')
    expect(presetIssuer('microsoft', tenant)).to.equal(
      'https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0',
    )
    expect(presetIssuer('microsoft', undefined)).to.equal(undefined)
    expect(presetIssuer('oidc', tenant)).to.equal(undefined)
  })
})
