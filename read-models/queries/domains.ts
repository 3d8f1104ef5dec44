import type pg from 'pg'
import type { DomainStatus } from '../../domain/dns-domain/decider.ts'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'
import { parameters, prefixPattern, readListPage, type ListPage, type Sorted } from './page.ts'

export interface DomainRow {
  readonly id: Id<'domain'>
  readonly name: string
  readonly token: string
  readonly status: DomainStatus
  readonly verifiedAt: Instant | null
  /** When the record of a verified domain was first missing; null if it was there */
  readonly missingSince: Instant | null
  /** Null before the first check */
  readonly lastCheckedAt: Instant | null
  /** TXT records that the last check found instead */
  readonly foundInstead: readonly string[]
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

const columns = `
  d.id, d.name, d.token, d.status, d.verified_at as "verifiedAt", d.missing_since as "missingSince",
  (select c.checked_at from work.domain_check c where c.domain_id = d.id) as "lastCheckedAt",
  coalesce((select c.found_instead from work.domain_check c where c.domain_id = d.id), '{}') as "foundInstead",
  d.created_at as "createdAt", d.updated_at as "updatedAt", d.version`

export const findDomain = async (pool: pg.Pool, id: string): Promise<DomainRow | null> => {
  const { rows } = await pool.query<DomainRow>(
    `select ${columns} from domains d where d.id = $1 and d.status <> 'deleted'`,
    [id],
  )
  return rows[0] ?? null
}

export interface DomainFilters {
  readonly status?: DomainStatus | undefined
  readonly q?: string | undefined
}

export const listDomains = (
  pool: pg.Pool,
  { status, q }: DomainFilters,
  page: ListPage,
): Promise<readonly (DomainRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const conditions = [
    `d.status <> 'deleted'`,
    ...(status === undefined ? [] : [`d.status = ${add(status)}`]),
    ...(q === undefined ? [] : [`lower(d.name) collate "C" like lower(${add(prefixPattern(q))})`]),
  ]
  return readListPage<DomainRow>(pool, page, 'd', columns, 'domains d', conditions, params)
}

export const countDomains = async (pool: pg.Pool): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::int as n from domains where status <> 'deleted'`,
  )
  return rows[0]?.n ?? 0
}

/** Returns the ids of all verified domains whose last check is older than a time. There are at most `MAX_DOMAINS`. */
export const domainsToCheck = async (pool: pg.Pool, before: Instant): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select d.id from domains d left join work.domain_check c on c.domain_id = d.id
     where d.status = 'verified' and coalesce(c.checked_at, d.created_at) < $1
     order by d.id`,
    [before],
  )
  return rows.map(({ id }) => id)
}

/** Returns the names of all domains. */
export const listDomainNames = async (pool: pg.Pool): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    `select name from domains where status <> 'deleted' order by name`,
  )
  return rows.map(({ name }) => name)
}
