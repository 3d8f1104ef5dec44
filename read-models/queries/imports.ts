import type pg from 'pg'
import type { Change } from '../../domain/changes.ts'
import type { Id } from '../../domain/ids.ts'
import type { ImportLine } from '../../domain/import/lines.ts'
import type { ImportAction, KnownGroup, KnownUser } from '../../domain/import/plan.ts'
import type { ImportSource } from '../../domain/import/records.ts'
import { isRole, type Role } from '../../domain/roles.ts'
import type { Instant } from '../../domain/time.ts'
import { inForceNow, parameters } from './page.ts'

export const importStatuses = ['checking', 'ready', 'running', 'done', 'failed'] as const
export type ImportStatus = (typeof importStatuses)[number]

export interface ImportRow {
  readonly id: Id<'import'>
  readonly source: ImportSource
  readonly updates: boolean
  readonly requestedBy: Id<'user'> | null
  readonly requestedAt: Instant
  readonly status: ImportStatus
  readonly reached: number
  readonly lines: number
  readonly ignored: readonly string[]
  /** As it was stored; null until the import was started */
  readonly actor: Readonly<Record<string, unknown>> | null
  readonly roles: readonly Role[] | null
  readonly invites: boolean | null
  readonly finishedAt: Instant | null
  readonly expiresAt: Instant
}

export interface ImportLineRow {
  readonly number: number
  readonly content: ImportLine
  readonly action: ImportAction | null
  readonly changes: readonly Change[] | null
  readonly message: string | null
  readonly result: 'done' | 'failed' | null
}

const columns = `
  id, source, updates, requested_by as "requestedBy", requested_at as "requestedAt", status, reached, lines, ignored,
  actor, roles, invites, finished_at as "finishedAt", expires_at as "expiresAt"`

const lineColumns = 'number, content, action, changes, message, result'

/** Newest first. */
export const listImports = async (pool: pg.Pool, now: Instant): Promise<readonly ImportRow[]> => {
  const { rows } = await pool.query<ImportRow>(
    `select ${columns} from work.import where expires_at > $1 order by requested_at desc, id desc`,
    [now],
  )
  return rows
}

export const findImport = async (pool: pg.Pool, id: string, now: Instant): Promise<ImportRow | null> => {
  const { rows } = await pool.query<ImportRow>(
    `select ${columns} from work.import where id = $1 and expires_at > $2`,
    [id, now],
  )
  return rows[0] ?? null
}

/** Returns the oldest import that has work to do and that no instance works on, for this instance. */
export const takeImport = async (
  pool: pg.Pool,
  now: Instant,
  leasedUntil: Instant,
): Promise<ImportRow | null> => {
  const { rows } = await pool.query<ImportRow>({
    name: 'take import',
    text: `update work.import set leased_until = $2 where id = (
       select id from work.import
       where status in ('checking', 'running') and (leased_until is null or leased_until <= $1)
       order by requested_at limit 1 for update skip locked)
     returning ${columns}`,
    values: [now, leasedUntil],
  })
  return rows[0] ?? null
}

/** How many lines have each action and result. */
export const countLines = async (
  pool: pg.Pool,
  id: string,
): Promise<
  readonly { kind: string; action: ImportAction | null; result: string | null; count: number }[]
> => {
  const { rows } = await pool.query<{
    kind: string
    action: ImportAction | null
    result: string | null
    count: number
  }>(
    `select kind, action, result, count(*) as count from work.import_line where import_id = $1
     group by kind, action, result`,
    [id],
  )
  return rows
}

/** The lines after one, in order. */
export const listLines = async (
  pool: pg.Pool,
  id: string,
  filters: { readonly action?: ImportAction | undefined; readonly result?: 'done' | 'failed' | undefined },
  after: number,
  limit: number,
): Promise<readonly ImportLineRow[]> => {
  const { add, values } = parameters()
  const conditions = [
    `import_id = ${add(id)}`,
    `number > ${add(after)}`,
    ...(filters.action === undefined ? [] : [`action = ${add(filters.action)}`]),
    ...(filters.result === undefined ? [] : [`result = ${add(filters.result)}`]),
  ]
  const { rows } = await pool.query<ImportLineRow>(
    `select ${lineColumns} from work.import_line where ${conditions.join(' and ')} order by number limit ${add(limit)}`,
    values,
  )
  return rows
}

/** The next lines that the import makes. */
export const linesToMake = async (
  pool: pg.Pool,
  id: string,
  after: number,
  limit: number,
): Promise<readonly ImportLineRow[]> => {
  const { rows } = await pool.query<ImportLineRow>(
    `select ${lineColumns} from work.import_line
     where import_id = $1 and number > $2 and action in ('create', 'update', 'add') order by number limit $3`,
    [id, after, limit],
  )
  return rows
}

/** Returns which of these keys have a line of the import that creates them. */
export const keysOfImport = async (
  pool: pg.Pool,
  id: string,
  kind: 'user' | 'group',
  keys: readonly string[],
): Promise<ReadonlySet<string>> => {
  const { rows } = await pool.query<{ key: string }>(
    'select key from work.import_line where import_id = $1 and kind = $2 and key = any ($3)',
    [id, kind, keys],
  )
  return new Set(rows.map(({ key }) => key))
}

/** Users by address, in lower case. */
export const usersByEmail = async (
  pool: pg.Pool,
  emails: readonly string[],
): Promise<ReadonlyMap<string, KnownUser>> => {
  const { rows } = await pool.query<{ key: string; id: string; profile: KnownUser['profile'] }>(
    `select u.email_key as key, u.id, json_strip_nulls(json_build_object('email', u.email, 'name', u.name,
       'givenName', u.given_name, 'familyName', u.family_name, 'department', u.department, 'title', u.title,
       'employeeId', u.employee_id, 'managerId', u.manager_id, 'location', u.location, 'phone', u.phone,
       'locale', u.locale, 'timeZone', u.time_zone, 'startDate', u.start_date, 'endDate', u.end_date,
       'externalId', u.external_id, 'userName', u.user_name, 'custom', u.custom)) as profile
     from users u where u.email_key = any ($1) and u.status <> 'deleted'`,
    [emails],
  )
  return new Map(rows.map(({ key, ...user }) => [key, user]))
}

/** Groups by name, in lower case. */
export const groupsByName = async (
  pool: pg.Pool,
  names: readonly string[],
): Promise<ReadonlyMap<string, KnownGroup>> => {
  const { rows } = await pool.query<KnownGroup & { key: string }>(
    `select name_key as key, id, description from groups where name_key = any ($1) and status = 'exists'`,
    [names],
  )
  return new Map(rows.map(({ key, ...group }) => [key, group]))
}

/** Returns the memberships in force of these users in these groups, as `<group id> <user id>`. */
export const membershipsAmong = async (
  pool: pg.Pool,
  groupIds: readonly string[],
  userIds: readonly string[],
  now: Instant,
): Promise<ReadonlySet<string>> => {
  const { rows } = await pool.query<{ pair: string }>(
    `select distinct m.group_id || ' ' || m.user_id as pair from memberships m
     where m.group_id = any ($1) and m.user_id = any ($2) and ${inForceNow('m', '$3::timestamptz')}`,
    [groupIds, userIds, now],
  )
  return new Set(rows.map(({ pair }) => pair))
}

/** The roles of an active user or service account; none of any other. */
export const rolesOf = async (pool: pg.Pool, id: string): Promise<readonly Role[]> => {
  const { rows } = await pool.query<{ roles: readonly string[] }>(
    `select roles from users where id = $1 and status = 'active'
     union all select roles from service_accounts where id = $1 and status = 'active'`,
    [id],
  )
  return (rows[0]?.roles ?? []).filter(isRole)
}
