import { expect } from 'chai'
import { groupDecider, groupStream, type GroupCommand } from '../../domain/group/decider.ts'
import type { GroupEvent } from '../../domain/group/events.ts'
import type { GroupRule } from '../../domain/group/rule.ts'
import { id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const groupId = id('group')
const fields = { name: 'Engineering', ownerIds: [id('user')] }
const rule: GroupRule = {
  match: 'all',
  conditions: [{ attribute: 'department', operator: 'eq', value: 'Engines' }],
}
const empty: GroupRule = { match: 'all', conditions: [] }
const created: GroupEvent = {
  type: 'group.created',
  data: { groupId, ...fields, rule: null, source: 'local' },
}
const ruled: GroupEvent = { type: 'group.rule_changed', data: { groupId, from: null, to: rule } }
const deleted: GroupEvent = { type: 'group.deleted', data: { groupId } }

const create: GroupCommand = { type: 'create', groupId, fields, rule: null, source: 'local' }
const update = (fields: Readonly<Record<string, unknown>>, rule?: GroupRule | null): GroupCommand => ({
  type: 'update',
  groupId,
  fields,
  ...(rule === undefined ? {} : { rule }),
})
const remove: GroupCommand = { type: 'delete', groupId, usedBy: [] }

const group = (...past: readonly GroupEvent[]) => given(groupDecider, ...past)

describe('A group', () => {
  it('ID-01 has its own stream', () => {
    expect(groupStream(groupId)).to.equal(`group-${groupId}`)
  })

  it('API-01 is created, with or without a rule', () => {
    group().when(create).then(created)
    const all = { ...fields, description: 'Builds', externalId: 'x' }
    group()
      .when({ ...create, fields: all, rule, source: 'scim' })
      .then({ type: 'group.created', data: { groupId, ...all, rule, source: 'scim' } })
    const state = groupDecider.evolve(groupDecider.initial, {
      type: 'group.created',
      data: { groupId, ...all, rule, source: 'scim' },
    })
    expect(state).to.deep.equal({ status: 'exists', fields: { ...all, source: 'scim' }, rule })
  })

  it('SCIM-01 is taken over by the directory that gives it its external id', () => {
    const takeOver = update({ externalId: 'dir-1', source: 'scim' })
    const taken: GroupEvent = {
      type: 'group.updated',
      data: {
        groupId,
        changes: [
          { field: 'externalId', from: null, to: 'dir-1' },
          { field: 'source', from: 'local', to: 'scim' },
        ],
      },
    }
    group(created).when(takeOver).then(taken)
    group(created, taken).when(takeOver).changesNothing()
  })

  it('API-05 is not created with an invalid rule', () => {
    group()
      .when({ ...create, rule: empty })
      .refuses('ERR_INVALID', /at least one condition/, '/rule/conditions')
  })

  it('API-04 is created once', () => {
    group(created).when(create).refuses('ERR_CONFLICT')
    group(created, deleted).when(create).refuses('ERR_CONFLICT')
  })

  for (const command of [update({ name: 'X' }), remove])
    it(`API-04 ${command.type} is rejected if there is no such group`, () => {
      group().when(command).refuses('ERR_NOT_FOUND')
      group(created, deleted).when(command).refuses('ERR_NOT_FOUND')
    })

  it('API-03 changes only what differs', () => {
    group(created)
      .when(update({ name: 'Engines', description: 'New', ownerIds: fields.ownerIds, externalId: null }))
      .then({
        type: 'group.updated',
        data: {
          groupId,
          changes: [
            { field: 'name', from: 'Engineering', to: 'Engines' },
            { field: 'description', from: null, to: 'New' },
          ],
        },
      })
    group(created)
      .when(update({ ...fields }))
      .changesNothing()
  })

  it('OIDC-18 sets, replaces and removes the rule', () => {
    group(created).when(update({}, rule)).then(ruled)
    group(created, ruled)
      .when(update({}, null))
      .then({ type: 'group.rule_changed', data: { groupId, from: rule, to: null } })
    group(created, ruled)
      .when(update({}, { ...rule, match: 'any' }))
      .then({ type: 'group.rule_changed', data: { groupId, from: rule, to: { ...rule, match: 'any' } } })
  })

  it('OIDC-18 the same rule changes nothing, whatever the order of its members', () => {
    group(created, ruled)
      .when(
        update(
          {},
          { conditions: [{ value: 'Engines', operator: 'eq', attribute: 'department' }], match: 'all' },
        ),
      )
      .changesNothing()
    group(created).when(update({}, null)).changesNothing()
  })

  it('API-03 changes fields and rule together, and neither if the rule is rejected', () => {
    group(created)
      .when(update({ name: 'Engines' }, rule))
      .then(
        {
          type: 'group.updated',
          data: { groupId, changes: [{ field: 'name', from: 'Engineering', to: 'Engines' }] },
        },
        ruled,
      )
    group(created)
      .when(update({ name: 'Engines' }, empty))
      .refuses('ERR_INVALID', null, '/rule/conditions')
  })

  it('API-04 is deleted unless in use; the error names what uses it', () => {
    group(created).when(remove).then(deleted)
    group(created)
      .when({ ...remove, usedBy: ['Payroll', 'Wiki'] })
      .refuses('ERR_CONFLICT', /in use by Payroll, Wiki/)
  })
})
