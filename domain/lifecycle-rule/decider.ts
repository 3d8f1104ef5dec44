import { applyChanges, changesOf } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { Authority, LifecycleRuleEvent, LifecycleRuleFields, LifecycleRuleStatus } from './events.ts'
import { settingsProblem } from './settings.ts'

export interface LifecycleRuleState {
  readonly status: 'none' | LifecycleRuleStatus | 'deleted'
  readonly fields: LifecycleRuleFields
  readonly savedBy: Authority
  /** Null if it was never enabled */
  readonly enabledBy: Authority | null
}

export type LifecycleRuleCommand = { ruleId: string } & (
  | { type: 'create'; fields: LifecycleRuleFields; enabled: boolean; by: Authority }
  /** Null removes an optional field. */
  | { type: 'update'; fields: Readonly<Record<string, unknown>>; by: Authority }
  | { type: 'enable'; by: Authority }
  | { type: 'disable' }
  /** The safety stop: `users` are due, `started` of them have been started. */
  | { type: 'pause'; users: number; started: number }
  | { type: 'delete' }
)

const nobody: Authority = { userId: null, isGlobalAdmin: false }

/** The settings of a rule that says nothing else. */
export const plainRule = { delayMinutes: 0, maxPerRun: 100 } as const

const initial: LifecycleRuleState = {
  status: 'none',
  fields: { name: '', trigger: { type: 'user_created' }, actions: [], ...plainRule },
  savedBy: nobody,
  enabledBy: null,
}

const evolve = (state: LifecycleRuleState, { type, data }: LifecycleRuleEvent): LifecycleRuleState => {
  switch (type) {
    case 'lifecycle_rule.created': {
      const { ruleId: _, enabled, by, ...fields } = data
      return {
        status: enabled ? 'enabled' : 'disabled',
        fields,
        savedBy: by,
        enabledBy: enabled ? by : null,
      }
    }
    case 'lifecycle_rule.updated':
      return { ...state, fields: applyChanges(state.fields, data.changes), savedBy: data.by }
    case 'lifecycle_rule.enabled':
      return { ...state, status: 'enabled', enabledBy: data.by }
    case 'lifecycle_rule.disabled':
      return { ...state, status: 'disabled' }
    case 'lifecycle_rule.paused':
      return { ...state, status: 'paused_by_guard' }
    case 'lifecycle_rule.deleted':
      return { ...state, status: 'deleted' }
  }
}

/**
 * The users who all must be global administrators when a rule acts on an account with a role; null if it never may: it
 * was last saved, or last enabled, by somebody who was none.
 */
export const privilegedBy = ({
  savedBy,
  enabledBy,
}: Pick<LifecycleRuleState, 'savedBy' | 'enabledBy'>): readonly string[] | null => {
  const all = enabledBy === null ? [savedBy] : [savedBy, enabledBy]
  const ids = all.flatMap(({ userId, isGlobalAdmin }) => (isGlobalAdmin && userId !== null ? [userId] : []))
  return ids.length === all.length ? [...new Set(ids)] : null
}

const decide = (
  command: LifecycleRuleCommand,
  { status, fields, savedBy }: LifecycleRuleState,
): Decision<LifecycleRuleEvent> => {
  const { ruleId } = command
  if (command.type === 'create') {
    if (status !== 'none') return refuse('ERR_CONFLICT')
    const problem = settingsProblem(command.fields)
    if (problem !== null) return refuse('ERR_INVALID', problem.message, problem.field)
    const { enabled, by } = command
    return accept({ type: 'lifecycle_rule.created', data: { ruleId, enabled, by, ...command.fields } })
  }
  if (status === 'none' || status === 'deleted') return refuse('ERR_NOT_FOUND')
  switch (command.type) {
    case 'update': {
      const { by } = command
      const changes = changesOf(fields, command.fields)
      // A global administrator can take the responsibility for a rule by saving it as it is.
      if (changes.length === 0 && !(by.isGlobalAdmin && !savedBy.isGlobalAdmin)) return accept()
      const problem = settingsProblem(applyChanges(fields, changes))
      if (problem !== null) return refuse('ERR_INVALID', problem.message, problem.field)
      return accept({ type: 'lifecycle_rule.updated', data: { ruleId, changes, by } })
    }
    case 'enable':
      return status === 'enabled'
        ? accept()
        : accept({ type: 'lifecycle_rule.enabled', data: { ruleId, by: command.by } })
    case 'disable':
      return status === 'disabled' ? accept() : accept({ type: 'lifecycle_rule.disabled', data: { ruleId } })
    case 'pause': {
      if (status !== 'enabled') return accept()
      const { users, started } = command
      const limit = fields.maxPerRun
      return accept({ type: 'lifecycle_rule.paused', data: { ruleId, users, started, limit } })
    }
    case 'delete':
      return accept({ type: 'lifecycle_rule.deleted', data: { ruleId } })
  }
}

export const lifecycleRuleDecider: Decider<LifecycleRuleState, LifecycleRuleCommand, LifecycleRuleEvent> = {
  initial,
  evolve,
  decide,
}

export const lifecycleRuleStream = (ruleId: string): string => `lifecycle_rule-${ruleId}`
