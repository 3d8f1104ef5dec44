/** What is wrong with the settings of an access package beyond their JSON shape. */
import { stageProblem as reviewersProblem } from '../access-review/settings.ts'
import { durationAfter, isDuration } from '../duration.ts'
import type { AccessPackageFields, ApprovalStage, PackageDuration, PackageQuestion } from './events.ts'

export interface SettingsProblem {
  readonly message: string
  readonly field: string
}

const repeated = (values: readonly string[]): number =>
  values.findIndex((value, at) => values.indexOf(value) !== at)

const stageProblem = (stage: ApprovalStage, at: number): SettingsProblem | null => {
  const field = `/approval/stages/${String(at)}/approvers/ids`
  const { type, ids } = stage.approvers
  const named = type === 'users' || type === 'groups'
  if (named && ids.length === 0)
    return { field, message: `approvers: expected at least one id for the type ${type}` }
  if (!named && ids.length > 0) return { field, message: `approvers: expected no ids for the type ${type}` }
  return null
}

const questionProblem = (question: PackageQuestion, at: number): SettingsProblem | null => {
  const field = `/questions/${String(at)}/choices`
  const { type, choices } = question
  if (type === 'choice' && (choices ?? []).length < 2)
    return { field, message: 'choices: expected at least two for a question of the type choice' }
  if (type !== 'choice' && choices !== undefined)
    return { field, message: `choices: expected none for a question of the type ${type}` }
  return null
}

/** Any start gives the same order, except for durations that differ by days of a month. */
const REFERENCE = '2024-01-01T00:00:00.000000Z'

const durationProblem = (duration: PackageDuration): SettingsProblem | null => {
  for (const field of ['default', 'max'] as const) {
    const text = duration[field]
    if (text !== undefined && !isDuration(text))
      return {
        field: `/duration/${field}`,
        message: `${field}: expected an ISO 8601 duration from one minute to ten years, for example P90D`,
      }
  }
  const { default: usual, max } = duration
  if (usual !== undefined && max !== undefined)
    if (durationAfter(REFERENCE, usual) > durationAfter(REFERENCE, max))
      return { field: '/duration/default', message: 'default: expected a duration of at most max' }
  if (usual === undefined && max !== undefined)
    return { field: '/duration/default', message: 'default: expected a duration, because there is a max' }
  return null
}

/** @returns null for valid settings */
export const settingsProblem = (packageId: string, fields: AccessPackageFields): SettingsProblem | null => {
  const { grants, requesters, approval, duration, incompatiblePackageIds, questions, review } = fields
  const twice = repeated(grants.map(({ groupId }) => groupId))
  if (twice !== -1) return { field: `/grants/${String(twice)}`, message: 'grants: expected each group once' }
  if (requesters.scope === 'groups' && requesters.groupIds.length === 0)
    return {
      field: '/requesters/groupIds',
      message: 'requesters: expected at least one group for the scope groups',
    }
  if (requesters.scope === 'everyone' && requesters.groupIds.length > 0)
    return {
      field: '/requesters/groupIds',
      message: 'requesters: expected no groups for the scope everyone',
    }
  if (approval.required && approval.stages.length === 0)
    return { field: '/approval/stages', message: 'approval: expected at least one stage' }
  if (incompatiblePackageIds.includes(packageId))
    return {
      field: '/incompatiblePackageIds',
      message: 'incompatiblePackageIds: expected other packages than this one',
    }
  const sameQuestion = repeated(questions.map(({ id }) => id))
  if (sameQuestion !== -1)
    return { field: `/questions/${String(sameQuestion)}/id`, message: 'questions: expected each id once' }
  const reviewers =
    review === undefined ? null : reviewersProblem(review.reviewers, '/review/reviewers', false)
  const problems = [
    reviewers,
    ...approval.stages.map(stageProblem),
    ...questions.map(questionProblem),
    duration === undefined ? null : durationProblem(duration),
  ]
  return problems.find((problem) => problem !== null) ?? null
}
