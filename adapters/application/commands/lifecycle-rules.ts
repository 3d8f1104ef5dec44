import type { Id } from '../../../domain/ids.ts'
import {
  lifecycleRuleDecider,
  lifecycleRuleStream,
  type LifecycleRuleCommand,
} from '../../../domain/lifecycle-rule/decider.ts'
import type { Authority, LifecycleRuleFields } from '../../../domain/lifecycle-rule/events.ts'
import { lifecycleRunDecider, lifecycleRunStream } from '../../../domain/lifecycle-run/decider.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Role } from '../../../domain/roles.ts'
import { missingPackages } from '../../../read-models/queries/access-packages.ts'
import { missingUsers } from '../../../read-models/queries/existence.ts'
import { findLifecycleRule } from '../../../read-models/queries/lifecycle-rules.ts'
import type { Claim } from '../../engines/postgres/reservations.ts'
import { idsFor, newId } from '../../kernel/ids.ts'
import type { Actor, Change } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { GROUP_USE, mustBeGroups, mustBeReviewers } from './references.ts'

const claimsOf = (ruleId: string, name: unknown): readonly Claim[] =>
  typeof name === 'string' ? [{ kind: 'lifecycle_rule_name', value: name, owner: ruleId }] : []

/** The id of the run of a rule for a user because of something, which therefore exists once. */
export const runIdFor = (ruleId: string, userId: string, key: string): Id<'run'> =>
  idsFor(`lifecycle|${ruleId}|${userId}|${key}`).newId('run')

const refuseMissing = (missing: readonly string[], field: string, what: string): void => {
  const [first] = missing
  if (first === undefined) return
  const name = field.split('/').at(-1) ?? field
  throw new DomainError(
    'ERR_INVALID',
    `${name}: expected ids of existing ${what}, but ${first} does not exist`,
    field,
  )
}

/** Commands on lifecycle rules. */
export const lifecycleRuleCommands = ({
  handle,
  inForce,
  locks,
  pool,
  reservations,
  clock,
}: Pick<Services, 'handle' | 'inForce' | 'locks' | 'pool' | 'reservations' | 'clock'>) => {
  const send = (command: LifecycleRuleCommand, actor: Actor) =>
    handle(lifecycleRuleDecider, lifecycleRuleStream(command.ruleId), command, actor)

  const authorityOf = ({ actorId }: Actor, roles: readonly Role[]): Authority => ({
    userId: actorId,
    isGlobalAdmin: roles.includes('global_admin'),
  })

  const mustExist = async ({ trigger, actions = [] }: Partial<LifecycleRuleFields>): Promise<void> => {
    if (trigger?.groupId !== undefined) await mustBeGroups(pool, [trigger.groupId], 'trigger/groupId')
    if (trigger?.packageId !== undefined)
      refuseMissing(await missingPackages(pool, [trigger.packageId]), '/trigger/packageId', 'access packages')
    for (const [at, action] of actions.entries()) {
      const field = `/actions/${String(at)}`
      if ('groupId' in action) await mustBeGroups(pool, [action.groupId], `actions/${String(at)}/groupId`)
      if ('packageId' in action)
        refuseMissing(
          await missingPackages(pool, [action.packageId]),
          `${field}/packageId`,
          'access packages',
        )
      if ('reviewers' in action)
        await mustBeReviewers(pool, action.reviewers, `actions/${String(at)}/reviewers`)
      if ('userIds' in action)
        refuseMissing(await missingUsers(pool, action.userIds), `${field}/userIds`, 'users')
    }
  }

  return {
    /** @throws DomainError ERR_INVALID for wrong settings and ids that do not exist, ERR_CONFLICT for a name in use */
    create: (fields: LifecycleRuleFields, enabled: boolean, roles: readonly Role[], actor: Actor) =>
      // A group must not be deleted meanwhile.
      locks.alone(GROUP_USE, async () => {
        await mustExist(fields)
        const ruleId: Id<'lifecycleRule'> = idsFor(actor.idempotencyKey).newId('lifecycleRule')
        const by = authorityOf(actor, roles)
        const { version } = await reservations.under(claimsOf(ruleId, fields.name), () =>
          send({ type: 'create', ruleId, fields, enabled, by }, actor),
        )
        return { ruleId, version }
      }),

    /** @throws DomainError as `create` does, and ERR_NOT_FOUND */
    update: (
      ruleId: string,
      fields: Readonly<Record<string, unknown>>,
      roles: readonly Role[],
      actor: Actor,
    ) =>
      locks.alone(GROUP_USE, async () => {
        await mustExist(fields)
        return reservations.under(claimsOf(ruleId, fields['name']), () =>
          send({ type: 'update', ruleId, fields, by: authorityOf(actor, roles) }, actor),
        )
      }),

    /** @throws DomainError ERR_NOT_FOUND */
    enable: (ruleId: string, roles: readonly Role[], actor: Actor) =>
      send({ type: 'enable', ruleId, by: authorityOf(actor, roles) }, actor),

    /** @throws DomainError ERR_NOT_FOUND */
    disable: (ruleId: string, actor: Actor) => send({ type: 'disable', ruleId }, actor),

    /** @throws DomainError ERR_NOT_FOUND */
    delete: (ruleId: string, actor: Actor) => send({ type: 'delete', ruleId }, actor),

    /**
     * Starts the rule for these users now, whether they match it or not, also if it is not enabled.
     * @throws DomainError ERR_NOT_FOUND, ERR_INVALID for users who do not exist
     */
    run: async (ruleId: string, userIds: readonly string[], roles: readonly Role[], actor: Actor) => {
      const rule = await findLifecycleRule(pool, ruleId)
      if (rule === null) throw new DomainError('ERR_NOT_FOUND')
      refuseMissing(await missingUsers(pool, userIds), '/userIds', 'users')
      const { actions, savedBy, enabledBy, actsOnAdministrators } = rule
      const savers = [savedBy, enabledBy].flatMap((saver) => (saver === null ? [] : [saver.id]))
      const by = authorityOf(actor, roles)
      const privileged =
        actsOnAdministrators && by.isGlobalAdmin && by.userId !== null
          ? [...new Set([...savers, by.userId])]
          : null
      const key = `manual|${actor.idempotencyKey ?? newId('run')}`
      const runIds: Id<'run'>[] = []
      const change: Change[number][] = []
      const now = clock.now()
      for (const userId of userIds) {
        const runId = runIdFor(ruleId, userId, key)
        const trigger = { type: 'manual', key, eventId: null, at: now } as const
        const run = { trigger, dueAt: now, actions, depth: 1, privilegedBy: privileged }
        const handled = await handle(
          lifecycleRunDecider,
          lifecycleRunStream(runId),
          { type: 'create', runId, ruleId, userId, run },
          actor,
          { wait: 'left_to_caller' },
        )
        runIds.push(runId)
        change.push(...handled.change)
      }
      await inForce(change)
      return runIds
    },
  }
}
