import type { RunTrigger } from '../../domain/lifecycle-run/events.ts'
import { auditIdFor } from '../audit-id.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { runId: string } }) => ({ id: event.data.runId })

/** What lifecycle rules did for users, and will do. */
export const lifecycleRuns: Table = {
  name: 'lifecycle_runs',
  key: ['id'],
  on: {
    'lifecycle_run.created': {
      apply: (event, rows) => {
        const { data, metadata, position } = event
        // After the user's erasure, the trigger is missing.
        const trigger: RunTrigger = data.trigger ?? {
          ...{ type: 'manual', key: '', eventId: null, at: metadata.time },
        }
        rows.put({
          ...self(event),
          rule_id: data.ruleId,
          user_id: data.userId,
          status: 'scheduled',
          trigger_type: trigger.type,
          trigger_key: trigger.key,
          trigger_event_id: trigger.eventId,
          trigger_at: trigger.at,
          trigger_date: trigger.date ?? null,
          due_at: data.dueAt,
          depth: data.depth,
          actions: data.actions.map(({ type }) => type),
          steps: [],
          skip_reason: null,
          from_position: position,
          created_at: metadata.time,
          created_by: metadata.actorId,
          audit_id: auditIdFor(event),
          started_at: null,
          finished_at: null,
        })
      },
    },
    'lifecycle_run.skipped': change(self, ({ data, metadata }) => ({
      status: 'skipped',
      skip_reason: data.reason,
      finished_at: metadata.time,
    })),
    'lifecycle_run.step_ended': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        const { data, metadata } = event
        const { step, status, error = null } = data
        for (const row of rows.find(self(event)))
          rows.put({
            ...row,
            status: 'running',
            started_at: row['started_at'] ?? metadata.time,
            steps: [...(row['steps'] as readonly unknown[]), { step, status, error, at: metadata.time }],
          })
      },
    },
    'lifecycle_run.finished': change(self, ({ data, metadata }) => ({
      status: data.status,
      finished_at: metadata.time,
    })),
  },
}
