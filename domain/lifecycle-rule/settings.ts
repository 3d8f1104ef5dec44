/** What is wrong with a lifecycle rule beyond its JSON shape. */
import { stageProblem as reviewersProblem } from '../access-review/settings.ts'
import { isDuration } from '../duration.ts'
import { ruleProblem } from '../group/rule.ts'
import {
  profileDateTriggers,
  type LifecycleAction,
  type LifecycleRuleFields,
  type LifecycleTrigger,
  type LifecycleTriggerType,
} from './events.ts'
import { isTimeZone } from './instants.ts'
import { textProblem } from './message.ts'

export interface SettingsProblem {
  readonly message: string
  readonly field: string
}

type Parameter = Exclude<keyof LifecycleTrigger, 'type'>

const ofProfileDate = (type: LifecycleTriggerType): boolean =>
  (profileDateTriggers as readonly string[]).includes(type)

/** The attributes whose change can be a trigger: fields of the profile. */
export const triggerAttributes = [
  'email',
  'name',
  'givenName',
  'familyName',
  'department',
  'title',
  'employeeId',
  'managerId',
  'location',
  'phone',
  'startDate',
  'endDate',
] as const

/** Whether a trigger of this type needs the parameter, may have it, or must not. */
const parameterUse = (type: LifecycleTriggerType, parameter: Parameter): 'required' | 'optional' | 'none' => {
  switch (parameter) {
    case 'attribute':
      return type === 'attribute_changed' ? 'optional' : 'none'
    case 'groupId':
      return type === 'group_joined' || type === 'group_left' ? 'required' : 'none'
    case 'packageId':
      return type === 'assignment_expiring' ? 'optional' : 'none'
    case 'days':
      return type === 'inactive_days' ||
        type === 'assignment_expiring' ||
        (ofProfileDate(type) && type !== 'on_end_date')
        ? 'required'
        : 'none'
    case 'atTime':
    case 'timeZone':
      return ofProfileDate(type) ? 'optional' : 'none'
  }
}

const PARAMETERS = ['attribute', 'groupId', 'packageId', 'days', 'atTime', 'timeZone'] as const

const triggerProblem = (trigger: LifecycleTrigger): SettingsProblem | null => {
  const { type } = trigger
  for (const parameter of PARAMETERS) {
    const field = `/trigger/${parameter}`
    const use = parameterUse(type, parameter)
    const isSet = trigger[parameter] !== undefined
    if (use === 'required' && !isSet)
      return { field, message: `${parameter}: expected a value for the trigger ${type}` }
    if (use === 'none' && isSet)
      return { field, message: `${parameter}: expected none for the trigger ${type}` }
  }
  const { attribute, timeZone, days } = trigger
  const isKnown =
    attribute === undefined ||
    (triggerAttributes as readonly string[]).includes(attribute) ||
    /^custom\.[^.]{1,64}$/.test(attribute)
  if (!isKnown)
    return {
      field: '/trigger/attribute',
      message: `attribute: expected one of ${triggerAttributes.join(', ')} or custom.<key>`,
    }
  if (type === 'inactive_days' && days === 0)
    return { field: '/trigger/days', message: 'days: expected at least 1 for the trigger inactive_days' }
  if (timeZone !== undefined && !isTimeZone(timeZone))
    return {
      field: '/trigger/timeZone',
      message: 'timeZone: expected an IANA time zone, for example Europe/Berlin',
    }
  return null
}

const actionProblem = (action: LifecycleAction, at: number): SettingsProblem | null => {
  const field = `/actions/${String(at)}`
  if (action.type === 'assign_package' && action.duration !== undefined && !isDuration(action.duration))
    return {
      field: `${field}/duration`,
      message: 'duration: expected an ISO 8601 duration from one minute to ten years, for example P90D',
    }
  if (action.type === 'start_review') return reviewersProblem(action.reviewers, `${field}/reviewers`, false)
  if (action.type !== 'send_email') return null
  const { to, userIds, subject, text } = action
  if (to === 'users' && userIds.length === 0)
    return { field: `${field}/userIds`, message: 'userIds: expected at least one user' }
  if (to !== 'users' && userIds.length > 0)
    return { field: `${field}/userIds`, message: `userIds: expected none for an email to the ${to}` }
  for (const [name, value] of [
    ['subject', subject],
    ['text', text],
  ] as const) {
    const problem = textProblem(value)
    if (problem !== null) return { field: `${field}/${name}`, message: `${name}: ${problem}` }
  }
  return null
}

/** @returns null for valid settings */
export const settingsProblem = ({
  trigger,
  conditions,
  actions,
}: LifecycleRuleFields): SettingsProblem | null => {
  const conditionProblem = conditions === undefined ? null : ruleProblem(conditions)
  const problems = [
    triggerProblem(trigger),
    conditionProblem === null
      ? null
      : { ...conditionProblem, field: conditionProblem.field.replace(/^\/rule/, '/conditions') },
    actions.length === 0 ? { field: '/actions', message: 'actions: expected at least one' } : null,
    ...actions.map(actionProblem),
  ]
  return problems.find((problem) => problem !== null) ?? null
}
