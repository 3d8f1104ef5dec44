import type pg from 'pg'
import type { DeviceStatus } from '../../domain/device/decider.ts'
import type { DevicePlatform } from '../../domain/device/events.ts'
import type { Id } from '../../domain/ids.ts'
import type { Role } from '../../domain/roles.ts'
import type { Instant } from '../../domain/time.ts'
import { parameters, readListPage, type ListPage, type Sorted } from './page.ts'

export interface DeviceRow {
  readonly id: Id<'device'>
  readonly userId: Id<'user'>
  /** Empty if it is unreadable */
  readonly userName: string
  readonly kind: 'browser' | 'cli'
  readonly name: string
  readonly platform: DevicePlatform
  readonly browser: string | null
  readonly osVersion: string | null
  readonly userAgent: string | null
  readonly status: DeviceStatus
  readonly firstSeenAt: Instant
  /** The address that it was registered from, and its location */
  readonly firstIp: string | null
  readonly firstLocation: string | null
  readonly lastSeenAt: Instant
  /** The address that it was last used from, encrypted; null if it was not used since */
  readonly sealedLastIp: string | null
  readonly trustedAt: Instant | null
  readonly trustedBy: Id<'user'> | null
  readonly trustExpiresAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

/** Never null, so that it can be negated: trust without an end has no time to compare. */
const lapsed = (now: string): string =>
  `((d.status = 'trusted' and d.trust_expires_at <= ${now}::timestamptz) is true)`

const statusOf = (now: string): string => `case when ${lapsed(now)} then 'registered' else d.status end`

const columns = (now: string): string => `
  d.id, d.user_id as "userId", coalesce((select u.name from users u where u.id = d.user_id), '') as "userName", d.kind, coalesce(d.name, '') as name, d.platform, d.browser,
  d.os_version as "osVersion", d.user_agent as "userAgent", ${statusOf(now)} as status,
  d.created_at as "firstSeenAt", d.ip as "firstIp", d.location as "firstLocation",
  coalesce(w.last_seen_at, d.created_at) as "lastSeenAt", w.last_ip as "sealedLastIp",
  case when not ${lapsed(now)} then d.trusted_at end as "trustedAt",
  case when not ${lapsed(now)} then d.trusted_by end as "trustedBy",
  case when not ${lapsed(now)} then d.trust_expires_at end as "trustExpiresAt",
  d.created_at as "createdAt", d.updated_at as "updatedAt", d.version`

const from = 'devices d left join work.device_use w on w.device_id = d.id'

/** Returns a device, even if it was removed. */
export const findDevice = async (pool: pg.Pool, id: string, now: Instant): Promise<DeviceRow | null> => {
  const { rows } = await pool.query<DeviceRow>(`select ${columns('$2')} from ${from} where d.id = $1`, [
    id,
    now,
  ])
  return rows[0] ?? null
}

export interface DeviceFilters {
  readonly userId?: string | undefined
  /** Default: all except removed devices */
  readonly status?: DeviceStatus | undefined
}

/** Returns devices, newest first. */
export const listDevices = (
  pool: pg.Pool,
  { userId, status }: DeviceFilters,
  page: Omit<ListPage, 'sort'>,
  now: Instant,
): Promise<readonly (DeviceRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const at = add(now)
  const conditions = [
    status === undefined ? `d.status <> 'removed'` : `${statusOf(at)} = ${add(status)}`,
    ...(userId === undefined ? [] : [`d.user_id = ${add(userId)}`]),
  ]
  return readListPage<DeviceRow>(
    pool,
    { ...page, sort: '-createdAt' },
    'd',
    columns(at),
    from,
    conditions,
    params,
  )
}

/** A device that a browser's cookie identifies, for one of the users who signed in there. */
export interface DeviceBehindCookie {
  readonly id: string
  readonly userId: string
  readonly status: DeviceStatus
}

/** Returns devices, oldest first, including removed ones. */
export const devicesBehindCookie = async (
  pool: pg.Pool,
  cookieHash: string,
): Promise<readonly DeviceBehindCookie[]> => {
  const { rows } = await pool.query<DeviceBehindCookie>(
    `select id, user_id as "userId", status from devices where cookie_hash = $1 order by created_at, id`,
    [cookieHash],
  )
  return rows
}

/**
 * Returns the device with this cookie of the user with that address; null if there is none, or it was removed or
 * blocked.
 */
export const knownDeviceOf = async (
  pool: pg.Pool,
  cookieHash: string,
  email: string,
): Promise<string | null> => {
  const { rows } = await pool.query<{ id: string }>(
    `select d.id from devices d join users u on u.id = d.user_id
     where d.cookie_hash = $1 and u.email_key = $2 and d.status not in ('removed', 'blocked')
     order by d.created_at, d.id limit 1`,
    [cookieHash, email.toLowerCase()],
  )
  return rows[0]?.id ?? null
}

/** Returns the roles of a device's user; null if the device does not exist or was removed. */
export const rolesBehindDevice = async (pool: pg.Pool, id: string): Promise<readonly Role[] | null> => {
  const { rows } = await pool.query<{ roles: readonly Role[] }>(
    `select u.roles from devices d join users u on u.id = d.user_id where d.id = $1 and d.status <> 'removed'`,
    [id],
  )
  return rows[0]?.roles ?? null
}
