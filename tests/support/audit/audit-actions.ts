import { expect } from 'chai'
import { eventTypes } from '../../../domain/webhook/event-types.ts'

/** Every action that can appear in the audit trail. Webhook receivers match on them: names are added, never renamed. */
export const auditActions: readonly string[] = `
user.invite user.invite.resend user.enroll user.update user.email.change user.email.verify user.suspend user.reactivate user.delete user.erase user.roles.update user.unlock user.lockout user.lockout.expire user.methods.reset user.import
method.add method.remove method.rename method.settings.update recovery_codes.generate linked_account.add linked_account.remove
group.create group.update group.delete group.rule.update group.member.add group.member.remove group.member.expire
application.create application.update application.delete application.enable application.disable application.group.assign application.group.unassign application.secret.create application.secret.rotate application.secret.revoke application.saml.update application.api_grant.update application.logo.update application.logo.delete
session.end session.revoke session.revoke_all token.revoke token.reuse_detected
service_account.create service_account.update service_account.enable service_account.disable service_account.delete service_account.roles.update service_account.ssh_host_names.update api_key.create api_key.revoke api_key.expire
access_package.create access_package.update access_package.publish access_package.archive access_package.delete access_package.assign access_package.unassign access_package.assignment.expire access_package.assignment.extend access_package.assignment.start
access_request.create access_request.approve access_request.deny access_request.cancel access_request.expire access_request.deliver access_request.fail access_request.stage.open access_request.reassign access_request.remind access_request.schedule access_request.retry
access_review.create access_review.update access_review.start access_review.decide access_review.reassign access_review.complete access_review.apply access_review.cancel access_review.delete access_review.open access_review.remind access_review.item.apply access_review.item.fail access_review.finish
lifecycle_rule.create lifecycle_rule.update lifecycle_rule.enable lifecycle_rule.disable lifecycle_rule.delete lifecycle_rule.run lifecycle_rule.action.fail lifecycle_rule.pause lifecycle_rule.run.skip lifecycle_rule.email.send
policy.create policy.update policy.enable policy.disable policy.report_only policy.delete network_zone.create network_zone.update network_zone.delete
device.register device.update device.trust device.untrust device.block device.unblock device.remove risk_event.detect risk_event.dismiss risk_event.confirm risk_event.remediate
shared_signals_stream.create shared_signals_stream.update shared_signals_stream.status.update shared_signals_stream.delete
identity_provider.create identity_provider.update identity_provider.enable identity_provider.disable identity_provider.delete
api_resource.create api_resource.update api_resource.delete api_resource.scope.add api_resource.scope.remove
scim.user.create scim.user.update scim.user.suspend scim.user.reactivate scim.user.delete scim.group.create scim.group.update scim.group.delete scim.group.member.add scim.group.member.remove
provisioning.configure provisioning.enable provisioning.disable provisioning.sync provisioning.user.create provisioning.user.update provisioning.user.deactivate provisioning.fail provisioning.recover
webhook.create webhook.update webhook.pause webhook.resume webhook.delete webhook.test webhook.delivery.fail webhook.delivery.retry
ssh.certificate.issue ssh.certificate.revoke ssh.host_certificate.issue ssh.host_certificate.revoke ssh.mapping.create ssh.mapping.update ssh.mapping.delete ssh.ca.rotate ssh.ca.retire ssh.ca.revoke device_login.approve device_login.deny
domain.add domain.verify domain.verify.fail domain.remove organization.update branding.update branding.logo.update branding.logo.delete
signing_key.rotate signing_key.retire saml.certificate.create saml.certificate.rotate saml.certificate.delete
export.create export.download audit.verify audit.checkpoint system.bootstrap system.secret_key.rotate system.secret_key.lose system.migrate system.dev_session.create
`
  .trim()
  .split(/\s+/)

/** Every kind of target that an audit event can have. */
export const targetTypes: readonly string[] = `
user group application client_secret session access_package access_request access_review lifecycle_rule policy
network_zone method device risk_event service_account api_key identity_provider webhook api_resource ssh_principal_mapping
ssh_certificate ssh_host_certificate ssh_authority_key domain export organization signing_key saml_certificate provisioning audit shared_signals_stream
`
  .trim()
  .split(/\s+/)

/** Every action that the events of this release can have. */
export const catalogueActions: readonly string[] = eventTypes.filter((type) => !type.startsWith('sign_in.'))

/** Actions of background work and of other sign-in methods. A separate test covers them and records exactly these. */
export const actionsDrivenBeside: readonly string[] = `
webhook.create webhook.update webhook.pause webhook.resume webhook.test webhook.delivery.fail webhook.delivery.retry webhook.delete
device.remove linked_account.add linked_account.remove method.settings.update recovery_codes.generate
system.dev_session.create
user.email.verify user.lockout user.lockout.expire user.unlock risk_event.detect risk_event.remediate group.member.expire signing_key.retire ssh.ca.retire
`
  .trim()
  .split(/\s+/)

const exceptions: readonly (readonly [actions: RegExp, reason: string])[] = [
  [/^system\.secret_key\./, 'done at the terminal while no service runs; has its own tests'],
  [/^audit\.checkpoint$/, 'sent only to webhooks; has its own tests'],
  [/^(service_account|api_key)\./, 'covered by the tests of API keys'],
  [
    /^shared_signals_stream\./,
    'covered by the tests of shared signals, whose requests are not part of the JSON API',
  ],
  [
    /^access_(package\.assignment\.(start|expire)|request\.(expire|remind|retry))$/,
    'the clock causes them, or follows a failure; covered by the tests of access requests',
  ],
  [/^access_review\./, 'covered by the tests of access reviews, most of whose steps the clock causes'],
  [
    /^lifecycle_rule\.(pause|run\.skip|email\.send|action\.fail)$/,
    'the rules cause them; covered by the tests of lifecycle rules',
  ],
  [/^(scim|provisioning)\./, 'covered by the tests of SCIM, whose requests are not part of the JSON API'],
]

/** Whether an action is covered by a test other than the one of the routes. */
export const isDrivenElsewhere = (action: string): boolean =>
  actionsDrivenBeside.includes(action) || exceptions.some(([actions]) => actions.test(action))

/** Checks that apply to every entry, whatever its action. */
export const expectWellFormed = (entry: Readonly<Record<string, unknown>>, what: string): void => {
  expect(entry['time']).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  expect(targetTypes, what).to.include(entry['targetType'])
  expect(entry['summary'], what).not.to.match(/somebody|undefined|null|[a-z]{3}_0/)
  expect(entry['outcome']).to.equal(entry['action'] === 'device_login.deny' ? 'denied' : 'success')
  expect(entry['userAgent'], what).to.equal(entry['actorId'] === null ? null : 'node')
  expect(entry['correlationId']).to.have.length.greaterThan(10)
  expect(entry['actorId'] === null, what).to.equal(entry['actorName'] === null)
}
