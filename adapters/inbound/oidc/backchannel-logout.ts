/**
 * OpenID Connect Back-Channel Logout 1.0 §2.4–§2.8: notifies applications that a session has ended, at least once each.
 * Several instances may work at the same time; each claims a notice until the lease expires.
 */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { oidcOnly } from '../../../read-models/queries/configuration.ts'
import { epochSeconds } from '../../kernel/clock.ts'
import type { Services } from '../../application/services/services.ts'
import { EgressError, type Egress } from '../../engines/egress/client.ts'
import { signJwt } from './signed-jwt.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const TOKEN_SECONDS = 120
const TIMEOUT_MS = 5000
const AT_ONCE = 20

/** Duration of an instance's claim on a notice. If the instance crashes, others can claim the notice afterwards. */
const CLAIM_SECONDS = 30

/** Seconds before the second and each later attempt; after the last one the notice is dropped. */
const RETRY_SECONDS = [10, 60, 300, 1800] as const

interface ClaimedNotice {
  readonly sessionId: string
  readonly applicationId: string
  readonly userId: string
  /** Number of attempts, including this one */
  readonly attempts: number
}

type Outcome = 'delivered' | 'failed' | 'unwanted'

export const backchannelLogout = (
  services: Pick<Services, 'clock' | 'configuration' | 'publicUrl'>,
  workPool: pg.Pool,
  egress: Pick<Egress, 'post'>,
  log: { warn(fields: object, message: string): void },
) => {
  const { clock, configuration: cache, publicUrl } = services

  const claim = async (): Promise<readonly ClaimedNotice[]> => {
    const { rows } = await workPool.query<ClaimedNotice>(
      `update work.logout_notice n set attempts = n.attempts + 1, next_attempt_at = $2
       from (select session_id, application_id from work.logout_notice
         where outcome is null and next_attempt_at <= $1
         order by next_attempt_at limit $3 for update skip locked) due
       where n.session_id = due.session_id and n.application_id = due.application_id
       returning n.session_id as "sessionId", n.application_id as "applicationId", n.user_id as "userId",
         n.attempts`,
      [clock.now(), clock.in(CLAIM_SECONDS), AT_ONCE],
    )
    return rows
  }

  const recordOutcome = ({ sessionId, applicationId }: ClaimedNotice, outcome: Outcome) =>
    workPool.query(
      'update work.logout_notice set outcome = $3 where session_id = $1 and application_id = $2',
      [sessionId, applicationId, outcome],
    )

  const postpone = ({ sessionId, applicationId }: ClaimedNotice, seconds: number) =>
    workPool.query(
      `update work.logout_notice set next_attempt_at = $3
       where session_id = $1 and application_id = $2 and outcome is null`,
      [sessionId, applicationId, clock.in(seconds)],
    )

  /** @returns the error; null if the notice was delivered */
  const tell = async (uri: string, clientId: string, notice: ClaimedNotice): Promise<string | null> => {
    const { activeKey } = cache.now()
    if (activeKey === null) return 'no signing key'
    const iat = epochSeconds(clock.now())
    const token = await signJwt(
      { typ: 'logout+jwt' },
      {
        iss: publicUrl,
        aud: clientId,
        iat,
        exp: iat + TOKEN_SECONDS,
        jti: randomUUID(),
        events: { [EVENT]: {} },
        sub: notice.userId,
        sid: notice.sessionId,
      },
      activeKey,
    )
    try {
      const { status } = await egress.post(uri, {
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'User-Agent': 'Svc-Logout' },
        body: new URLSearchParams({ logout_token: token }).toString(),
        timeout: TIMEOUT_MS,
      })
      return status >= 200 && status < 300 ? null : `status ${String(status)}`
    } catch (error) {
      if (error instanceof EgressError) return error.failure
      throw error
    }
  }

  const deliverOne = async (notice: ClaimedNotice): Promise<void> => {
    const { applicationId, sessionId, attempts } = notice
    const application = oidcOnly(cache.now().applicationById.get(applicationId))
    const uri = application?.settings.backchannelLogoutUri
    if (application === null || uri === undefined) {
      await recordOutcome(notice, 'unwanted')
      return
    }
    const reason = await tell(uri, application.clientId, notice)
    const retry = RETRY_SECONDS[attempts - 1]
    if (reason === null) await recordOutcome(notice, 'delivered')
    else if (retry !== undefined) await postpone(notice, retry)
    else {
      await recordOutcome(notice, 'failed')
      log.warn({ applicationId, sessionId, attempts, reason }, 'back-channel logout failed, no more retries')
    }
  }

  return {
    /** Sends all due notices. */
    deliver: async (): Promise<void> => {
      for (let claimed = await claim(); claimed.length > 0; claimed = await claim()) {
        await cache.fresh()
        const results = await Promise.allSettled(claimed.map(deliverOne))
        const failed = results.find((result) => result.status === 'rejected')
        if (failed !== undefined) throw failed.reason
        if (claimed.length < AT_ONCE) return
      }
    },
  }
}
