import { expect } from 'chai'
import { takesAway } from '../../domain/consequences.ts'
import {
  MAX_POLICIES,
  noConditions,
  policyDecider,
  policyStream,
  type PolicyCommand,
  type PolicyGuard,
} from '../../domain/policy/decider.ts'
import type { Policy } from '../../domain/policy/evaluate.ts'
import type { PolicyEvent, PolicyFields, PolicyStatus } from '../../domain/policy/events.ts'
import type { PolicyAdministrator } from '../../domain/policy/lock-out.ts'
import { retentionOf } from '../../domain/retention.ts'
import { given } from '../support/domain/given.ts'
import { facts, policy as policyWith } from '../support/domain/policies.ts'
import { id } from '../support/fixed.ts'

const policyId = id('policy')
const fields: PolicyFields = {
  name: 'Office only',
  priority: 0,
  conditions: { ...noConditions, zones: { include: 'any', exclude: ['office'] } },
  action: 'block',
}
const root: PolicyAdministrator = {
  roles: ['global_admin'],
  groupIds: ['admins'],
  methods: ['passkey'],
  isBreakGlass: false,
}
const guard: PolicyGuard = { others: [], administrators: [root], here: null, force: false }

const created = (status: PolicyStatus = 'disabled'): PolicyEvent => ({
  type: 'policy.created',
  data: { policyId, status, ...fields },
})
const updated = (field: string, from: unknown, to: unknown): PolicyEvent => ({
  type: 'policy.updated',
  data: { policyId, changes: [{ field, from, to }] },
})
const statusChanged = (status: PolicyStatus): PolicyEvent => ({
  type: 'policy.status_changed',
  data: { policyId, status },
})
const deleted: PolicyEvent = { type: 'policy.deleted', data: { policyId } }

const create = (differences: Partial<Extract<PolicyCommand, { type: 'create' }>> = {}): PolicyCommand => ({
  ...{ type: 'create', policyId, fields, status: 'disabled', guard },
  ...differences,
})
const update = (
  changes: Readonly<Record<string, unknown>>,
  status?: PolicyStatus,
  guarded: PolicyGuard = guard,
): PolicyCommand => ({
  ...{ type: 'update', policyId, fields: changes, guard: guarded },
  ...(status === undefined ? {} : { status }),
})

const policy = (...past: readonly PolicyEvent[]) => given(policyDecider, ...past)

/** An enabled policy of this kind, with the same guard. */
const enabling = (
  kind: Partial<Omit<Policy, 'conditions'>> & Parameters<typeof policyWith>[0],
  guarded: Partial<PolicyGuard> = {},
): PolicyCommand => {
  const { id: _, version: __, status: ___, ...rest } = policyWith(kind)
  return create({ fields: rest, status: 'enabled', guard: { ...guard, ...guarded } })
}

const administrators = (...all: readonly Partial<PolicyAdministrator>[]) => ({
  administrators: all.map((each) => ({ ...root, ...each })),
})

describe('A policy', () => {
  it('EVT-01 has its own stream, kept permanently, and every change is in effect before it is reported', () => {
    expect(policyStream(policyId)).to.equal(`policy-${policyId}`)
    expect(retentionOf('policy')).to.equal('permanent')
    expect(takesAway('policy.status_changed')).to.equal(true)
  })

  it('SGN-06 is created, changed and deleted', () => {
    policy().when(create()).then(created())
    policy(created()).when(create()).refuses('ERR_CONFLICT')
    policy(created())
      .when(update({ name: 'Office' }))
      .then(updated('name', 'Office only', 'Office'))
    policy(created())
      .when(update({ name: 'Office only' }))
      .changesNothing()
    policy(created())
      .when(update({ name: 'Office' }, 'report_only'))
      .then(updated('name', 'Office only', 'Office'), statusChanged('report_only'))
    policy(created('enabled')).when(update({}, 'enabled')).changesNothing()
    policy(created(), statusChanged('enabled')).when(update({}, 'disabled')).then(statusChanged('disabled'))
    policy(created()).when({ type: 'delete', policyId }).then(deleted)
    for (const command of [update({ name: 'Office' }), { type: 'delete', policyId } as const])
      policy(created(), deleted).when(command).refuses('ERR_NOT_FOUND')
    policy()
      .when(update({ name: 'Office' }))
      .refuses('ERR_NOT_FOUND')
  })

  it('SGN-06 is limited in number', () => {
    const others = Array.from({ length: MAX_POLICIES }, (_, n) =>
      policyWith({ id: id('policy', n + 2), status: 'disabled' }),
    )
    policy()
      .when(create({ guard: { ...guard, others } }))
      .refuses('ERR_CONFLICT', /1000 policies/)
  })

  describe('does not lock out every global administrator:', () => {
    const refused = (command: PolicyCommand): void => {
      policy()
        .when(command)
        .refuses('ERR_CONFLICT', /every global administrator/)
      const forced = { ...command, guard: { ...guard, force: true } } as PolicyCommand
      policy()
        .when(forced)
        .then({
          type: 'policy.created',
          data: { policyId, status: 'enabled', ...(forced as never as { fields: PolicyFields }).fields },
        })
    }
    const accepted = (command: PolicyCommand): void => {
      const { fields: sent } = command as Extract<PolicyCommand, { type: 'create' }>
      policy()
        .when(command)
        .then({ type: 'policy.created', data: { policyId, status: 'enabled', ...sent } })
    }

    it('SGN-06 a block of everyone is refused, unless it excludes one of them', () => {
      refused(enabling({ action: 'block' }))
      const sparing = { conditions: { users: { include: 'all' as const, exclude: ['admins'], roles: [] } } }
      accepted(enabling({ action: 'block', ...sparing }))
      refused(enabling({ action: 'block', ...sparing }, administrators({ groupIds: [] })))
      accepted(enabling({ action: 'block', ...sparing }, administrators({ groupIds: [] }, {})))
    })

    it('SGN-06 an exception for circumstances in which they can sign in is enough', () => {
      for (const conditions of [
        { zones: { include: 'any' as const, exclude: ['office'] } },
        { zones: { include: ['abroad'], exclude: [] } },
        { devices: 'unregistered' as const },
        { platforms: ['windows' as const] },
        { riskAtLeast: 'low' as const },
        { methods: ['magic_link' as const] },
        { applications: { include: 'all' as const, exclude: ['portal'] } },
      ])
        accepted(enabling({ action: 'block', conditions }))
      refused(enabling({ action: 'block', conditions: { methods: ['passkey'] } }))
    })

    it('SGN-06 a passkey requirement is refused while none of them has one', () => {
      accepted(enabling({ action: 'require_strong' }))
      refused(enabling({ action: 'require_strong' }, administrators({ methods: ['authenticator_code'] })))
      accepted(
        enabling(
          { action: 'require_strong' },
          administrators({ methods: ['authenticator_code'] }, { methods: ['security_key'] }),
        ),
      )
    })

    it('SGN-06 two policies are refused that together leave no way', () => {
      const inside = policyWith({
        id: id('policy', 2),
        conditions: { zones: { include: ['office'], exclude: [] } },
      })
      refused(
        enabling({ conditions: { zones: { include: 'any', exclude: ['office'] } } }, { others: [inside] }),
      )
    })

    it('SGN-06 a change and an enablement are checked like a new policy', () => {
      const everyone = { conditions: noConditions }
      policy(created('enabled'))
        .when(update(everyone))
        .refuses('ERR_CONFLICT', /every global/)
      policy(created('disabled'))
        .when(update(everyone))
        .then(updated('conditions', fields.conditions, noConditions))
      policy(created('disabled'), updated('conditions', fields.conditions, noConditions))
        .when(update({}, 'enabled'))
        .refuses('ERR_CONFLICT', /every global/)
      policy(created('disabled'), updated('conditions', fields.conditions, noConditions))
        .when(update({}, 'report_only'))
        .then(statusChanged('report_only'))
    })

    it('SGN-06 one that would block the session that saves it is refused', () => {
      const here = facts({ zoneIds: [], roles: ['global_admin'] })
      policy()
        .when(create({ status: 'enabled', guard: { ...guard, here } }))
        .refuses('ERR_CONFLICT', /your own session/)
      policy()
        .when(create({ status: 'enabled', guard: { ...guard, here: facts({ zoneIds: ['office'] }) } }))
        .then(created('enabled'))
    })
  })
})
