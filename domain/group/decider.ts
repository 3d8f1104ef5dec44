import { applyChanges, changesOf, sameValue } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { GroupEvent, GroupSource } from './events.ts'
import { ruleProblem, type GroupRule } from './rule.ts'

interface GroupFields {
  readonly name: string
  readonly description?: string
  readonly externalId?: string
  readonly ownerIds: readonly string[]
  /** Set when a directory takes over the group by setting its external id */
  readonly source?: GroupSource
}

export interface GroupState {
  readonly status: 'none' | 'exists' | 'deleted'
  readonly fields: GroupFields
  readonly rule: GroupRule | null
}

export type GroupCommand =
  | {
      type: 'create'
      groupId: string
      fields: Omit<GroupFields, 'source'>
      rule: GroupRule | null
      source: GroupSource
    }
  | { type: 'update'; groupId: string; fields: Readonly<Record<string, unknown>>; rule?: GroupRule | null }
  /** `usedBy`: names of resources that still refer to the group. */
  | { type: 'delete'; groupId: string; usedBy: readonly string[] }

const initial: GroupState = { status: 'none', fields: { name: '', ownerIds: [] }, rule: null }

const evolve = (state: GroupState, { type, data }: GroupEvent): GroupState => {
  switch (type) {
    case 'group.created': {
      const { name, description, externalId, ownerIds, source } = data
      const optional = {
        ...(description === undefined ? {} : { description }),
        ...(externalId === undefined ? {} : { externalId }),
      }
      return { status: 'exists', fields: { name, ownerIds, source, ...optional }, rule: data.rule }
    }
    case 'group.updated':
      return { ...state, fields: applyChanges(state.fields, data.changes) }
    case 'group.rule_changed':
      return { ...state, rule: data.to }
    case 'group.deleted':
      return { ...state, status: 'deleted' }
  }
}

const decide = (command: GroupCommand, state: GroupState): Decision<GroupEvent> => {
  const { groupId } = command
  if (command.type === 'create') {
    if (state.status !== 'none') return refuse('ERR_CONFLICT')
    const problem = command.rule === null ? null : ruleProblem(command.rule)
    if (problem !== null) return refuse('ERR_INVALID', problem.message, problem.field)
    return accept({
      type: 'group.created',
      data: { groupId, ...command.fields, rule: command.rule, source: command.source },
    })
  }
  if (state.status !== 'exists') return refuse('ERR_NOT_FOUND')
  if (command.type === 'delete') {
    if (command.usedBy.length > 0)
      return refuse('ERR_CONFLICT', `This group is still in use by ${command.usedBy.join(', ')}.`)
    return accept({ type: 'group.deleted', data: { groupId } })
  }
  const { rule } = command
  const problem = rule === undefined || rule === null ? null : ruleProblem(rule)
  if (problem !== null) return refuse('ERR_INVALID', problem.message, problem.field)
  const changes = changesOf(state.fields, command.fields)
  return accept<GroupEvent>(
    ...(changes.length === 0 ? [] : [{ type: 'group.updated' as const, data: { groupId, changes } }]),
    ...(rule === undefined || sameValue(rule, state.rule)
      ? []
      : [{ type: 'group.rule_changed' as const, data: { groupId, from: state.rule, to: rule } }]),
  )
}

export const groupDecider: Decider<GroupState, GroupCommand, GroupEvent> = { initial, evolve, decide }

export const groupStream = (groupId: string): string => `group-${groupId}`
