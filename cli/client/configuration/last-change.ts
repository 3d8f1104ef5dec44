import type { LastChange } from '../../../domain/configuration-plan/plan.ts'
import { isId } from '../../../domain/ids.ts'
import type { AdminApi } from '../admin-api.ts'
import { kindOf } from './kinds.ts'
import type { Step } from './plan.ts'

/** Returns who changed the record of a step last; null if it is new, or the audit trail has no entry of it. */
export const lastChangeOf = async (api: AdminApi, step: Step): Promise<LastChange | null> => {
  if (step.action === 'create') return null
  const { targetType, key } = kindOf(step.kind)
  const target = key === null ? 'organization' : step.id
  const query = new URLSearchParams({ targetType, targetId: target, limit: '1' })
  const entries: unknown = await api.send('GET', `/audit?${query.toString()}`)
  const [entry] = (Array.isArray(entries) ? entries : []) as readonly Record<string, unknown>[]
  if (entry === undefined) return null
  return {
    id: String(entry['id']),
    time: String(entry['time']),
    by: typeof entry['actorName'] === 'string' ? entry['actorName'] : null,
    summary: String(entry['summary']),
    applied: isId('configurationPlan', String(entry['correlationId'])),
  }
}
