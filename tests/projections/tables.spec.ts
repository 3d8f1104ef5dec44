import { expect } from 'chai'
import { noAttestation } from '../../domain/method-settings/decider.ts'
import type { DomainEvent } from '../../domain/catalogue.ts'
import type { GroupEvent } from '../../domain/group/events.ts'
import type { MembershipEvent } from '../../domain/membership/events.ts'
import { defaultSettings } from '../../domain/organization/decider.ts'
import * as ada from '../support/sign-in/ada.ts'
import { apiCases } from '../support/api/api-cases.ts'
import { at, id } from '../support/fixed.ts'
import { deviceAuthorizationCases } from '../support/sign-in/device-authorization-cases.ts'
import { peopleCases, type TableCase } from '../support/sign-in/people-cases.ts'
import { signInCases } from '../support/sign-in/sign-in-cases.ts'
import * as payroll from '../support/scim/payroll.ts'
import { activated, key } from '../support/domain/keys.ts'
import { applicationLogoCases } from '../support/domain/application-logo-cases.ts'
import { provisioningCases } from '../support/scim/provisioning-cases.ts'
import { samlCases } from '../support/saml/saml-cases.ts'
import { webhookCases } from '../support/webhooks/webhook-cases.ts'
import { position, readModels, recorded, type ReadModels } from '../support/event-log/projection.ts'

const { userId } = ada
const groupId = id('group')
const { applicationId } = payroll
const admin = id('user', 99)
const rule = { match: 'all' as const, conditions: [{ attribute: 'title', operator: 'present' as const }] }
const group: GroupEvent = {
  type: 'group.created',
  data: { groupId, name: 'Staff', rule: null, ownerIds: [userId], source: 'local' },
}
const groupDeleted: GroupEvent = { type: 'group.deleted', data: { groupId } }
const granted = (via: 'assigned' | 'rule' = 'assigned', expiresAt?: string): MembershipEvent => ({
  type: 'membership.granted',
  data: { groupId, userId, via, ...(expiresAt === undefined ? {} : { expiresAt }) },
})
const withdrawn = (via: 'assigned' | 'rule' = 'assigned'): MembershipEvent => ({
  type: 'membership.withdrawn',
  data: { groupId, userId, via, reason: 'removed' },
})
const session: DomainEvent = {
  type: 'session.started',
  data: {
    sessionId: id('session'),
    userId,
    tokenHash: 'hash',
    methods: ['passkey'],
    methodIds: [],
    amr: ['hwk'],
    authTime: at(0),
    expiresAt: at(500),
    strength: 'phishing_resistant',
    ip: '192.0.2.1',
    userAgent: 'Firefox',
    deviceId: null,
    location: null,
    risk: 'none',
  },
}
const sessionEnded: DomainEvent = {
  type: 'session.ended',
  data: { sessionId: id('session'), userId, reason: 'sign_out' },
}
const grantOf = (grantId: string): DomainEvent => ({
  type: 'grant.issued',
  data: {
    grantId,
    applicationId,
    userId,
    sessionId: id('session'),
    scopes: ['openid'],
    apiResourceIds: [],
    authTime: at(0),
    grantType: 'authorization_code',
  },
})
const cases: readonly TableCase[] = [
  ...peopleCases,
  ...apiCases,
  ...applicationLogoCases,
  ...provisioningCases,
  ...webhookCases,
  [
    'groups',
    'creation',
    [group],
    [{ id: groupId, status: 'exists', name: 'Staff', name_key: 'staff', rule: null, owner_ids: [userId] }],
  ],
  [
    'groups',
    'a change',
    [
      group,
      {
        type: 'group.updated',
        data: {
          groupId,
          changes: [
            { field: 'name', from: 'Staff', to: 'People' },
            { field: 'ownerIds', from: [userId], to: null },
          ],
        },
      },
    ],
    [{ name: 'People', name_key: 'people', owner_ids: [], version: 2, updated_at: at(2) }],
  ],
  [
    'groups',
    'a rule',
    [group, { type: 'group.rule_changed', data: { groupId, from: null, to: rule } }],
    [{ rule }],
  ],
  [
    'groups',
    'deletion',
    [group, groupDeleted],
    [{ status: 'deleted', name: 'Staff', name_key: null, rule: null }],
  ],
  [
    'memberships',
    'two sources, one ended',
    [granted(), granted('rule'), withdrawn()],
    [
      {
        membership: `${groupId}:${userId}`,
        via: 'assigned',
        from_position: position(1),
        to_position: position(3),
        end_reason: 'removed',
        ended_by: admin,
      },
      { via: 'rule', from_position: position(2), to_position: null },
    ],
  ],
  [
    'memberships',
    'another end date',
    [
      granted('assigned', at(50)),
      { type: 'membership.expiry_changed', data: { groupId, userId, via: 'assigned', expiresAt: at(60) } },
    ],
    [{ expires_at: at(60) }],
  ],
  [
    'memberships',
    'a second time after the first',
    [granted(), withdrawn(), granted()],
    [{ to_position: position(2) }, { from_position: position(3), to_position: null }],
  ],
  [
    'memberships',
    'deletion of the group',
    [granted(), groupDeleted],
    [{ to_position: position(2), end_reason: 'group_deleted' }],
  ],
  [
    'memberships',
    'deletion of the user',
    [granted(), ada.deleted],
    [{ to_position: position(2), end_reason: 'user_deleted' }],
  ],
  [
    'applications',
    'registration',
    [payroll.created()],
    [
      {
        id: applicationId,
        type: 'web',
        status: 'active',
        client_id: 'sv_1',
        name: 'Payroll',
        name_key: 'payroll',
        built_in: false,
        settings: { visibleInPortal: true, ...payroll.oidc },
      },
    ],
  ],
  [
    'applications',
    'a change',
    [
      payroll.created(),
      {
        type: 'application.updated',
        data: {
          applicationId,
          changes: [
            { field: 'name', from: 'Payroll', to: 'Wages' },
            { field: 'requirePkce', from: true, to: false },
          ],
        },
      },
    ],
    [
      {
        name: 'Wages',
        name_key: 'wages',
        settings: { visibleInPortal: true, ...payroll.oidc, requirePkce: false },
      },
    ],
  ],
  [
    'applications',
    'disabled and enabled',
    [payroll.created(), payroll.disabled, payroll.enabled],
    [{ status: 'active', tokens_void_before: position(2), version: 3 }],
  ],
  [
    'applications',
    'deletion',
    [payroll.created(), payroll.deleted],
    [{ status: 'deleted', name_key: null, tokens_void_before: position(2) }],
  ],
  [
    'application_groups',
    'assigned, unassigned, assigned',
    [payroll.assigned(groupId), payroll.unassigned(groupId), payroll.assigned(groupId)],
    [
      { from_position: position(1), to_position: position(2), assigned_by: admin, ended_by: admin },
      { from_position: position(3), to_position: null },
    ],
  ],
  [
    'application_groups',
    'deletion of the application',
    [payroll.assigned(groupId), payroll.deleted],
    [{ to_position: position(2) }],
  ],
  [
    'client_secrets',
    'one limited, one revoked',
    [
      payroll.secretCreated(1),
      payroll.secretCreated(2),
      payroll.secretLimited(1, at(70)),
      payroll.secretRevoked(2),
    ],
    [
      { id: id('clientSecret', 1), hash: '1', expires_at: at(70), revoked_at: null },
      { id: id('clientSecret', 2), expires_at: null, revoked_at: at(4) },
    ],
  ],
  [
    'client_secrets',
    'deletion of the application',
    [payroll.secretCreated(1), payroll.deleted],
    [{ revoked_at: at(2) }],
  ],
  [
    'sessions',
    'a sign-in',
    [session],
    [{ id: id('session'), user_id: userId, token_hash: 'hash', ip: '192.0.2.1', ended_at: null }],
  ],
  ['sessions', 'a sign-out', [session, sessionEnded], [{ ended_at: at(2), end_reason: 'sign_out' }]],
  ['sessions', 'suspension', [session, ada.suspended], [{ ended_at: at(2), end_reason: 'user_suspended' }]],
  ['sessions', 'deletion', [session, ada.deleted], [{ ended_at: at(2), end_reason: 'user_deleted' }]],
  ['sessions', 'a reset', [session, ...ada.resetEvents], [{ ended_at: at(2), end_reason: 'method_reset' }]],
  [
    'sessions',
    'erasure, long after the end',
    [session, sessionEnded, ada.deleted, ada.erased],
    [{ ended_at: at(2), end_reason: 'sign_out', ip: null, user_agent: null }],
  ],
  [
    'session_applications',
    'two tokens for one application',
    [grantOf('1'), grantOf('2')],
    [{ session_id: id('session'), application_id: applicationId, first_at: at(1), last_at: at(2) }],
  ],
  [
    'session_applications',
    'an assertion for an application that has tokens',
    [
      grantOf('1'),
      {
        type: 'saml_assertion.issued',
        data: { assertionId: '_1', applicationId, userId, sessionId: id('session') },
      },
    ],
    [{ session_id: id('session'), application_id: applicationId, first_at: at(1), last_at: at(2) }],
  ],
  ...deviceAuthorizationCases,
  ...signInCases,
  ...samlCases,
  [
    'revoked_grants',
    'a revoked grant',
    [
      grantOf('1'),
      { type: 'grant.revoked', data: { grantId: '1', applicationId, userId, reason: 'code_reused' } },
    ],
    [
      {
        grant_id: '1',
        application_id: applicationId,
        user_id: userId,
        reason: 'code_reused',
        revoked_at: at(2),
      },
    ],
  ],
  [
    'signing_keys',
    'rotation',
    [key(1), activated(1, null), key(2), activated(2, 1)],
    [
      { id: id('signingKey', 1), status: 'previous', activated_at: at(2), retires_at: at(100) },
      { id: id('signingKey', 2), status: 'active', activated_at: at(4), retires_at: null },
    ],
  ],
  [
    'signing_keys',
    'retirement',
    [
      key(1),
      activated(1, null),
      key(2),
      activated(2, 1),
      key(3),
      { type: 'signing_key.retired', data: { keyId: id('signingKey', 1) } },
    ],
    [
      { id: id('signingKey', 1), status: 'retired' },
      { id: id('signingKey', 2), status: 'active' },
      { id: id('signingKey', 3), status: 'next', activated_at: null },
    ],
  ],
  [
    'organization',
    'a change',
    [
      {
        type: 'organization.updated',
        data: { changes: [{ field: 'organizationName', from: 'x', to: 'Acme' }] },
      },
    ],
    [
      {
        settings: { ...defaultSettings, organizationName: 'Acme' },
        version: 1,
      },
    ],
  ],
  [
    'method_settings',
    'two changes of one method, one of another',
    [
      {
        type: 'method_settings.updated',
        data: {
          methodType: 'magic_link',
          changes: [
            { field: 'enabled', from: true, to: false },
            { field: 'allowedGroupIds', from: null, to: [groupId] },
          ],
        },
      },
      {
        type: 'method_settings.updated',
        data: {
          methodType: 'magic_link',
          changes: [{ field: 'allowedGroupIds', from: [groupId], to: null }],
        },
      },
      {
        type: 'method_settings.updated',
        data: { methodType: 'passkey', changes: [{ field: 'enabled', from: true, to: false }] },
      },
    ],
    [
      { type: 'magic_link', enabled: false, allowed_group_ids: null, options: null, updated_at: at(2) },
      {
        type: 'passkey',
        enabled: false,
        options: noAttestation,
      },
    ],
  ],
  [
    'configuration_change',
    'changes of the cached configuration',
    [payroll.created(), ada.invited, payroll.assigned(groupId), ada.verified],
    [{ position: position(3) }],
  ],
]

describe('read models', () => {
  let models: ReadModels
  before(async () => {
    models = await readModels()
  })
  after(() => models.drop())

  for (const [table, what, events, expected] of cases)
    it(`EVT-01 ${table}: ${what}`, async () => {
      const rows = (await models.after(recorded(events)))[table] ?? []
      expect(rows).to.have.length(expected.length)
      for (const [index, some] of expected.entries()) expect(rows[index]).to.deep.include(some)
    })
})
