/** What is wrong with the settings of an access review beyond their JSON shape. */
import { isRole, roleKeys } from '../roles.ts'
import type { AccessReviewFields } from './events.ts'

export interface ReviewProblem {
  readonly message: string
  readonly field: string
}

const kinds = {
  application: 'app_',
  group: 'grp_',
  package: 'pkg_',
  user: 'usr_',
  service_account: 'usr_',
} as const

/** @returns null for valid settings */
export const reviewProblem = ({
  scope,
  stages,
  schedule,
  settings,
}: AccessReviewFields): ReviewProblem | null => {
  const wrong = scope.ids.findIndex((id) =>
    scope.type === 'role' ? !isRole(id) : !id.startsWith(kinds[scope.type]),
  )
  if (wrong !== -1)
    return {
      field: `/scope/ids/${String(wrong)}`,
      message:
        scope.type === 'role'
          ? `scope: expected role keys (${roleKeys.join(', ')})`
          : `scope: expected ids that start with ${kinds[scope.type]}`,
    }
  for (const [at, { type, ids }] of stages.entries()) {
    const named = type === 'users' || type === 'groups'
    const field = `/stages/${String(at)}/ids`
    if (named && ids.length === 0)
      return { field, message: `stages: expected at least one id for reviewers of the type ${type}` }
    if (!named && ids.length > 0)
      return { field, message: `stages: expected no ids for reviewers of the type ${type}` }
    if (type === 'self' && !settings.selfReview)
      return {
        field: `/stages/${String(at)}/type`,
        message: 'stages: reviewers of the type self need selfReview',
      }
    if (type === 'owners' && (scope.type === 'role' || scope.type === 'service_account'))
      return { field: `/stages/${String(at)}/type`, message: 'stages: roles have no owners' }
  }
  const late = settings.reminders.findIndex((days) => days >= schedule.durationDays)
  if (late !== -1)
    return {
      field: `/settings/reminders/${String(late)}`,
      message: `reminders: expected less than the ${String(schedule.durationDays)} days of the review`,
    }
  return null
}
