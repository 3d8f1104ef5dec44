import type { Change } from '../changes.ts'
import type { DevicePlatform } from '../device/events.ts'
import type { RiskLevel } from '../risk/events.ts'
import type { Role } from '../roles.ts'
import type { MethodType } from '../method-settings/events.ts'

/** What a policy does with a sign-in that it matches. */
export type PolicyAction = 'allow' | 'block' | 'require_strong' | 'require_reauth'

/** `report_only`: its result is recorded and has no effect. */
export type PolicyStatus = 'enabled' | 'disabled' | 'report_only'

/** Stands for the account pages, the console and the JSON API in the list of applications of a policy. */
export const PORTAL = 'portal'

/** Stands for SSH certificates in the list of applications of a policy. */
export const SSH = 'ssh'

/** What the list of applications of a policy can name besides applications. */
export const ownApplications = [PORTAL, SSH] as const
export type OwnApplication = (typeof ownApplications)[number]

export const isOwnApplication = (id: string): id is OwnApplication =>
  ownApplications.some((own) => own === id)

/** `registered`: known, trusted or not. `unregistered`: the first sign-in of the user with that browser. */
export type DeviceCondition = 'any' | 'registered' | 'trusted' | 'unregistered'

/** All conditions must hold. */
export interface PolicyConditions {
  readonly users: {
    readonly include: 'all' | readonly string[]
    readonly exclude: readonly string[]
    /** Only users with one of these roles; if empty, with or without roles */
    readonly roles: readonly Role[]
  }
  /** Ids of applications, `portal` or `ssh` */
  readonly applications: { readonly include: 'all' | readonly string[]; readonly exclude: readonly string[] }
  readonly zones: { readonly include: 'any' | readonly string[]; readonly exclude: readonly string[] }
  readonly devices: DeviceCondition
  /** If empty, every platform */
  readonly platforms: readonly DevicePlatform[]
  /** Null: every level, also none */
  readonly riskAtLeast: RiskLevel | null
  /** If empty, every method */
  readonly methods: readonly MethodType[]
}

export interface PolicyFields {
  readonly name: string
  readonly description?: string
  /** For the order of lists only: policies have no order. */
  readonly priority: number
  readonly conditions: PolicyConditions
  readonly action: PolicyAction
  /** Requires that the last sign-in is not older, whatever the action. */
  readonly sessionMaxAgeMinutes?: number
}

export type PolicyEvent =
  | { type: 'policy.created'; data: { policyId: string; status: PolicyStatus } & PolicyFields }
  | { type: 'policy.updated'; data: { policyId: string; changes: readonly Change[] } }
  | { type: 'policy.status_changed'; data: { policyId: string; status: PolicyStatus } }
  | { type: 'policy.deleted'; data: { policyId: string } }
