/**
 * Carries out the runs of lifecycle rules that are due. Each action is a command like any other, by the service itself,
 * with the run as its cause. Its events have ids of the run and the step, and each step is recorded: after an
 * interruption, any instance goes on with the first step that is not recorded, and nothing is done twice.
 */
import type { AccessReviewFields } from '../../../domain/access-review/events.ts'
import { usualReviewSchedule, usualReviewSettings } from '../../../domain/access-review/settings.ts'
import { durationAfter } from '../../../domain/duration.ts'
import { DomainError } from '../../../domain/errors.ts'
import { matchesRule } from '../../../domain/group/rule.ts'
import type { LifecycleAction } from '../../../domain/lifecycle-rule/events.ts'
import {
  isOpen,
  lifecycleRunDecider,
  lifecycleRunStream,
  type StepOutcome,
} from '../../../domain/lifecycle-run/decider.ts'
import type { SkipReason } from '../../../domain/lifecycle-run/events.ts'
import type { ActingRoles } from '../../../domain/user/decider.ts'
import { pendingRequestsOf } from '../../../read-models/queries/access-requests.ts'
import {
  dateColumn,
  lifecyclePerson,
  openAssignmentsOf,
  removableGroupsOf,
} from '../../../read-models/queries/lifecycle-people.ts'
import { areGlobalAdmins, findLifecycleRule } from '../../../read-models/queries/lifecycle-rules.ts'
import { dueRuns, type DueRun } from '../../../read-models/queries/lifecycle-runs.ts'
import { profileDateTriggers, type ProfileDateTriggerType } from '../../../domain/lifecycle-rule/events.ts'
import { findUser } from '../../../read-models/queries/users.ts'
import { accessPackageCommands } from '../commands/access-packages.ts'
import { accessRequestCommands } from '../commands/access-requests.ts'
import { accessReviewCommands } from '../commands/access-reviews.ts'
import { groupCommands } from '../commands/groups.ts'
import { someAtATime } from '../../kernel/some-at-a-time.ts'
import { userCommands, type UserServices } from '../commands/users.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'

/** Runs per pass; the next pass continues. */
const AT_ONCE = 50
const USERS_AT_ONCE = 8

const PRIVILEGED =
  'The account has an administrator role. Only a rule that global administrators saved and enabled acts on it.'

/** What may pass by itself: the step is tried again in the next pass. */
const PASSING = ['ERR_UNAVAILABLE', 'ERR_RATE_LIMITED'] as const

export const lifecycleRuns = (services: UserServices & Pick<Services, 'handleMany'>) => {
  const { pool, handle, locks, clock } = services
  const users = userCommands(services)
  const groups = groupCommands(services)
  const packages = accessPackageCommands(services)
  const requests = accessRequestCommands(services)
  const reviews = accessReviewCommands(services)

  const toRun = (
    { id: runId, ruleId, userId }: DueRun,
    command:
      | { type: 'begin'; skip: SkipReason | null }
      | { type: 'end_step'; step: number; outcome: StepOutcome },
    actor: Actor,
  ) =>
    handle(lifecycleRunDecider, lifecycleRunStream(runId), { runId, ruleId, userId, ...command }, actor, {
      wait: 'left_to_caller',
    })

  /** Why a run that is due must not begin; null if it may. */
  const reasonToSkip = async (run: DueRun): Promise<SkipReason | null> => {
    const person = await lifecyclePerson(pool, run.userId)
    if (person === null) return 'user_gone'
    if (run.isManual) return null
    const rule = await findLifecycleRule(pool, run.ruleId)
    if (rule?.status !== 'enabled') return 'rule_not_enabled'
    if (!run.isDelayed) return null
    if (rule.conditions !== null && !matchesRule(rule.conditions, person.subject)) return 'no_longer_applies'
    const { triggerType, triggerDate } = run
    if (!(profileDateTriggers as readonly string[]).includes(triggerType)) return null
    const column = dateColumn(triggerType as ProfileDateTriggerType)
    const date = column === 'start_date' ? person.startDate : person.endDate
    return date === triggerDate ? null : 'no_longer_applies'
  }

  const endPackage = async (userId: string, packageId: string | null, actor: Actor): Promise<void> => {
    for (const one of await openAssignmentsOf(pool, userId, clock.now()))
      if (packageId === null || one.packageId === packageId) await packages.end(one.packageId, one.id, actor)
  }

  const emailOf = async (
    userId: string,
    { to, userIds, subject, text }: Extract<LifecycleAction, { type: 'send_email' }>,
  ): Promise<StepOutcome> => {
    const managerId =
      to === 'manager' ? ((await findUser(pool, userId, clock.now()))?.managerId ?? null) : null
    if (to === 'manager' && managerId === null)
      return { status: 'failed', error: { code: 'ERR_NOT_FOUND', message: 'The user has no manager.' } }
    const recipientIds = managerId === null ? (to === 'users' ? userIds : [userId]) : [managerId]
    return { status: 'succeeded', email: { recipientIds, subject, text } }
  }

  /** A review of what the user has now. Each change of roles by a review needs an author, which a rule is not. */
  const reviewOf = (
    { ruleName, userId }: DueRun,
    { reviewers, durationDays }: Extract<LifecycleAction, { type: 'start_review' }>,
  ): AccessReviewFields => ({
    name: ruleName,
    scope: { type: 'user', ids: [userId] },
    stages: [reviewers],
    schedule: { ...usualReviewSchedule, startsAt: clock.now(), durationDays },
    settings: usualReviewSettings,
  })

  /** Makes it so; nothing happens if it is so already. @throws DomainError as the commands do */
  const perform = async (
    run: DueRun,
    action: LifecycleAction,
    by: ActingRoles,
    actor: Actor,
  ): Promise<StepOutcome> => {
    const { ruleId, ruleName, userId } = run
    const status = (await findUser(pool, userId, clock.now()))?.status ?? 'deleted'
    switch (action.type) {
      case 'add_to_group':
        await groups.addMember(action.groupId, userId, undefined, actor, {
          via: 'lifecycle',
          sourceId: ruleId,
        })
        break
      case 'remove_from_group':
        await groups.removeMember(action.groupId, userId, actor).catch((error: unknown) => {
          if (!(error instanceof DomainError && error.code === 'ERR_NOT_FOUND')) throw error
        })
        break
      case 'remove_from_all_groups':
        for (const groupId of await removableGroupsOf(pool, userId))
          await groups.removeMember(groupId, userId, actor).catch((error: unknown) => {
            if (!(error instanceof DomainError && error.code === 'ERR_NOT_FOUND')) throw error
          })
        break
      case 'assign_package': {
        const { packageId, duration } = action
        const open = await openAssignmentsOf(pool, userId, clock.now())
        if (open.some((one) => one.packageId === packageId)) break
        const expiresAt = duration === undefined ? undefined : durationAfter(clock.now(), duration)
        await packages.assign(packageId, userId, expiresAt, actor, 'lifecycle')
        break
      }
      case 'remove_package':
        await endPackage(userId, action.packageId, actor)
        break
      case 'remove_all_packages':
        await endPackage(userId, null, actor)
        break
      case 'cancel_requests':
        for (const id of await pendingRequestsOf(pool, [userId]))
          await requests.cancel(id, { userId, roles: ['user_admin'] }, actor)
        break
      case 'suspend':
        if (status !== 'suspended') await users.suspend(userId, `Lifecycle rule ${ruleName}`, by, actor)
        break
      case 'reactivate':
        if (status === 'suspended') await users.reactivate(userId, by, actor)
        break
      case 'delete':
        if (status !== 'deleted') await users.delete(userId, by, actor)
        break
      case 'end_sessions':
      case 'revoke_tokens':
        await users.revokeSessions(userId, by, actor)
        break
      case 'reset_methods':
        await users.resetMethods(userId, by, actor)
        break
      case 'send_email':
        return emailOf(userId, action)
      case 'start_review':
        await reviews.create(reviewOf(run, action), [], actor)
        break
    }
    return { status: 'succeeded' }
  }

  const outcomeOf = async (
    run: DueRun,
    action: LifecycleAction,
    privilegedBy: readonly string[] | null,
    actor: Actor,
  ): Promise<StepOutcome> => {
    try {
      const person = await lifecyclePerson(pool, run.userId)
      const isPrivileged = privilegedBy !== null && (await areGlobalAdmins(pool, privilegedBy))
      if (!isPrivileged && person !== null && person.roles.length > 0 && action.type !== 'send_email')
        return { status: 'failed', error: { code: 'ERR_FORBIDDEN', message: PRIVILEGED } }
      // The commands decide on the roles that the account has at that moment.
      return await perform(run, action, isPrivileged ? ['global_admin'] : ['user_admin'], actor)
    } catch (error) {
      if (!(error instanceof DomainError) || (PASSING as readonly string[]).includes(error.code)) throw error
      const { code, message } = error
      return { status: 'failed', error: { code, message } }
    }
  }

  const carryOut = async (run: DueRun): Promise<void> => {
    const actor: Actor = {
      actorId: null,
      actorType: 'system',
      credential: null,
      ip: null,
      correlationId: run.id,
      causationId: run.id,
    }
    let { state, change } = await toRun(run, { type: 'begin', skip: await reasonToSkip(run) }, actor)
    while (isOpen(state)) {
      const step = state.steps.length
      const action = state.actions[step]
      if (action === undefined) break
      const once = { ...actor, idempotencyKey: `${run.id}|${String(step)}` }
      const outcome = await outcomeOf(run, action, state.privilegedBy, once)
      ;({ state, change } = await toRun(run, { type: 'end_step', step, outcome }, actor))
    }
    await services.inForce(change)
  }

  /** The runs of a user one after the other. Returns what stopped the last of those that could not go on. */
  const carryOutAll = async (runs: readonly DueRun[]): Promise<readonly unknown[]> => {
    const errors: unknown[] = []
    for (const run of runs)
      try {
        await carryOut(run)
      } catch (error) {
        errors.push(error)
      }
    return errors
  }

  /** @throws what stopped one of the runs that could not go on; the others are carried out */
  return (): Promise<void> =>
    // One instance at a time, so that the runs of a user keep their order.
    locks.alone('lifecycle-runs', async () => {
      const byUser = new Map<string, DueRun[]>()
      for (const run of await dueRuns(pool, clock.now(), AT_ONCE))
        byUser.set(run.userId, [...(byUser.get(run.userId) ?? []), run])
      const errors = (await someAtATime([...byUser.values()], USERS_AT_ONCE, carryOutAll)).flat()
      if (errors.length > 0) throw errors[0]
    })
}
