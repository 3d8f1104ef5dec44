import { expect } from 'chai'
import { auditActionOf, entryOf, type AuditEntry } from '../../domain/audit/entry.ts'
import { ocsfActions, ocsfKindOf } from '../../domain/audit/ocsf-actions.ts'
import { ocsfOfEntry, ocsfOfSignIn, type SignInEntry } from '../../domain/audit/ocsf.ts'
import { rowOf, type Recorded } from '../../domain/catalogue.ts'
import { eventTypes } from '../../domain/webhook/event-types.ts'
import { auditActions, targetTypes } from '../support/audit/audit-actions.ts'
import { corpus } from '../support/domain/corpus.ts'
import { ocsfProblems } from '../support/audit/ocsf-schema.ts'

const source = { version: '1.2.3', url: 'https://id.example.com' }
const placed = {
  id: 'aud_01JZ0000000000000000000001',
  position: '0000000000000007',
  hash: 'aGFzaA==',
} as const

const plain: AuditEntry = {
  time: '2026-01-02T03:04:05.123456Z',
  actorId: 'usr_01JZ0000000000000000000001',
  actorType: 'user',
  actorName: 'Grace Admin',
  credential: { type: 'session', id: 'ses_01JZ0000000000000000000001' },
  action: 'user.invite',
  summary: 'Invited Ada',
  targetType: 'user',
  targetId: 'usr_01JZ0000000000000000000007',
  target: 'Ada',
  otherId: null,
  other: null,
  ip: '192.0.2.17',
  userAgent: 'curl/8.7.1',
  correlationId: '018f5e2a-1111-7000-8000-000000000012',
  causationId: null,
  changes: [],
  outcome: 'success',
}
const ocsfOf = (fields: Partial<AuditEntry>) => ocsfOfEntry({ ...plain, ...placed, ...fields }, source)

/** The audit entries of every frozen event in its current shape. */
const entries = [...corpus.values()].flatMap((frozen) => {
  if (frozen.metadata.schema !== rowOf(frozen.type).schema) return []
  const event = { ...frozen, revision: 0, position: placed.position } as unknown as Recorded
  const action = auditActionOf(event)
  return action === null ? [] : [entryOf(event, action, { actor: 'Grace', target: 'Ada', other: 'Staff' })]
})

describe('OCSF', () => {
  it('AUD-01 every action in the catalogue has a class and an activity', () => {
    const ours = eventTypes.filter((type) => !type.startsWith('sign_in.'))
    expect(ours.length).to.be.greaterThan(60)
    for (const action of new Set([...ours, ...auditActions]))
      for (const targetType of targetTypes) {
        const about = { action, targetType, otherId: 'grp_01JZ0000000000000000000001', other: 'Staff' }
        expect(ocsfProblems(ocsfOf(about)), `${action} of ${targetType}`).to.deep.equal([])
      }
  })

  it('AUD-01 has no row for an action that cannot occur', () => {
    expect(Object.keys(ocsfActions).filter((action) => !auditActions.includes(action))).to.deep.equal([])
  })

  it('AUD-01 the class of an action does not depend on its version', () => {
    for (const action of ['thing.create', 'thing.part.remove', 'thing.frobnicate', 'x'])
      expect(ocsfProblems(ocsfOf({ action, targetType: 'thing' })), action).to.deep.equal([])
    expect(ocsfKindOf('thing.create')).to.include({ class: 'entity', activity: 'Create' })
    expect(ocsfKindOf('thing.frobnicate')).to.include({ class: 'entity', activity: 'Update' })
  })

  it('AUD-01 every frozen event matches the schema, also without a name, address or browser', () => {
    expect(entries.length).to.be.greaterThan(50)
    for (const entry of entries) {
      for (const fields of [
        {},
        { actorId: null, actorName: null },
        { ip: null, userAgent: null },
        { other: null },
      ])
        expect(ocsfProblems(ocsfOf({ ...entry, ...fields })), entry.action).to.deep.equal([])
    }
  })

  it('AUD-01 an event contains actor, action, target, time, origin, and our entry’s id', () => {
    expect(ocsfOf({})).to.deep.equal({
      category_uid: 3,
      category_name: 'Identity & Access Management',
      class_uid: 3001,
      class_name: 'Account Change',
      activity_id: 1,
      activity_name: 'Create',
      type_uid: 300101,
      type_name: 'Account Change: Create',
      severity_id: 1,
      severity: 'Informational',
      status_id: 1,
      status: 'Success',
      time: 1767323045123,
      message: 'Invited Ada',
      metadata: {
        version: '1.8.0',
        uid: placed.id,
        event_code: 'user.invite',
        correlation_uid: plain.correlationId,
        log_name: 'audit',
        original_time: plain.time,
        product: {
          name: 'Identity service',
          vendor_name: 'Identity service',
          version: '1.2.3',
          url_string: 'https://id.example.com',
        },
      },
      actor: {
        user: { uid: plain.actorId, name: 'Grace Admin', type: 'User', type_id: 1 },
        session: { uid: 'ses_01JZ0000000000000000000001' },
      },
      src_endpoint: { ip: '192.0.2.17' },
      http_request: { user_agent: 'curl/8.7.1' },
      user: { uid: plain.targetId, name: 'Ada', type: 'User', type_id: 1 },
      unmapped: {
        actorType: 'user',
        credential: plain.credential,
        targetType: 'user',
        targetId: plain.targetId,
        target: 'Ada',
        otherId: null,
        outcome: 'success',
        changes: [],
        causationId: null,
        position: placed.position,
        hash: placed.hash,
      },
    })
  })

  it('AUD-01 distinguishes the service, service accounts and their keys from users', () => {
    expect(ocsfOf({ actorId: null, actorName: null, actorType: 'system' })['actor']).to.deep.equal({
      app_name: 'Identity service',
      user: { name: 'Identity service', type: 'System', type_id: 3 },
    })
    const key = { type: 'api_key', id: 'key_01JZ0000000000000000000001' }
    expect(ocsfOf({ actorType: 'service_account', credential: key })['actor']).to.deep.equal({
      user: { uid: plain.actorId, name: 'Grace Admin', type: 'Service', type_id: 4, credential_uid: key.id },
    })
  })

  it('AUD-01 only removing roles is the activity Revoke Privileges', () => {
    const roles = (from: string[], to: string[]) =>
      ocsfOf({ action: 'user.roles.update', changes: [{ field: 'roles', from, to }] })
    expect(roles(['auditor'], ['auditor', 'app_admin'])).to.include({ type_uid: 300501 })
    expect(roles(['auditor'], ['auditor', 'app_admin'])['privileges']).to.deep.equal(['app_admin'])
    expect(roles(['auditor', 'app_admin'], ['auditor'])).to.include({
      type_uid: 300502,
      type_name: 'User Access Management: Revoke Privileges',
    })
    expect(roles(['auditor', 'app_admin'], ['auditor'])['privileges']).to.deep.equal(['app_admin'])
  })

  it('AUD-01 a membership names the group and the user', () => {
    const about = { targetType: 'group', targetId: 'grp_1', target: 'Staff', otherId: 'usr_2', other: 'Ada' }
    expect(ocsfOf({ action: 'group.member.remove', ...about })).to.deep.include({
      type_uid: 300604,
      group: { uid: 'grp_1', name: 'Staff' },
      user: { uid: 'usr_2', name: 'Ada', type: 'User', type_id: 1 },
    })
  })

  it('AUD-01 rejections and failures have the status Failure', () => {
    const status = (fields: Partial<AuditEntry>) => ocsfOf(fields)['status']
    expect(status({ action: 'device_login.deny', outcome: 'denied' })).to.equal('Failure')
    expect(status({ action: 'webhook.delivery.fail', targetType: 'webhook' })).to.equal('Failure')
    expect(status({ action: 'user.lockout' })).to.equal('Success')
  })

  const attempt: SignInEntry = {
    id: 'evt_01JZ0000000000000000000001',
    time: '2026-01-02T03:04:05.123456Z',
    userId: plain.targetId,
    email: 'ada@example.com',
    appId: null,
    result: 'success',
    method: 'passkey',
    identityProviderId: null,
    ip: '192.0.2.17',
    location: null,
    device: 'Firefox on Linux',
    deviceId: null,
    userAgent: 'Mozilla/5.0',
    risk: 'none',
    reason: null,
    sessionId: null,
    amr: ['hwk', 'user', 'mfa'],
    correlationId: plain.correlationId,
  }

  it('AUD-01 a sign-in attempt is a logon: successful, failed or unfinished', () => {
    const good = ocsfOfSignIn(attempt, source)
    expect(ocsfProblems(good)).to.deep.equal([])
    expect(good).to.deep.include({
      type_uid: 300201,
      status: 'Success',
      is_mfa: true,
      auth_factors: [{ factor_type_id: 10, factor_type: 'WebAuthn' }],
      message: 'Signed in',
    })
    const failure = {
      ...attempt,
      result: 'failure',
      reason: 'bad_code',
      method: 'authenticator_code',
      amr: [],
    } as const
    expect(ocsfOfSignIn(failure, source)).to.include({
      status: 'Failure',
      status_code: 'bad_code',
      severity: 'Low',
      message: 'Failed to sign in: bad code',
    })
    for (const nobody of [
      { userId: null },
      { userId: null, email: null },
      { ip: null, userAgent: null, method: null },
    ])
      expect(ocsfProblems(ocsfOfSignIn({ ...failure, ...nobody }, source))).to.deep.equal([])
    expect(ocsfOfSignIn({ ...attempt, result: 'interrupted', reason: 'cancelled' }, source)).to.include({
      status: 'Other',
      status_id: 99,
    })
  })
})
