import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { AccountState } from '../../domain/provisioning/plan.ts'
import type { ProvisioningSettings } from '../../domain/provisioning/events.ts'
import type { PushedPerson } from '../../domain/provisioning/resource.ts'
import type { Instant } from '../../domain/time.ts'
import { parameters } from './page.ts'

export interface ProvisioningRow extends ProvisioningSettings {
  readonly applicationId: Id<'application'>
  readonly applicationName: string
  readonly enabled: boolean
  readonly sealedToken: string
  readonly generation: number
  readonly status: 'ok' | 'error' | 'paused' | 'never_run'
  readonly lastSyncAt: Instant | null
  readonly lastError: string | null
  /** Number of deactivations that caused the pause */
  readonly pausedOver: number | null
  /** The current run; null if there is none */
  readonly run: {
    readonly id: Id<'run'>
    readonly startedAt: Instant
    readonly total: number | null
    readonly done: number
  } | null
  readonly counts: { readonly linked: number; readonly pendingCreate: number; readonly errors: number }
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

/** SQL for the users who are currently assigned to the application with alias p. */
export const ASSIGNED = `
  select m.user_id from application_groups a
    join memberships m on m.group_id = a.group_id and m.to_position is null
      and (m.expires_at is null or m.expires_at > clock_timestamp())
    join groups g on g.id = a.group_id and g.status = 'exists'
  where a.application_id = p.application_id and a.to_position is null`

const columns = `
  p.application_id as "applicationId", n.name as "applicationName", p.enabled, p.base_url as "baseUrl",
  p.sealed_token as "sealedToken", p.auth_scheme as "authScheme", p.user_name_attribute as "userNameAttribute",
  p.attributes, p.generation, p.paused_over as "pausedOver",
  case when p.paused_at is not null then 'paused' when w.last_error is not null then 'error'
    when w.last_sync_at is null then 'never_run' else 'ok' end as status,
  w.last_sync_at as "lastSyncAt", w.last_error as "lastError",
  case when w.run_started_at is not null then jsonb_build_object('id', w.run_id,
    'startedAt', to_char(w.run_started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'total', w.run_total, 'done', coalesce(w.run_done, 0)) end as run,
  jsonb_build_object(
    'linked', (select count(*) from work.provisioned_user o where o.application_id = p.application_id
      and o.generation = p.generation and o.remote_id is not null and o.active),
    'errors', (select count(*) from work.provisioned_user o where o.application_id = p.application_id
      and o.generation = p.generation and o.error is not null),
    'pendingCreate', (select count(*) from users u where u.status = 'active' and u.id in (${ASSIGNED})
      and not exists (select from work.provisioned_user o where o.application_id = p.application_id
        and o.user_id = u.id and o.generation = p.generation and o.remote_id is not null))) as counts,
  p.created_at as "createdAt", p.updated_at as "updatedAt", p.version`
const tables = `provisioning p join applications n on n.id = p.application_id and n.status <> 'deleted'
  left join work.provisioning w on w.application_id = p.application_id and w.generation = p.generation`

export const findProvisioning = async (
  pool: pg.Pool,
  applicationId: string,
): Promise<ProvisioningRow | null> => {
  const { rows } = await pool.query<ProvisioningRow>(
    `select ${columns} from ${tables} where p.application_id = $1 and p.status = 'configured'`,
    [applicationId],
  )
  return rows[0] ?? null
}

/**
 * Returns provisioning by the application's name.
 * @param after name and id of the last row of the previous page
 */
export const listProvisioning = async (
  pool: pg.Pool,
  limit: number,
  after?: readonly [string, string],
): Promise<readonly (ProvisioningRow & { readonly sortKey: string })[]> => {
  const { add, values } = parameters()
  const key = '(lower(n.name) collate "C")'
  const from =
    after === undefined
      ? ''
      : `and (${key}, p.application_id) > (${add(after[0])} collate "C", ${add(after[1])})`
  const { rows } = await pool.query<ProvisioningRow & { readonly sortKey: string }>(
    `select ${columns}, ${key} as "sortKey" from ${tables} where p.status = 'configured' ${from}
     order by ${key}, p.application_id limit ${add(limit)}`,
    values,
  )
  return rows
}

/** A user who should have an account in an application, or has one. */
export interface ProvisionedRow extends PushedPerson {
  readonly userId: Id<'user'>
  /** Whether the account should be active: the user is active and assigned */
  readonly wanted: boolean
  readonly remoteId: string | null
  readonly active: boolean
  readonly pushed: string | null
  /** The last known or intended user name of the account */
  readonly userName: string | null
  readonly attempts: number
  readonly nextAttemptAt: Instant | null
}

/** @param who returns SQL that selects users by an alias */
const provisioned = (who: (alias: string) => string, bounds: string): string => `
  with p as (
      select p.application_id, p.generation from provisioning p
        join applications n on n.id = p.application_id and n.status = 'active'
      where p.application_id = $1 and p.generation = $2 and p.status = 'configured' and p.enabled
        and p.paused_at is null),
    assigned as materialized (
      select distinct m.user_id from p, lateral (${ASSIGNED}) m where ${who('m')}),
    person as (
      select user_id from assigned
      union select o.user_id from p join work.provisioned_user o
          on o.application_id = p.application_id and o.generation = p.generation
        where ${who('o')} and o.active
      union select l.user_id from p join provisioned_accounts l
          on l.application_id = p.application_id and l.generation = p.generation
        where ${who('l')} and l.remote_id is not null and l.active
      ${bounds})
  select u.id as "userId", u.email, u.name, u.given_name as "givenName", u.family_name as "familyName", u.title,
    u.department, u.external_id as "externalId",
    u.status = 'active' and exists (select from assigned s where s.user_id = u.id) as wanted,
    case when o.user_id is null then l.remote_id else o.remote_id end as "remoteId",
    case when o.user_id is null then coalesce(l.active and l.remote_id is not null, false) else o.active end as active,
    o.pushed, o.user_name as "userName", coalesce(o.attempts, 0) as attempts, o.next_attempt_at as "nextAttemptAt"
  from person join users u on u.id = person.user_id
    left join work.provisioned_user o on o.application_id = $1 and o.user_id = u.id and o.generation = $2
    left join provisioned_accounts l on l.application_id = $1 and l.user_id = u.id and l.generation = $2
  order by u.id`

type Provisioned = Pick<ProvisioningRow, 'applicationId' | 'generation'>

/** Returns all users that a sync may affect, by id; none if the application is not provisioned. */
export const provisionedPage = async (
  pool: pg.Pool,
  { applicationId, generation }: Provisioned,
  limit: number,
  after: string,
): Promise<readonly ProvisionedRow[]> => {
  const { rows } = await pool.query<ProvisionedRow>(
    provisioned((alias) => `${alias}.user_id > $4`, 'order by user_id limit $3'),
    [applicationId, generation, limit, after],
  )
  return rows
}

/** The same for some users. */
export const provisionedSome = async (
  lookups: pg.Pool,
  { applicationId, generation }: Provisioned,
  userIds: readonly string[],
): Promise<readonly ProvisionedRow[]> => {
  const { rows } = await lookups.query<ProvisionedRow>({
    name: 'provisioned some',
    text: provisioned((alias) => `${alias}.user_id = any($3)`, ''),
    values: [applicationId, generation, userIds],
  })
  return rows
}

export interface AccountRow {
  readonly userId: Id<'user'>
  readonly name: string
  readonly email: string
  readonly remoteId: string | null
  readonly state: AccountState
  readonly lastPushedAt: Instant | null
  readonly error: string | null
  readonly nextAttemptAt: Instant | null
  readonly sortKey: string
}

/**
 * Returns users and their accounts in an application, by name.
 * @param after name and id of the last row of the previous page
 */
export const listAccounts = async (
  pool: pg.Pool,
  { applicationId, generation }: Pick<ProvisioningRow, 'applicationId' | 'generation'>,
  limit: number,
  after?: readonly [string, string],
): Promise<readonly AccountRow[]> => {
  const { add, values } = parameters()
  const [application, within] = [add(applicationId), add(generation)]
  const key = '(lower(u.name) collate "C")'
  const from =
    after === undefined ? '' : `and (${key}, u.id) > (${add(after[0])} collate "C", ${add(after[1])})`
  const { rows } = await pool.query<AccountRow>(
    `with p as (select ${application}::text as application_id)
     select u.id as "userId", u.name, u.email, o.remote_id as "remoteId",
       case when o.error is not null then 'error' when u.erased and not o.active then 'deactivated'
         when o.remote_id is null then 'pending'
         when o.active then 'linked' else 'deactivated' end as state,
       o.last_pushed_at as "lastPushedAt", o.error, o.next_attempt_at as "nextAttemptAt", ${key} as "sortKey"
     from p join users u on true left join work.provisioned_user o
       on o.application_id = p.application_id and o.user_id = u.id and o.generation = ${within}
     where (o.user_id is not null or u.status = 'active' and u.id in (${ASSIGNED})) ${from}
     order by ${key}, u.id limit ${add(limit)}`,
    values,
  )
  return rows
}
