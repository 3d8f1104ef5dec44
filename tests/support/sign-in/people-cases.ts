import type { DomainEvent } from '../../../domain/catalogue.ts'
import * as ada from './ada.ts'
import { at, id } from '../fixed.ts'
import { position } from '../event-log/projection.ts'

const { userId } = ada
const admin = id('user', 99)
const program = id('user', 11)

/** `[table, what happens, given events, columns that the rows must have, among others]` */
export type TableCase = readonly [string, string, readonly DomainEvent[], readonly object[]]

/** What happens to users, their roles, methods and links. */
export const peopleCases: readonly TableCase[] = [
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
    'reactivation of an enrolled user',
    [...ada.active, ada.suspended, ada.reactivated],
    [{ status: 'active', suspended_at: null, tokens_void_before: position(6) }],
  ],
  [
    'users',
    'reactivation of a user who never enrolled',
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
    'revoked sessions',
    [...ada.active, { type: 'user.sessions_revoked', data: { userId } }],
    [{ tokens_void_before: position(6) }],
  ],
  [
    'role_intervals',
    'roles added and removed',
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
    'role_intervals',
    'those of a service account, until it is deleted',
    [
      { type: 'service_account.created', data: { serviceAccountId: program, name: 'Sync' } },
      {
        type: 'service_account.roles_changed',
        data: {
          serviceAccountId: program,
          roles: ['user_admin', 'auditor'],
          added: ['user_admin', 'auditor'],
          removed: [],
        },
      },
      {
        type: 'service_account.roles_changed',
        data: { serviceAccountId: program, roles: ['user_admin'], added: [], removed: ['auditor'] },
      },
      { type: 'service_account.deleted', data: { serviceAccountId: program } },
    ],
    [
      {
        user_id: program,
        role: 'auditor',
        from_position: position(2),
        granted_by: admin,
        to_position: position(3),
      },
      { user_id: program, role: 'user_admin', to_position: position(4), to_at: at(4), ended_by: admin },
    ],
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
      { type: 'user.method_removed', data: { userId, methodId: id('method', 1), methodType: 'passkey' } },
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
]
