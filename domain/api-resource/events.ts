import type { Change } from '../changes.ts'

/** A permission that an API knows. Its name is one of a kind across all API resources. */
export interface ApiScope {
  readonly name: string
  readonly description?: string
}

export type ApiResourceEvent =
  | {
      type: 'api_resource.created'
      data: {
        apiResourceId: string
        /** What access tokens name as their audience; never changes. */
        identifier: string
        name: string
        description?: string
        /** Left out: the application's own lifetime counts. */
        accessTokenLifetimeSeconds?: number
        ownerApplicationIds: readonly string[]
        scopes: readonly ApiScope[]
      }
    }
  | { type: 'api_resource.updated'; data: { apiResourceId: string; changes: readonly Change[] } }
  | { type: 'api_resource.scope_added'; data: { apiResourceId: string; scope: ApiScope } }
  | {
      type: 'api_resource.scope_described'
      data: { apiResourceId: string; name: string; from: string | null; to: string | null }
    }
  | { type: 'api_resource.scope_removed'; data: { apiResourceId: string; name: string } }
  | { type: 'api_resource.deleted'; data: { apiResourceId: string } }
