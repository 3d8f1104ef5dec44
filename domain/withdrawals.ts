import type { EventType } from './catalogue.ts'

/** Events that take something away: whoever asked for one is not told of success before it is in force everywhere. */
const types: ReadonlySet<EventType> = new Set<EventType>([
  'user.suspended',
  'user.deleted',
  'user.erased',
  'user.updated',
  'user.email_changed',
  'user.roles_changed',
  'user.method_removed',
  'user.methods_reset',
  'user.sessions_revoked',
  'user.recovery_codes_generated',
  'user.locked_out',
  'user.linked_account_removed',
  'group.rule_changed',
  'group.deleted',
  'membership.withdrawn',
  'membership.expiry_changed',
  'application.updated',
  'application.group_unassigned',
  'application.api_granted',
  'application.api_grant_withdrawn',
  'application.secret_expiry_changed',
  'application.secret_revoked',
  'application.disabled',
  'application.deleted',
  'api_resource.updated',
  'api_resource.deleted',
  'device.untrusted',
  'device.blocked',
  'device.removed',
  'method_settings.updated',
  'webhook.updated',
  'webhook.paused',
  'webhook.deleted',
  'service_account.roles_changed',
  'service_account.disabled',
  'service_account.deleted',
  'api_key.revoked',
  'provisioning.disabled',
  'provisioning.removed',
  'session.reauthenticated',
  'session.ended',
  'grant.revoked',
  'grant.all_revoked',
])

export const takesAway = (type: EventType): boolean => types.has(type)

/** Events after which the members that groups have by rule may be others. */
const ruleTypes: ReadonlySet<EventType> = new Set<EventType>([
  'user.invited',
  'user.updated',
  'user.email_changed',
  'user.suspended',
  'user.reactivated',
  'group.created',
  'group.rule_changed',
])

export const movesRuleMembers = (type: EventType): boolean => ruleTypes.has(type)

/** Events after which the audit trail no longer knows a name. */
export const forgetsNames = (type: EventType): boolean => type === 'user.erased'
