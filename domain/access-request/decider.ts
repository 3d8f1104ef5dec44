import type { ApprovalStage } from '../access-package/events.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import { secondsAfter, type Instant } from '../time.ts'
import type { ResolvedApprovers } from './approvers.ts'
import type { AccessRequestEvent, AccessRequestStatus, AccessRequestType, RequestAnswers } from './events.ts'

export interface AccessRequestState {
  readonly status: 'none' | AccessRequestStatus
  readonly packageId: string
  readonly requesterId: string
  readonly userId: string
  readonly requestType: AccessRequestType
  readonly stages: readonly ApprovalStage[]
  /** From 1; 0 before the first */
  readonly stage: number
  readonly approverIds: readonly string[]
  /** Those who have approved in the current stage */
  readonly approvedBy: readonly string[]
  readonly escalated: boolean
  readonly reassigned: boolean
  readonly expiresAt: Instant | null
  /** Whether the approvers were reminded of the current deadline */
  readonly reminded: boolean
}

export interface NewAccessRequest {
  readonly packageId: string
  readonly packageName: string
  readonly requesterId: string
  readonly userId: string
  readonly requestType: AccessRequestType
  readonly assignmentId?: string
  readonly justification?: string
  readonly answers: RequestAnswers
  readonly requestedDuration?: string
  readonly startsAt?: Instant
  readonly stages: readonly ApprovalStage[]
}

export type AccessRequestCommand = { requestId: string } &
  /** `approvers`: of the first stage; unused if there is none. */
  (
    | { type: 'create'; request: NewAccessRequest; approvers: ResolvedApprovers; now: Instant }
    /** `nextApprovers`: of the stage after the current one; unused after the last. */
    | {
        type: 'approve'
        approverId: string
        comment?: string
        nextApprovers: ResolvedApprovers
        /** Those of the current approvers who still may decide */
        eligible: readonly string[]
        /** Why the user must not have the package (separation of duties); null if they may */
        conflict: string | null
        now: Instant
      }
    | { type: 'deny'; approverId: string; comment: string; eligible: readonly string[]; now: Instant }
    /** Another user decides instead of the approver, or as an administrator says. */
    | {
        type: 'reassign'
        from: { readonly userId: string; readonly isAdministrator: boolean }
        approverId: string
        eligible: readonly string[]
        now: Instant
      }
    /** The approvers as of now, after one of them has left or lost what made them approver. */
    | {
        type: 'resolve'
        approvers: ResolvedApprovers
        nextApprovers: ResolvedApprovers
        eligible: readonly string[]
        now: Instant
      }
    /** Reminds those who have not decided, once for each deadline. */
    | { type: 'remind'; now: Instant }
    /** Escalates or expires a request whose deadline has passed. */
    | { type: 'time_out'; escalation: ResolvedApprovers; now: Instant }
    | { type: 'cancel'; by: { readonly userId: string; readonly isAdministrator: boolean } | null }
    | { type: 'schedule'; assignmentId: string }
    | { type: 'deliver'; assignmentId: string }
    | { type: 'fail'; error: string }
    | { type: 'retry' }
  )

const initial: AccessRequestState = {
  status: 'none',
  packageId: '',
  requesterId: '',
  userId: '',
  requestType: 'grant',
  stages: [],
  stage: 0,
  approverIds: [],
  approvedBy: [],
  escalated: false,
  reassigned: false,
  expiresAt: null,
  reminded: false,
}

const evolve = (state: AccessRequestState, { type, data }: AccessRequestEvent): AccessRequestState => {
  switch (type) {
    case 'access_request.created': {
      const { packageId, requesterId, userId, requestType, stages } = data
      return { ...initial, status: 'pending', packageId, requesterId, userId, requestType, stages }
    }
    case 'access_request.stage_opened': {
      const { stage, approverIds, origin, expiresAt } = data
      const escalated = origin === 'escalation'
      const fresh = { approvedBy: [], escalated, reassigned: false, reminded: false }
      return { ...state, ...fresh, stage, approverIds, expiresAt }
    }
    case 'access_request.approvers_changed': {
      const { approverIds, origin, expiresAt } = data
      const escalated = state.escalated || origin === 'escalation'
      const reminded = state.reminded && expiresAt === state.expiresAt
      return { ...state, approverIds, escalated, reassigned: origin === 'reassigned', expiresAt, reminded }
    }
    case 'access_request.reminded':
      return { ...state, reminded: true }
    case 'access_request.approved': {
      const { approverId, final } = data
      const approvedBy = approverId === null ? state.approvedBy : [...state.approvedBy, approverId]
      return { ...state, approvedBy, status: final ? 'approved' : state.status }
    }
    case 'access_request.denied':
      return { ...state, status: 'denied' }
    case 'access_request.cancelled':
      return { ...state, status: 'cancelled' }
    case 'access_request.expired':
      return { ...state, status: 'expired' }
    case 'access_request.scheduled':
      return { ...state, status: 'scheduled' }
    case 'access_request.delivered':
      return { ...state, status: 'delivered' }
    case 'access_request.failed':
      return { ...state, status: 'failed' }
    case 'access_request.retried':
      return { ...state, status: 'approved' }
  }
}

/** Returns the deadline of a stage that starts now. */
const deadline = (stage: ApprovalStage, now: Instant): Instant => secondsAfter(now, stage.timeoutHours * 3600)

/** Returns when the approvers of a stage are reminded: after half of its time. */
export const reminderAt = (stage: ApprovalStage, expiresAt: Instant): Instant =>
  secondsAfter(expiresAt, -stage.timeoutHours * 1800)

const subjectOf = (requestId: string, { packageId, userId }: AccessRequestState | NewAccessRequest) => ({
  requestId,
  packageId,
  userId,
})

const opened = (
  subject: ReturnType<typeof subjectOf>,
  number: number,
  stage: ApprovalStage,
  approvers: ResolvedApprovers,
  now: Instant,
): AccessRequestEvent => ({
  type: 'access_request.stage_opened',
  data: { ...subject, stage: number, ...approvers, expiresAt: deadline(stage, now) },
})

const concerns = (state: AccessRequestState, userId: string): boolean =>
  state.requesterId === userId || state.userId === userId

const undecided = (state: AccessRequestState, now: Instant) => {
  if (state.status !== 'pending')
    return refuse('ERR_CONFLICT', `This request is ${state.status}, so it cannot be decided any more.`)
  if (state.expiresAt !== null && state.expiresAt <= now)
    return refuse('ERR_CONFLICT', 'The time to decide this request is over.')
  return null
}

/** Why a user cannot decide a request; null if they can. The own request comes first: its answer never differs. */
const cannotDecide = (
  state: AccessRequestState,
  userId: string,
  eligible: readonly string[],
  now: Instant,
) => {
  if (concerns(state, userId)) return refuse('ERR_SELF_APPROVAL')
  if (!state.approverIds.includes(userId) || !eligible.includes(userId))
    return refuse('ERR_FORBIDDEN', 'You are not an approver of this request.')
  return undecided(state, now)
}

const sameIds = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((id) => others.includes(id))

/** Whether the current stage has all approvals it needs. */
const isComplete = (
  stage: ApprovalStage | undefined,
  approvedBy: readonly string[],
  approverIds: readonly string[],
): boolean =>
  approvedBy.length > 0 && (stage?.mode !== 'all' || approverIds.every((id) => approvedBy.includes(id)))

const decide = (command: AccessRequestCommand, state: AccessRequestState): Decision<AccessRequestEvent> => {
  const { requestId } = command
  if (command.type === 'create') {
    const { request, approvers, now } = command
    if (state.status !== 'none') return refuse('ERR_CONFLICT')
    const subject = subjectOf(requestId, request)
    const created: AccessRequestEvent = {
      type: 'access_request.created',
      data: { requestId, ...request },
    }
    const [first] = request.stages
    return first === undefined
      ? accept<AccessRequestEvent>(created, {
          type: 'access_request.approved',
          data: { ...subject, stage: 0, approverId: null, final: true },
        })
      : accept(created, opened(subject, 1, first, approvers, now))
  }
  if (state.status === 'none') return refuse('ERR_NOT_FOUND')
  const subject = subjectOf(requestId, state)
  const current = state.stages[state.stage - 1]
  const approversChanged = (approvers: ResolvedApprovers, expiresAt: Instant): AccessRequestEvent => ({
    type: 'access_request.approvers_changed',
    data: {
      ...subject,
      stage: state.stage,
      ...approvers,
      previousApproverIds: state.approverIds,
      expiresAt,
    },
  })
  const approved = (
    approverId: string | null,
    comment: string | undefined,
    final: boolean,
  ): AccessRequestEvent => ({
    type: 'access_request.approved',
    data: {
      ...subject,
      stage: state.stage,
      approverId,
      ...(comment === undefined ? {} : { comment }),
      final,
    },
  })
  /** The end of the current stage, and the beginning of the next. */
  const advanced = (
    approverId: string | null,
    comment: string | undefined,
    nextApprovers: ResolvedApprovers,
    now: Instant,
  ): readonly AccessRequestEvent[] => {
    const next = state.stages[state.stage]
    return next === undefined
      ? [approved(approverId, comment, true)]
      : [approved(approverId, comment, false), opened(subject, state.stage + 1, next, nextApprovers, now)]
  }
  switch (command.type) {
    case 'approve': {
      const { approverId, comment, nextApprovers, eligible, now } = command
      const refusal = cannotDecide(state, approverId, eligible, now)
      if (refusal !== null) return refusal
      if (state.approvedBy.includes(approverId)) return accept()
      if (command.conflict !== null) return refuse('ERR_CONFLICT', command.conflict)
      if (current?.justificationRequired === true && comment === undefined)
        return refuse('ERR_INVALID', 'comment: expected the reason for the approval', '/comment')
      if (isComplete(current, [...state.approvedBy, approverId], eligible))
        return accept(...advanced(approverId, comment, nextApprovers, now))
      return accept(approved(approverId, comment, false))
    }
    case 'deny': {
      const { approverId, comment, eligible, now } = command
      const refusal = cannotDecide(state, approverId, eligible, now)
      if (refusal !== null) return refusal
      return accept({
        type: 'access_request.denied',
        data: { ...subject, stage: state.stage, approverId, comment },
      })
    }
    case 'reassign': {
      const { from, approverId, eligible, now } = command
      if (concerns(state, from.userId)) return refuse('ERR_SELF_APPROVAL')
      const isApprover = state.approverIds.includes(from.userId) && eligible.includes(from.userId)
      if (!isApprover && !from.isAdministrator)
        return refuse('ERR_FORBIDDEN', 'You are not an approver of this request.')
      const refusal = undecided(state, now)
      if (refusal !== null) return refusal
      if (concerns(state, approverId))
        return refuse(
          'ERR_INVALID',
          'approverId: expected a user who neither made the request nor gets the access',
          '/approverId',
        )
      // An approver passes on their own part; an administrator names who decides.
      const others = isApprover
        ? state.approverIds.filter((id) => id !== from.userId && id !== approverId)
        : []
      const approverIds = [...others, approverId]
      if (sameIds(approverIds, state.approverIds)) return accept()
      return accept(approversChanged({ approverIds, origin: 'reassigned' }, state.expiresAt ?? now))
    }
    case 'resolve': {
      const { approvers, nextApprovers, eligible, now } = command
      if (state.status !== 'pending' || current === undefined) return accept()
      if (state.expiresAt !== null && state.expiresAt <= now) return accept()
      // What somebody has decided about the approvers stays while any of them can decide.
      const remain = state.approverIds.filter((id) => eligible.includes(id))
      const kept = (state.reassigned || state.escalated) && remain.length > 0
      const approverIds = kept ? remain : approvers.approverIds
      if (sameIds(approverIds, state.approverIds)) return accept()
      const origin = kept && state.reassigned ? 'reassigned' : kept ? 'escalation' : approvers.origin
      const changed = approversChanged({ approverIds, origin }, state.expiresAt ?? now)
      // Those who remain may all have approved already.
      if (!isComplete(current, state.approvedBy, approverIds)) return accept(changed)
      return accept(changed, ...advanced(null, undefined, nextApprovers, now))
    }
    case 'remind': {
      const { stage, approvedBy, expiresAt } = state
      if (state.status !== 'pending' || current === undefined || expiresAt === null) return accept()
      if (state.reminded || expiresAt <= command.now || reminderAt(current, expiresAt) > command.now)
        return accept()
      const approverIds = state.approverIds.filter((id) => !approvedBy.includes(id))
      return accept({ type: 'access_request.reminded', data: { ...subject, stage, approverIds, expiresAt } })
    }
    case 'time_out': {
      const { escalation, now } = command
      if (state.status !== 'pending' || current === undefined) return accept()
      if (state.expiresAt === null || state.expiresAt > now) return accept()
      if (state.escalated || current.escalateTo === undefined || escalation.origin !== 'escalation')
        return accept({ type: 'access_request.expired', data: subject })
      return accept(approversChanged(escalation, deadline(current, now)))
    }
    case 'cancel': {
      const { by } = command
      if (by !== null && !by.isAdministrator && !concerns(state, by.userId)) return refuse('ERR_NOT_FOUND')
      if (state.status === 'cancelled') return accept()
      if (state.status !== 'pending')
        return by === null
          ? accept()
          : refuse('ERR_CONFLICT', `This request is ${state.status}, so it cannot be cancelled any more.`)
      const reason =
        by === null ? 'user_deleted' : concerns(state, by.userId) ? 'by_requester' : 'by_administrator'
      return accept({ type: 'access_request.cancelled', data: { ...subject, reason } })
    }
    case 'schedule':
      return state.status === 'approved'
        ? accept({
            type: 'access_request.scheduled',
            data: { ...subject, assignmentId: command.assignmentId },
          })
        : accept()
    case 'deliver':
      return state.status === 'approved' || state.status === 'scheduled'
        ? accept({
            type: 'access_request.delivered',
            data: { ...subject, assignmentId: command.assignmentId },
          })
        : accept()
    case 'fail':
      return state.status === 'approved' || state.status === 'scheduled'
        ? accept({ type: 'access_request.failed', data: { ...subject, error: command.error } })
        : accept()
    case 'retry':
      return state.status === 'failed'
        ? accept({ type: 'access_request.retried', data: subject })
        : refuse('ERR_CONFLICT', `This request is ${state.status}. Only a failed one can be delivered again.`)
  }
}

export const accessRequestDecider: Decider<AccessRequestState, AccessRequestCommand, AccessRequestEvent> = {
  initial,
  evolve,
  decide,
}

export const accessRequestStream = (requestId: string): string => `access_request-${requestId}`
