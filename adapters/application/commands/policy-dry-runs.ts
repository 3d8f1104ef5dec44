/** Dry runs of access policies on past sign-ins: started by a request, worked on in the background by any instance. */
import { DomainError } from '../../../domain/errors.ts'
import type { Id } from '../../../domain/ids.ts'
import {
  dryRun,
  emptyTally,
  zonesNamedBy,
  type DryRunTally,
  type PastFacts,
} from '../../../domain/policy/dry-run.ts'
import { groupsNamedBy, type Policy } from '../../../domain/policy/evaluate.ts'
import type { Instant } from '../../../domain/time.ts'
import {
  countPastSignIns,
  findDryRun,
  membershipPeriods,
  pastSignIns,
  policyHistory,
  takeDryRun,
  unfinishedDryRuns,
  zoneCreations,
  type DryRunRow,
  type MembershipPeriod,
} from '../../../read-models/queries/policy-dry-runs.ts'
import { newId } from '../../kernel/ids.ts'
import type { Configuration } from '../services/configuration.ts'
import type { Services } from '../services/services.ts'

/** Runs that may be unfinished at the same time. */
const MAX_UNFINISHED = 3
/** Sign-ins between two pauses for requests. */
const PAGE = 2000
/** Progress is stored at least this often. */
const STEP_MS = 3000
/** An instance that does not store progress for this long has stopped. */
const LEASE_SECONDS = 60

const membershipsBy = (periods: readonly MembershipPeriod[]) => {
  const byKey = new Map<string, MembershipPeriod[]>()
  for (const period of periods) {
    const key = `${period.userId} ${period.groupId}`
    byKey.set(key, [...(byKey.get(key) ?? []), period])
  }
  return (userId: string, groupId: string, time: Instant): boolean =>
    (byKey.get(`${userId} ${groupId}`) ?? []).some(
      ({ from, to }) => from <= time && (to === null || to > time),
    )
}

interface DryRunServices extends Pick<Services, 'pool' | 'clock'> {
  readonly configuration: { readonly fresh: () => Promise<Pick<Configuration, 'zonesAt'>> }
}

export const policyDryRuns = (services: DryRunServices) => {
  const { pool, clock, configuration } = services

  /** The zones of a draft as they are now, for sign-ins before they were created. */
  const laterZones = async (draft: Policy): Promise<Omit<PastFacts, 'isMember'>> => {
    const created = await zoneCreations(pool, zonesNamedBy(draft))
    const { zonesAt } = await configuration.fresh()
    const positions = [...created.values()]
    return {
      hasLaterZones: (position) => positions.some((each) => each > position),
      laterZonesAt: (ip, position) =>
        positions.some((each) => each > position)
          ? zonesAt(ip).flatMap(({ id }) => ((created.get(id) ?? '') > position ? [id] : []))
          : [],
    }
  }

  const store = async (
    { id }: DryRunRow,
    tally: DryRunTally,
    after: { readonly time: Instant; readonly id: string } | null,
    isDone: boolean,
  ): Promise<boolean> => {
    const { rowCount } = await pool.query(
      `update work.policy_dry_run set tally = $2, after_time = coalesce($3, after_time),
         after_id = coalesce($4, after_id), leased_until = $5,
         status = case when $6 then 'done' else status end, finished_at = case when $6 then $7::timestamptz end
       where id = $1 and status = 'running'`,
      [
        id,
        JSON.stringify(tally),
        after?.time ?? null,
        after?.id ?? null,
        isDone ? null : clock.in(LEASE_SECONDS),
        isDone,
        clock.now(),
      ],
    )
    return rowCount === 1
  }

  /** Works on a run for one step. Returns whether it needs another one. */
  const step = async (row: DryRunRow): Promise<boolean> => {
    const { draft, from, to, tally, afterTime, afterId } = row
    const periods = await membershipPeriods(pool, groupsNamedBy([draft]), from, to)
    const past = { isMember: membershipsBy(periods), ...(await laterZones(draft)) }
    const run = dryRun(draft, await policyHistory(pool), past, tally)
    const end = performance.now() + STEP_MS
    let after = afterTime === null || afterId === null ? null : { time: afterTime, id: afterId }
    for (;;) {
      const page = await pastSignIns(pool, { from, to }, after, PAGE)
      for (const signIn of page) run.add(signIn)
      const last = page.at(-1)
      if (last !== undefined) after = { time: last.time, id: last.id }
      const isDone = page.length < PAGE
      if (isDone || performance.now() > end) return (await store(row, tally, after, isDone)) && !isDone
    }
  }

  return {
    /** @throws DomainError ERR_CONFLICT while other runs are not finished */
    start: async (
      draft: Policy,
      { from, to }: { readonly from: Instant; readonly to: Instant },
      startedBy: string | null,
    ): Promise<Id<'policyDryRun'>> => {
      if ((await unfinishedDryRuns(pool)) >= MAX_UNFINISHED)
        throw new DomainError(
          'ERR_CONFLICT',
          `${String(MAX_UNFINISHED)} dry runs are not finished. Wait for one of them, or cancel it.`,
        )
      const id = newId('policyDryRun')
      const { total, withoutFacts } = await countPastSignIns(pool, from, to)
      await pool.query(
        `insert into work.policy_dry_run (id, started_by, started_at, status, from_at, to_at, draft, total, tally)
         values ($1, $2, $3, 'running', $4, $5, $6, $7, $8)`,
        [id, startedBy, clock.now(), from, to, draft, total, { ...emptyTally(), withoutFacts }],
      )
      return id
    },

    find: (id: string) => findDryRun(pool, id),

    /** @throws DomainError ERR_NOT_FOUND */
    cancel: async (id: string): Promise<void> => {
      const { rowCount } = await pool.query(
        `update work.policy_dry_run set finished_at = case when status = 'running' then $2 else finished_at end,
           status = case when status = 'running' then 'cancelled' else status end where id = $1`,
        [id, clock.now()],
      )
      if (rowCount === 0) throw new DomainError('ERR_NOT_FOUND')
    },

    /** Works on unfinished runs for some seconds. A run that fails is not tried again. */
    work: async (): Promise<void> => {
      const row = await takeDryRun(pool, clock.now(), clock.in(LEASE_SECONDS))
      if (row === null) return
      try {
        const isUnfinished = await step(row)
        if (isUnfinished)
          await pool.query('update work.policy_dry_run set leased_until = null where id = $1', [row.id])
      } catch (error) {
        await pool.query(
          `update work.policy_dry_run set status = 'failed', finished_at = $2, leased_until = null
           where id = $1 and status = 'running'`,
          [row.id, clock.now()],
        )
        throw error
      }
    },

    /** Deletes old runs. */
    sweep: () =>
      pool.query(`delete from work.policy_dry_run where started_at < $1`, [clock.in(-30 * 86_400)]),
  }
}
