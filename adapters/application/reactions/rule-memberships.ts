/**
 * Keeps memberships by rule up to date when users or rules change. Each change is recorded like any other membership,
 * so the history needs no re-evaluation of rules.
 */
import type pg from 'pg'
import { isEventType, type Recorded } from '../../../domain/catalogue.ts'
import { movesRuleMembers, movesRuleMembersAs } from '../../../domain/consequences.ts'
import { matchesRule } from '../../../domain/group/rule.ts'
import {
  membershipDecider,
  membershipStream,
  type MembershipCommand,
} from '../../../domain/membership/decider.ts'
import {
  ruleCandidates,
  ruleCandidatesAfter,
  ruleGroups,
  ruleMembershipsOf,
  type RuleCandidate,
  type RuleGroup,
} from '../../../read-models/queries/rules.ts'
import type { Clock } from '../../kernel/clock.ts'
import { someAtATime } from '../../kernel/some-at-a-time.ts'
import type { Actor, Handle } from '../services/handle.ts'
import type { WaitFor } from '../../engines/postgres/checkpoint-watch.ts'

const PAGE = 1000
const AT_ONCE = 64

export const RULE_MEMBERSHIPS = 'rule-memberships'

/** Whether the subscriber has anything to do for an event. */
export const concernsRules = (event: Recorded): boolean => movesRuleMembers(event.type)

/** The same for the type of a stored event. */
export const ruleMembershipTypes = (type: string): boolean => isEventType(type) && movesRuleMembers(type)

/** The users and groups whose memberships by rule may have changed. */
export const movedBy = (events: readonly Recorded[]) => ({
  userIds: new Set(events.filter(movesRuleMembersAs('of_person')).map(({ data }) => data.userId)),
  groupIds: new Set(events.filter(movesRuleMembersAs('of_group')).map(({ data }) => data.groupId)),
})

export const ruleMemberships = (deps: {
  readonly pool: pg.Pool
  readonly handle: Handle
  readonly waitFor: WaitFor
  readonly clock: Clock
}) => {
  const { pool, handle, waitFor, clock } = deps

  const projected = async (position: string): Promise<void> => {
    // Rules can be evaluated only after the projection has caught up. The subscriber retries instead of
    // waiting in a loop, so that it notices a shutdown.
    if (!(await waitFor('core', position))) throw new Error('the read models lag behind')
  }

  const difference = async (
    people: readonly RuleCandidate[],
    groups: readonly RuleGroup[],
  ): Promise<readonly MembershipCommand[]> => {
    const open = await ruleMembershipsOf(
      pool,
      people.map(({ id }) => id),
    )
    const now = new Map<string, Set<string>>()
    for (const { userId, groupId } of open) now.set(userId, (now.get(userId) ?? new Set()).add(groupId))
    return people.flatMap((person) =>
      groups.flatMap(({ id: groupId, rule }): readonly MembershipCommand[] => {
        const is = now.get(person.id)?.has(groupId) ?? false
        const should = person.eligible && matchesRule(rule, person)
        if (is === should) return []
        const subject = { groupId, userId: person.id }
        return should
          ? [{ ...subject, type: 'grant', via: 'rule', now: clock.now() }]
          : [{ ...subject, type: 'withdraw', via: 'rule', reason: 'rule_no_longer_matches' }]
      }),
    )
  }

  const carryOut = async (commands: readonly MembershipCommand[], cause: Recorded): Promise<void> => {
    const actor: Actor = {
      actorId: null,
      actorType: 'system',
      credential: null,
      ip: null,
      correlationId: cause.metadata.correlationId,
      causationId: cause.id,
    }
    const results = await someAtATime(commands, AT_ONCE, (command) =>
      handle(membershipDecider, membershipStream(command.groupId, command.userId), command, actor, {
        wait: 'recorded',
      }),
    )
    let last = ''
    for (const { position } of results) if (position !== null && position > last) last = position
    if (last !== '') await projected(last)
  }

  const react = async (batch: {
    readonly events: readonly Recorded[]
    readonly position: string
  }): Promise<void> => {
    const events = batch.events.filter(concernsRules)
    const cause = events.at(-1)
    if (cause === undefined) return
    await projected(batch.position)
    const groups = await ruleGroups(pool)

    const { userIds, groupIds } = movedBy(events)

    if (userIds.size > 0 && groups.length > 0)
      await carryOut(await difference(await ruleCandidates(pool, [...userIds]), groups), cause)

    // A group without a rule has no members by rule.
    const changed = [...groupIds].map(
      (id) =>
        groups.find((group) => group.id === id) ?? { id, rule: { match: 'any' as const, conditions: [] } },
    )
    if (changed.length === 0) return
    for (let after = ''; ;) {
      const people = await ruleCandidatesAfter(pool, after, PAGE)
      await carryOut(await difference(people, changed), cause)
      const last = people.at(-1)
      if (last === undefined || people.length < PAGE) return
      after = last.id
    }
  }

  return { react }
}
