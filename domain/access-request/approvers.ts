/** Who decides a stage of an access request. */
import type { ApproverOrigin } from './events.ts'

/** The active users that can be asked, in this order of preference. */
export interface ApproverCandidates {
  /** Those whom the stage names */
  readonly stage: readonly string[]
  readonly escalation: readonly string[]
  readonly owners: readonly string[]
  readonly administrators: readonly string[]
}

export interface ResolvedApprovers {
  readonly approverIds: readonly string[]
  readonly origin: ApproverOrigin
}

/** Maximum number of approvers of one stage; of a larger group, the first by id are asked. */
export const MOST_APPROVERS = 100

/**
 * The first candidates of whom any is neither the requester nor the user who gets the access; nobody decides their own
 * request.
 */
export const resolveApprovers = (
  candidates: ApproverCandidates,
  concerned: readonly string[],
  from: keyof ApproverCandidates = 'stage',
): ResolvedApprovers => {
  const order = ['stage', 'escalation', 'owners', 'administrators'] as const
  for (const origin of order.slice(order.indexOf(from))) {
    const others = [...new Set(candidates[origin])].filter((id) => !concerned.includes(id)).sort()
    if (others.length > 0) return { approverIds: others.slice(0, MOST_APPROVERS), origin }
  }
  return { approverIds: [], origin: 'administrators' }
}
