import type { Change } from '../changes.ts'

/** How many wrong codes a user can enter within a window, and how long codes are blocked after the last one. */
export interface CodeLockout {
  readonly maxAttempts: number
  readonly windowMinutes: number
  readonly lockoutMinutes: number
}

export interface OrganizationSettings {
  readonly organizationName: string
  readonly supportEmail?: string
  readonly sessionLifetimeMinutes: number
  /** Minutes without activity until a session ends; if missing, only the session lifetime applies. */
  readonly sessionIdleMinutes?: number
  /** The same for users with a role; the shorter of the two applies. */
  readonly administratorIdleMinutes: number
  readonly inviteLifetimeHours: number
  /** How long a sign-in link is valid. */
  readonly magicLinkMinutes: number
  readonly codeLockout: CodeLockout
  /** Maximum lifetime of new API keys in days; if missing, no limit */
  readonly apiKeyMaxDays?: number
  /** Roles apply only in sessions that were started with a passkey or security key. */
  readonly requireStrongForAdmins: boolean
  /** A global administrator for emergencies, to whom no access policy applies */
  readonly breakGlassUserId?: string
  /** Addresses and ranges of proxies, besides those that the operator of the service declares; in canonical form */
  readonly trustedProxies: readonly string[]
  /** Days that sign-ins are kept; a shorter time applies only after `SHORTENED_AFTER_DAYS`. */
  readonly signInEventRetentionDays: number
}

export type OrganizationEvent = { type: 'organization.updated'; data: { changes: readonly Change[] } }
