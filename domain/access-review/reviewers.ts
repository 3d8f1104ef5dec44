/** Who reviews an item. */
import type { ReviewStage } from './events.ts'

/** The active users that a stage leads to, for one item. */
export interface ReviewerFacts {
  /** The manager of the user, if active */
  readonly managerId: string | null
  /** Owners of the resource */
  readonly ownerIds: readonly string[]
  /** Active users among `ids` of each stage, or members of the groups there */
  readonly named: readonly (readonly string[])[]
  /** Active users among `fallbackIds` of each stage */
  readonly fallback: readonly (readonly string[])[]
  /** Active global administrators, who review what nobody else can */
  readonly administrators: readonly string[]
}

/** Maximum number of reviewers of one item; of more, the first by id review. */
export const MOST_REVIEWERS = 50

/** The reviewers of each stage that has any. Nobody reviews their own access unless the review allows it. */
export const reviewersOf = (
  userId: string,
  stages: readonly ReviewStage[],
  selfReview: boolean,
  { managerId, ownerIds, named, fallback, administrators }: ReviewerFacts,
): readonly (readonly string[])[] => {
  const others = (ids: readonly string[]): readonly string[] =>
    [...new Set(ids)].filter((id) => selfReview || id !== userId).sort()
  const found = stages.map(({ type }, at): readonly string[] => {
    switch (type) {
      case 'manager':
        return managerId === null ? [] : [managerId]
      case 'self':
        return [userId]
      case 'owners':
        return ownerIds
      case 'users':
      case 'groups':
        return named[at] ?? []
    }
  })
  const resolved = found.map((ids, at) => {
    const first = others(ids)
    return (first.length > 0 ? first : others(fallback[at] ?? [])).slice(0, MOST_REVIEWERS)
  })
  const filled = resolved.filter((ids) => ids.length > 0)
  return filled.length > 0 ? filled : [others(administrators).slice(0, MOST_REVIEWERS)]
}
