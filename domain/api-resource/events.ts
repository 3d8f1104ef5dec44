import type { Change } from '../changes.ts'

/** A permission of an API. Its name is unique across all API resources. */
export interface ApiScope {
  readonly name: string
  readonly description?: string
}

export type ApiResourceEvent =
  | {
      type: 'api_resource.created'
      data: {
        apiResourceId: string
        /** The audience of access tokens; never changes. */
        identifier: string
        name: string
        description?: string
        /** Omitted: the application's own lifetime applies. */
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
