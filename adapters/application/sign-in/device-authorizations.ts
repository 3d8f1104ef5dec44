/**
 * RFC 8628: sign-ins on devices that cannot show a sign-in page. A pending request is an expiring row; the user's
 * decision is an event; the approved grant is issued only once and uses up the code.
 */
import {
  deviceAuthorizationDecider,
  deviceAuthorizationStream,
} from '../../../domain/device-authorization/decider.ts'
import { newUserCode, readUserCode } from '../../../domain/device-authorization/user-code.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { GrantedScopes } from '../../../domain/oidc/scopes.ts'
import type { Instant } from '../../../domain/time.ts'
import { deviceAuthorizationDecision } from '../../../read-models/queries/device-logins.ts'
import type { Services } from '../services/services.ts'
import type { Actor } from '../services/handle.ts'
import { newId } from '../../kernel/ids.ts'
import { waitingRoom, type RoomLimits } from './waiting-room.ts'
import { hashSecret, newSecret } from '../../engines/vault/hash.ts'
import type { PersonReference } from './references.ts'
import type { SignInDecision } from '../../../domain/sign-in/events.ts'
import { accessPolicies, mustBeAllowed } from './access-policies.ts'
import { tokenChecks } from './token-check.ts'

export const DEVICE_CODE_SECONDS = 600
/** Seconds between two polls, and how many are added after a poll that came too soon (RFC 8628 §3.5). */
const POLL_SECONDS = 5
const SLOW_DOWN_SECONDS = 5
/** Tolerance for network delay between two polls. */
const LEEWAY_SECONDS = 0.5
/** How long the service can tell an expired request from an unknown one. */
const REMEMBERED_SECONDS = 600

/** Maximum number of pending requests: anyone can create one. */
const LIMITS: RoomLimits = { ofOneNetwork: 200, inAll: 20_000 }

const REQUEST = 'device-login'
const USER_CODE = 'device-user-code'

interface DeviceAuthorizationRequest extends GrantedScopes {
  readonly ip: string
}

/** What a device gets. */
interface BegunDeviceAuthorization {
  readonly deviceCode: string
  readonly userCode: string
  readonly pollSeconds: number
}

/** A request that waits for the user's decision. */
export interface PendingDeviceAuthorization extends DeviceAuthorizationRequest {
  readonly id: string
  readonly userCode: string
  readonly applicationId: string
  readonly applicationName: string
  /** Location of the device. */
  readonly location: string | null
  readonly requestedAt: Instant
  readonly expiresAt: Instant
}

/** The result of a poll. */
export type DeviceCodePoll =
  | { readonly outcome: 'pending' | 'slow_down' | 'denied' | 'expired' | 'unknown' }
  | { readonly outcome: 'approved'; readonly grant: PersonReference }

/** The user at the browser. */
export interface DeviceApprover {
  readonly userId: string
  readonly sessionId: string
  readonly authTime: Instant
}

export const deviceAuthorizations = (
  services: Pick<
    Services,
    'pool' | 'lookups' | 'clock' | 'development' | 'random' | 'vault' | 'handle' | 'configuration' | 'locate'
  >,
  limits: RoomLimits = LIMITS,
  pollSeconds = POLL_SECONDS,
) => {
  const { pool, clock, random, vault, handle, configuration: cache } = services
  const { check } = tokenChecks(services)
  const policies = accessPolicies(services)
  const room = waitingRoom('device_login', services, limits)

  const find = async (typed: string): Promise<PendingDeviceAuthorization | null> => {
    const userCode = readUserCode(typed)
    if (userCode === null) return null
    const { rows } = await pool.query<
      Pick<PendingDeviceAuthorization, 'id' | 'applicationId' | 'requestedAt' | 'expiresAt'> & {
        request: string
      }
    >(
      `select id, application_id as "applicationId", request, created_at as "requestedAt", expires_at as "expiresAt"
       from work.device_login where user_code = $1 and expires_at > $2`,
      [vault.digest(USER_CODE, userCode), clock.now()],
    )
    const [row] = rows
    if (row === undefined || (await deviceAuthorizationDecision(pool, row.id)) !== null) return null
    const application = (await cache.fresh()).applicationById.get(row.applicationId)
    if (application?.status !== 'active') return null
    const { request, ...waiting } = row
    const details = JSON.parse(vault.open(REQUEST, request, row.id).toString()) as DeviceAuthorizationRequest
    return {
      ...waiting,
      ...details,
      userCode,
      applicationName: application.name,
      location: services.locate(details.ip),
    }
  }

  const toBegin = async (
    applicationId: string,
    request: DeviceAuthorizationRequest,
  ): Promise<BegunDeviceAuthorization> => {
    const id = newId('deviceAuthorization')
    const deviceCode = newSecret('', random)
    const userCode = newUserCode(random)
    const { network, site } = room.originOf(request.ip)
    await pool.query(
      `with ${room.makeRoom('$6')}
       insert into work.device_login
         (id, device_code, user_code, application_id, request, origin, created_at, expires_at, interval_seconds, site)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        id,
        hashSecret(deviceCode),
        vault.digest(USER_CODE, userCode),
        applicationId,
        vault.seal(REQUEST, JSON.stringify(request), id),
        network,
        clock.now(),
        clock.in(DEVICE_CODE_SECONDS),
        pollSeconds,
        site,
      ],
    )
    await room.added()
    return { deviceCode, userCode, pollSeconds }
  }

  return {
    /**
     * Creates the two codes of a request.
     * @param ip the device's address, shown to the user; a network with too many pending requests loses its
     * oldest
     */
    begin: (
      applicationId: string,
      { scopes, apiResourceIds }: GrantedScopes,
      ip: string,
    ): Promise<BegunDeviceAuthorization> => toBegin(applicationId, { scopes, apiResourceIds, ip }),

    /** Returns the decision to a polling device. A poll that comes too soon increases the interval. */
    poll: async (deviceCode: string, applicationId: string): Promise<DeviceCodePoll> => {
      const now = clock.now()
      const { rows } = await pool.query<{ id: string; expiresAt: Instant; tooSoon: boolean }>(
        `update work.device_login set
           polled_too_soon = coalesce(polled_at > $3::timestamptz - make_interval(secs => interval_seconds - $4::float8), false),
           interval_seconds = interval_seconds +
             case when polled_at > $3::timestamptz - make_interval(secs => interval_seconds - $4::float8) then $5::int else 0 end,
           polled_at = $3
         where device_code = $1 and application_id = $2
         returning id, expires_at as "expiresAt", polled_too_soon as "tooSoon"`,
        [hashSecret(deviceCode), applicationId, now, LEEWAY_SECONDS, SLOW_DOWN_SECONDS],
      )
      const [row] = rows
      if (row === undefined) return { outcome: 'unknown' }
      if (row.expiresAt <= now) return { outcome: 'expired' }
      const decision = await deviceAuthorizationDecision(pool, row.id)
      return decision ?? { outcome: row.tooSoon ? 'slow_down' : 'pending' }
    },

    /** Returns the request with an entered code; null if the code is wrong, expired or already decided. */
    find,

    /**
     * Returns the decision of access policies.
     * @throws PolicyRefusal
     * @throws DomainError ERR_NOT_ASSIGNED, ERR_UNAUTHENTICATED if the session has ended, ERR_DEVICE_CODE if the
     * request was already decided
     */
    approve: async (
      { id, applicationId, scopes, apiResourceIds }: PendingDeviceAuthorization,
      { userId, sessionId, authTime }: DeviceApprover,
      actor: Actor,
    ): Promise<SignInDecision> => {
      const subject = { applicationId, userId, sessionId, grantId: null, authorizedAt: null, offline: false }
      const { outcome, configuration } = await check(subject, false)
      if (outcome.verdict === 'not_assigned') throw new DomainError('ERR_NOT_ASSIGNED')
      if (outcome.verdict === 'void') throw new DomainError('ERR_UNAUTHENTICATED')
      const decision = policies.decide(configuration, outcome.state, applicationId, {
        ip: actor.ip,
        userAgent: actor.userAgent ?? null,
      })
      mustBeAllowed(decision)
      const login = {
        deviceLoginId: id,
        applicationId,
        userId,
        sessionId,
        scopes,
        apiResourceIds,
        authTime,
        grantId: newId('grant'),
        authorizedAt: outcome.state.position,
      }
      await handle(
        deviceAuthorizationDecider,
        deviceAuthorizationStream(id),
        { type: 'approve', login },
        actor,
      )
      return decision
    },

    /** @throws DomainError ERR_DEVICE_CODE if the request was already decided */
    deny: async (
      { id, applicationId }: PendingDeviceAuthorization,
      { userId }: DeviceApprover,
      actor: Actor,
    ): Promise<void> => {
      const command = { type: 'deny', deviceLoginId: id, applicationId, userId } as const
      await handle(deviceAuthorizationDecider, deviceAuthorizationStream(id), command, actor)
    },

    sweep: async (): Promise<void> => {
      await pool.query('delete from work.device_login where expires_at <= $1', [
        clock.in(-REMEMBERED_SECONDS),
      ])
      await room.trim()
    },
  }
}

export type DeviceAuthorizations = ReturnType<typeof deviceAuthorizations>
