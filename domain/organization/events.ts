import type { Change } from '../changes.ts'

export interface OrganizationSettings {
  readonly organizationName: string
  readonly supportEmail?: string
  readonly sessionLifetimeMinutes: number
  readonly inviteLifetimeHours: number
}

export type OrganizationEvent = { type: 'organization.updated'; data: { changes: readonly Change[] } }
