import * as billing from '../oidc/billing.ts'
import { at, id } from '../fixed.ts'
import * as payroll from '../scim/payroll.ts'
import type { TableCase } from '../sign-in/people-cases.ts'
import { position } from '../event-log/projection.ts'

const admin = id('user', 99)

/** Cases of API resources and grants of their scopes. */
export const apiCases: readonly TableCase[] = [
  [
    'api_resources',
    'creation',
    [billing.created],
    [
      {
        id: billing.apiResourceId,
        status: 'exists',
        identifier: billing.identifier,
        name: 'Billing',
        description: null,
        access_token_lifetime_seconds: null,
        owner_application_ids: [payroll.applicationId],
        scopes: billing.scopes,
        created_at: at(1),
        updated_at: at(1),
        version: 1,
      },
    ],
  ],
  [
    'api_resources',
    'changes of fields, including an unknown one',
    [
      billing.created,
      billing.updated('name', 'Billing', 'Invoices'),
      billing.updated('accessTokenLifetimeSeconds', null, 600),
      billing.updated('ownerApplicationIds', [payroll.applicationId], null),
      billing.updated('toString', null, 'x'),
    ],
    [
      {
        name: 'Invoices',
        access_token_lifetime_seconds: 600,
        owner_application_ids: [],
        updated_at: at(5),
        version: 5,
      },
    ],
  ],
  [
    'api_resources',
    'scopes added, described and removed',
    [
      billing.created,
      billing.scopeAdded('billing:refund', 'Pay back'),
      billing.scopeDescribed('billing:write', null, 'Write invoices'),
      billing.scopeDescribed('billing:refund', 'Pay back', null),
      billing.scopeRemoved('billing:read'),
    ],
    [
      {
        scopes: [{ name: 'billing:write', description: 'Write invoices' }, { name: 'billing:refund' }],
        version: 5,
      },
    ],
  ],
  ['api_resources', 'deletion', [billing.created, billing.deleted], [{ status: 'deleted', version: 2 }]],
  [
    'api_grants',
    'granted, with other scopes, revoked',
    [
      billing.granted(1, ['billing:read']),
      billing.granted(2, ['wiki:read']),
      billing.granted(1, ['billing:read', 'billing:write'], ['billing:read']),
      billing.withdrawn(1, ['billing:read', 'billing:write']),
    ],
    [
      {
        ...{ from_position: position(1), to_position: position(3), to_at: at(3), ended_by: admin },
        ...{ scopes: ['billing:read'], granted_by: admin, grant_id: id('grant', 1) },
        ...{ application_id: payroll.applicationId, api_resource_id: id('apiResource', 1) },
      },
      { from_position: position(2), to_position: null, api_resource_id: id('apiResource', 2) },
      { from_position: position(3), to_position: position(4), scopes: ['billing:read', 'billing:write'] },
    ],
  ],
  [
    'api_grants',
    'deletion of the application',
    [billing.granted(1, ['billing:read']), billing.granted(2, ['wiki:read']), payroll.deleted],
    [{ to_position: position(3) }, { to_position: position(3), ended_by: admin }],
  ],
  [
    'configuration_change',
    'API resources and grants',
    [payroll.created(), billing.created, billing.granted(1, ['billing:read'])],
    [{ position: position(3) }],
  ],
  ['configuration_change', 'a scope added', [billing.scopeAdded('x')], [{ position: position(1) }]],
  [
    'configuration_change',
    'an API resource deleted',
    [billing.created, billing.deleted],
    [{ position: position(2) }],
  ],
]
