/** The state of accounts in applications and of sync runs: tables of schema `work`. */
import type pg from 'pg'
import type { ProvisionedAccountEvent } from '../../../domain/provisioned-account/events.ts'
import type { Instant } from '../../../domain/time.ts'
import { inTransaction } from '../../../read-models/transaction.ts'
import { coalesced } from '../../kernel/coalesce.ts'
import type { Pushed } from './push.ts'

/** An application that is due for a sync. */
export interface DueApplication {
  readonly applicationId: string
  /** Whether an administrator requested it; then pending retries run immediately */
  readonly requested: boolean
  readonly requestedRun: string | null
  readonly marks: number
  /** Runs that failed as a whole since the last success */
  readonly failures: number
}

export interface RunEnd {
  /** Why no user could be pushed; null on success */
  readonly error: string | null
  /** Seconds to wait, as requested by the application */
  readonly holdSeconds: number | null
}

export type Report = ProvisionedAccountEvent

/** An action that is not in the log yet. */
export interface Unreported {
  readonly userId: string
  /** The number of the report for its account */
  readonly number: number
  readonly report: Report
}

interface Account {
  readonly applicationId: string
  readonly userId: string
  readonly generation: number
}

/** An account that is about to be created. */
interface Intended {
  readonly account: Account
  readonly userName: string
}

/** An action for one user. */
interface Done {
  readonly account: Account
  readonly pushed: Pushed
  /** The user name of the account; null if it did not change */
  readonly userName: string | null
  /** Digest of the data that the application has now */
  readonly digest: string | null
  readonly report: Report | null
}

const columnsOf = (accounts: readonly Account[]): readonly (readonly unknown[])[] => [
  accounts.map(({ applicationId }) => applicationId),
  accounts.map(({ userId }) => userId),
  accounts.map(({ generation }) => generation),
]

export interface Times {
  /** Seconds between two syncs of an application */
  readonly every: number
  /** Minimum seconds between two syncs */
  readonly rest: number
}

/**
 * Concurrent writes for several users share a transaction.
 * @param fence fails inside a transaction unless this instance still holds the lease
 */
export const provisioningStore = (pool: pg.Pool, fence: (client: pg.ClientBase) => Promise<void>) => {
  const fenced = <Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> =>
    inTransaction(pool, async (client) => {
      await fence(client)
      const { rows } = await client.query<Row>(text, [...values])
      return rows
    })

  return {
    now: async (): Promise<Instant> => {
      const { rows } = await pool.query<{ now: Instant }>('select clock_timestamp() as now')
      return rows[0]?.now ?? ''
    },

    /**
     * Makes a new runner sync all applications immediately, because the previous one may have crashed during a sync.
     */
    lookAtAll: () =>
      fenced('update work.provisioning set seen = -1, looked_at = null, run_started_at = null', []),

    due: async ({ every, rest }: Times): Promise<readonly DueApplication[]> => {
      const { rows } = await pool.query<DueApplication>({
        name: 'due provisioning',
        text: `select p.application_id as "applicationId", p.requested_run as "requestedRun",
           p.requested_run is distinct from w.requested_run and p.requested_run is not null as requested,
           coalesce(w.marks, 0) as marks, coalesce(w.failures, 0) as failures
         from provisioning p join applications n on n.id = p.application_id and n.status = 'active'
           left join work.provisioning w on w.application_id = p.application_id and w.generation = p.generation
         where p.status = 'configured' and p.enabled and p.paused_at is null
           and (w.held_until is null or w.held_until < clock_timestamp())
           and (w.looked_at is null or w.looked_at < clock_timestamp() - make_interval(secs => $1)
             or w.looked_at < clock_timestamp() - make_interval(secs => $2)
               and (w.marks <> w.seen and w.failures = 0
                 or p.requested_run is distinct from w.requested_run and p.requested_run is not null))
         order by w.looked_at nulls first`,
        values: [every, rest],
      })
      return rows
    },

    begin: (
      { applicationId, marks }: Pick<DueApplication, 'applicationId' | 'marks'>,
      generation: number,
      runId: string,
    ) =>
      fenced(
        `insert into work.provisioning as w (application_id, generation, seen, run_id, run_started_at, run_done, looked_at)
         values ($1, $2, $3, $4, clock_timestamp(), 0, clock_timestamp())
         on conflict (application_id) do update set
           generation = $2, seen = $3, run_id = $4, run_started_at = clock_timestamp(), run_done = 0, run_total = null,
           looked_at = clock_timestamp(), held_until = null,
           failures = case when w.generation = $2 then w.failures else 0 end,
           last_error = case when w.generation = $2 then w.last_error end,
           last_sync_at = case when w.generation = $2 then w.last_sync_at end`,
        [applicationId, generation, marks, runId],
      ),

    /** Records the progress of a run. */
    progress: async (applicationId: string, total: number, done: number): Promise<void> => {
      await pool.query(
        'update work.provisioning set run_total = $2, run_done = $3 where application_id = $1',
        [applicationId, total, done],
      )
    },

    end: ({ applicationId, requestedRun }: DueApplication, { error, holdSeconds }: RunEnd) =>
      fenced(
        `update work.provisioning set run_started_at = null, requested_run = $2, last_error = $3,
           failures = case when $3::text is null then 0 else failures + 1 end,
           last_sync_at = case when $3::text is null then clock_timestamp() else last_sync_at end,
           held_until = case when $4::integer is not null then clock_timestamp() + make_interval(secs => $4) end
         where application_id = $1`,
        [applicationId, requestedRun, error, holdSeconds],
      ),

    /** Records that an account may exist from now on, under an unknown id. */
    intend: coalesced(async (all: readonly Intended[]): Promise<readonly undefined[]> => {
      await fenced(
        `insert into work.provisioned_user as o (application_id, user_id, generation, user_name, active)
         select application_id, user_id, generation, user_name, true
         from unnest($1::text[], $2::text[], $3::integer[], $4::text[])
           as a (application_id, user_id, generation, user_name)
         on conflict (application_id, user_id) do update set
           generation = excluded.generation, user_name = excluded.user_name, remote_id = null, active = true,
           pushed = null`,
        [...columnsOf(all.map(({ account }) => account)), all.map(({ userName }) => userName)],
      )
      return all.map(() => undefined)
    }),

    /**
     * Records an action for one user, to be reported to the log next.
     * @returns the number of the report
     */
    done: coalesced(async (all: readonly Done[]): Promise<readonly number[]> => {
      const rows = await fenced<{ applicationId: string; userId: string; reports: number }>(
        `insert into work.provisioned_user as o
           (application_id, user_id, generation, remote_id, active, pushed, last_pushed_at, reports, report, user_name)
         select application_id, user_id, generation, remote_id, active, pushed, clock_timestamp(), 1, report::jsonb,
           user_name
         from unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::boolean[], $6::text[], $7::text[], $8::text[])
           as a (application_id, user_id, generation, remote_id, active, pushed, report, user_name)
         on conflict (application_id, user_id) do update set
           generation = excluded.generation, remote_id = excluded.remote_id, active = excluded.active,
           pushed = excluded.pushed, last_pushed_at = clock_timestamp(), error = null, attempts = 0,
           next_attempt_at = null, reports = o.reports + 1, report = excluded.report,
           user_name = coalesce(excluded.user_name, o.user_name)
         returning application_id as "applicationId", user_id as "userId", reports`,
        [
          ...columnsOf(all.map(({ account }) => account)),
          all.map(({ pushed }) => pushed.remoteId),
          all.map(({ pushed }) => pushed.done !== 'deactivated'),
          all.map(({ digest }) => digest),
          all.map(({ report }) => (report === null ? null : JSON.stringify(report))),
          all.map(({ userName }) => userName),
        ],
      )
      const numbers = new Map(rows.map((row) => [`${row.applicationId} ${row.userId}`, row.reports]))
      return all.map(({ account }) => numbers.get(`${account.applicationId} ${account.userId}`) ?? 0)
    }),

    /** @param known the account, if it has no row yet */
    failed: (
      account: Account,
      known: { readonly remoteId: string | null; readonly active: boolean },
      error: string,
      retrySeconds: number,
    ) =>
      fenced(
        `insert into work.provisioned_user as o
           (application_id, user_id, generation, remote_id, active, error, attempts, next_attempt_at)
         values ($1, $2, $3, $4, $5, $6, 1, clock_timestamp() + make_interval(secs => $7))
         on conflict (application_id, user_id) do update set
           generation = $3, error = $6, next_attempt_at = clock_timestamp() + make_interval(secs => $7),
           attempts = case when o.generation = $3 then o.attempts + 1 else 1 end,
           remote_id = case when o.generation = $3 then o.remote_id else $4 end,
           active = case when o.generation = $3 then o.active else $5 end`,
        [
          account.applicationId,
          account.userId,
          account.generation,
          known.remoteId,
          known.active,
          error,
          retrySeconds,
        ],
      ),

    /** Clears the failures of users who are no longer provisioned. */
    forgetErrors: (applicationId: string, userIds: readonly string[]) =>
      fenced(
        `update work.provisioned_user set error = null, attempts = 0, next_attempt_at = null
         where application_id = $1 and error is not null and user_id = any ($2)`,
        [applicationId, userIds],
      ),

    /** Deletes the remaining rows of erased users once they are no longer needed. */
    forgetErased: (applicationId: string) =>
      fenced(
        `delete from work.provisioned_user o using users u
         where o.application_id = $1 and u.id = o.user_id and u.erased and not o.active and o.report is null
           and (o.last_pushed_at is null or o.last_pushed_at < clock_timestamp() - interval '1 day')`,
        [applicationId],
      ),

    /** Returns the users with recent failures. */
    withErrors: async (applicationId: string): Promise<readonly string[]> => {
      const { rows } = await pool.query<{ user_id: string }>(
        'select user_id from work.provisioned_user where application_id = $1 and error is not null',
        [applicationId],
      )
      return rows.map(({ user_id }) => user_id)
    },

    unreported: async (applicationId: string): Promise<readonly Unreported[]> => {
      const { rows } = await pool.query<Unreported>(
        `select user_id as "userId", reports as number, report from work.provisioned_user
         where application_id = $1 and report is not null`,
        [applicationId],
      )
      return rows
    },

    reported: coalesced(
      async (reports: readonly (Omit<Unreported, 'report'> & Pick<Account, 'applicationId'>)[]) => {
        await pool.query(
          `update work.provisioned_user o set report = null
           from unnest($1::text[], $2::text[], $3::integer[]) as a (application_id, user_id, number)
           where o.application_id = a.application_id and o.user_id = a.user_id and o.reports = a.number`,
          [
            reports.map(({ applicationId }) => applicationId),
            reports.map(({ userId }) => userId),
            reports.map(({ number }) => number),
          ],
        )
        return reports.map(() => undefined)
      },
    ),

    /** Returns the input of the guard against mass deactivation. */
    counts: async (
      applicationId: string,
      generation: number,
    ): Promise<{ readonly recent: number; readonly allowed: number }> => {
      const { rows } = await pool.query<{ recent: number; allowed: number }>(
        `select
           (select count(*) from work.provisioned_user where application_id = $1 and generation = $2 and not active
              and last_pushed_at > clock_timestamp() - interval '1 hour') as recent,
           coalesce((select greatest(0, p.allowed - (select count(*) from work.provisioned_user o
                where o.application_id = $1 and o.generation = $2 and not o.active
                  and o.last_pushed_at between p.resumed_at and clock_timestamp() - interval '1 hour'))
              from provisioning p where p.application_id = $1
                and p.resumed_at > clock_timestamp() - interval '1 day'), 0) as allowed`,
        [applicationId, generation],
      )
      return rows[0] ?? { recent: 0, allowed: 0 }
    },
  }
}

export type ProvisioningStore = ReturnType<typeof provisioningStore>

/** Deletes the stored state of an application's accounts. */
export const forgetAccounts = async (pool: pg.Pool, applicationId: string): Promise<void> => {
  await pool.query('delete from work.provisioned_user where application_id = $1', [applicationId])
  await pool.query('delete from work.provisioning where application_id = $1', [applicationId])
}

/**
 * Deletes the personal data of erased users: error messages of an application, and its id for a user, may identify the
 * user. Keeps only the id of an account that must still be deactivated.
 * @param applicationId limits the deletion to this application
 */
export const scrubErased = async (pool: pg.Pool, applicationId: string | null = null): Promise<void> => {
  await pool.query(
    `update work.provisioned_user o set error = null, user_name = null, remote_id = case when o.active then o.remote_id end,
       report = case when o.report ->> 'type' <> 'provisioned_account.created' then o.report end
     from users u where u.id = o.user_id and u.erased and ($1::text is null or o.application_id = $1)
       and (o.error is not null or o.user_name is not null or o.remote_id is not null and not o.active
         or o.report ->> 'type' = 'provisioned_account.created')`,
    [applicationId],
  )
}
