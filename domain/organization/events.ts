import type { Change } from '../changes.ts'

export interface OrganizationSettings {
  readonly organizationName: string
  readonly supportEmail?: string
  readonly sessionLifetimeMinutes: number
  readonly inviteLifetimeHours: number
  /** How long a link to sign in by e-mail works. */
  readonly magicLinkMinutes: number
}

export type OrganizationEvent = { type: 'organization.updated'; data: { changes: readonly Change[] } }
