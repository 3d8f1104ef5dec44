import type { ApprovalStage } from '../access-package/events.ts'
import type { Instant } from '../time.ts'

/** `extend`: a new end for the assignment. `remove`: the user gives the package up, which nobody has to approve. */
export type AccessRequestType = 'grant' | 'extend' | 'remove'

export type AccessRequestStatus =
  | 'pending'
  | 'approved'
  | 'scheduled'
  | 'delivered'
  | 'failed'
  | 'denied'
  | 'cancelled'
  | 'expired'

/** The answers to the questions of a package, by their ids. */
export type RequestAnswers = Readonly<Record<string, string | boolean>>

/**
 * Why these users decide: `stage` says so, or nobody of the stage can and it goes to `escalation`, the `owners` of the
 * package, or global `administrators`; `reassigned` by one of the approvers or an administrator.
 */
export type ApproverOrigin = 'stage' | 'escalation' | 'owners' | 'administrators' | 'reassigned'

interface Subject {
  readonly requestId: string
  readonly packageId: string
  /** Who gets the access */
  readonly userId: string
}

interface Approvers {
  /** From 1 */
  readonly stage: number
  readonly approverIds: readonly string[]
  readonly origin: ApproverOrigin
  /** Until when they can decide */
  readonly expiresAt: Instant
}

export type AccessRequestEvent =
  | {
      type: 'access_request.created'
      data: Subject & {
        /** Its name at the time of the request */
        packageName: string
        requesterId: string
        requestType: AccessRequestType
        /** The assignment to extend or to remove */
        assignmentId?: string
        justification?: string
        answers: RequestAnswers
        requestedDuration?: string
        startsAt?: Instant
        /** As the package had them: later changes of the package do not apply. */
        stages: readonly ApprovalStage[]
      }
    }
  | { type: 'access_request.stage_opened'; data: Subject & Approvers }
  | {
      type: 'access_request.approvers_changed'
      data: Subject & Approvers & { previousApproverIds: readonly string[] }
    }
  | {
      type: 'access_request.reminded'
      data: Subject & {
        stage: number
        /** Those who have not decided yet */
        approverIds: readonly string[]
        /** Until when they can decide */
        expiresAt: Instant
      }
    }
  | {
      type: 'access_request.approved'
      data: Subject & {
        stage: number
        /** Null if no approval was required */
        approverId: string | null
        comment?: string
        /** Whether nothing else has to be approved */
        final: boolean
      }
    }
  | { type: 'access_request.denied'; data: Subject & { stage: number; approverId: string; comment: string } }
  | {
      type: 'access_request.cancelled'
      data: Subject & { reason: 'by_requester' | 'by_administrator' | 'user_deleted' }
    }
  | { type: 'access_request.expired'; data: Subject }
  | { type: 'access_request.scheduled'; data: Subject & { assignmentId: string } }
  | { type: 'access_request.delivered'; data: Subject & { assignmentId: string } }
  | { type: 'access_request.failed'; data: Subject & { error: string } }
  | { type: 'access_request.retried'; data: Subject }
