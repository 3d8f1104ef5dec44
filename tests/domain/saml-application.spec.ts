import { expect } from 'chai'
import { applicationDecider, type ApplicationCommand } from '../../domain/application/decider.ts'
import type { ApplicationEvent, SamlSettings } from '../../domain/application/events.ts'
import type { SamlInput } from '../../domain/application/saml-settings.ts'
import { changesOfEvent } from '../../domain/audit/changes.ts'
import type { Recorded } from '../../domain/catalogue.ts'
import { at, id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'
import * as payroll from '../support/scim/payroll.ts'

const applicationId = id('application', 7)
const entityId = 'https://wiki.example.com/saml'
const acs = 'https://wiki.example.com/saml/acs'
const names = {
  email: 'email',
  name: 'name',
  given_name: 'given_name',
  family_name: 'family_name',
  groups: 'groups',
}
const saml: SamlSettings = {
  entityId,
  acsUrls: [acs],
  nameIdFormat: 'email',
  attributeNames: names,
  signResponse: false,
  sessionNotOnOrAfter: true,
}
const create = (more: SamlInput = {}): ApplicationCommand => ({
  type: 'create_saml',
  applicationId,
  fields: { name: 'Wiki' },
  saml: { entityId, acsUrls: [acs], ...more },
  groupIds: [],
})
const created = (more: Partial<SamlSettings> = {}): ApplicationEvent => ({
  type: 'application.created',
  data: {
    applicationId,
    protocol: 'saml',
    builtIn: false,
    fields: { name: 'Wiki', visibleInPortal: true },
    saml: { ...saml, ...more },
  },
})
const updated = (...changes: readonly [field: string, from: unknown, to: unknown][]): ApplicationEvent => ({
  type: 'application.saml_updated',
  data: { applicationId, changes: changes.map(([field, from, to]) => ({ field, from, to })) },
})
const update = (sent: SamlInput, settings: object = {}): ApplicationCommand => ({
  type: 'update',
  applicationId,
  settings: { ...settings },
  saml: sent,
})
const wiki = (...past: readonly ApplicationEvent[]) => given(applicationDecider, ...past)

describe('A SAML application', () => {
  it('SAML-04 SAML-05 starts with the published defaults, and its groups', () => {
    wiki().when(create()).then(created())
    const command = { ...create(), groupIds: ['grp_a', 'grp_a'] } as ApplicationCommand
    wiki()
      .when(command)
      .then(created(), { type: 'application.group_assigned', data: { applicationId, groupId: 'grp_a' } })
    wiki(created()).when(create()).refuses('ERR_CONFLICT')
  })

  it('SAML-05 SAML-06 uses the sent value instead of a default', () => {
    const more = {
      nameIdFormat: 'persistent',
      signResponse: true,
      sessionNotOnOrAfter: false,
      defaultRelayState: '/home',
    } as const
    wiki()
      .when(create({ ...more, attributeNames: { email: 'mail' } }))
      .then(created({ ...more, attributeNames: { ...names, email: 'mail' } }))
  })

  const long = (n: number): string => 'x'.repeat(n)
  const many = Array.from({ length: 21 }, (_, i) => `https://a.example/${String(i)}`)
  for (const [what, sent, field] of [
    ['no entity id', { entityId: '' }, '/saml/entityId'],
    ['an entity id with a space', { entityId: 'urn:a b' }, '/saml/entityId'],
    ['an entity id with a line break', { entityId: 'urn:a\n' }, '/saml/entityId'],
    ['an entity id of 1025 characters', { entityId: long(1025) }, '/saml/entityId'],
    ['no address', { acsUrls: [] }, '/saml/acsUrls'],
    ['21 addresses', { acsUrls: many }, '/saml/acsUrls'],
    ['an address twice', { acsUrls: [acs, acs] }, '/saml/acsUrls/1'],
    ['an http address', { acsUrls: ['http://wiki.example.com/acs'] }, '/saml/acsUrls/0'],
    ['an address with a fragment', { acsUrls: [acs, `${acs}#a`] }, '/saml/acsUrls/1'],
    ['an address of 2049 characters', { acsUrls: [`https://a.example/${long(2031)}`] }, '/saml/acsUrls/0'],
    ['an http address on 127.0.0.2', { acsUrls: ['http://127.0.0.2/acs'] }, '/saml/acsUrls/0'],
    ['an http address on [::1]', { acsUrls: ['http://[::1]/acs'] }, '/saml/acsUrls/0'],
    [
      'an address of a host with localhost in its name',
      { acsUrls: ['http://localhost.example/'] },
      '/saml/acsUrls/0',
    ],
    ['a javascript address', { acsUrls: ['javascript:alert(1)'] }, '/saml/acsUrls/0'],
    ['an address with a user', { acsUrls: ['https://good.example@evil.example/'] }, '/saml/acsUrls/0'],
    ['an empty attribute name', { attributeNames: { email: '' } }, '/saml/attributeNames/email'],
    ['an attribute name of spaces', { attributeNames: { email: '  ' } }, '/saml/attributeNames/email'],
    ['a control character', { attributeNames: { groups: 'a\u0000' } }, '/saml/attributeNames/groups'],
    ['a name of 201 characters', { attributeNames: { name: long(201) } }, '/saml/attributeNames/name'],
    [
      'two attributes with the same name',
      { attributeNames: { name: 'email' } },
      '/saml/attributeNames/email',
    ],
    ['a relay state of 2049 bytes', { defaultRelayState: `${long(2046)}€` }, '/saml/defaultRelayState'],
    ['two indexes for one address', { acsIndexes: [1, 2] }, '/saml/acsIndexes'],
    ['one index for two addresses', { acsUrls: [acs, `${acs}2`], acsIndexes: [1, 1] }, '/saml/acsIndexes'],
    ['a relay state of two lines', { defaultRelayState: 'a\nb' }, '/saml/defaultRelayState'],
  ] as const)
    it(`SAML-07 is rejected with ${what}, on creation and on update`, () => {
      wiki().when(create(sent)).refuses('ERR_INVALID', null, field)
      wiki(created()).when(update(sent)).refuses('ERR_INVALID', null, field)
    })

  it('SAML-07 accepts values just within the limits', () => {
    const most = {
      entityId: long(1024),
      acsUrls: [
        ...many.slice(0, 16),
        'http://localhost:8080/acs',
        'http://127.0.0.1/acs',
        `https://a.example/${long(2030)}`,
        'https://a.example/acs?tenant=1&next=%2Fa+b',
      ],
      defaultRelayState: `${long(2045)}€`,
    }
    wiki().when(create(most)).then(created(most))
  })

  it('AUD-01 an update records exactly the settings that changed', () => {
    const two = [acs, `${acs}2`]
    wiki(created())
      .when(update({ acsUrls: two, nameIdFormat: 'email', attributeNames: { groups: 'roles' } }))
      .then(updated(['acsUrls', [acs], two], ['attributeNames', names, { ...names, groups: 'roles' }]))
    wiki(created({ defaultRelayState: '/home' }))
      .when(update({ defaultRelayState: null }, { description: 'Pages' }))
      .then(
        {
          type: 'application.updated',
          data: { applicationId, changes: [{ field: 'description', from: null, to: 'Pages' }] },
        },
        updated(['defaultRelayState', '/home', null]),
      )
    wiki(created())
      .when(update({ entityId, acsUrls: [acs] }))
      .changesNothing()
    const event = updated(['entityId', 'a', 'b']) as Recorded
    expect(changesOfEvent(event)).to.deep.equal([{ field: 'saml.entityId', from: 'a', to: 'b' }])
  })

  it('SAML-07 replaced settings get their defaults for omitted fields', () => {
    const past = created({ defaultRelayState: '/home', signResponse: true })
    const replace = { type: 'replace_saml', applicationId, saml: { entityId, acsUrls: [acs] } } as const
    wiki(past)
      .when(replace)
      .then(updated(['signResponse', true, false], ['defaultRelayState', '/home', null]))
    wiki(created()).when(replace).changesNothing()
    payroll
      .application(payroll.created())
      .when({ ...replace, applicationId: payroll.applicationId })
      .refuses('ERR_CONFLICT')
  })

  it('SAML-07 indexes of addresses are kept until the addresses are set', () => {
    const past = created({ acsIndexes: [3] })
    wiki(past)
      .when(update({ signResponse: true }))
      .then(updated(['signResponse', false, true]))
    wiki(past)
      .when(update({ acsUrls: [`${acs}2`] }))
      .then(updated(['acsUrls', [acs], [`${acs}2`]], ['acsIndexes', [3], null]))
    wiki(past)
      .when({ type: 'replace_saml', applicationId, saml: { entityId, acsUrls: [acs], acsIndexes: [4] } })
      .then(updated(['acsIndexes', [3], [4]]))
  })

  it('SAML-07 has no OpenID Connect settings, and vice versa', () => {
    const secret = { secretId: 'crd_a', prefix: 'p', hash: 'h' }
    const grant = { apiResourceId: 'api_a', grantId: 'gnt_a', scopes: ['a'] }
    for (const command of [
      { type: 'create_secret', applicationId, secret, now: at(0) },
      { type: 'rotate_secret', applicationId, secret, now: at(0), oldExpiresAt: at(0) },
      { type: 'set_api_grant', applicationId, apiGrant: grant },
      { type: 'set_api_grants', applicationId, apiGrants: [grant] },
    ] as const)
      wiki(created()).when(command).refuses('ERR_CONFLICT', /SAML/)
    wiki(created()).when({ type: 'set_api_grants', applicationId, apiGrants: [] }).changesNothing()
    wiki(created())
      .when(update({}, { redirectUris: [] }))
      .refuses('ERR_INVALID', null, '/redirectUris')
    payroll
      .application(payroll.created())
      .when({ type: 'update', applicationId: payroll.applicationId, settings: {}, saml: {} })
      .refuses('ERR_INVALID', null, '/saml')
  })

  it('SAML-07 is disabled, enabled and deleted as any other', () => {
    const disabled: ApplicationEvent = { type: 'application.disabled', data: { applicationId } }
    wiki(created()).when({ type: 'disable', applicationId }).then(disabled)
    wiki(created(), disabled)
      .when({ type: 'enable', applicationId })
      .then({ type: 'application.enabled', data: { applicationId } })
    const deleted: ApplicationEvent = { type: 'application.deleted', data: { applicationId } }
    wiki(created()).when({ type: 'delete', applicationId }).then(deleted)
    wiki(created(), deleted)
      .when(update({ signResponse: true }))
      .refuses('ERR_NOT_FOUND')
  })
})
