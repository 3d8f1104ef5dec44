/** What is wrong with the settings of an access review beyond their JSON shape. */
import { isRole, roleKeys } from '../roles.ts'
import type { AccessReviewFields, ReviewSettings, ReviewStage } from './events.ts'

export interface ReviewProblem {
  readonly message: string
  readonly field: string
}

/** The schedule of a review that says no more than its start. */
export const usualReviewSchedule = { durationDays: 14, repeat: 'none' } as const

/** The settings of a review that says nothing else. */
export const usualReviewSettings: ReviewSettings = {
  justificationRequired: 'on_revoke',
  selfReview: false,
  bulkDecisions: true,
  reminders: [],
  recommendationInactiveDays: 30,
  onNoResponse: 'keep',
  autoApply: true,
}

const kinds = {
  application: 'app_',
  group: 'grp_',
  package: 'pkg_',
  user: 'usr_',
  service_account: 'usr_',
} as const

/**
 * @param path JSON pointer to the stage
 * @returns null for valid reviewers
 */
export const stageProblem = (
  { type, ids }: ReviewStage,
  path: string,
  selfReview: boolean,
): ReviewProblem | null => {
  const named = type === 'users' || type === 'groups'
  if (named && ids.length === 0)
    return {
      field: `${path}/ids`,
      message: `reviewers: expected at least one id for the type ${type}`,
    }
  if (!named && ids.length > 0)
    return { field: `${path}/ids`, message: `reviewers: expected no ids for the type ${type}` }
  if (type === 'self' && !selfReview)
    return { field: `${path}/type`, message: 'reviewers: the type self needs selfReview' }
  return null
}

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
  for (const [at, stage] of stages.entries()) {
    const path = `/stages/${String(at)}`
    const problem = stageProblem(stage, path, settings.selfReview)
    if (problem !== null) return problem
    if (stage.type === 'owners' && (scope.type === 'role' || scope.type === 'service_account'))
      return { field: `${path}/type`, message: 'reviewers: roles have no owners' }
  }
  const late = settings.reminders.findIndex((days) => days >= schedule.durationDays)
  if (late !== -1)
    return {
      field: `/settings/reminders/${String(late)}`,
      message: `reminders: expected less than the ${String(schedule.durationDays)} days of the review`,
    }
  return null
}
