import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { LifecycleActionType, LifecycleTriggerType } from '../../domain/lifecycle-rule/events.ts'
import type { RunStatus, SkipReason, StepError } from '../../domain/lifecycle-run/events.ts'
import type { Instant } from '../../domain/time.ts'
import { parameters } from './page.ts'

export interface LifecycleRunRow {
  readonly id: Id<'run'>
  readonly ruleId: Id<'lifecycleRule'>
  readonly ruleName: string
  readonly userId: Id<'user'>
  readonly userName: string
  readonly status: RunStatus
  readonly trigger: LifecycleTriggerType | 'manual'
  readonly triggerEventId: string | null
  readonly triggeredAt: Instant
  readonly dueAt: Instant
  readonly depth: number
  readonly steps: readonly {
    readonly action: LifecycleActionType
    readonly status: 'pending' | 'succeeded' | 'failed' | 'not_run'
    readonly error: StepError | null
    readonly at: Instant | null
  }[]
  readonly skipReason: SkipReason | null
  readonly createdAt: Instant
  readonly startedAt: Instant | null
  readonly finishedAt: Instant | null
  readonly eventId: Id<'auditEvent'> | null
  readonly position: string
}

const columns = `
  r.id, r.rule_id as "ruleId", coalesce(l.name, '') as "ruleName", r.user_id as "userId",
  coalesce(u.name, '') as "userName", r.status, r.trigger_type as trigger,
  r.trigger_event_id as "triggerEventId", r.trigger_at as "triggeredAt", r.due_at as "dueAt", r.depth,
  (select coalesce(json_agg(json_build_object('action', a.type, 'status', coalesce(r.steps -> (a.n::int - 1) ->> 'status',
      case when r.status in ('scheduled', 'running') then 'pending' else 'not_run' end),
      'error', nullif(r.steps -> (a.n::int - 1) -> 'error', 'null'), 'at', r.steps -> (a.n::int - 1) ->> 'at') order by a.n), '[]')
    from unnest(r.actions) with ordinality a(type, n)) as steps,
  r.skip_reason as "skipReason", r.created_at as "createdAt", r.started_at as "startedAt",
  r.finished_at as "finishedAt", r.audit_id as "eventId", r.from_position as position`

const from = `lifecycle_runs r left join lifecycle_rules l on l.id = r.rule_id left join users u on u.id = r.user_id`

export const findLifecycleRun = async (pool: pg.Pool, id: string): Promise<LifecycleRunRow | null> => {
  const { rows } = await pool.query<LifecycleRunRow>(`select ${columns} from ${from} where r.id = $1`, [id])
  return rows[0] ?? null
}

export interface LifecycleRunFilters {
  readonly ruleId?: string | undefined
  readonly userId?: string | undefined
  readonly status?: RunStatus | undefined
}

/**
 * Returns runs, newest first.
 * @param after the position of the last row of the previous page
 */
export const listLifecycleRuns = async (
  pool: pg.Pool,
  { ruleId, userId, status }: LifecycleRunFilters,
  limit: number,
  after?: string,
): Promise<readonly LifecycleRunRow[]> => {
  const { add, values } = parameters()
  const conditions = [
    'true',
    ...(ruleId === undefined ? [] : [`r.rule_id = ${add(ruleId)}`]),
    ...(userId === undefined ? [] : [`r.user_id = ${add(userId)}`]),
    ...(status === undefined ? [] : [`r.status = ${add(status)}`]),
    ...(after === undefined ? [] : [`r.from_position < ${add(after)} collate "C"`]),
  ]
  const { rows } = await pool.query<LifecycleRunRow>(
    `select ${columns} from ${from} where ${conditions.join(' and ')}
     order by r.from_position desc limit ${add(limit)}`,
    values,
  )
  return rows
}

/** A run whose actions are due, with what may have changed since its trigger. */
export interface DueRun {
  readonly id: string
  readonly ruleId: string
  readonly ruleName: string
  readonly userId: string
  readonly isManual: boolean
  readonly isDelayed: boolean
  readonly ruleStatus: string
  readonly triggerType: string
  readonly triggerDate: string | null
}

/** Returns runs that are due, in the order in which they became due. */
export const dueRuns = async (pool: pg.Pool, now: Instant, limit: number): Promise<readonly DueRun[]> => {
  const { rows } = await pool.query<DueRun>({
    name: 'due lifecycle runs',
    text: `select r.id, r.rule_id as "ruleId", coalesce(l.name, '') as "ruleName", r.user_id as "userId",
       r.trigger_type = 'manual' as "isManual", r.due_at > r.trigger_at as "isDelayed",
       coalesce(l.status, 'deleted') as "ruleStatus", r.trigger_type as "triggerType",
       r.trigger_date as "triggerDate"
     from lifecycle_runs r left join lifecycle_rules l on l.id = r.rule_id
     where r.status in ('scheduled', 'running') and r.due_at <= $1::timestamptz
     order by r.due_at, r.from_position limit $2`,
    values: [now, limit],
  })
  return rows
}

/** Counts the runs of a rule since a time that something triggered, after it was enabled. */
export const recentRuns = async (
  pool: pg.Pool,
  { id, enabledPosition }: { readonly id: string; readonly enabledPosition: string },
  since: Instant,
): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::int as n from lifecycle_runs where rule_id = $1 and from_position > $2 collate "C"
       and created_at > $3::timestamptz and trigger_type <> 'manual'`,
    [id, enabledPosition, since],
  )
  return rows[0]?.n ?? 0
}

/** Returns those of the runs that exist. */
export const existingRuns = async (pool: pg.Pool, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const { rows } = await pool.query<{ id: string }>('select id from lifecycle_runs where id = any($1)', [ids])
  return new Set(rows.map(({ id }) => id))
}
