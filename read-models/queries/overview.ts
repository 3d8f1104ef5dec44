import type pg from 'pg'
import { RISK_DAYS } from '../../domain/risk/events.ts'
import { PROVISIONING_ERRORS } from './provisioning-figures.ts'
import { overAt, type SessionMoment } from './session-force.ts'

export interface Overview {
  readonly users: { readonly active: number; readonly invited: number; readonly suspended: number }
  readonly groups: number
  readonly applications: { readonly active: number; readonly disabled: number }
  readonly activeSessions: number
  /** Since midnight UTC */
  readonly signInsToday: number
  /** Sign-ins that failed since midnight UTC */
  readonly failuresToday: number
  /** Users with an open risk event */
  readonly openRisk: number
  /** Access requests that nobody has decided yet */
  readonly pendingRequests: number
  readonly openReviews: number
  /** Webhook endpoints whose last delivery failed */
  readonly webhooksFailing: number
  /** Applications where some users cannot be provisioned, or whose provisioning is paused */
  readonly provisioningErrors: number
  /** Log position that these figures reflect */
  readonly logPosition: string
}

const TODAY = `date_trunc('day', $1::timestamptz, 'UTC')`

/** Counts what the service stores, with one statement and so in one snapshot. */
export const readOverview = async (pool: pg.Pool, { now, development }: SessionMoment): Promise<Overview> => {
  const { rows } = await pool.query<{ overview: Overview }>(
    `select json_build_object(
       'users', (select json_build_object('active', count(*) filter (where status = 'active'),
         'invited', count(*) filter (where status = 'invited'),
         'suspended', count(*) filter (where status = 'suspended')) from users),
       'groups', (select count(*) from groups where status = 'exists'),
       'applications', (select json_build_object('active', count(*) filter (where status = 'active'),
         'disabled', count(*) filter (where status = 'disabled')) from applications),
       'activeSessions', (select count(*) from sessions s join users u on u.id = s.user_id
         where s.ended_at is null and s.expires_at > $1 and ${overAt('s', 'u.roles', '$2')} > $1),
       'signInsToday', (select count(*) from sign_ins s where s.created_at >= ${TODAY} and s.result = 'success'),
       'failuresToday', (select count(*) from sign_ins s where s.created_at >= ${TODAY} and s.result = 'failure'),
       'openRisk', (select count(distinct r.user_id) from risk_events r where r.state = 'at_risk'
         and r.created_at + interval '${String(RISK_DAYS)} days' > $1),
       'pendingRequests', (select count(*) from access_requests where status = 'pending'),
       'openReviews', (select count(*) from access_reviews where status = 'active'),
       'webhooksFailing', (select count(*) from webhooks w join work.webhook_health h on h.webhook_id = w.id
         where w.status <> 'deleted' and h.failing_since is not null),
       'provisioningErrors', (${PROVISIONING_ERRORS}),
       'logPosition', coalesce((select position from checkpoint where name = 'core'), '')) as overview`,
    [now, development],
  )
  const [row] = rows
  if (row === undefined) throw new Error('the overview query must return one row')
  return row.overview
}
