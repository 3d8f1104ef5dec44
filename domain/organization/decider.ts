import { applyChanges, changesOf } from '../changes.ts'
import { DEFAULT_SIGN_IN_DAYS } from '../retention.ts'
import { accept, type Decider, type Decision } from '../decider.ts'
import type { OrganizationEvent, OrganizationSettings } from './events.ts'

export interface OrganizationCommand {
  readonly type: 'update'
  readonly fields: Readonly<Record<string, unknown>>
}

/** The default until an administrator changes it. */
export const defaultSettings: OrganizationSettings = {
  organizationName: 'Identity service',
  sessionLifetimeMinutes: 720,
  administratorIdleMinutes: 60,
  inviteLifetimeHours: 168,
  magicLinkMinutes: 15,
  codeLockout: { maxAttempts: 5, windowMinutes: 15, lockoutMinutes: 15 },
  requireStrongForAdmins: true,
  trustedProxies: [],
  signInEventRetentionDays: DEFAULT_SIGN_IN_DAYS,
}

const evolve = (state: OrganizationSettings, { data }: OrganizationEvent): OrganizationSettings =>
  applyChanges(state, data.changes)

const decide = (
  { fields }: OrganizationCommand,
  state: OrganizationSettings,
): Decision<OrganizationEvent> => {
  const changes = changesOf(state, fields)
  return changes.length === 0 ? accept() : accept({ type: 'organization.updated', data: { changes } })
}

export const organizationDecider: Decider<OrganizationSettings, OrganizationCommand, OrganizationEvent> = {
  initial: defaultSettings,
  evolve,
  decide,
}

export const organizationStream = 'organization'
