import { apiResourceDecider, type ApiResourceCommand } from '../../../domain/api-resource/decider.ts'
import type { ApiResourceEvent, ApiScope } from '../../../domain/api-resource/events.ts'
import type { ApplicationEvent } from '../../../domain/application/events.ts'
import { id } from '../fixed.ts'
import { given } from '../domain/given.ts'
import { applicationId } from '../scim/payroll.ts'

// The life of one API resource in events, its commands, and grants of its scopes.
type Of<T extends ApiResourceCommand['type']> = Extract<ApiResourceCommand, { type: T }>

export const apiResourceId = id('apiResource')
export const identifier = 'https://billing.example.com'
export const scopes: readonly ApiScope[] = [
  { name: 'billing:read', description: 'Read invoices' },
  { name: 'billing:write' },
]
const fields = { name: 'Billing', ownerApplicationIds: [applicationId] }

export const create: Of<'create'> = { type: 'create', apiResourceId, identifier, fields, scopes }
export const update = (
  changes: Readonly<Record<string, unknown>>,
  more: Partial<Pick<Of<'update'>, 'scopes' | 'granted'>> = {},
): Of<'update'> => ({ type: 'update', apiResourceId, fields: changes, granted: [], ...more })
export const remove: Of<'delete'> = { type: 'delete', apiResourceId, granted: [] }

export const created: ApiResourceEvent = {
  type: 'api_resource.created',
  data: { apiResourceId, identifier, ...fields, scopes },
}
export const updated = (field: string, from: unknown, to: unknown): ApiResourceEvent => ({
  type: 'api_resource.updated',
  data: { apiResourceId, changes: [{ field, from, to }] },
})
export const scopeAdded = (name: string, description?: string): ApiResourceEvent => ({
  type: 'api_resource.scope_added',
  data: { apiResourceId, scope: { name, ...(description === undefined ? {} : { description }) } },
})
export const scopeDescribed = (name: string, from: string | null, to: string | null): ApiResourceEvent => ({
  type: 'api_resource.scope_described',
  data: { apiResourceId, name, from, to },
})
export const scopeRemoved = (name: string): ApiResourceEvent => ({
  type: 'api_resource.scope_removed',
  data: { apiResourceId, name },
})
export const deleted: ApiResourceEvent = { type: 'api_resource.deleted', data: { apiResourceId } }

export const grant = (n: number, ...granted: string[]) => ({
  apiResourceId: id('apiResource', n),
  grantId: id('grant', n),
  scopes: granted,
})
export const granted = (
  n: number,
  grantedScopes: readonly string[],
  previousScopes?: readonly string[],
): ApplicationEvent => ({
  type: 'application.api_granted',
  data: {
    applicationId,
    ...grant(n, ...grantedScopes),
    ...(previousScopes === undefined ? {} : { previousScopes }),
  },
})
export const withdrawn = (n: number, previousScopes: readonly string[]): ApplicationEvent => ({
  type: 'application.api_grant_withdrawn',
  data: {
    applicationId,
    apiResourceId: id('apiResource', n),
    grantId: id('grant', n),
    previousScopes,
  },
})

export const resource = (...past: readonly ApiResourceEvent[]) => given(apiResourceDecider, ...past)
