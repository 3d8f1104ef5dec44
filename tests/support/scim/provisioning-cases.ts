import type { ProvisionedAccountEvent } from '../../../domain/provisioned-account/events.ts'
import type { ProvisioningEvent } from '../../../domain/provisioning/events.ts'
import { at, id } from '../fixed.ts'
import type { TableCase } from '../sign-in/people-cases.ts'

const applicationId = id('application')
const userId = id('user')
const attributes = { name: true, email: true, title: true, department: true }
const configured = (generation: number, baseUrl: string): ProvisioningEvent => ({
  type: 'provisioning.configured',
  data: {
    applicationId,
    baseUrl,
    authScheme: 'bearer',
    userNameAttribute: 'email',
    attributes,
    sealedToken: `sealed ${String(generation)}`,
    generation,
    changes: [],
  },
})
const first = configured(1, 'https://one.example.com/scim')
const elsewhere = configured(2, 'https://two.example.com/scim')
const enabled: ProvisioningEvent = { type: 'provisioning.enabled', data: { applicationId } }
const disabled: ProvisioningEvent = { type: 'provisioning.disabled', data: { applicationId } }
const removed: ProvisioningEvent = { type: 'provisioning.removed', data: { applicationId } }
const paused: ProvisioningEvent = {
  type: 'provisioning.paused',
  data: { applicationId, deactivations: 60, linked: 200 },
}
const resumed: ProvisioningEvent = { type: 'provisioning.resumed', data: { applicationId, allowed: 60 } }
const runId = id('run')
const whose = { applicationId, userId, generation: 1 }
const created: ProvisionedAccountEvent = {
  type: 'provisioned_account.created',
  data: { ...whose, remoteId: 'r1', adopted: false },
}
const deactivated: ProvisionedAccountEvent = { type: 'provisioned_account.deactivated', data: whose }
const updated: ProvisionedAccountEvent = {
  type: 'provisioned_account.updated',
  data: { ...whose, reactivated: true },
}
const account = { application_id: applicationId, user_id: userId, generation: 1, remote_id: 'r1' }

/** Where users are provisioned after these events, and which remote accounts the log records. */
export const provisioningCases: readonly TableCase[] = [
  [
    'provisioning',
    'set up, synced, failed and recovered',
    [
      first,
      enabled,
      { type: 'provisioning.sync_requested', data: { applicationId, runId } },
      { type: 'provisioning.failed', data: { applicationId, error: 'timeout', httpStatus: null } },
      { type: 'provisioning.recovered', data: { applicationId } },
    ],
    [
      {
        application_id: applicationId,
        status: 'configured',
        enabled: true,
        base_url: 'https://one.example.com/scim',
        sealed_token: 'sealed 1',
        auth_scheme: 'bearer',
        user_name_attribute: 'email',
        attributes,
        generation: 1,
        paused_at: null,
        paused_over: null,
        resumed_at: null,
        allowed: null,
        requested_run: runId,
        created_at: at(1),
        updated_at: at(2),
        version: 5,
      },
    ],
  ],
  [
    'provisioning',
    'a pause',
    [first, enabled, paused],
    [{ paused_at: at(3), paused_over: 60, enabled: true }],
  ],
  [
    'provisioning',
    'its end',
    [first, enabled, paused, resumed],
    [{ paused_at: null, paused_over: null, resumed_at: at(4), allowed: 60 }],
  ],
  [
    'provisioning',
    'a pause that a move ends',
    [first, enabled, paused, elsewhere],
    [
      {
        paused_at: null,
        paused_over: null,
        generation: 2,
        base_url: 'https://two.example.com/scim',
        enabled: true,
        created_at: at(1),
      },
    ],
  ],
  ['provisioning', 'disabled', [first, enabled, disabled], [{ enabled: false, updated_at: at(3) }]],
  ['provisioning', 'removal', [first, enabled, removed], [{ status: 'removed', enabled: false }]],
  [
    'provisioning',
    'set up anew',
    [first, enabled, paused, removed, elsewhere],
    [{ status: 'configured', enabled: false, paused_at: null, created_at: at(5), generation: 2 }],
  ],
  ['provisioned_accounts', 'creation', [created], [{ ...account, active: true }]],
  ['provisioned_accounts', 'deactivation', [created, deactivated], [{ ...account, active: false }]],
  ['provisioned_accounts', 'reactivation', [created, deactivated, updated], [{ ...account, active: true }]],
  [
    'provisioned_accounts',
    'erasure',
    [created, deactivated, { type: 'user.erased', data: { userId } }],
    [{ ...account, active: false, remote_id: null }],
  ],
]
