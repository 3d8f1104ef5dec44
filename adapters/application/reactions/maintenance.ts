/** Periodic tasks. Any instance can run them; running one twice changes nothing. */
import type pg from 'pg'
import { retentionSeconds, type RetentionPeriod } from '../../../domain/retention.ts'
import { membershipDecider, membershipStream } from '../../../domain/membership/decider.ts'
import { clearAudit } from '../../../read-models/queries/audit.ts'
import { deletedWithKeys, outdatedKeys, overdueApiKeys } from '../../../read-models/queries/api-keys.ts'
import { erasedUsers, lapsedMemberships } from '../../../read-models/queries/maintenance.ts'
import { overdueSshAuthorityKeys } from '../../../read-models/queries/ssh.ts'
import { overdueSigningKeys } from '../../../read-models/queries/signing-keys.ts'
import { forgetSignIns } from '../../../read-models/queries/sign-ins.ts'
import { apiKeyCommands, revokeKeysOf, revokeOutdatedKeys } from '../commands/api-keys.ts'
import type { Services } from '../services/services.ts'
import { domainCommands } from '../commands/domains.ts'
import { sshAuthorityCommands } from '../commands/ssh-authority.ts'
import { signingKeyCommands } from '../commands/signing-keys.ts'
import type { EventLog } from '../../engines/event-log/event-log.ts'
import { microsecondsOf, type LogRetention } from '../../engines/event-log/retention.ts'
import type { Actor } from '../services/handle.ts'
import { newId } from '../../kernel/ids.ts'
import { accessDeadlines } from './access-deadlines.ts'
import { accessReviewDuty } from './access-reviews.ts'
import { lifecycleDates } from './lifecycle-dates.ts'
import { lifecycleRuns } from './lifecycle-runs.ts'
import { forgetDeviceUse } from '../services/device-use.ts'
import { streamRetention } from './stream-retention.ts'

/** Memberships read at once; maximum number of keys per run: the next run continues. */
const AT_ONCE = 500
/** Pages of one run; the next run continues. */
const PAGES = 20
/** How many times the usual wait a large change may take until it is in effect. */
const ROUNDS = 10

/** Sign-in attempts deleted per statement. */
const SIGN_INS_AT_ONCE = 5000

export interface Duty {
  readonly name: string
  /** Seconds between two runs. */
  readonly every: number
  readonly run: () => Promise<unknown>
}

const system = (): Actor => ({
  actorId: null,
  actorType: 'system',
  credential: null,
  ip: null,
  correlationId: newId('auditEvent'),
})

/** Ends expired memberships. They have had no effect since they expired; this records an event. */
const endLapsedMemberships = async ({
  pool,
  clock,
  handleMany,
}: Pick<Services, 'handleMany' | 'pool' | 'clock'>): Promise<void> => {
  for (let page = 1; page <= PAGES; page++) {
    const now = clock.now()
    const lapsed = await lapsedMemberships(pool, now, AT_ONCE)
    if (lapsed.length === 0) return
    const commands = lapsed.map(({ groupId, userId, via, sourceId, expiresAt }) => ({
      stream: membershipStream(groupId, userId),
      command: { type: 'expire', groupId, userId, now } as const,
      // Most memberships were granted once, and nothing else happened to them.
      presumed: { state: { sources: [{ via, sourceId: sourceId ?? undefined, expiresAt }] }, revision: 0 },
    }))
    await handleMany(membershipDecider, commands, system(), ROUNDS)
    if (lapsed.length < AT_ONCE) return
  }
}

/** Removes signing keys from the key set some time after they were replaced. */
const retireSigningKeys = async (
  services: Pick<Services, 'handle' | 'pool' | 'vault' | 'clock' | 'newRsaKey' | 'configuration'>,
): Promise<void> => {
  const { pool, clock, configuration } = services
  const { retire } = signingKeyCommands(services)
  for (const id of await overdueSigningKeys(pool, clock.now())) await retire(id, system())
  // Another instance may have retired the key: it must leave this instance's memory as well.
  await configuration.fresh()
}

/** Stops publishing keys of the SSH authority some time after they were replaced. */
const retireSshAuthorityKeys = async (
  services: Pick<Services, 'handle' | 'pool' | 'vault' | 'clock' | 'random' | 'configuration'>,
): Promise<void> => {
  const { pool, clock, configuration } = services
  const { retire } = sshAuthorityCommands(services)
  for (const id of await overdueSshAuthorityKeys(pool, clock.now())) await retire(id, system())
  await configuration.fresh()
}

/** Records that API keys have expired: they stopped working at that moment. */
const expireApiKeys = async (
  services: Pick<Services, 'handle' | 'pool' | 'locks' | 'vault' | 'clock' | 'random' | 'configuration'>,
): Promise<void> => {
  const { pool, clock } = services
  const { expire } = apiKeyCommands(services)
  for (const id of await overdueApiKeys(pool, clock.now(), AT_ONCE)) await expire(id, system())
}

/** Revokes the remaining keys of deleted service accounts after an interruption. Such keys no longer work. */
const finishDeletions = async (services: Pick<Services, 'handle' | 'pool'>): Promise<void> => {
  for (const id of await deletedWithKeys(services.pool)) await revokeKeysOf(services, id, system())
}

/** Records the revocation of keys that stopped working with a change of roles, after an interruption. */
const revokeOutdated = async (services: Pick<Services, 'handle' | 'pool'>): Promise<void> => {
  await revokeOutdatedKeys(services, await outdatedKeys(services.pool), system())
}

/** Completes interrupted erasures of users. */
const finishErasures = async (
  { pool, vault }: Pick<Services, 'pool' | 'vault'>,
  workPool: pg.Pool,
): Promise<void> => {
  const erased = await erasedUsers(pool)
  await forgetDeviceUse(workPool, erased)
  const { rows } = await workPool.query<{ subject: string }>(
    'select subject from vault.person_key where wrapped is not null and subject = any($1)',
    [erased],
  )
  for (const { subject } of rows) await vault.destroyPersonKey(subject)
}

/** Deletes old sign-in attempts and the addresses entered in them when their events are deleted. */
const forgetOldSignIns = async (
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  periods: readonly RetentionPeriod[],
): Promise<void> => {
  const kept = retentionSeconds('sign_in', periods, microsecondsOf(new Date(clock.now())))
  if (kept === null) return
  while ((await forgetSignIns(pool, clock.in(-kept), SIGN_INS_AT_ONCE)) === SIGN_INS_AT_ONCE);
}

/** Rows of working tables that are no longer needed. */
const clearWork = async (workPool: pg.Pool): Promise<void> => {
  await workPool.query(`delete from work.session_use where last_seen_at < now() - interval '400 days'`)
  await workPool.query(`delete from work.device_use where last_seen_at < now() - interval '400 days'`)
  await workPool.query(`delete from work.client_secret_use where last_used_at < now() - interval '400 days'`)
  await workPool.query(`delete from work.logout_notice where noted_at < now() - interval '7 days'`)
  await workPool.query(`delete from work.mail where queued_at < now() - interval '7 days'`)
}

/** An entry of the audit trail is kept as long as its event. */
const forgetAudit = async (
  { pool }: Pick<Services, 'pool'>,
  periods: readonly RetentionPeriod[],
): Promise<void> => {
  const now = new Date()
  for (const kept of ['sign_in', 'token'] as const) {
    const seconds = retentionSeconds(kept, periods, microsecondsOf(now))
    if (seconds !== null) await clearAudit(pool, kept, new Date(now.getTime() - seconds * 1000))
  }
}

export const maintenanceDuties = (
  services: Pick<
    Services,
    | 'handle'
    | 'handleMany'
    | 'inForce'
    | 'pool'
    | 'reservations'
    | 'locks'
    | 'vault'
    | 'clock'
    | 'random'
    | 'newRsaKey'
    | 'configuration'
    | 'dns'
    | 'mail'
    | 'publicUrl'
  >,
  {
    eventLog,
    retention,
    workPool,
  }: { readonly eventLog: EventLog; readonly retention: LogRetention; readonly workPool: pg.Pool },
): readonly Duty[] => [
  { name: 'reservations', every: 30, run: () => services.reservations.sweep() },
  { name: 'expired memberships', every: 2, run: () => endLapsedMemberships(services) },
  { name: 'access deadlines', every: 2, run: accessDeadlines(services, system) },
  { name: 'access reviews', every: 2, run: accessReviewDuty(services, system) },
  { name: 'lifecycle dates', every: 5, run: () => lifecycleDates(services)(false) },
  { name: 'lifecycle inactivity', every: 300, run: () => lifecycleDates(services)(true) },
  { name: 'lifecycle runs', every: 1, run: lifecycleRuns(services) },
  { name: 'signing keys', every: 300, run: () => retireSigningKeys(services) },
  { name: 'SSH authority keys', every: 300, run: () => retireSshAuthorityKeys(services) },
  { name: 'API keys', every: 60, run: () => expireApiKeys(services) },
  { name: 'deleted service accounts', every: 300, run: () => finishDeletions(services) },
  { name: 'revoked API keys', every: 300, run: () => revokeOutdated(services) },
  { name: 'domains', every: 300, run: () => domainCommands(services).checkAgain(system) },
  { name: 'erasures', every: 300, run: () => finishErasures(services, workPool) },
  { name: 'working tables', every: 3600, run: () => clearWork(workPool) },
  {
    name: 'old sign-ins',
    every: 3600,
    run: async () => forgetOldSignIns(services, await retention.refresh(eventLog)),
  },
  {
    name: 'retention',
    every: 3600,
    run: async () => {
      await retention.refresh(eventLog)
      await eventLog.prune(new Date())
    },
  },
  {
    name: 'audit retention',
    every: 3600,
    run: async () => forgetAudit(services, await retention.refresh(eventLog)),
  },
  {
    name: 'retention of streams',
    every: 60,
    run: streamRetention(eventLog, retention, workPool, () => new Date()),
  },
]
