import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import {
  emptyTally,
  type DryRunTally,
  type PastPolicy,
  type PastSignIn,
} from '../../domain/policy/dry-run.ts'
import type { Policy } from '../../domain/policy/evaluate.ts'
import type { Instant } from '../../domain/time.ts'

/** Returns every version of every policy. */
export const policyHistory = async (pool: pg.Pool): Promise<readonly PastPolicy[]> => {
  const { rows } = await pool.query<{
    policy: Policy
    fromPosition: string
    toPosition: string | null
  }>(
    `select from_position as "fromPosition", to_position as "toPosition",
       json_strip_nulls(json_build_object('id', id, 'version', version, 'status', status, 'name', name,
         'priority', priority, 'action', action, 'sessionMaxAgeMinutes', session_max_age_minutes))::jsonb
         || jsonb_build_object('conditions', conditions) as policy
     from policies where status <> 'deleted'`,
  )
  return rows
}

/** When a user was in a group. */
export interface MembershipPeriod {
  readonly userId: string
  readonly groupId: string
  readonly from: Instant
  /** Null for a current membership */
  readonly to: Instant | null
}

/** Returns the memberships of these groups that were in effect at any time of a period. */
export const membershipPeriods = async (
  pool: pg.Pool,
  groupIds: readonly string[],
  from: Instant,
  to: Instant,
): Promise<readonly MembershipPeriod[]> => {
  if (groupIds.length === 0) return []
  const { rows } = await pool.query<MembershipPeriod>(
    `select user_id as "userId", group_id as "groupId", from_at as from, least(to_at, expires_at) as to
     from memberships where group_id = any ($1) and from_at < $3
       and (to_at is null or to_at > $2) and (expires_at is null or expires_at > $2)`,
    [groupIds, from, to],
  )
  return rows
}

/** Counts the sign-ins of a period that have a decision, and the successful ones that have none. */
export const countPastSignIns = async (
  pool: pg.Pool,
  from: Instant,
  to: Instant,
): Promise<{ readonly total: number; readonly withoutFacts: number }> => {
  const { rows } = await pool.query<{ total: number; withoutFacts: number }>(
    `select count(*) filter (where decision is not null)::float8 as total,
       count(*) filter (where decision is null and result = 'success')::float8 as "withoutFacts"
     from sign_ins where created_at >= $1 and created_at < $2`,
    [from, to],
  )
  return rows[0] ?? { total: 0, withoutFacts: 0 }
}

/** Returns the next sign-ins of a period with a decision, oldest first. */
export const pastSignIns = async (
  pool: pg.Pool,
  { from, to }: { readonly from: Instant; readonly to: Instant },
  after: { readonly time: Instant; readonly id: string } | null,
  limit: number,
): Promise<readonly PastSignIn[]> => {
  const { rows } = await pool.query<PastSignIn>({
    name: after === null ? 'past_sign_ins' : 'past_sign_ins_after',
    text: `select id, created_at as time, user_id as "userId", app_id as "appId", ip, decision
      from sign_ins where created_at >= $1 and created_at < $2 and decision is not null
        ${after === null ? '' : 'and (created_at, id) > ($4, $5)'}
      order by created_at, id limit $3`,
    values: [from, to, limit, ...(after === null ? [] : [after.time, after.id])],
  })
  return rows
}

/** Returns the log positions at which network zones were created. */
export const zoneCreations = async (
  pool: pg.Pool,
  zoneIds: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  if (zoneIds.length === 0) return new Map()
  const { rows } = await pool.query<{ id: string; position: string }>(
    'select id, created_position as position from network_zones where id = any ($1)',
    [zoneIds],
  )
  return new Map(rows.map(({ id, position }) => [id, position]))
}

export type DryRunStatus = 'running' | 'done' | 'failed' | 'cancelled'

/** A dry run with its progress. */
export interface DryRunRow {
  readonly id: Id<'policyDryRun'>
  readonly status: DryRunStatus
  readonly startedAt: Instant
  readonly finishedAt: Instant | null
  readonly from: Instant
  readonly to: Instant
  readonly draft: Policy
  readonly total: number
  readonly tally: DryRunTally & { readonly withoutFacts: number }
  readonly afterTime: Instant | null
  readonly afterId: string | null
}

const columns = `
  id, status, started_at as "startedAt", finished_at as "finishedAt", from_at as from, to_at as to, draft,
  total::float8 as total, tally, after_time as "afterTime", after_id as "afterId"`

/** A run that an earlier version started lacks newer counts. */
const complete = (row: DryRunRow): DryRunRow => ({ ...row, tally: { ...emptyTally(), ...row.tally } })

export const findDryRun = async (pool: pg.Pool, id: string): Promise<DryRunRow | null> => {
  const { rows } = await pool.query<DryRunRow>(`select ${columns} from work.policy_dry_run where id = $1`, [
    id,
  ])
  return rows[0] === undefined ? null : complete(rows[0])
}

/** Counts the runs that have not finished. */
export const unfinishedDryRuns = async (pool: pg.Pool): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::int as n from work.policy_dry_run where status = 'running'`,
  )
  return rows[0]?.n ?? 0
}

/** Takes the oldest run that no instance works on; null for none. */
export const takeDryRun = async (
  pool: pg.Pool,
  now: Instant,
  leasedUntil: Instant,
): Promise<DryRunRow | null> => {
  const { rows } = await pool.query<DryRunRow>({
    name: 'take policy dry run',
    text: `update work.policy_dry_run set leased_until = $2 where id = (
       select id from work.policy_dry_run
       where status = 'running' and (leased_until is null or leased_until <= $1)
       order by started_at limit 1 for update skip locked)
     returning ${columns}`,
    values: [now, leasedUntil],
  })
  return rows[0] === undefined ? null : complete(rows[0])
}

/** Names of users and applications; those of erased ones are missing. */
export const namesOf = async (
  pool: pg.Pool,
  userIds: readonly string[],
  applicationIds: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await pool.query<{ id: string; name: string }>(
    `select id, name from users where id = any ($1) and name is not null
     union all select id, name from applications where id = any ($2)`,
    [userIds, applicationIds],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
