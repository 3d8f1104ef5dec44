import type { Change } from '../changes.ts'

/** Wrong codes that a person may type within a window, and how long none counts after the last of them. */
export interface CodeLockout {
  readonly maxAttempts: number
  readonly windowMinutes: number
  readonly lockoutMinutes: number
}

export interface OrganizationSettings {
  readonly organizationName: string
  readonly supportEmail?: string
  readonly sessionLifetimeMinutes: number
  /** Minutes without use after which a session is over; as long as it lasts where it is absent. */
  readonly sessionIdleMinutes?: number
  /** The same for people who hold a role; the shorter of the two counts. */
  readonly administratorIdleMinutes: number
  readonly inviteLifetimeHours: number
  /** How long a link to sign in by e-mail is good for. */
  readonly magicLinkMinutes: number
  readonly codeLockout: CodeLockout
  /** Days that an API key made from now on may be good for at most; any number where it is absent. */
  readonly apiKeyMaxDays?: number
  /** Roles count only in sessions that were opened with a passkey or security key. */
  readonly requireStrongForAdmins: boolean
}

export type OrganizationEvent = { type: 'organization.updated'; data: { changes: readonly Change[] } }
