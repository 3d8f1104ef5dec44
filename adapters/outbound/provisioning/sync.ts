/**
 * One sync of one application: finds users whose accounts are not up to date, guards against mass deactivation, and
 * pushes each user.
 */
import type pg from 'pg'
import {
  provisionedAccountDecider,
  provisionedAccountStream,
} from '../../../domain/provisioned-account/decider.ts'
import type { ProvisioningFailure } from '../../../domain/provisioning/events.ts'
import {
  isMassDeactivation,
  outOfPlace,
  pushFor,
  retrySeconds,
  type PushAction,
} from '../../../domain/provisioning/plan.ts'
import { wantedUser, type WantedUser } from '../../../domain/provisioning/resource.ts'
import { isUnreadableAddress } from '../../../domain/user/unreadable.ts'
import {
  findProvisioning,
  provisionedPage,
  provisionedSome,
  type ProvisionedRow,
  type ProvisioningRow,
} from '../../../read-models/queries/provisioning.ts'
import type { Services } from '../../application/services/services.ts'
import { coalesced } from '../../kernel/coalesce.ts'
import { provisioningCommands } from './commands.ts'
import { newId } from '../../kernel/ids.ts'
import { PersonKeyDestroyed } from '../../engines/vault/person-keys.ts'
import { byItself } from './actor.ts'
import { probe, REQUEST_SECONDS, scimClient, ScimFailure, type ScimRequest } from './client.ts'
import { push, type Pushed } from './push.ts'
import {
  scrubErased,
  type DueApplication,
  type ProvisioningStore,
  type Report,
  type RunEnd,
  type Unreported,
} from './store.ts'
import { openToken } from './token.ts'

export interface SyncTiming {
  /** Seconds for one request */
  readonly timeout: number
  /** Seconds until the next attempt for one user, after this many failures */
  readonly retry: (failures: number) => number
}

export const syncTiming: SyncTiming = { timeout: REQUEST_SECONDS, retry: retrySeconds }

const PAGE = 2000
/** Maximum number of concurrent requests to one application. */
const LANES = 8
/** This many failed requests in a row count as a failure of the application, not of users. */
const IN_A_ROW = 5
const PROGRESS_MS = 1000

interface Task {
  readonly userId: string
  readonly action: PushAction
}

interface Intent {
  readonly row: ProvisionedRow
  /** Null for a user who must not be active; `unnamed` for one without the field for the user name. */
  readonly wanted: WantedUser | 'unnamed' | null
  readonly digest: string | null
}

const order: Readonly<Record<PushAction, number>> = { deactivate: 0, update: 1, create: 2 }

/** Whether a failure affects only one user; all others affect the application. */
const concernsOne = ({ failure }: ScimFailure): boolean => failure === 'rejected'

/** Whether a failure may affect only one user, unless it repeats. */
const mayConcernOne = ({ failure }: ScimFailure): boolean =>
  failure === 'failed' || failure === 'timeout' || failure === 'connection'

const asFailure = ({ failure }: ScimFailure): ProvisioningFailure =>
  failure === 'failed' || failure === 'rejected' ? 'unavailable' : failure

export const applicationSync = (deps: {
  readonly services: Services
  readonly pool: pg.Pool
  readonly store: ProvisioningStore
  readonly timing: SyncTiming
  readonly signal: AbortSignal
  /** Whether no other instance can have taken over; checked before each request. */
  readonly surelyHeld: () => boolean
}) => {
  const { services, pool, store, timing, signal, surelyHeld } = deps
  const { vault, egress, handle, lookups } = services
  const commands = provisioningCommands(services)

  const intentOf = (row: ProvisionedRow, settings: ProvisioningRow): Intent => {
    if (!row.wanted) return { row, wanted: null, digest: null }
    const wanted = wantedUser(row, settings)
    return wanted === null
      ? { row, wanted: 'unnamed', digest: 'unnamed' }
      : { row, wanted, digest: vault.digest('provisioning', JSON.stringify(wanted)) }
  }

  const tell = async (applicationId: string, unreported: Unreported): Promise<void> => {
    const { userId, number, report } = unreported
    const key = `provisioned|${applicationId}|${userId}|${String(report.data.generation)}|${String(number)}`
    const stream = provisionedAccountStream(applicationId, userId)
    await handle(provisionedAccountDecider, stream, report, byItself(key), { wait: 'recorded' }).catch(
      (error: unknown) => {
        // Nothing new is recorded about a user who was erased meanwhile; the account will be deactivated.
        if (!(error instanceof PersonKeyDestroyed)) throw error
      },
    )
    await store.reported({ applicationId, userId, number })
  }

  const tellAll = async (applicationId: string): Promise<void> => {
    const waiting = (await store.unreported(applicationId)).values()
    const lane = async (): Promise<void> => {
      for (const unreported of waiting) await tell(applicationId, unreported)
    }
    await Promise.all(Array.from({ length: LANES }, lane))
  }

  const plan = async (settings: ProvisioningRow, now: number | null) => {
    const tasks: Task[] = []
    const inSync = new Set<string>()
    let active = 0
    let after = ''
    for (;;) {
      const rows = await provisionedPage(pool, settings, PAGE, after)
      for (const row of rows) {
        const { digest } = intentOf(row, settings)
        if (row.active && row.remoteId !== null) active++
        const action = pushFor(digest, row, now)
        if (action !== null) tasks.push({ userId: row.userId, action })
        else if (outOfPlace(digest, row) === null) inSync.add(row.userId)
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < PAGE || signal.aborted) break
      after = last.userId
    }
    return { tasks: tasks.sort((a, b) => order[a.action] - order[b.action]), active, inSync }
  }

  const reportOf = (
    settings: ProvisioningRow,
    { userId, active }: ProvisionedRow,
    { remoteId, done }: Pushed,
  ): Report | null => {
    if (remoteId === null) return null
    const whose = { applicationId: settings.applicationId, userId, generation: settings.generation }
    switch (done) {
      case 'created':
      case 'adopted':
        return {
          type: 'provisioned_account.created',
          data: { ...whose, remoteId, adopted: done === 'adopted' },
        }
      case 'updated':
        return { type: 'provisioned_account.updated', data: { ...whose, reactivated: !active } }
      case 'deactivated':
        return { type: 'provisioned_account.deactivated', data: whose }
    }
  }

  /** Looks up a user's current data; concurrent lookups share a query. */
  const looking = (settings: ProvisioningRow) =>
    coalesced(async (userIds: readonly string[]) => {
      const provisioned = await provisionedSome(lookups, settings, userIds)
      const rows = new Map<string, ProvisionedRow>(provisioned.map((row) => [row.userId, row]))
      return userIds.map((userId) => rows.get(userId))
    })

  /**
   * Looks up the user again and pushes.
   * @throws ScimFailure that affects more than this user
   */
  const pushOne = async (
    settings: ProvisioningRow,
    look: ReturnType<typeof looking>,
    request: ScimRequest,
    { userId }: Task,
  ): Promise<'pushed' | 'rejected' | 'nothing' | ScimFailure> => {
    const row = await look(userId)
    if (row === undefined) return 'nothing'
    const { wanted, digest } = intentOf(row, settings)
    const action = outOfPlace(digest, row)
    if (action === null || signal.aborted) return 'nothing'
    const { applicationId, generation } = settings
    const account = { applicationId, userId, generation }
    const retry = timing.retry(row.attempts + 1)
    if (wanted === 'unnamed') {
      const lacks = isUnreadableAddress(row.email)
        ? "the user's name and address are unreadable because the secret key was lost"
        : 'the user has no externalId, which the mapping uses as user name'
      await store.failed(account, row, lacks, retry)
      return 'rejected'
    }
    try {
      const pushed = await push(request, row, wanted, {
        belongs: async (owner) => {
          const ownerRow = await look(owner)
          return ownerRow !== undefined && (ownerRow.wanted || ownerRow.active)
        },
        intend: (userName) => store.intend({ account, userName }),
      })
      const report = reportOf(settings, row, pushed)
      const userName = wanted?.userName ?? null
      const number = await store.done({ account, pushed, userName, digest, report })
      if (report !== null) await tell(applicationId, { userId, number, report })
      return 'pushed'
    } catch (error) {
      if (!(error instanceof ScimFailure)) throw error
      if (!concernsOne(error) && !mayConcernOne(error)) throw error
      await store.failed(account, row, error.message, retry)
      return concernsOne(error) ? 'rejected' : error
    }
  }

  /** @returns the failure that blocks all users; null if there is none */
  const pushAll = async (
    settings: ProvisioningRow,
    request: ScimRequest,
    tasks: readonly Task[],
  ): Promise<ScimFailure | null> => {
    const { applicationId } = settings
    const waiting = tasks.values()
    const look = looking(settings)
    let done = 0
    let answered = false
    let inARow = 0
    let last: ScimFailure | null = null
    let stop: ScimFailure | null = null
    let shownAt = performance.now()
    const lane = async (): Promise<void> => {
      for (const task of waiting) {
        if (signal.aborted || stop !== null) return
        try {
          const outcome = await pushOne(settings, look, request, task)
          if (outcome instanceof ScimFailure) {
            last = outcome
            if (++inARow >= IN_A_ROW) stop ??= outcome
          } else if (outcome !== 'nothing') {
            answered = true
            inARow = 0
          }
        } catch (error) {
          if (!(error instanceof ScimFailure)) throw error
          stop ??= error
        }
        done++
        if (performance.now() - shownAt > PROGRESS_MS) {
          shownAt = performance.now()
          await store.progress(applicationId, tasks.length, done)
        }
      }
    }
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane))
    for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
    return stop ?? (answered ? null : last)
  }

  const end = async (
    due: DueApplication,
    { applicationId, generation }: ProvisioningRow,
    failure: ScimFailure | null,
  ): Promise<void> => {
    if (failure !== null)
      await commands.fail(applicationId, generation, asFailure(failure), failure.httpStatus)
    else if (due.failures > 0) await commands.recover(applicationId)
    const outcome: RunEnd = {
      error: failure === null ? null : `${asFailure(failure)}: ${failure.message}`,
      holdSeconds: failure?.holdSeconds ?? null,
    }
    await scrubErased(pool, due.applicationId)
    await store.end(due, outcome)
  }

  /** Syncs the accounts in an application, as far as the application is reachable. */
  return async (due: DueApplication): Promise<void> => {
    const settings = await findProvisioning(pool, due.applicationId)
    if (settings === null) return
    const { applicationId, generation, baseUrl } = settings
    await store.begin(
      due,
      generation,
      due.requested && due.requestedRun !== null ? due.requestedRun : newId('run'),
    )
    await tellAll(applicationId)
    await store.forgetErased(applicationId)
    const token = openToken(vault, settings)
    if (token === null) {
      const failure = new ScimFailure(
        'token_unreadable',
        'the saved token cannot be decrypted with the current SVC_SECRET_KEY',
      )
      await end(due, settings, failure)
      return
    }
    const now = Date.parse(await store.now())
    const { tasks, active, inSync } = await plan(settings, due.requested ? null : now)
    if (signal.aborted) return
    const healed = (await store.withErrors(applicationId)).filter((userId) => inSync.has(userId))
    if (healed.length > 0) await store.forgetErrors(applicationId, healed)
    const deactivations = tasks.filter(({ action }) => action === 'deactivate').length
    const { recent, allowed } = await store.counts(applicationId, generation)
    if (isMassDeactivation({ deactivations, active, recent, allowed })) {
      await commands.pause(applicationId, generation, deactivations, active)
      await store.end(due, { error: null, holdSeconds: null })
      return
    }
    await store.progress(applicationId, tasks.length, 0)
    const send = scimClient({ egress, baseUrl, token, now: () => Date.now(), timeout: timing.timeout })
    const request: ScimRequest = async (...args) => {
      // This process may have been suspended since it read the data that it is about to send.
      if (!surelyHeld()) throw new Error('another instance may have taken over')
      return send(...args)
    }
    const failure =
      tasks.length === 0 && due.failures > 0
        ? await probe(request).then(
            () => null,
            (error: unknown) => {
              if (error instanceof ScimFailure) return error
              throw error
            },
          )
        : await pushAll(settings, request, tasks)
    if (signal.aborted) return
    await end(due, settings, failure)
  }
}
