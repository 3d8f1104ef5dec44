import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { Role } from '../../domain/roles.ts'
import type { Instant } from '../../domain/time.ts'
import { parameters, prefixPattern, readListPage, type ListPage, type Sorted } from './page.ts'

export type ServiceAccountStatus = 'active' | 'disabled' | 'deleted'

export interface ServiceAccountRow {
  readonly id: Id<'user'>
  readonly name: string
  readonly description: string | null
  readonly ownerId: Id<'user'> | null
  readonly roles: readonly Role[]
  /** Patterns of the hosts for which it gets SSH host certificates */
  readonly sshHostNames: readonly string[]
  readonly status: ServiceAccountStatus
  /** Number of valid keys */
  readonly keyCount: number
  /** Last use of any of its keys, to the nearest five minutes */
  readonly lastUsedAt: Instant | null
  readonly createdBy: Id<'user'> | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

const columns = (now: string): string => `
  a.id, a.name, a.description, a.owner_id as "ownerId", a.roles, a.ssh_host_names as "sshHostNames", a.status,
  (select count(*) from api_keys k where k.service_account_id = a.id and k.revoked_at is null
    and k.outdated_at is null and k.expired_at is null and k.expires_at > ${now}) as "keyCount",
  (select max(u.last_used_at) from api_keys k join work.api_key_use u on u.key_id = k.id
    where k.service_account_id = a.id) as "lastUsedAt",
  a.created_by as "createdBy", a.created_at as "createdAt", a.updated_at as "updatedAt", a.version`

/** Returns an account, even if it was deleted. */
export const findServiceAccount = async (
  pool: pg.Pool,
  id: string,
  now: Instant,
): Promise<ServiceAccountRow | null> => {
  const { rows } = await pool.query<ServiceAccountRow>(
    `select ${columns('$2')} from service_accounts a where a.id = $1`,
    [id, now],
  )
  return rows[0] ?? null
}

export interface ServiceAccountFilters {
  /** Default: all except deleted accounts */
  readonly status?: ServiceAccountStatus | undefined
  readonly role?: Role | undefined
  readonly ownerId?: string | undefined
  /** Prefix of the name, not case-sensitive */
  readonly q?: string | undefined
}

export const listServiceAccounts = (
  pool: pg.Pool,
  { status, role, ownerId, q }: ServiceAccountFilters,
  page: ListPage,
  now: Instant,
): Promise<readonly (ServiceAccountRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const at = add(now)
  const conditions = [
    status === undefined ? `a.status <> 'deleted'` : `a.status = ${add(status)}`,
    ...(role === undefined ? [] : [`a.roles @> array[${add(role)}]::text[]`]),
    ...(ownerId === undefined ? [] : [`a.owner_id = ${add(ownerId)}`]),
    ...(q === undefined ? [] : [`lower(a.name) collate "C" like lower(${add(prefixPattern(q))})`]),
  ]
  return readListPage<ServiceAccountRow>(
    pool,
    page,
    'a',
    columns(at),
    'service_accounts a',
    conditions,
    params,
  )
}

/** Returns what determines whether a caller may create a key for an account; null if the account does not exist. */
export const standingOf = async (
  pool: pg.Pool,
  id: string,
): Promise<Pick<ServiceAccountRow, 'roles' | 'sshHostNames'> | null> => {
  const { rows } = await pool.query<Pick<ServiceAccountRow, 'roles' | 'sshHostNames'>>(
    `select roles, ssh_host_names as "sshHostNames" from service_accounts where id = $1 and status <> 'deleted'`,
    [id],
  )
  return rows[0] ?? null
}
