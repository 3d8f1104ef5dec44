import { applyChanges, changesOf } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import { compilePolicy, evaluatePolicies, type Policy, type PolicyFacts } from './evaluate.ts'
import type { PolicyEvent, PolicyFields, PolicyStatus } from './events.ts'
import { leavesAWayIn, type PolicyAdministrator } from './lock-out.ts'

/** The number of policies that can exist: every instance keeps them in memory. */
export const MAX_POLICIES = 1000

export interface PolicyState {
  readonly exists: 'not_yet' | 'yes' | 'deleted'
  readonly status: PolicyStatus
  readonly fields: PolicyFields
}

/** What shows whether a change would lock administrators out. */
export interface PolicyGuard {
  /** All other policies */
  readonly others: readonly Policy[]
  readonly administrators: readonly PolicyAdministrator[]
  /** The session of the change; null for a program */
  readonly here: PolicyFacts | null
  /** Save even if administrators are locked out. */
  readonly force: boolean
}

export type PolicyCommand =
  | {
      type: 'create'
      policyId: string
      fields: PolicyFields
      status: PolicyStatus
      guard: PolicyGuard
    }
  | {
      type: 'update'
      policyId: string
      /** Null clears an optional field. */
      fields: Readonly<Record<string, unknown>>
      status?: PolicyStatus
      guard: PolicyGuard
    }
  | { type: 'delete'; policyId: string }

const initial: PolicyState = {
  exists: 'not_yet',
  status: 'disabled',
  fields: {
    name: '',
    priority: 0,
    conditions: {
      users: { include: 'all', exclude: [], roles: [] },
      applications: { include: 'all', exclude: [] },
      zones: { include: 'any', exclude: [] },
      devices: 'any',
      platforms: [],
      riskAtLeast: null,
      methods: [],
    },
    action: 'allow',
  },
}

/** A policy without conditions matches every sign-in. */
export const noConditions = initial.fields.conditions

const evolve = (state: PolicyState, { type, data }: PolicyEvent): PolicyState => {
  switch (type) {
    case 'policy.created': {
      const { policyId: _, status, ...fields } = data
      return { exists: 'yes', status, fields }
    }
    case 'policy.updated':
      return { ...state, fields: applyChanges(state.fields, data.changes) }
    case 'policy.status_changed':
      return { ...state, status: data.status }
    case 'policy.deleted':
      return { ...state, exists: 'deleted' }
  }
}

/** Returns why the new state must not be saved; null if it may. */
const lockOut = (
  policyId: string,
  { fields, status }: Pick<PolicyState, 'fields' | 'status'>,
  { others, administrators, here, force }: PolicyGuard,
) => {
  if (force || status !== 'enabled') return null
  const all = [...others, { ...fields, id: policyId, version: 1, status }]
  if (!leavesAWayIn(all, administrators) && leavesAWayIn(others, administrators))
    return refuse(
      'ERR_CONFLICT',
      'This policy would keep every global administrator out of the console. Exclude a group with one of them, or send "force": true to save anyway.',
      '/force',
    )
  const outcome = (policies: readonly Policy[], facts: PolicyFacts) =>
    evaluatePolicies(policies.map(compilePolicy), facts).outcome
  if (here !== null && outcome(all, here) === 'block' && outcome(others, here) !== 'block')
    return refuse(
      'ERR_CONFLICT',
      'This policy would block your own session, which saves it. Send "force": true to save anyway.',
      '/force',
    )
  return null
}

const update = (
  { policyId, fields, status, guard }: Extract<PolicyCommand, { type: 'update' }>,
  state: PolicyState,
): Decision<PolicyEvent> => {
  const changes = changesOf(state.fields, fields)
  const after = {
    fields: applyChanges(state.fields, changes),
    status: status ?? state.status,
  }
  const problem = lockOut(policyId, after, guard)
  if (problem !== null) return problem
  return accept<PolicyEvent>(
    ...(changes.length === 0 ? [] : [{ type: 'policy.updated' as const, data: { policyId, changes } }]),
    ...(after.status === state.status
      ? []
      : [{ type: 'policy.status_changed' as const, data: { policyId, status: after.status } }]),
  )
}

const decide = (command: PolicyCommand, state: PolicyState): Decision<PolicyEvent> => {
  const { policyId } = command
  if (command.type === 'create') {
    const { fields, status, guard } = command
    if (state.exists !== 'not_yet') return refuse('ERR_CONFLICT')
    if (guard.others.length >= MAX_POLICIES)
      return refuse(
        'ERR_CONFLICT',
        `There are already ${String(MAX_POLICIES)} policies, which is the maximum.`,
      )
    return (
      lockOut(policyId, { fields, status }, guard) ??
      accept({ type: 'policy.created', data: { policyId, status, ...fields } })
    )
  }
  if (state.exists !== 'yes') return refuse('ERR_NOT_FOUND')
  return command.type === 'update'
    ? update(command, state)
    : accept({ type: 'policy.deleted', data: { policyId } })
}

export const policyDecider: Decider<PolicyState, PolicyCommand, PolicyEvent> = { initial, evolve, decide }

export const policyStream = (policyId: string): string => `policy-${policyId}`
