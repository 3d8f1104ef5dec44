import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { PolicyAction, PolicyConditions, PolicyStatus } from '../../domain/policy/events.ts'
import type { PolicyAdministrator } from '../../domain/policy/lock-out.ts'
import type { Instant } from '../../domain/time.ts'
import { isBreakGlass } from './policy-state.ts'
import { inForceNow, parameters, prefixPattern, readListPage, type ListPage, type Sorted } from './page.ts'

export interface PolicyRow {
  readonly id: Id<'policy'>
  readonly name: string
  readonly description: string | null
  readonly status: PolicyStatus
  readonly priority: number
  readonly conditions: PolicyConditions
  readonly action: PolicyAction
  readonly sessionMaxAgeMinutes: number | null
  readonly createdAt: Instant
  readonly createdBy: string | null
  readonly updatedAt: Instant
  readonly version: number
}

const columns = `
  p.id, p.name, p.description, p.status, p.priority, p.conditions, p.action,
  p.session_max_age_minutes as "sessionMaxAgeMinutes", p.created_at as "createdAt", p.created_by as "createdBy",
  p.from_at as "updatedAt", p.version`

const current = `p.to_position is null and p.status <> 'deleted'`

export const findPolicy = async (pool: pg.Pool, id: string): Promise<PolicyRow | null> => {
  const { rows } = await pool.query<PolicyRow>(
    `select ${columns} from policies p where p.id = $1 and ${current}`,
    [id],
  )
  return rows[0] ?? null
}

export interface PolicyFilters {
  readonly status?: PolicyStatus | undefined
  readonly action?: PolicyAction | undefined
  readonly q?: string | undefined
}

export const listPolicies = (
  pool: pg.Pool,
  { status, action, q }: PolicyFilters,
  page: ListPage,
): Promise<readonly (PolicyRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const conditions = [
    current,
    ...(status === undefined ? [] : [`p.status = ${add(status)}`]),
    ...(action === undefined ? [] : [`p.action = ${add(action)}`]),
    ...(q === undefined ? [] : [`lower(p.name) collate "C" like lower(${add(prefixPattern(q))})`]),
  ]
  return readListPage<PolicyRow>(pool, page, 'p', columns, 'policies p', conditions, params)
}

/** A version of a policy; the last one of a deleted policy has the status `deleted`. */
export interface PolicyVersionRow extends Omit<PolicyRow, 'status'> {
  readonly status: PolicyStatus | 'deleted'
  readonly changedBy: string | null
  /** Empty if the user is unreadable or unknown */
  readonly changedByName: string
  readonly auditId: Id<'auditEvent'>
}

/** Returns the versions of a policy, also of a deleted one, newest first. */
export const policyVersions = async (
  pool: pg.Pool,
  id: string,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<readonly PolicyVersionRow[]> => {
  const { rows } = await pool.query<PolicyVersionRow>(
    `select ${columns}, p.changed_by as "changedBy", p.audit_id as "auditId",
       coalesce((select u.name from users u where u.id = p.changed_by),
         (select s.name from service_accounts s where s.id = p.changed_by), '') as "changedByName"
     from policies p where p.id = $1 and ($3::integer is null or p.version < $3)
     order by p.version desc limit $2`,
    [id, limit, before ?? null],
  )
  return rows
}

/** Returns the names of the policies whose conditions name an id of a group or a network zone. */
export const policiesNaming = async (pool: pg.Pool, id: string): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    `select p.name from policies p where ${current} and (
       p.conditions #> '{users,include}' ? $1 or p.conditions #> '{users,exclude}' ? $1
       or p.conditions #> '{zones,include}' ? $1 or p.conditions #> '{zones,exclude}' ? $1)
     order by p.name, p.id`,
    [id],
  )
  return rows.map(({ name }) => name)
}

/** Returns active global administrators with their usable sign-in methods, roles and groups. */
export const policyAdministrators = async (
  pool: pg.Pool,
  now: Instant,
): Promise<readonly PolicyAdministrator[]> => {
  const { rows } = await pool.query<PolicyAdministrator>(
    `select u.roles,
       array(select distinct type from methods where user_id = u.id union
             select 'identity_provider' from linked_accounts where user_id = u.id) as methods,
       array(select distinct m.group_id from memberships m where m.user_id = u.id
               and ${inForceNow('m', '$1::timestamptz')}) as "groupIds",
       ${isBreakGlass('u')} as "isBreakGlass"
     from users u where u.roles @> '{global_admin}' and u.status = 'active' order by u.id`,
    [now],
  )
  return rows
}
