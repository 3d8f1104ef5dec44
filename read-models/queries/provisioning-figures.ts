/** Provisioning figures for operators. */
import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import { ASSIGNED } from './provisioning.ts'

export interface ProvisioningFigures {
  readonly applicationId: Id<'application'>
  /** `off`: provisioning is not active */
  readonly status: 'ok' | 'error' | 'paused' | 'never_run' | 'off'
  /** Users whose account is yet to be created or deactivated */
  readonly waiting: number
  /** Users whose last push failed */
  readonly failing: number
  readonly lastSyncAgeSeconds: number | null
}

const tables = `provisioning p join applications n on n.id = p.application_id and n.status <> 'deleted'
  left join work.provisioning w on w.application_id = p.application_id and w.generation = p.generation`

const accounts = `work.provisioned_user o where o.application_id = p.application_id and o.generation = p.generation`

/** Returns the figures of each application with provisioning. */
export const provisioningFigures = async (pool: pg.Pool): Promise<readonly ProvisioningFigures[]> => {
  const { rows } = await pool.query<ProvisioningFigures>(
    `with p as (
       select p.application_id, p.generation, w.last_sync_at,
         case when not p.enabled or n.status <> 'active' then 'off' when p.paused_at is not null then 'paused'
           when w.last_error is not null then 'error' when w.last_sync_at is null then 'never_run'
           else 'ok' end as status
       from ${tables} where p.status = 'configured')
     select p.application_id as "applicationId", p.status,
       case when p.status = 'off' then 0 else
         (select count(*) from users u where u.status = 'active' and u.id in (${ASSIGNED})
            and not exists (select from ${accounts} and o.user_id = u.id and o.remote_id is not null and o.active))
         + (select count(*) from ${accounts} and o.active and o.remote_id is not null
              and not exists (select from users u where u.id = o.user_id and u.status = 'active'
                and u.id in (${ASSIGNED}))) end as waiting,
       (select count(*) from ${accounts} and o.error is not null) as failing,
       extract(epoch from clock_timestamp() - p.last_sync_at)::float8 as "lastSyncAgeSeconds"
     from p order by p.application_id`,
  )
  return rows
}

/** Returns the age in seconds of the oldest permanent event after a log position; 0 if there is none. */
export const ageOfWhatFollows = async (pool: pg.Pool, position: string): Promise<number> => {
  const { rows } = await pool.query<{ seconds: number }>(
    `select greatest(0, extract(epoch from clock_timestamp() - l.at))::float8 as seconds from log_moments l
     where l.position > $1 order by l.position limit 1`,
    [position],
  )
  return rows[0]?.seconds ?? 0
}

/** SQL for the number of applications where some users cannot be provisioned, or whose provisioning is paused. */
export const PROVISIONING_ERRORS = `select count(*) from ${tables}
  where p.status = 'configured' and p.enabled and n.status = 'active'
    and (p.paused_at is not null or w.last_error is not null
      or exists (select from ${accounts} and o.error is not null))`
