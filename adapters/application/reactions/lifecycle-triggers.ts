/**
 * Starts lifecycle rules when something happens. Whether a rule applies is decided on what the log says at the position
 * of the event: the rule, the user and the group as they were then. A batch that is processed again decides the same,
 * and a rule ignores what happened before it was enabled.
 */
import { isId } from '../../../domain/ids.ts'
import { matchesRule, type RuleSubject } from '../../../domain/group/rule.ts'
import {
  lifecycleRuleDecider,
  lifecycleRuleStream,
  privilegedBy,
  type LifecycleRuleState,
} from '../../../domain/lifecycle-rule/decider.ts'
import { lifecycleRunDecider, lifecycleRunStream } from '../../../domain/lifecycle-run/decider.ts'
import {
  canTrigger,
  isTriggeredBy,
  isTriggering,
  triggerOf,
  type TriggeringEvent,
} from '../../../domain/lifecycle-run/triggers.ts'
import type { DomainEvent, Recorded } from '../../../domain/catalogue.ts'
import type { Decider } from '../../../domain/decider.ts'
import { membershipDecider, membershipStream } from '../../../domain/membership/decider.ts'
import { userDecider, userStream } from '../../../domain/user/decider.ts'
import type { UserState } from '../../../domain/user/state.ts'
import { enabledRules, type EnabledRule } from '../../../read-models/queries/lifecycle-rules.ts'
import type { EventLog } from '../../engines/event-log/event-log.ts'
import type { Serializer } from '../../engines/event-log/serializer.ts'
import type { WaitFor } from '../../engines/postgres/checkpoint-watch.ts'
import type { Services } from '../services/services.ts'
import { startRuns, type Start } from './lifecycle-start.ts'

export const LIFECYCLE_TRIGGERS = 'lifecycle-triggers'

/** The event types that this subscriber handles. */
export const lifecycleTriggerEvents = (type: string): boolean => canTrigger(type)

const subjectOf = ({ profile }: UserState): RuleSubject => ({ kind: 'person', ...profile })

export const lifecycleTriggers = (
  deps: Pick<Services, 'pool' | 'handle' | 'clock'> & {
    readonly eventLog: EventLog
    readonly serializer: Serializer
    readonly waitFor: WaitFor
  },
) => {
  const { pool, eventLog, serializer, waitFor } = deps
  const start = startRuns(deps)

  const projected = async (position: string): Promise<void> => {
    // The subscriber retries instead of waiting in a loop, so that it notices a shutdown.
    if (!(await waitFor('core', position))) throw new Error('the read models lag behind')
  }

  /** The state that the events of a stream up to a position result in. */
  const stateAt = async <State, Event extends DomainEvent>(
    decider: Decider<State, never, Event>,
    stream: string,
    position: string,
  ): Promise<State> => {
    const stored = (await eventLog.readStream(stream)).filter((event) => event.position <= position)
    const events = (await serializer.open(stored, { withOrigin: false })) as readonly Recorded<Event>[]
    return events.reduce<State>((state, event) => decider.evolve(state, event), decider.initial)
  }

  /** One more than the depth of the run that caused an event, however indirectly; 1 if none did. */
  const depthAfter = async ({ metadata, position }: Recorded): Promise<number> => {
    const runId = [metadata.causationId, metadata.correlationId].find(
      (id): id is string => id !== null && isId('run', id),
    )
    if (runId === undefined) return 1
    return (await stateAt(lifecycleRunDecider, lifecycleRunStream(runId), position)).depth + 1
  }

  /** Whether a membership begins or ends with the event: not while the user has the group from another source. */
  const changesMembership = async (event: TriggeringEvent): Promise<boolean> => {
    if (event.type !== 'membership.granted' && event.type !== 'membership.withdrawn') return true
    const { groupId, userId, via, sourceId } = event.data
    const { sources } = await stateAt(membershipDecider, membershipStream(groupId, userId), event.position)
    return !sources.some(
      (source) =>
        !(source.via === via && source.sourceId === sourceId) &&
        (source.expiresAt === null || source.expiresAt > event.metadata.time),
    )
  }

  const startsOf = async (
    event: TriggeringEvent,
    rules: readonly EnabledRule[],
    ruleAt: (rule: EnabledRule, position: string) => Promise<LifecycleRuleState>,
  ): Promise<readonly Start[]> => {
    const { position, metadata } = event
    const enabled = rules.filter(({ enabledPosition }) => enabledPosition < position)
    const states: (readonly [EnabledRule, LifecycleRuleState])[] = []
    for (const rule of enabled) {
      const state = await ruleAt(rule, position)
      if (isTriggeredBy(state.fields.trigger, event)) states.push([rule, state])
    }
    if (states.length === 0 || !(await changesMembership(event))) return []
    const { userId } = event.data
    const user = await stateAt(userDecider, userStream(userId), position)
    if (user.status === 'none' || user.status === 'deleted' || user.erased) return []
    const matching = states.filter(
      ([, { fields }]) => fields.conditions === undefined || matchesRule(fields.conditions, subjectOf(user)),
    )
    if (matching.length === 0) return []
    const depth = await depthAfter(event)
    return matching.map(([rule, state]): Start => ({
      rule,
      userId,
      trigger: { type: triggerOf(event), key: event.id, eventId: event.id, at: metadata.time },
      actions: state.fields.actions,
      delayMinutes: state.fields.delayMinutes,
      privilegedBy: privilegedBy(state),
      depth,
      correlationId: metadata.correlationId,
    }))
  }

  return async (batch: {
    readonly events: readonly Recorded[]
    readonly position: string
  }): Promise<void> => {
    const events = batch.events.filter(isTriggering)
    if (events.length === 0) return
    await projected(batch.position)
    const rules = await enabledRules(pool)
    if (rules.length === 0) return
    const states = new Map<string, Promise<LifecycleRuleState>>()
    const ruleAt = ({ id, enabledPosition }: EnabledRule, position: string): Promise<LifecycleRuleState> => {
      const key = `${id}|${enabledPosition}|${position}`
      const known = states.get(key)
      if (known !== undefined) return known
      const read = stateAt(lifecycleRuleDecider, lifecycleRuleStream(id), position)
      states.set(key, read)
      return read
    }
    const starts: Start[] = []
    for (const event of events) starts.push(...(await startsOf(event, rules, ruleAt)))
    const change = await start(starts)
    const last = change.reduce((latest, { position }) => (position > latest ? position : latest), '')
    if (last !== '') await projected(last)
  }
}
