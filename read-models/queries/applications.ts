import type pg from 'pg'
import type {
  ApplicationFields,
  OidcApplicationType,
  OidcSettings,
  SamlSettings,
} from '../../domain/application/events.ts'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'
import { lasts, type Past, type PastRecord } from './past.ts'
import { parameters, prefixPattern, readListPage, type ListPage, type Sorted } from './page.ts'

export type ApplicationStatus = 'active' | 'disabled'

interface AnyApplicationRow {
  readonly id: Id<'application'>
  readonly name: string
  readonly status: ApplicationStatus
  /** Of the uploaded logo; null for none, and at a time past */
  readonly logoDigest: string | null
  readonly builtIn: boolean
  readonly groupIds: readonly Id<'group'>[]
  readonly apiGrants: readonly {
    readonly apiResourceId: Id<'apiResource'>
    readonly scopes: readonly string[]
  }[]
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

export interface OidcApplicationRow extends AnyApplicationRow {
  readonly protocol: 'oidc'
  readonly type: OidcApplicationType
  readonly clientId: string
  readonly settings: Omit<ApplicationFields, 'name'> & OidcSettings
  readonly saml: null
}

export interface SamlApplicationRow extends AnyApplicationRow {
  readonly protocol: 'saml'
  readonly type: null
  readonly clientId: null
  readonly settings: Omit<ApplicationFields, 'name'>
  readonly saml: SamlSettings
}

export type ApplicationRow = OidcApplicationRow | SamlApplicationRow

/** @param open returns the condition for intervals of an alias */
const columnsWhere = (open: (alias: string) => string): string => `
  p.id, p.name, p.protocol, p.type, p.status, p.built_in as "builtIn", p.client_id as "clientId", p.settings,
  p.saml,
  coalesce((select json_agg(a.group_id order by a.group_id) from application_groups a
    where a.application_id = p.id and ${open('a')}), '[]') as "groupIds",
  coalesce((select json_agg(json_build_object('apiResourceId', n.api_resource_id, 'scopes', n.scopes)
      order by n.api_resource_id)
    from api_grants n where n.application_id = p.id and ${open('n')}), '[]') as "apiGrants",
  p.created_at as "createdAt", p.updated_at as "updatedAt", p.version`

const columns = `${columnsWhere((alias) => `${alias}.to_position is null`)},
  (select l.digest from application_logos l where l.application_id = p.id) as "logoDigest"`

export const findApplication = async (pool: pg.Pool, id: string): Promise<ApplicationRow | null> => {
  const { rows } = await pool.query<ApplicationRow>(
    `select ${columns} from applications p where p.id = $1 and p.status <> 'deleted'`,
    [id],
  )
  return rows[0] ?? null
}

/** The same at a time past. @param record of the streams of one or more applications, which are returned in order of ids */
export const readApplicationsThen = async (
  client: pg.ClientBase,
  past: Past,
  { applications }: PastRecord,
): Promise<readonly ApplicationRow[]> => {
  const params = parameters()
  const cut = `${params.add(past.cut)}::text collate "C"`
  const { rows } = await client.query<ApplicationRow>(
    `select ${columnsWhere((alias) => lasts(alias, cut))}, null as "logoDigest"
     from jsonb_populate_recordset(null::applications, ${params.add(JSON.stringify(applications ?? []))}) p
     where p.status <> 'deleted' order by p.id`,
    params.values,
  )
  return rows
}

/** Whether the application exists or existed. */
export const applicationEverExisted = async (pool: pg.Pool, id: string): Promise<boolean> => {
  const { rowCount } = await pool.query('select from applications where id = $1', [id])
  return rowCount === 1
}

export interface ApplicationFilters {
  readonly status?: ApplicationStatus | undefined
  readonly protocol?: 'oidc' | 'saml' | undefined
  readonly type?: OidcApplicationType | undefined
  readonly groupId?: string | undefined
  readonly q?: string | undefined
}

export const listApplications = (
  pool: pg.Pool,
  { status, protocol, type, groupId, q }: ApplicationFilters,
  page: ListPage,
): Promise<readonly (ApplicationRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const conditions = [
    status === undefined ? `p.status <> 'deleted'` : `p.status = ${add(status)}`,
    ...(protocol === undefined ? [] : [`p.protocol = ${add(protocol)}`]),
    ...(type === undefined ? [] : [`p.type = ${add(type)}`]),
    ...(groupId === undefined
      ? []
      : [
          `p.id in (select a.application_id from application_groups a
             where a.group_id = ${add(groupId)} and a.to_position is null)`,
        ]),
    ...(q === undefined ? [] : [`lower(p.name) collate "C" like lower(${add(prefixPattern(q))})`]),
  ]
  return readListPage<ApplicationRow>(pool, page, 'p', columns, 'applications p', conditions, params)
}

export interface ClientSecretRow {
  readonly id: Id<'clientSecret'>
  readonly prefix: string
  readonly status: 'active' | 'expiring' | 'expired' | 'revoked'
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
  readonly revokedAt: Instant | null
  /** To the minute */
  readonly lastUsedAt: Instant | null
}

const secretColumns = `
  s.id, s.prefix, s.created_at as "createdAt", s.expires_at as "expiresAt", s.revoked_at as "revokedAt",
  (select w.last_used_at from work.client_secret_use w where w.secret_id = s.id) as "lastUsedAt",
  case when s.revoked_at is not null then 'revoked' when s.expires_at is null then 'active'
       when s.expires_at > $2 then 'expiring' else 'expired' end as status`

/** Returns an application's secrets, newest first, up to a limit. */
export const secretsOf = async (
  pool: pg.Pool,
  applicationId: string,
  now: Instant,
  limit: number,
): Promise<readonly ClientSecretRow[]> => {
  const { rows } = await pool.query<ClientSecretRow>(
    `select ${secretColumns} from client_secrets s where s.application_id = $1
     order by s.revoked_at is not null, s.created_at desc, s.id desc limit $3`,
    [applicationId, now, limit],
  )
  return rows
}

export const findSecret = async (
  pool: pg.Pool,
  id: string,
  now: Instant,
): Promise<ClientSecretRow | null> => {
  const { rows } = await pool.query<ClientSecretRow>(
    `select ${secretColumns} from client_secrets s where s.id = $1`,
    [id, now],
  )
  return rows[0] ?? null
}
