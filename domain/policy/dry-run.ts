/**
 * What a policy would have done to past sign-ins: each is decided again, with the policies of its time and the draft,
 * on the facts that were recorded with it.
 */
import type { SignInDecision } from '../sign-in/events.ts'
import type { Instant } from '../time.ts'
import {
  compilePolicy,
  evaluatePolicies,
  groupsNamedBy,
  type CompiledPolicy,
  type Policy,
  type PolicyFacts,
  type PolicyOutcome,
} from './evaluate.ts'

/** A policy as it was between two log positions. */
export interface PastPolicy {
  readonly policy: Policy
  readonly fromPosition: string
  /** Null for the current version */
  readonly toPosition: string | null
}

/** A recorded sign-in attempt. */
export interface PastSignIn {
  readonly id: string
  readonly time: Instant
  readonly userId: string | null
  readonly appId: string | null
  /** Null for an erased user */
  readonly ip: string | null
  readonly decision: SignInDecision
}

/** What was true of a user at a time, beyond the recorded facts. */
export interface PastFacts {
  readonly isMember: (userId: string, groupId: string, time: Instant) => boolean
  /**
   * Network zones that were created after a log position and contain an address now. The recorded facts cannot name
   * them.
   */
  readonly laterZonesAt: (ip: string, position: string) => readonly string[]
  /** Whether any zone was created after a position */
  readonly hasLaterZones: (position: string) => boolean
}

/** Returns the network zones that a policy names. */
export const zonesNamedBy = ({ conditions: { zones } }: Policy): readonly string[] => [
  ...(zones.include === 'any' ? [] : zones.include),
  ...zones.exclude,
]

/** How the draft changes a decision. */
export type DryRunChange = 'newlyBlocked' | 'newlyStepUp' | 'newlyAllowed'

export interface DryRunSample {
  readonly signInId: string
  readonly time: Instant
  readonly userId: string | null
  readonly appId: string | null
  readonly was: PolicyOutcome
  readonly now: PolicyOutcome
}

type Counts = Record<DryRunChange, number> & { evaluated: number }

/** Plain data, so that an interrupted run can continue from it. */
export interface DryRunTally extends Counts {
  /** Sign-ins that today's evaluation does not decide as recorded, without the draft: 0 unless there is a bug */
  mismatches: number
  /** Sign-ins without an address, evaluated as in none of the zones that were created later */
  withoutNetwork: number
  /** By day in UTC */
  readonly days: Record<string, Counts>
  /** Changed decisions by id; '' stands for the account pages */
  readonly users: Record<string, number>
  readonly applications: Record<string, number>
  readonly samples: DryRunSample[]
}

const MAX_SAMPLES = 100

const noCounts = (): Counts => ({ evaluated: 0, newlyBlocked: 0, newlyStepUp: 0, newlyAllowed: 0 })

export const emptyTally = (): DryRunTally => ({
  ...noCounts(),
  mismatches: 0,
  withoutNetwork: 0,
  days: {},
  users: {},
  applications: {},
  samples: [],
})

/** Returns how an outcome differs; null if it is the same. */
export const changeOf = (was: PolicyOutcome, now: PolicyOutcome): DryRunChange | null => {
  if (was === now) return null
  if (now === 'block') return 'newlyBlocked'
  return now === 'allow' ? 'newlyAllowed' : 'newlyStepUp'
}

interface PoliciesThen {
  readonly named: ReadonlySet<string>
  readonly without: readonly CompiledPolicy[]
  readonly withDraft: readonly CompiledPolicy[]
}

const add = (counts: Record<string, number>, key: string): void => {
  counts[key] = (counts[key] ?? 0) + 1
}

/**
 * Evaluates a draft on past sign-ins.
 * @param history all versions of all policies
 * @param tally where to add the results
 */
export const dryRun = (
  draft: Policy,
  history: readonly PastPolicy[],
  { isMember, laterZonesAt, hasLaterZones }: PastFacts,
  tally: DryRunTally,
) => {
  const draftGroups = groupsNamedBy([draft])
  const compiledDraft = compilePolicy(draft)
  const known = new Map<string, PoliciesThen>()

  const policiesAt = (position: string): PoliciesThen => {
    const cached = known.get(position)
    if (cached !== undefined) return cached
    const then = history
      .filter(
        ({ fromPosition, toPosition }) =>
          fromPosition <= position && (toPosition === null || toPosition > position),
      )
      .map(({ policy }) => policy)
    const policies = {
      named: new Set(groupsNamedBy(then)),
      without: then.map(compilePolicy),
      withDraft: [...then.filter(({ id }) => id !== draft.id).map(compilePolicy), compiledDraft],
    }
    known.set(position, policies)
    return policies
  }

  /** The recorded groups are those that policies named then, the recorded zones those that existed. */
  const factsFor = (
    { userId, time, ip, decision: { facts, position } }: PastSignIn,
    named: ReadonlySet<string>,
  ): PolicyFacts => {
    const groups =
      userId === null ? [] : draftGroups.filter((group) => !named.has(group) && isMember(userId, group, time))
    const zones = ip === null ? [] : laterZonesAt(ip, position)
    if (ip === null && hasLaterZones(position)) tally.withoutNetwork += 1
    if (groups.length === 0 && zones.length === 0) return facts
    return {
      ...facts,
      groupIds: [...facts.groupIds, ...groups],
      zoneIds: [...facts.zoneIds, ...zones],
    }
  }

  return {
    add: (signIn: PastSignIn): void => {
      const { id, time, userId, appId, decision } = signIn
      const { named, without, withDraft } = policiesAt(decision.position)
      const was = decision.outcome
      if (evaluatePolicies(without, decision.facts).outcome !== was) tally.mismatches += 1
      const now = evaluatePolicies(withDraft, factsFor(signIn, named)).outcome
      const day = (tally.days[time.slice(0, 10)] ??= noCounts())
      tally.evaluated += 1
      day.evaluated += 1
      const change = changeOf(was, now)
      if (change === null) return
      tally[change] += 1
      day[change] += 1
      if (userId !== null) add(tally.users, userId)
      add(tally.applications, appId ?? '')
      if (tally.samples.length < MAX_SAMPLES)
        tally.samples.push({ signInId: id, time, userId, appId, was, now })
    },
  }
}
