import type pg from 'pg'
import type { GrantedTo } from '../../domain/api-resource/decider.ts'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'
import { parameters, prefixPattern, readListPage, type ListPage, type Sorted } from './page.ts'

export interface ApiResourceRow {
  readonly id: Id<'apiResource'>
  readonly identifier: string
  readonly name: string
  readonly description: string | null
  readonly scopes: readonly { readonly name: string; readonly description: string | null }[]
  readonly accessTokenLifetimeSeconds: number | null
  readonly ownerApplicationIds: readonly Id<'application'>[]
  readonly grantCount: number
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

const columns = `
  r.id, r.identifier, r.name, r.description,
  (select coalesce(json_agg(json_build_object('name', s.scope ->> 'name', 'description', s.scope ->> 'description')
      order by s.at), '[]')
    from jsonb_array_elements(r.scopes) with ordinality as s(scope, at)) as scopes,
  r.access_token_lifetime_seconds as "accessTokenLifetimeSeconds", r.owner_application_ids as "ownerApplicationIds",
  (select count(*) from api_grants n where n.api_resource_id = r.id and n.to_position is null) as "grantCount",
  r.created_at as "createdAt", r.updated_at as "updatedAt", r.version`

export const findApiResource = async (pool: pg.Pool, id: string): Promise<ApiResourceRow | null> => {
  const { rows } = await pool.query<ApiResourceRow>(
    `select ${columns} from api_resources r where r.id = $1 and r.status = 'exists'`,
    [id],
  )
  return rows[0] ?? null
}

export interface ApiResourceFilters {
  readonly identifier?: string | undefined
  readonly applicationId?: string | undefined
  readonly q?: string | undefined
}

export const listApiResources = (
  pool: pg.Pool,
  { identifier, applicationId, q }: ApiResourceFilters,
  page: ListPage,
): Promise<readonly (ApiResourceRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const conditions = [
    `r.status = 'exists'`,
    ...(identifier === undefined ? [] : [`r.identifier = ${add(identifier)}`]),
    ...(applicationId === undefined
      ? []
      : [
          `r.id in (select n.api_resource_id from api_grants n
             where n.application_id = ${add(applicationId)} and n.to_position is null)`,
        ]),
    ...(q === undefined ? [] : [`lower(r.name) collate "C" like lower(${add(prefixPattern(q))})`]),
  ]
  return readListPage<ApiResourceRow>(pool, page, 'r', columns, 'api_resources r', conditions, params)
}

export interface ApiGrantRow {
  readonly id: Id<'grant'>
  readonly applicationId: Id<'application'>
  readonly applicationName: string
  readonly apiResourceId: Id<'apiResource'>
  readonly scopes: readonly string[]
  /** When the scopes were last changed */
  readonly grantedAt: Instant
  readonly grantedBy: string | null
}

const apiGrantColumns = `
  n.grant_id as id, n.application_id as "applicationId", p.name as "applicationName",
  n.api_resource_id as "apiResourceId", n.scopes, n.from_at as "grantedAt", n.granted_by as "grantedBy"`
const apiGrantTables = 'api_grants n join applications p on p.id = n.application_id'

/** Returns the applications that can request scopes of a resource, by name. */
export const listApiGrants = (
  pool: pg.Pool,
  apiResourceId: string,
  page: ListPage,
): Promise<readonly (ApiGrantRow & Sorted)[]> => {
  const params = parameters()
  const conditions = [`n.api_resource_id = ${params.add(apiResourceId)}`, 'n.to_position is null']
  return readListPage<ApiGrantRow>(pool, page, 'p', apiGrantColumns, apiGrantTables, conditions, params)
}

export const findApiGrant = async (
  pool: pg.Pool,
  apiResourceId: string,
  applicationId: string,
): Promise<ApiGrantRow | null> => {
  const { rows } = await pool.query<ApiGrantRow>(
    `select ${apiGrantColumns} from ${apiGrantTables}
     where n.api_resource_id = $1 and n.application_id = $2 and n.to_position is null`,
    [apiResourceId, applicationId],
  )
  return rows[0] ?? null
}

/** Returns the applications with scopes of a resource, by name. */
export const holdersOf = async (pool: pg.Pool, apiResourceId: string): Promise<readonly GrantedTo[]> => {
  const { rows } = await pool.query<GrantedTo>(
    `select p.name as application, n.scopes from ${apiGrantTables}
     where n.api_resource_id = $1 and n.to_position is null order by p.name_key, p.id`,
    [apiResourceId],
  )
  return rows
}

/** Returns the names of the scopes of the existing resources among these. */
export const scopesOffered = async (
  pool: pg.Pool,
  apiResourceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const { rows } = await pool.query<{ id: string; scopes: readonly { readonly name: string }[] }>(
    `select id, scopes from api_resources where id = any($1) and status = 'exists'`,
    [apiResourceIds],
  )
  return new Map(rows.map(({ id, scopes }) => [id, scopes.map(({ name }) => name)]))
}
