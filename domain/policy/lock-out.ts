/**
 * The lock-out guard: policies must leave at least one global administrator a way into the console, whatever that way
 * requires: a certain zone, a trusted device or a platform.
 */
import type { DevicePlatform } from '../device/events.ts'
import type { MethodType } from '../method-settings/events.ts'
import type { Role } from '../roles.ts'
import type { SignInMethod } from '../session/events.ts'
import { compilePolicy, concerns, evaluatePolicies, type Policy, type PolicyFacts } from './evaluate.ts'

/** A global administrator who can sign in. */
export interface PolicyAdministrator {
  readonly roles: readonly Role[]
  readonly groupIds: readonly string[]
  /** Types of the methods that they have */
  readonly methods: readonly MethodType[]
  /** Whether no policy applies to them */
  readonly isBreakGlass: boolean
}

const platforms: readonly DevicePlatform[] = [
  'macos',
  'windows',
  'linux',
  'ios',
  'android',
  'chromeos',
  'other',
]
const devices = ['trusted', 'registered', 'unregistered'] as const

const methodOf: Readonly<Record<MethodType, SignInMethod>> = {
  passkey: 'passkey',
  security_key: 'security_key',
  authenticator_code: 'authenticator_code',
  recovery_codes: 'recovery_code',
  magic_link: 'magic_link',
  identity_provider: 'identity_provider',
}

/** The zones in which a sign-in can be, as far as these policies tell them apart: none, each by itself, all. */
const zoneSets = (policies: readonly Policy[]): readonly (readonly string[])[] => {
  const named = [
    ...new Set(
      policies.flatMap(({ conditions: { zones } }) => [
        ...(zones.include === 'any' ? [] : zones.include),
        ...zones.exclude,
      ]),
    ),
  ]
  return [[], ...named.map((id) => [id]), named]
}

/** Whether some circumstances let one of the administrators into the console. */
export const leavesAWayIn = (
  policies: readonly Policy[],
  administrators: readonly PolicyAdministrator[],
): boolean => {
  const enabled = policies.filter(({ status }) => status === 'enabled')
  const compiled = enabled.map(compilePolicy)
  return administrators.some(({ roles, groupIds, methods, isBreakGlass }) => {
    const who = { applicationId: null, groupIds, roles }
    const theirs = compiled.filter((policy) => concerns(policy, who))
    const mayEnter = (facts: PolicyFacts): boolean => evaluatePolicies(theirs, facts).outcome === 'allow'
    const zones = zoneSets(theirs.map(({ policy }) => policy))
    return methods.some((type) =>
      devices.some((device) =>
        platforms.some((platform) =>
          zones.some((zoneIds) =>
            mayEnter({
              ...who,
              zoneIds,
              device,
              platform,
              isBlockedZone: false,
              isBreakGlass,
              risk: 'none',
              methods: [methodOf[type]],
              authAge: 0,
            }),
          ),
        ),
      ),
    )
  })
}
