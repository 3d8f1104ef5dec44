/** Which recorded events trigger rules. */
import type { Recorded } from '../catalogue.ts'
import type { EventTriggerType, LifecycleTrigger } from '../lifecycle-rule/events.ts'

const triggering = [
  'user.invited',
  'user.enrolled',
  'user.updated',
  'user.email_changed',
  'user.suspended',
  'membership.granted',
  'membership.withdrawn',
] as const

export type TriggeringEvent = Extract<Recorded, { type: (typeof triggering)[number] }>

/** Whether events of a type can trigger rules. */
export const canTrigger = (type: string): boolean => (triggering as readonly string[]).includes(type)

export const isTriggering = (event: Recorded): event is TriggeringEvent => canTrigger(event.type)

/** The trigger that an event is. For groups, only if the user was not, or is not, a member otherwise. */
export const triggerOf = (event: TriggeringEvent): EventTriggerType => {
  switch (event.type) {
    case 'user.invited':
      return 'user_created'
    case 'user.enrolled':
      return 'user_activated'
    case 'user.updated':
    case 'user.email_changed':
      return 'attribute_changed'
    case 'user.suspended':
      return 'user_suspended'
    case 'membership.granted':
      return 'group_joined'
    case 'membership.withdrawn':
      return 'group_left'
  }
}

const customOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

/** The attributes that an event changes, `custom.<key>` for each key; none after the user's erasure. */
export const changedAttributes = (event: TriggeringEvent): readonly string[] => {
  if (event.type === 'user.email_changed') return ['email']
  if (event.type !== 'user.updated') return []
  const changes = (event.data.changes as typeof event.data.changes | undefined) ?? []
  return changes.flatMap(({ field, from, to }) => {
    if (field !== 'custom') return [field]
    const [before, after] = [customOf(from), customOf(to)]
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].filter((key) => before[key] !== after[key]).map((key) => `custom.${key}`)
  })
}

/** Whether an event is what a trigger describes. */
export const isTriggeredBy = (trigger: LifecycleTrigger, event: TriggeringEvent): boolean => {
  if (trigger.type !== triggerOf(event)) return false
  if (trigger.attribute !== undefined) return changedAttributes(event).includes(trigger.attribute)
  return trigger.groupId === undefined || ('groupId' in event.data && event.data.groupId === trigger.groupId)
}
