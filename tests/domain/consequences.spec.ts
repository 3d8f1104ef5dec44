import { expect } from 'chai'
import { ocsfActions } from '../../domain/audit/ocsf-actions.ts'
import type { Consequences } from '../../domain/catalogue-row.ts'
import { catalogue, rowOf, type EventType } from '../../domain/catalogue.ts'
import {
  causesEmail,
  configurationTypes,
  deliversAccess,
  endsSessions,
  forgetsNames,
  marksProvisioning,
  movesPackageAccess,
  movesRuleMembers,
  takesAway,
} from '../../domain/consequences.ts'

const types = Object.keys(catalogue) as readonly EventType[]

const listed = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Commands report success for these only once they are in effect everywhere. */
const taking = listed(`
user.suspended user.deleted user.erased user.updated user.email_changed user.roles_changed user.method_removed
user.methods_reset user.sessions_revoked user.recovery_codes_generated user.locked_out user.linked_account_removed
group.rule_changed group.deleted membership.withdrawn membership.expiry_changed
application.updated application.group_unassigned application.api_granted application.api_grant_withdrawn
application.secret_expiry_changed application.secret_revoked application.disabled application.deleted
api_resource.updated api_resource.deleted device.untrusted device.blocked device.removed method_settings.updated
policy.created policy.updated policy.status_changed policy.deleted
network_zone.created network_zone.updated network_zone.deleted
webhook.updated webhook.paused webhook.deleted
service_account.roles_changed service_account.ssh_host_names_changed service_account.disabled service_account.deleted api_key.revoked
provisioning.disabled provisioning.removed session.reauthenticated session.ended grant.revoked grant.all_revoked
risk_event.confirmed_compromised domain.lost domain.deleted
identity_provider.updated identity_provider.disabled identity_provider.deleted
access_package.updated package_assignment.extended package_assignment.ended
ssh_principal_mapping.updated ssh_principal_mapping.deleted ssh_certificate.revoked
ssh_authority_key.revoked ssh_host_certificate.revoked
`)

const sets: readonly (readonly [
  what: string,
  is: (type: EventType) => boolean,
  expected: readonly string[],
])[] = [
  ['remove access', takesAway, taking],
  [
    'end sessions',
    endsSessions,
    listed(`session.ended user.suspended user.deleted user.methods_reset user.method_removed user.sessions_revoked
      user.linked_account_removed device.blocked device.removed risk_event.confirmed_compromised`),
  ],
  [
    'may change memberships by rule',
    movesRuleMembers,
    listed(`user.invited user.updated user.email_changed user.suspended user.reactivated
      group.created group.rule_changed`),
  ],
  [
    'deliver access packages',
    deliversAccess,
    listed(`access_package.updated package_assignment.granted package_assignment.started package_assignment.extended
      package_assignment.ended access_request.approved access_request.retried`),
  ],
  [
    'concern access packages',
    movesPackageAccess,
    listed(`access_package.updated package_assignment.granted package_assignment.started package_assignment.extended
      package_assignment.ended access_request.approved access_request.retried
      user.enrolled user.updated user.suspended user.reactivated user.deleted user.roles_changed
      membership.granted membership.withdrawn`),
  ],
  ['make the audit trail remove names', forgetsNames, ['user.erased']],
  [
    'cause emails',
    causesEmail,
    listed(`user.enrollment_link_issued user.email_changed user.method_added user.authenticator_added
      user.method_removed user.linked_account_added user.linked_account_removed user.recovery_codes_generated
      user.recovery_code_used user.locked_out risk_event.detected
      access_request.stage_opened access_request.approvers_changed access_request.reminded
      access_request.denied access_request.expired
      access_request.scheduled access_request.delivered access_request.failed
      access_review.opened access_review.reminded
      lifecycle_rule.paused lifecycle_run.email_sent`),
  ],
  [
    'mark provisioning',
    marksProvisioning,
    listed(`user.enrolled user.updated user.email_changed user.suspended user.reactivated user.deleted user.erased
      membership.granted membership.withdrawn membership.expiry_changed group.deleted
      application.group_assigned application.group_unassigned application.enabled
      provisioning.configured provisioning.enabled provisioning.resumed`),
  ],
  [
    'change the configuration',
    (type) => configurationTypes.includes(type),
    listed(`application.created application.updated application.saml_updated application.group_assigned
      application.group_unassigned application.api_granted application.api_grant_withdrawn application.secret_created
      application.secret_expiry_changed application.secret_revoked application.disabled application.enabled
      application.deleted api_resource.created api_resource.updated api_resource.scope_added
      api_resource.scope_described api_resource.scope_removed api_resource.deleted
      signing_key.created signing_key.activated signing_key.retired
      saml_certificate.created saml_certificate.activated saml_certificate.deleted
      domain.verified domain.lost domain.deleted identity_provider.created identity_provider.updated
      identity_provider.enabled identity_provider.disabled identity_provider.deleted
      organization.updated branding.logo_updated branding.logo_deleted branding.updated
      application_logo.updated application_logo.deleted method_settings.updated
      policy.created policy.updated policy.status_changed policy.deleted
      network_zone.created network_zone.updated network_zone.deleted
      ssh_authority_key.created ssh_authority_key.activated ssh_authority_key.retired
      ssh_authority_key.revoked`),
  ],
]

describe('Consequences', () => {
  for (const [what, is, expected] of sets)
    it(`EVT-01 these events ${what}, and no others`, () => {
      expect(types.filter(is)).to.have.members(expected)
    })

  it('EVT-01 ending sessions and removing names is in effect before success is reported', () => {
    for (const type of types)
      if (endsSessions(type) || forgetsNames(type)) expect(takesAway(type), type).to.equal(true)
  })

  it('EVT-01 every row states all of them', () => {
    const members: readonly (keyof Consequences)[] = [
      'takesAway',
      'endsSessions',
      'movesRuleMembers',
      'forgetsNames',
      'emails',
      'marksProvisioning',
      'changesConfiguration',
      'movesPackageAccess',
    ]
    for (const type of types) expect(Object.keys(rowOf(type).consequences), type).to.have.members(members)
  })

  it('AUD-01 events with the same action have the same OCSF class', () => {
    for (const type of types) {
      const row = rowOf(type)
      const kinds =
        'actions' in row ? Object.entries(row.actions) : row.audit === null ? [] : [[row.audit, row.ocsf]]
      for (const [action, kind] of kinds as [string, object][])
        expect(ocsfActions[action], `${action} of ${type}`).to.deep.equal(kind)
    }
  })
})
