import type { AuditKit, Step } from './kit.ts'

const scopes = (...names: string[]) => names.map((name) => ({ name, description: name }))

/** Steps for API resources; they need an application. */
export const apiSteps = ({ to, call, keep }: AuditKit): readonly Step[] => [
  [
    'create an API',
    [['api_resource.create', 'Created the API resource Invoices']],
    keep(
      'api',
      call('POST', to('/api-resources'), () => ({
        identifier: 'urn:i',
        name: 'Invoices',
        scopes: scopes('i:read'),
      })),
    ),
  ],
  [
    'rename an API',
    [['api_resource.update', 'Updated the API resource Bills']],
    call('PATCH', to('/api-resources/:api'), () => ({ name: 'Bills' })),
  ],
  [
    'add a scope',
    [['api_resource.scope.add', 'Added the scope i:write to the API resource Bills']],
    call('PATCH', to('/api-resources/:api'), () => ({ scopes: scopes('i:read', 'i:write') })),
  ],
  [
    'remove a scope',
    [['api_resource.scope.remove', 'Removed the scope i:write from the API resource Bills']],
    call('PATCH', to('/api-resources/:api'), () => ({ scopes: scopes('i:read') })),
  ],
  [
    'grant an API',
    [['application.api_grant.update', 'Granted i:read of the API resource Bills to the application Wages']],
    call('PUT', to('/api-resources/:api/grants/:app'), () => ({ scopes: ['i:read'] })),
  ],
  [
    'revoke the grant',
    [
      [
        'application.api_grant.update',
        'Revoked the grant of the API resource Bills from the application Wages',
      ],
    ],
    call('DELETE', to('/api-resources/:api/grants/:app')),
  ],
  [
    'delete the API',
    [['api_resource.delete', 'Deleted the API resource Bills']],
    call('DELETE', to('/api-resources/:api')),
  ],
]
