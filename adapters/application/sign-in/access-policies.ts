/**
 * Evaluates access policies for a user and a session. Entrances, refresh tokens, simulation and tests on past sign-ins
 * share the pure evaluation in `domain/policy`.
 */
import { DomainError, type ErrorCode } from '../../../domain/errors.ts'
import {
  decidingRisk,
  evaluatePolicies,
  type PolicyFacts,
  type PolicyOutcome,
} from '../../../domain/policy/evaluate.ts'
import { highestLevel, highestRisk } from '../../../domain/risk/detect.ts'
import type { RiskType, SignInRisk } from '../../../domain/risk/events.ts'
import type { SignInMethod } from '../../../domain/session/events.ts'
import type { SignInDecision } from '../../../domain/sign-in/events.ts'
import type { Instant } from '../../../domain/time.ts'
import { openRisksOf, type PolicyState } from '../../../read-models/queries/policy-state.ts'
import { deviceTraits } from '../../kernel/device-name.ts'
import type { Configuration } from '../services/configuration.ts'
import type { Services } from '../services/services.ts'

/** A user with the session that they use, or are about to start. */
export interface PolicySubject extends PolicyState {
  readonly methods: readonly SignInMethod[]
  /** Time of the last sign-in */
  readonly authTime: Instant
  /** Its risk */
  readonly risk: PolicyFacts['risk']
}

export interface PolicyOrigin {
  readonly ip: string | null
  readonly userAgent: string | null
}

type Refused = Exclude<PolicyOutcome, 'allow'>

const codes: Readonly<Record<Refused, ErrorCode>> = {
  block: 'ERR_BLOCKED_BY_POLICY',
  require_strong: 'ERR_STRONGER_AUTH_REQUIRED',
  require_reauth: 'ERR_REAUTH_REQUIRED',
}

/** How the sign-in event names the outcome. */
export const refusalReasons = {
  block: 'blocked_by_policy',
  require_strong: 'stronger_auth_required',
  require_reauth: 'reauth_required',
} as const satisfies Record<Refused, string>

/** A policy does not allow a sign-in, or not yet. */
export class PolicyRefusal extends DomainError {
  readonly decision: SignInDecision
  readonly outcome: Refused
  /** The risk that made a policy decide; null if it was none, or is unknown */
  readonly risk: RiskType | null

  constructor(outcome: Refused, decision: SignInDecision, risk: RiskType | null = null) {
    super(codes[outcome])
    this.decision = decision
    this.outcome = outcome
    this.risk = risk
  }
}

/** @throws PolicyRefusal unless policies allow it */
export const mustBeAllowed = (decision: SignInDecision): void => {
  if (decision.outcome !== 'allow') throw new PolicyRefusal(decision.outcome, decision)
}

const secondsBetween = (from: Instant, to: Instant): number =>
  Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 1000))

/** Finds the risk that a user is shown when a policy requires another sign-in. */
export const riskReasons =
  ({ pool, clock }: Pick<Services, 'pool' | 'clock'>) =>
  /**
   * @param risks of the sign-in itself
   * @returns null if no policy about risk took part in the decision
   */
  async (
    { policies }: Pick<Configuration, 'policies'>,
    decision: SignInDecision,
    userId: string,
    risks: readonly Pick<SignInRisk, 'riskType' | 'level'>[] = [],
  ): Promise<RiskType | null> => {
    const least = decidingRisk(policies, decision)
    if (least === null) return null
    const own = highestRisk(risks, least)
    return own ?? highestRisk(await openRisksOf(pool, userId, clock.now()), least)
  }

export const accessPolicies = ({ clock }: Pick<Services, 'clock'>) => {
  /** @param applicationId null: the account pages, the console and the API */
  const factsOf = (
    configuration: Pick<Configuration, 'policyGroups' | 'zonesAt'>,
    {
      heldRoles,
      policyGroupIds,
      deviceStatus,
      userRisk,
      isBreakGlass,
      methods,
      authTime,
      risk,
    }: PolicySubject,
    applicationId: string | null,
    { ip, userAgent }: PolicyOrigin,
  ): PolicyFacts => {
    const zones = configuration.zonesAt(ip)
    return {
      applicationId,
      groupIds: policyGroupIds.filter((id) => configuration.policyGroups.has(id)),
      roles: heldRoles,
      zoneIds: zones.map(({ id }) => id),
      isBreakGlass,
      isBlockedZone: zones.some(({ blocked }) => blocked),
      device: deviceStatus === 'trusted' || deviceStatus === 'registered' ? deviceStatus : 'unregistered',
      platform: deviceTraits(userAgent).platform,
      risk: highestLevel([risk, userRisk]),
      methods,
      authAge: secondsBetween(authTime, clock.now()),
    }
  }
  return {
    factsOf,

    /**
     * Decides whether a user may open an application.
     * @param configuration at least as recent as the subject's data
     */
    decide: (
      configuration: Pick<Configuration, 'policies' | 'policyGroups' | 'position' | 'zonesAt'>,
      subject: PolicySubject,
      applicationId: string | null,
      origin: PolicyOrigin,
    ): SignInDecision => {
      const facts = factsOf(configuration, subject, applicationId, origin)
      return { ...evaluatePolicies(configuration.policies, facts), facts, position: configuration.position }
    },
  }
}

export type AccessPolicies = ReturnType<typeof accessPolicies>
