/** What each audit action is in OCSF: one row an action, and what holds for actions without one. */
import { own } from '../own.ts'
import { access, account, authentication, entity, group, type OcsfKind } from './ocsf-classes.ts'

const low = { severity: 'Low' } as const
const medium = { severity: 'Medium' } as const
const high = { severity: 'High' } as const
const failed = { severity: 'Medium', failed: true } as const

const people = {
  update: entity('Update'),
  suspend: account('Disable', low),
  reactivate: account('Enable'),
  delete: account('Delete', low),
}

const groups = {
  create: group('Create'),
  update: entity('Update'),
  delete: group('Delete', low),
  'member.add': group('Add User'),
  'member.remove': group('Remove User'),
}

const family = (
  name: string,
  kinds: Readonly<Record<string, OcsfKind>>,
): Readonly<Record<string, OcsfKind>> =>
  Object.fromEntries(Object.entries(kinds).map(([verb, kind]) => [`${name}.${verb}`, kind]))

/** Actions whose class or activity their last word does not tell. */
export const ocsfActions: Readonly<Record<string, OcsfKind>> = {
  ...family('user', people),
  'user.invite': account('Create'),
  'user.invite.resend': account('Other'),
  'user.enroll': account('Enable'),
  'user.import': account('Create'),
  'user.erase': entity('Delete', medium),
  'user.roles.update': access('Assign Privileges', medium),
  'user.lockout': account('Lock', medium),
  'user.lockout.expire': account('Unlock'),
  'user.unlock': account('Unlock', low),
  'user.methods.reset': account('MFA Factor Disable', medium),
  'method.add': account('MFA Factor Enable'),
  'method.remove': account('MFA Factor Disable', low),
  'recovery_codes.generate': account('MFA Factor Enable'),

  ...family('group', groups),
  'group.member.expire': group('Remove User'),

  'application.group.assign': group('Assign Privileges', low),
  'application.group.unassign': group('Revoke Privileges', low),
  'application.secret.rotate': entity('Update', low),
  'application.secret.revoke': entity('Delete', low),
  'application.api_grant.update': entity('Update', low),

  'session.end': authentication('Logoff'),
  'session.revoke': authentication('Logoff', low),
  'session.revoke_all': authentication('Logoff', low),
  'token.revoke': authentication('Other'),
  'token.reuse_detected': authentication('Other', high),
  'device_login.approve': authentication('Preauth'),
  'device_login.deny': authentication('Preauth', low),
  'system.dev_session.create': authentication('Logon', high),

  ...family('service_account', {
    create: account('Create'),
    enable: account('Enable'),
    disable: account('Disable', low),
    delete: account('Delete', low),
    'roles.update': access('Assign Privileges', medium),
  }),

  'access_package.publish': entity('Activate'),
  'access_package.archive': entity('Deactivate'),
  'access_package.assign': access('Assign Privileges'),
  'access_package.unassign': access('Revoke Privileges'),
  'access_package.assignment.expire': access('Revoke Privileges'),
  'access_package.assignment.extend': access('Assign Privileges'),
  'access_request.fail': entity('Update', failed),
  'access_review.start': entity('Activate'),
  'access_review.complete': entity('Deactivate'),
  'lifecycle_rule.action.fail': entity('Other', failed),

  'device.register': entity('Enroll'),
  'device.remove': entity('Unenroll', low),
  'device.block': entity('Disable', low),
  'device.unblock': entity('Enable', low),
  'risk_event.detect': entity('Create', medium),
  'risk_event.confirm': entity('Update', high),

  ...family('scim.user', people),
  'scim.user.create': account('Create'),
  ...family('scim.group', groups),
  'provisioning.fail': entity('Other', failed),

  'webhook.test': entity('Other'),
  'webhook.delivery.fail': entity('Other', failed),
  'webhook.delivery.retry': entity('Other'),

  'domain.verify': entity('Activate'),
  'domain.verify.fail': entity('Other', failed),
  'export.download': entity('Read', low),
  'audit.verify': entity('Read'),
  'audit.checkpoint': entity('Create'),
  'system.secret_key.rotate': entity('Update', medium),
}

/** What holds for all other actions, by their last word: something that the service keeps was managed. */
const verbs: Readonly<Record<string, OcsfKind>> = {
  create: entity('Create'),
  add: entity('Create'),
  issue: entity('Create'),
  generate: entity('Create'),
  configure: entity('Update'),
  update: entity('Update'),
  change: entity('Update'),
  rename: entity('Update'),
  rotate: entity('Update', low),
  delete: entity('Delete', low),
  remove: entity('Delete', low),
  revoke: entity('Delete', low),
  expire: entity('Deactivate'),
  retire: entity('Deactivate'),
  cancel: entity('Deactivate'),
  enable: entity('Enable', low),
  disable: entity('Disable', low),
  pause: entity('Suspend'),
  suspend: entity('Suspend', low),
  resume: entity('Resume'),
  reactivate: entity('Resume'),
  fail: entity('Other', failed),
}

const changed = entity('Update')

/** What an action is in OCSF; every action is something. */
export const ocsfKindOf = (action: string): OcsfKind =>
  own(ocsfActions, action) ?? own(verbs, action.slice(action.lastIndexOf('.') + 1)) ?? changed
