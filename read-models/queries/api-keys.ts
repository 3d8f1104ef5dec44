import type pg from 'pg'
import type { ApiKeyOutdated, ApiKeyScope } from '../../domain/api-key/events.ts'
import type { Id } from '../../domain/ids.ts'
import type { Role } from '../../domain/roles.ts'
import type { Instant } from '../../domain/time.ts'
import { parameters, prefixPattern, readListPage, type ListPage, type Sorted } from './page.ts'

/** A valid key with the current data of its service account. */
export interface UsableKey {
  readonly keyId: Id<'apiKey'>
  readonly serviceAccountId: Id<'user'>
  /** Name of the service account */
  readonly name: string
  readonly roles: readonly Role[]
  readonly scopes: readonly ApiKeyScope[]
  readonly allowedCidrs: readonly string[]
}

// `name` caches the plan. The join is lateral, so that each key is looked up by index for any number of keys.
const usable = {
  name: 'usable_keys',
  text: `
    select asked.hash, k.id as "keyId", a.id as "serviceAccountId", a.name, a.roles, k.scopes,
      k.allowed_cidrs as "allowedCidrs"
    from unnest($1::text[]) as asked (hash)
    join lateral (select * from api_keys where hash = asked.hash and revoked_at is null and outdated_at is null
      and expired_at is null and expires_at > $2 offset 0) k on true
    join lateral (select * from service_accounts where id = k.service_account_id and status = 'active' offset 0) a
      on true`,
}

/**
 * Returns the keys with these hashes; null for a key that is unknown, revoked, expired, older than a right of its
 * account, or of an inactive account.
 * @param now for comparison with the expiry
 */
export const usableKeys = async (
  pool: pg.Pool,
  hashes: readonly string[],
  now: Instant,
): Promise<readonly (UsableKey | null)[]> => {
  const { rows } = await pool.query<UsableKey & { readonly hash: string }>({
    ...usable,
    values: [[...new Set(hashes)], now],
  })
  const byHash = new Map(rows.map(({ hash, ...key }) => [hash, key]))
  return hashes.map((hash) => byHash.get(hash) ?? null)
}

export type ApiKeyStatus = 'active' | 'expired' | 'revoked'

export interface ApiKeyRow {
  readonly id: Id<'apiKey'>
  readonly name: string
  readonly serviceAccountId: Id<'user'>
  readonly scopes: readonly ApiKeyScope[]
  readonly prefix: string
  readonly status: ApiKeyStatus
  readonly expiresAt: Instant
  readonly allowedCidrs: readonly string[]
  /** To the nearest five minutes */
  readonly lastUsedAt: Instant | null
  readonly lastUsedIp: string | null
  readonly createdBy: Id<'user'> | null
  readonly revokedAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

const statusAt = (now: string): string => `
  case when k.revoked_at is not null or k.outdated_at is not null then 'revoked'
    when k.expired_at is not null or k.expires_at <= ${now} then 'expired' else 'active' end`

const columns = (now: string): string => `
  k.id, k.name, k.service_account_id as "serviceAccountId", k.scopes, k.prefix, ${statusAt(now)} as status,
  k.expires_at as "expiresAt", k.allowed_cidrs as "allowedCidrs", u.last_used_at as "lastUsedAt",
  u.last_used_ip as "lastUsedIp", k.created_by as "createdBy",
  least(k.revoked_at, k.outdated_at) as "revokedAt",
  k.created_at as "createdAt", k.updated_at as "updatedAt", k.version`

const tables = 'api_keys k left join work.api_key_use u on u.key_id = k.id'

/** Returns a key in any state. */
export const findApiKey = async (pool: pg.Pool, id: string, now: Instant): Promise<ApiKeyRow | null> => {
  const { rows } = await pool.query<ApiKeyRow>(`select ${columns('$2')} from ${tables} where k.id = $1`, [
    id,
    now,
  ])
  return rows[0] ?? null
}

export interface ApiKeyFilters {
  readonly serviceAccountId?: string | undefined
  readonly status?: ApiKeyStatus | undefined
  readonly scope?: ApiKeyScope | undefined
  /** Prefix of the name, not case-sensitive */
  readonly q?: string | undefined
}

export const listApiKeys = (
  pool: pg.Pool,
  { serviceAccountId, status, scope, q }: ApiKeyFilters,
  page: ListPage,
  now: Instant,
): Promise<readonly (ApiKeyRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const at = add(now)
  const conditions = [
    ...(serviceAccountId === undefined ? [] : [`k.service_account_id = ${add(serviceAccountId)}`]),
    ...(status === undefined ? [] : [`(${statusAt(at)}) = ${add(status)}`]),
    ...(scope === undefined ? [] : [`${add(scope)} = any (k.scopes)`]),
    ...(q === undefined ? [] : [`lower(k.name) collate "C" like lower(${add(prefixPattern(q))})`]),
  ]
  return readListPage<ApiKeyRow>(pool, page, 'k', columns(at), tables, conditions, params)
}

/** Returns expired keys without a record in the log. */
export const overdueApiKeys = async (
  pool: pg.Pool,
  now: Instant,
  limit: number,
): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select id from api_keys where revoked_at is null and outdated_at is null and expired_at is null and expires_at <= $1
     order by expires_at limit $2`,
    [now, limit],
  )
  return rows.map(({ id }) => id)
}

/** Returns the keys of an account that are neither revoked nor recorded as expired. */
export const openKeysOf = async (pool: pg.Pool, serviceAccountId: string): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select id from api_keys where service_account_id = $1 and revoked_at is null and expired_at is null
     order by created_at, id`,
    [serviceAccountId],
  )
  return rows.map(({ id }) => id)
}

/** A key that became invalid because its account was given rights. */
export interface OutdatedKey {
  readonly keyId: string
  readonly cause: ApiKeyOutdated
}

/**
 * Returns such keys without a record in the log.
 * @param serviceAccountId default: any account
 */
export const outdatedKeys = async (
  pool: pg.Pool,
  serviceAccountId: string | null = null,
): Promise<readonly OutdatedKey[]> => {
  const { rows } = await pool.query<OutdatedKey>(
    `select id as "keyId", outdated_by as cause from api_keys
     where outdated_at is not null and revoked_at is null and expired_at is null
       and ($1::text is null or service_account_id = $1) order by created_at, id`,
    [serviceAccountId],
  )
  return rows
}

/** Returns deleted accounts that still have such keys. */
export const deletedWithKeys = async (pool: pg.Pool): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select distinct a.id from api_keys k join service_accounts a on a.id = k.service_account_id
     where k.revoked_at is null and k.expired_at is null and a.status = 'deleted'`,
  )
  return rows.map(({ id }) => id)
}
