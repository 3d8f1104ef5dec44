import { expect } from 'chai'
import type { DomainEvent } from '../../domain/catalogue.ts'
import type { GroupEvent } from '../../domain/group/events.ts'
import type { MembershipEvent } from '../../domain/membership/events.ts'
import * as ada from '../support/ada.ts'
import { at, id } from '../support/fixed.ts'
import * as payroll from '../support/payroll.ts'
import { position, readModels, recorded, type ReadModels } from '../support/projection.ts'

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
    amr: ['hwk'],
    authTime: at(0),
    expiresAt: at(500),
    strength: 'phishing_resistant',
    ip: '192.0.2.1',
    userAgent: 'Firefox',
  },
}
const sessionEnded: DomainEvent = {
  type: 'session.ended',
  data: { sessionId: id('session'), userId, reason: 'sign_out' },
}
const grantOf = (grantId: string): DomainEvent => ({
  type: 'grant.issued',
  data: { grantId, applicationId, userId, sessionId: id('session'), scopes: ['openid'], authTime: at(0) },
})
const key = (n: number): DomainEvent => ({
  type: 'signing_key.created',
  data: {
    keyId: id('signingKey', n),
    kid: `kid-${String(n)}`,
    alg: 'RS256',
    publicJwk: { kty: 'RSA', n: 'n', e: 'AQAB' },
    sealedPrivateKey: 'sealed',
  },
})
const activated = (n: number, previous: number | null): DomainEvent => ({
  type: 'signing_key.activated',
  data: { keyId: id('signingKey', n), previousKeyId: previous === null ? null : id('signingKey', previous) },
})

/** `[table, what happens, given events, what the rows hold among others]` */
const cases: readonly (readonly [string, string, readonly DomainEvent[], readonly object[]])[] = [
  [
    'users',
    'an invitation',
    [ada.invited],
    [
      {
        id: userId,
        status: 'invited',
        email: 'ada@example.com',
        email_key: 'ada@example.com',
        name: 'Ada',
        department: 'Engines',
        title: null,
        custom: {},
        roles: [],
        version: 1,
        created_at: at(1),
        updated_at: at(1),
        tokens_void_before: null,
      },
    ],
  ],
  ['users', 'enrolment', ada.active, [{ status: 'active', activated_at: at(5), email_verified: false }]],
  [
    'users',
    'a changed profile',
    [
      ada.invited,
      {
        type: 'user.updated',
        data: {
          userId,
          changes: [
            { field: 'department', from: 'Engines', to: null },
            { field: 'userName', from: null, to: 'Ada' },
          ],
        },
      },
    ],
    [{ department: null, user_name: 'Ada', user_name_key: 'ada', name: 'Ada', version: 2 }],
  ],
  [
    'users',
    'a changed address',
    [ada.invited, ada.verified, ada.moved],
    [{ email: 'ada@example.org', email_key: 'ada@example.org', email_verified: false }],
  ],
  [
    'users',
    'suspension',
    [...ada.active, { type: 'user.suspended', data: { userId, reason: 'left' } }],
    [
      {
        status: 'suspended',
        suspended_at: at(6),
        suspend_reason: 'left',
        tokens_void_before: position(6),
      },
    ],
  ],
  [
    'users',
    'reactivation of someone enrolled',
    [...ada.active, ada.suspended, ada.reactivated],
    [{ status: 'active', suspended_at: null, tokens_void_before: position(6) }],
  ],
  [
    'users',
    'reactivation of someone who never enrolled',
    [ada.invited, ada.suspended, ada.reactivated],
    [{ status: 'invited' }],
  ],
  [
    'users',
    'deletion',
    [...ada.active, ada.roles('auditor'), ada.deleted],
    [{ status: 'deleted', email: 'ada@example.com', email_key: null, roles: [], deleted_at: at(7) }],
  ],
  [
    'users',
    'erasure',
    [...ada.active, ada.deleted, ada.erased],
    [
      {
        status: 'deleted',
        erased: true,
        email: `erased+${userId.slice(4).toLowerCase()}@invalid`,
        email_key: null,
        name: 'Erased user',
        department: null,
      },
    ],
  ],
  ['users', 'roles', [ada.invited, ada.roles('auditor')], [{ roles: ['auditor'] }]],
  [
    'users',
    'sessions taken back',
    [...ada.active, { type: 'user.sessions_revoked', data: { userId } }],
    [{ tokens_void_before: position(6) }],
  ],
  [
    'role_intervals',
    'roles that come and go',
    [
      ada.invited,
      ada.roles('auditor', 'helpdesk_admin'),
      {
        type: 'user.roles_changed',
        data: { userId, roles: ['auditor'], added: [], removed: ['helpdesk_admin'] },
      },
    ],
    [
      { role: 'auditor', from_position: position(2), granted_by: admin, to_position: null },
      {
        role: 'helpdesk_admin',
        from_position: position(2),
        to_position: position(3),
        to_at: at(3),
        ended_by: admin,
      },
    ],
  ],
  [
    'role_intervals',
    'deletion',
    [ada.invited, ada.roles('auditor'), ada.deleted],
    [{ role: 'auditor', to_position: position(3) }],
  ],
  [
    'methods',
    'a passkey',
    [ada.invited, ada.added()],
    [
      {
        id: id('method'),
        user_id: userId,
        credential_id: 'cred-1',
        transports: ['internal'],
        backed_up: true,
      },
    ],
  ],
  [
    'methods',
    'a new name',
    [ada.added(), { type: 'user.method_renamed', data: { userId, methodId: id('method'), name: 'Laptop' } }],
    [{ name: 'Laptop' }],
  ],
  [
    'methods',
    'one of two removed',
    [
      ada.added(1),
      ada.added(2),
      { type: 'user.method_removed', data: { userId, methodId: id('method', 1) } },
    ],
    [{ id: id('method', 2) }],
  ],
  ['methods', 'a reset', [ada.added(1), ada.added(2), ...ada.resetEvents], []],
  ['methods', 'deletion', [ada.added(1), ada.deleted], []],
  [
    'enrollment_links',
    'a newer link',
    [ada.issued(), ada.issued('invite', true, 'bb')],
    [{ user_id: userId, token_hash: 'bb', kind: 'invite', expires_at: at(100) }],
  ],
  ['enrollment_links', 'redemption', [ada.issued(), ada.redeemed()], []],
  ['enrollment_links', 'deletion', [ada.issued(), ada.deleted], []],
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
    'deletion of the person',
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
    'revoked_grants',
    'a grant taken back',
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
      { id: id('signingKey', 1), status: 'previous', activated_at: at(2) },
      { id: id('signingKey', 2), status: 'active', activated_at: at(4) },
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
        settings: { organizationName: 'Acme', sessionLifetimeMinutes: 720, inviteLifetimeHours: 168 },
        version: 1,
      },
    ],
  ],
  [
    'configuration_change',
    'changes of what instances hold in memory',
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
