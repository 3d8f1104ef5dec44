/**
 * Evaluates access policies: all matching policies apply, in no order. A block beats everything; requirements add up;
 * without a match, the sign-in is allowed.
 */
import type { DevicePlatform } from '../device/events.ts'
import type { MethodType } from '../method-settings/events.ts'
import type { RiskLevel } from '../risk/events.ts'
import type { Role } from '../roles.ts'
import type { SignInMethod } from '../session/events.ts'
import { proofOf } from '../session/proof.ts'
import {
  PORTAL,
  type DeviceCondition,
  type PolicyAction,
  type PolicyFields,
  type PolicyStatus,
} from './events.ts'

/** A version of a policy. */
export interface Policy extends PolicyFields {
  readonly id: string
  readonly version: number
  readonly status: PolicyStatus
}

/** What a decision is made from. */
export interface PolicyFacts {
  /** Null: the account pages, the console or the JSON API; `ssh`: an SSH certificate */
  readonly applicationId: string | null
  readonly groupIds: readonly string[]
  readonly roles: readonly Role[]
  /** Network zones of the address */
  readonly zoneIds: readonly string[]
  /** Whether one of them is blocked, which policies cannot change */
  readonly isBlockedZone: boolean
  /** Whether the user is the break-glass account, to which no policy applies */
  readonly isBreakGlass: boolean
  readonly device: 'registered' | 'trusted' | 'unregistered'
  readonly platform: DevicePlatform
  readonly risk: RiskLevel | 'none'
  /** The methods of the session */
  readonly methods: readonly SignInMethod[]
  /** Seconds since the last sign-in of the session */
  readonly authAge: number
}

export type PolicyOutcome = 'allow' | 'block' | 'require_strong' | 'require_reauth'

/** A policy that matched. */
export interface MatchedPolicy {
  readonly policyId: string
  readonly version: number
  readonly status: Exclude<PolicyStatus, 'disabled'>
  readonly action: PolicyAction
}

export interface PolicyDecision {
  readonly outcome: PolicyOutcome
  /** The outcome if policies in report-only mode were enabled */
  readonly wouldBe: PolicyOutcome
  /** By id */
  readonly matched: readonly MatchedPolicy[]
}

/** The maximum age of a sign-in for `require_reauth` without its own. */
export const REAUTH_MINUTES = 10

const riskRanks: Readonly<Record<RiskLevel | 'none', number>> = { none: 0, low: 1, medium: 2, high: 3 }

const methodsOf: Readonly<Record<MethodType, SignInMethod>> = {
  passkey: 'passkey',
  security_key: 'security_key',
  authenticator_code: 'authenticator_code',
  recovery_codes: 'recovery_code',
  magic_link: 'magic_link',
  identity_provider: 'identity_provider',
}

/** The conditions of a policy, those that are evaluated fastest first. */
export const conditionNames = [
  'devices',
  'platforms',
  'risk',
  'methods',
  'roles',
  'applications',
  'zones',
  'users',
] as const
export type ConditionName = (typeof conditionNames)[number]

/** The user, and what they open. */
type Who = Pick<PolicyFacts, 'applicationId' | 'groupIds' | 'roles'>

type Conditions = Readonly<
  Record<'users' | 'roles' | 'applications', (who: Who) => boolean> &
    Record<Exclude<ConditionName, 'users' | 'roles' | 'applications'>, (facts: PolicyFacts) => boolean>
>

/** A policy that is ready for evaluation. */
export interface CompiledPolicy {
  readonly policy: Policy
  readonly conditions: Conditions
  /** Those that do not hold for every sign-in */
  readonly narrowing: readonly ((facts: PolicyFacts) => boolean)[]
}

const always = (): boolean => true

/** Without allocations: this runs for every policy at every entrance. */
const meets = (values: readonly string[], set: ReadonlySet<string>): boolean => {
  for (const value of values) if (set.has(value)) return true
  return false
}

const selection = <Facts>(
  include: 'all' | 'any' | readonly string[],
  exclude: readonly string[],
  of: (facts: Facts) => readonly string[],
): ((facts: Facts) => boolean) => {
  const excluded = new Set(exclude)
  const included = typeof include === 'string' ? null : new Set(include)
  if (included === null) return excluded.size === 0 ? always : (facts) => !meets(of(facts), excluded)
  return (facts) => meets(of(facts), included) && !meets(of(facts), excluded)
}

const application = (
  include: 'all' | readonly string[],
  exclude: readonly string[],
): ((who: Who) => boolean) => {
  const excluded = new Set(exclude)
  const included = include === 'all' ? null : new Set(include)
  if (included === null && excluded.size === 0) return always
  return ({ applicationId }) => {
    const id = applicationId ?? PORTAL
    return !excluded.has(id) && (included === null || included.has(id))
  }
}

const oneOf = <Facts>(wanted: readonly string[], of: (facts: Facts) => readonly string[]) => {
  if (wanted.length === 0) return always
  const set = new Set(wanted)
  return (facts: Facts): boolean => meets(of(facts), set)
}

const devicesThat = (condition: DeviceCondition): ((facts: PolicyFacts) => boolean) => {
  if (condition === 'any') return always
  return condition === 'registered'
    ? ({ device }) => device !== 'unregistered'
    : ({ device }) => device === condition
}

export const compilePolicy = (policy: Policy): CompiledPolicy => {
  const { users, applications, zones, devices, platforms, riskAtLeast, methods } = policy.conditions
  const platformSet = new Set(platforms)
  const conditions: Conditions = {
    devices: devicesThat(devices),
    platforms: platforms.length === 0 ? always : ({ platform }) => platformSet.has(platform),
    risk: riskAtLeast === null ? always : ({ risk }) => riskRanks[risk] >= riskRanks[riskAtLeast],
    methods: oneOf(
      methods.map((type) => methodsOf[type]),
      (facts: PolicyFacts) => facts.methods,
    ),
    roles: oneOf(users.roles, ({ roles }: Who) => roles),
    applications: application(applications.include, applications.exclude),
    zones: selection(zones.include, zones.exclude, ({ zoneIds }: PolicyFacts) => zoneIds),
    users: selection(users.include, users.exclude, ({ groupIds }: Who) => groupIds),
  }
  return {
    policy,
    conditions,
    narrowing: conditionNames.map((name) => conditions[name]).filter((condition) => condition !== always),
  }
}

/** Whether each condition of a policy holds. */
export const conditionsOf = (
  { conditions }: CompiledPolicy,
  facts: PolicyFacts,
): readonly { readonly condition: ConditionName; readonly holds: boolean }[] =>
  conditionNames.map((condition) => ({ condition, holds: conditions[condition](facts) }))

/** Whether a policy is about this user and what they open, whatever the circumstances. */
export const concerns = ({ conditions }: CompiledPolicy, who: Who): boolean =>
  conditions.users(who) && conditions.roles(who) && conditions.applications(who)

const matches = ({ narrowing }: CompiledPolicy, facts: PolicyFacts): boolean => {
  for (const condition of narrowing) if (!condition(facts)) return false
  return true
}

/** The maximum age of the last sign-in that a policy requires; null for none. */
const maxAgeMinutes = ({ action, sessionMaxAgeMinutes }: Policy): number | null =>
  sessionMaxAgeMinutes ?? (action === 'require_reauth' ? REAUTH_MINUTES : null)

const outcomeOf = (
  policies: readonly Policy[],
  { isBlockedZone, methods, authAge }: PolicyFacts,
): PolicyOutcome => {
  if (isBlockedZone || policies.some(({ action }) => action === 'block')) return 'block'
  if (policies.some(({ action }) => action === 'require_strong') && proofOf(methods) !== 'phishing_resistant')
    return 'require_strong'
  const isTooOld = policies.some((policy) => {
    const minutes = maxAgeMinutes(policy)
    return minutes !== null && authAge > minutes * 60
  })
  return isTooOld ? 'require_reauth' : 'allow'
}

/** Decides a sign-in. Disabled policies have no effect at all. */
export const evaluatePolicies = (compiled: readonly CompiledPolicy[], facts: PolicyFacts): PolicyDecision => {
  const matched: Policy[] = []
  for (const each of facts.isBreakGlass ? [] : compiled)
    if (each.policy.status !== 'disabled' && matches(each, facts)) matched.push(each.policy)
  const enabled = matched.filter(({ status }) => status === 'enabled')
  const outcome = outcomeOf(enabled, facts)
  return {
    outcome,
    wouldBe: enabled.length === matched.length ? outcome : outcomeOf(matched, facts),
    matched: matched
      .map(({ id, version, status, action }) => ({
        policyId: id,
        version,
        status: status as MatchedPolicy['status'],
        action,
      }))
      .sort((one, other) => (one.policyId < other.policyId ? -1 : 1)),
  }
}

/** The lowest risk that made an enabled policy decide; null if the sign-in was decided whatever its risk. */
export const decidingRisk = (
  compiled: readonly CompiledPolicy[],
  { matched }: Pick<PolicyDecision, 'matched'>,
): RiskLevel | null => {
  const deciding = new Set(
    matched.filter(({ status }) => status === 'enabled').map(({ policyId }) => policyId),
  )
  const levels = compiled.flatMap(({ policy: { id, conditions } }) =>
    deciding.has(id) && conditions.riskAtLeast !== null ? [conditions.riskAtLeast] : [],
  )
  return levels.sort((one, other) => riskRanks[one] - riskRanks[other])[0] ?? null
}

/** The groups that any of these policies names: only they matter in the facts. */
export const groupsNamedBy = (policies: readonly Policy[]): readonly string[] => [
  ...new Set(
    policies.flatMap(({ conditions: { users } }) => [
      ...(users.include === 'all' ? [] : users.include),
      ...users.exclude,
    ]),
  ),
]
