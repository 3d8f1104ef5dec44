import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { GroupRule } from '../../domain/group/rule.ts'
import type {
  DateTriggerType,
  LifecycleAction,
  LifecycleRuleFields,
  LifecycleRuleStatus,
  LifecycleTrigger,
} from '../../domain/lifecycle-rule/events.ts'
import { dateTriggers } from '../../domain/lifecycle-rule/events.ts'
import type { Instant } from '../../domain/time.ts'
import { parameters, prefixPattern, readListPage, type ListPage, type Sorted } from './page.ts'

interface Named {
  readonly id: string
  readonly name: string | null
}

export interface LifecycleRuleRow {
  readonly id: Id<'lifecycleRule'>
  readonly status: LifecycleRuleStatus
  readonly enabled: boolean
  readonly name: string
  readonly description: string | null
  readonly trigger: LifecycleTrigger
  readonly conditions: GroupRule | null
  readonly actions: readonly LifecycleAction[]
  readonly delayMinutes: number
  readonly category: NonNullable<LifecycleRuleFields['category']> | null
  readonly maxPerRun: number
  /** Of the users, groups and packages in the trigger, the conditions and the actions */
  readonly names: Readonly<Record<string, string>>
  readonly savedBy: Named | null
  readonly enabledBy: Named | null
  /** Whether it was last saved and last enabled by global administrators who still are */
  readonly actsOnAdministrators: boolean
  readonly pausedAt: Instant | null
  readonly pausedUsers: number | null
  readonly pausedStarted: number | null
  readonly lastRunAt: Instant | null
  readonly runCount: number
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

const isStillAdmin = (column: string): string =>
  `(exists (select from users a where a.id = ${column} and a.status = 'active' and a.roles @> '{global_admin}')
     or exists (select from service_accounts a where a.id = ${column} and a.status = 'active' and a.roles @> '{global_admin}'))`

/** The name of a user or a service account. */
const named = (
  column: string,
): string => `(case when ${column} is null then null else json_build_object('id', ${column},
  'name', coalesce((select name from users a where a.id = ${column}),
    (select name from service_accounts a where a.id = ${column}))) end)`

const columns = `
  l.id, l.status, l.status = 'enabled' as enabled, l.name, l.description, l.trigger, l.conditions, l.actions,
  l.delay_minutes as "delayMinutes", l.category, l.max_per_run as "maxPerRun",
  (select coalesce(json_object_agg(x.id, x.name), '{}') from (
    select id, name from users union all select id, name from groups union all select id, name from access_packages) x
    where x.id in (select l.trigger ->> 'groupId' union all select l.trigger ->> 'packageId'
      union all select a ->> 'groupId' from jsonb_array_elements(l.actions) a
      union all select a ->> 'packageId' from jsonb_array_elements(l.actions) a
      union all select e #>> '{}' from jsonb_path_query(l.actions, '$[*].userIds[*]') e
      union all select e #>> '{}' from jsonb_path_query(l.actions, '$[*].reviewers.*[*]') e
      union all select e #>> '{}' from jsonb_path_query(l.conditions,
        '$.conditions[*] ? (@.attribute == "managerId").value[*]') e)) as names,
  ${named('l.saved_by')} as "savedBy", ${named('l.enabled_by')} as "enabledBy",
  l.saved_as_global_admin and ${isStillAdmin('l.saved_by')} and (l.enabled_by is null
    or (l.enabled_as_global_admin and ${isStillAdmin('l.enabled_by')})) as "actsOnAdministrators",
  l.paused_at as "pausedAt", l.paused_users as "pausedUsers", l.paused_started as "pausedStarted",
  (select max(r.created_at) from lifecycle_runs r where r.rule_id = l.id) as "lastRunAt",
  (select count(*) from lifecycle_runs r where r.rule_id = l.id)::int as "runCount",
  l.created_at as "createdAt", l.updated_at as "updatedAt", l.version`

export const findLifecycleRule = async (pool: pg.Pool, id: string): Promise<LifecycleRuleRow | null> => {
  const { rows } = await pool.query<LifecycleRuleRow>(
    `select ${columns} from lifecycle_rules l where l.id = $1 and l.status <> 'deleted'`,
    [id],
  )
  return rows[0] ?? null
}

export interface LifecycleRuleFilters {
  readonly status?: LifecycleRuleStatus | undefined
  readonly category?: string | undefined
  readonly q?: string | undefined
}

export const listLifecycleRules = (
  pool: pg.Pool,
  { status, category, q }: LifecycleRuleFilters,
  page: ListPage,
): Promise<readonly (LifecycleRuleRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const conditions = [
    status === undefined ? `l.status <> 'deleted'` : `l.status = ${add(status)}`,
    ...(category === undefined ? [] : [`l.category = ${add(category)}`]),
    ...(q === undefined ? [] : [`lower(l.name) collate "C" like lower(${add(prefixPattern(q))})`]),
  ]
  return readListPage<LifecycleRuleRow>(pool, page, 'l', columns, 'lifecycle_rules l', conditions, params)
}

/** What the workers need of an enabled rule. */
export interface EnabledRule {
  readonly id: Id<'lifecycleRule'>
  readonly name: string
  readonly trigger: LifecycleTrigger
  readonly conditions: GroupRule | null
  readonly actions: readonly LifecycleAction[]
  readonly delayMinutes: number
  readonly maxPerRun: number
  /** What happened before does not trigger it. */
  readonly appliesFrom: Instant
  readonly enabledPosition: string
  readonly savedBy: string | null
  readonly savedAsGlobalAdmin: boolean
  readonly enabledBy: string | null
  readonly enabledAsGlobalAdmin: boolean
}

const enabledColumns = `id, name, trigger, conditions, actions, delay_minutes as "delayMinutes", max_per_run as "maxPerRun",
  applies_from as "appliesFrom", enabled_position as "enabledPosition", saved_by as "savedBy",
  saved_as_global_admin as "savedAsGlobalAdmin", enabled_by as "enabledBy",
  enabled_as_global_admin as "enabledAsGlobalAdmin"`

/** Returns the enabled rules, oldest first. */
export const enabledRules = async (pool: pg.Pool): Promise<readonly EnabledRule[]> => {
  const { rows } = await pool.query<EnabledRule>(
    `select ${enabledColumns} from lifecycle_rules where status = 'enabled' order by created_at, id`,
  )
  return rows
}

/** Returns the enabled rules with a trigger by time, oldest first. */
export const dateRules = async (
  pool: pg.Pool,
): Promise<readonly (EnabledRule & { readonly trigger: LifecycleTrigger & { type: DateTriggerType } })[]> => {
  const { rows } = await pool.query<EnabledRule & { trigger: LifecycleTrigger & { type: DateTriggerType } }>(
    `select ${enabledColumns} from lifecycle_rules
     where status = 'enabled' and trigger ->> 'type' = any($1) order by created_at, id`,
    [[...dateTriggers]],
  )
  return rows
}

/** Returns the names of the rules that name a group in their trigger or an action. */
export const rulesUsingGroup = async (pool: pg.Pool, groupId: string): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    `select name from lifecycle_rules where status <> 'deleted' and (trigger ->> 'groupId' = $1
       or jsonb_path_exists(actions, '$[*].groupId ? (@ == $id)', jsonb_build_object('id', $1::text))
       or jsonb_path_exists(actions, '$[*].reviewers.ids[*] ? (@ == $id)', jsonb_build_object('id', $1::text)))
     order by name`,
    [groupId],
  )
  return rows.map(({ name }) => name)
}

/** Returns the names of the rules that name an access package. */
export const rulesUsingPackage = async (pool: pg.Pool, packageId: string): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    `select name from lifecycle_rules where status <> 'deleted' and (trigger ->> 'packageId' = $1
       or jsonb_path_exists(actions, '$[*].packageId ? (@ == $id)', jsonb_build_object('id', $1::text))) order by name`,
    [packageId],
  )
  return rows.map(({ name }) => name)
}

/** Whether all of these accounts are active and global administrators. */
export const areGlobalAdmins = async (pool: pg.Pool, ids: readonly string[]): Promise<boolean> => {
  const { rows } = await pool.query<{ all: boolean }>(
    `select coalesce(bool_and(${isStillAdmin('asked.id')}), false) as all from unnest($1::text[]) as asked(id)`,
    [ids],
  )
  return rows[0]?.all ?? false
}
