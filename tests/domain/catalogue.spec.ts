import { expect } from 'chai'
import { catalogue, isEventType, rowOf, type EventType } from '../../domain/catalogue.ts'
import { retentionOf } from '../../domain/retention.ts'
import { auditActions, targetTypes } from '../support/audit/audit-actions.ts'
import { corpus } from '../support/domain/corpus.ts'

const types = Object.keys(catalogue) as readonly EventType[]

/** Returns the audit action of an event with these fields added to the corpus's data. */
const actionOf = (type: EventType, fields: Readonly<Record<string, unknown>> = {}): string | null => {
  const { audit, schema } = rowOf(type)
  const data = { ...corpus.get(`${type}.v${String(schema)}.json`)?.data, ...fields }
  return typeof audit === 'function' ? audit(data) : audit
}

const summaryOf = (type: EventType, fields: Readonly<Record<string, unknown>> = {}): string => {
  const { summary, schema } = rowOf(type)
  const data = { ...corpus.get(`${type}.v${String(schema)}.json`)?.data, ...fields }
  return summary(data, { target: 'Ada', other: 'Grace' })
}

describe('The catalogue', () => {
  it('AUD-01 uses only audit actions and targets from the published lists', () => {
    for (const type of types) {
      const row = rowOf(type)
      for (const fields of [
        {},
        { resent: false },
        { rotation: false },
        { reason: 'expired' },
        { reason: 'revoked' },
      ]) {
        const action = actionOf(type, fields)
        if (action !== null) expect(auditActions, type).to.include(action)
      }
      const data = corpus.get(`${type}.v${String(row.schema)}.json`)?.data ?? {}
      // Sign-ins are a separate feed besides the audit trail.
      if (type !== 'sign_in.recorded') expect(targetTypes, type).to.include(row.target(data).type)
    }
  })

  it('EVT-01 names types as <category>.<verb_past>', () => {
    for (const type of types) expect(type).to.match(/^[a-z_]+\.[a-z_]+$/)
  })

  it('EVT-01 knows its own types and no inherited property', () => {
    expect(isEventType('user.invited')).to.equal(true)
    for (const type of ['', 'user', 'user.unheard_of', 'toString', '__proto__', 'constructor'])
      expect(isEventType(type), type).to.equal(false)
  })

  it('EVT-03 has exactly one upcast for every past version', () => {
    for (const type of types) {
      const { schema, upcast } = rowOf(type)
      expect(schema, type).to.satisfy((n: number) => Number.isInteger(n) && n >= 1)
      expect(Object.keys(upcast ?? {}), type).to.deep.equal(
        Array.from({ length: schema - 1 }, (_, i) => String(i + 1)),
      )
    }
  })

  it('EVT-01 keeps identity and governance events permanently, sign-ins and tokens for a limited time', () => {
    expect(retentionOf('session')).to.equal('sign_in')
    expect(retentionOf('grant')).to.equal('token')
    for (const category of ['user', 'group', 'membership', 'application', 'signing', 'organization'])
      expect(retentionOf(category)).to.equal('permanent')
  })

  const actions: readonly (readonly [EventType, object, string | null])[] = [
    ['user.enrollment_link_issued', { resent: true }, 'user.invite.resend'],
    ['user.enrollment_link_issued', { resent: false }, null],
    ['membership.withdrawn', { reason: 'expired' }, 'group.member.expire'],
    ['membership.withdrawn', { reason: 'removed' }, 'group.member.remove'],
    ['application.secret_created', { rotation: true }, 'application.secret.rotate'],
    ['application.secret_created', { rotation: false }, 'application.secret.create'],
    ['session.ended', { reason: 'admin_revoked' }, 'session.revoke'],
    ['session.ended', { reason: 'sign_out' }, 'session.end'],
    ['grant.revoked', { reason: 'code_reused' }, 'token.reuse_detected'],
    ['grant.revoked', { reason: 'revoked' }, 'token.revoke'],
  ]
  for (const [type, fields, action] of actions)
    it(`AUD-01 ${type} with ${JSON.stringify(fields)} has the action ${action ?? 'of another event'}`, () => {
      expect(actionOf(type, fields as Record<string, unknown>)).to.equal(action)
    })

  const sentences: readonly (readonly [EventType, object, string])[] = [
    ['user.invited', {}, 'Invited Ada'],
    ['user.roles_changed', { roles: [] }, 'Removed every role of Ada'],
    ['user.roles_changed', { roles: ['auditor'] }, 'Set the roles of Ada to auditor'],
    ['user.method_added', { methodType: 'security_key' }, 'Added a security key to Grace'],
    ['group.rule_changed', { to: null }, 'Removed the rule of the group Ada'],
    ['group.rule_changed', { to: {} }, 'Set the rule of the group Ada'],
    [
      'membership.withdrawn',
      { reason: 'rule_no_longer_matches' },
      'Removed Grace from the group Ada (rule no longer matches)',
    ],
    ['application.secret_created', { rotation: false }, 'Created a client secret of Grace'],
    ['grant.revoked', { reason: 'code_reused' }, 'Revoked the tokens of Grace at Ada: a code was used twice'],
    ['grant.revoked', { reason: 'revoked' }, 'Revoked the tokens of Grace at Ada'],
    ['session.ended', { reason: 'admin_revoked' }, 'Ended a session of Grace (admin revoked)'],
  ]
  for (const [type, fields, sentence] of sentences)
    it(`AUD-01 ${type} reads “${sentence}”`, () => {
      expect(summaryOf(type, fields as Record<string, unknown>)).to.equal(sentence)
    })
})
