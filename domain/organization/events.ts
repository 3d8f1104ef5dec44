import type { Change } from '../changes.ts'

/** Wrong codes of one kind that a person may type within a window, and how long they wait after the last of them. */
export interface CodeLockout {
  readonly maxAttempts: number
  readonly windowMinutes: number
  readonly lockoutMinutes: number
}

export interface OrganizationSettings {
  readonly organizationName: string
  readonly supportEmail?: string
  readonly sessionLifetimeMinutes: number
  readonly inviteLifetimeHours: number
  readonly codeLockout: CodeLockout
}

export type OrganizationEvent = { type: 'organization.updated'; data: { changes: readonly Change[] } }
