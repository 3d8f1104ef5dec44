import type { Recorded } from '../../domain/catalogue.ts'
import type { LifecycleRuleEvent } from '../../domain/lifecycle-rule/events.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { ruleId: string } }) => ({ id: event.data.ruleId })
const stamp = (event: Recorded<LifecycleRuleEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})
/** What happened before does not trigger the rule. */
const applies = ({ metadata, position }: Recorded<LifecycleRuleEvent>) => ({
  applies_from: metadata.time,
  enabled_position: position,
})

const columnOf: Readonly<Record<string, string>> = {
  name: 'name',
  description: 'description',
  trigger: 'trigger',
  conditions: 'conditions',
  actions: 'actions',
  delayMinutes: 'delay_minutes',
  category: 'category',
  maxPerRun: 'max_per_run',
}

const notPaused = { paused_at: null, paused_users: null, paused_started: null }

/** Lifecycle rules with their current settings. */
export const lifecycleRules: Table = {
  name: 'lifecycle_rules',
  key: ['id'],
  on: {
    'lifecycle_rule.created': {
      apply: (event, rows) => {
        const { data, metadata } = event
        rows.put({
          ...self(event),
          status: data.enabled ? 'enabled' : 'disabled',
          name: data.name,
          name_key: data.name.toLowerCase(),
          description: data.description ?? null,
          trigger: data.trigger,
          conditions: data.conditions ?? null,
          actions: data.actions,
          delay_minutes: data.delayMinutes,
          category: data.category ?? null,
          max_per_run: data.maxPerRun,
          saved_by: data.by.userId,
          saved_as_global_admin: data.by.isGlobalAdmin,
          enabled_by: data.enabled ? data.by.userId : null,
          enabled_as_global_admin: data.enabled && data.by.isGlobalAdmin,
          ...(data.enabled ? applies(event) : { applies_from: null, enabled_position: null }),
          ...notPaused,
          created_at: metadata.time,
          ...stamp(event),
        })
      },
    },
    'lifecycle_rule.updated': change(self, (event) => {
      const { by, changes } = event.data
      const row: Record<string, unknown> = {
        saved_by: by.userId,
        saved_as_global_admin: by.isGlobalAdmin,
        ...stamp(event),
      }
      for (const { field, to } of changes) {
        const column = columnOf[field]
        if (column !== undefined) row[column] = to
        if (field === 'name') row['name_key'] = String(to).toLowerCase()
        if (field === 'trigger' || field === 'conditions') row['applies_from'] = event.metadata.time
      }
      return row
    }),
    'lifecycle_rule.enabled': change(self, (event) => ({
      status: 'enabled',
      enabled_by: event.data.by.userId,
      enabled_as_global_admin: event.data.by.isGlobalAdmin,
      ...applies(event),
      ...notPaused,
      ...stamp(event),
    })),
    'lifecycle_rule.disabled': change(self, (event) => ({
      status: 'disabled',
      ...notPaused,
      ...stamp(event),
    })),
    'lifecycle_rule.paused': change(self, (event) => ({
      status: 'paused_by_guard',
      paused_at: event.metadata.time,
      paused_users: event.data.users,
      paused_started: event.data.started,
      ...stamp(event),
    })),
    'lifecycle_rule.deleted': change(self, (event) => ({
      status: 'deleted',
      name_key: null,
      ...stamp(event),
    })),
  },
}
