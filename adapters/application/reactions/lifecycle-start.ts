/**
 * Starts runs of lifecycle rules. A run has one id for its rule, its user and what happened, and begins its own stream:
 * whoever starts it twice, or on two instances, starts it once.
 */
import {
  lifecycleRuleDecider,
  lifecycleRuleStream,
  privilegedBy,
} from '../../../domain/lifecycle-rule/decider.ts'
import type { LifecycleAction } from '../../../domain/lifecycle-rule/events.ts'
import { minutesLater } from '../../../domain/lifecycle-rule/instants.ts'
import { lifecycleRunDecider, lifecycleRunStream } from '../../../domain/lifecycle-run/decider.ts'
import type { RunTrigger } from '../../../domain/lifecycle-run/events.ts'
import { existingRuns, recentRuns } from '../../../read-models/queries/lifecycle-runs.ts'
import { newId } from '../../kernel/ids.ts'
import { runIdFor } from '../commands/lifecycle-rules.ts'
import type { Actor, Change } from '../services/handle.ts'
import type { Services } from '../services/services.ts'

/** Something that happened, for which a rule acts on a user. */
export interface Start {
  readonly rule: StartingRule
  readonly userId: string
  readonly trigger: RunTrigger
  readonly actions: readonly LifecycleAction[]
  readonly delayMinutes: number
  readonly privilegedBy: readonly string[] | null
  readonly depth: number
  readonly correlationId?: string
}

export interface StartingRule {
  readonly id: string
  readonly maxPerRun: number
  readonly enabledPosition: string
}

/** Who saved and enabled a rule, as a row of the read model says. */
export const privilegedByRow = (row: {
  readonly savedBy: string | null
  readonly savedAsGlobalAdmin: boolean
  readonly enabledBy: string | null
  readonly enabledAsGlobalAdmin: boolean
}): readonly string[] | null =>
  privilegedBy({
    savedBy: { userId: row.savedBy, isGlobalAdmin: row.savedAsGlobalAdmin },
    enabledBy: { userId: row.enabledBy, isGlobalAdmin: row.enabledAsGlobalAdmin },
  })

/** Seconds in which the users of a rule are counted for its safety stop. */
const GUARD_SECONDS = 3600

const system = (correlationId: string = newId('auditEvent')): Actor => ({
  actorId: null,
  actorType: 'system',
  credential: null,
  ip: null,
  correlationId,
})

export const startRuns = ({ pool, handle, clock }: Pick<Services, 'pool' | 'handle' | 'clock'>) => {
  const start = async (one: Start, runId: string): Promise<Change> => {
    const { rule, userId, trigger, actions, delayMinutes, depth, correlationId } = one
    // A missed date is caught up without the delay having been lost or added twice.
    const dueAt = minutesLater(trigger.at, delayMinutes)
    const run = { trigger, dueAt, actions, depth, privilegedBy: one.privilegedBy }
    const { change } = await handle(
      lifecycleRunDecider,
      lifecycleRunStream(runId),
      { type: 'create', runId, ruleId: rule.id, userId, run },
      { ...system(correlationId), ...(trigger.eventId === null ? {} : { causationId: trigger.eventId }) },
      { wait: 'left_to_caller' },
    )
    return change
  }

  /** Starts those of one rule, unless they are too many: then the rule is paused and none of them is started. */
  const startOf = async (rule: StartingRule, all: readonly Start[]): Promise<Change> => {
    const withIds = all.map((one) => ({ one, runId: runIdFor(rule.id, one.userId, one.trigger.key) }))
    const existing = await existingRuns(
      pool,
      withIds.map(({ runId }) => runId),
    )
    const fresh = withIds.filter(({ runId }) => !existing.has(runId))
    if (fresh.length === 0) return []
    const started = await recentRuns(pool, rule, clock.in(-GUARD_SECONDS))
    if (started + fresh.length > rule.maxPerRun) {
      const command = { type: 'pause', ruleId: rule.id, users: started + fresh.length, started } as const
      const { change } = await handle(lifecycleRuleDecider, lifecycleRuleStream(rule.id), command, system(), {
        wait: 'left_to_caller',
      })
      return change
    }
    const changes: Change[number][] = []
    for (const { one, runId } of fresh) changes.push(...(await start(one, runId)))
    return changes
  }

  /**
   * Starts runs in the given order; those of one rule together, so that its safety stop sees all.
   * @returns what the caller waits for before it starts others
   */
  return async (starts: readonly Start[]): Promise<Change> => {
    const rules = new Map<string, Start[]>()
    for (const one of starts) rules.set(one.rule.id, [...(rules.get(one.rule.id) ?? []), one])
    const changes: Change[number][] = []
    for (const some of rules.values()) {
      const [first] = some
      if (first !== undefined) changes.push(...(await startOf(first.rule, some)))
    }
    return changes
  }
}
