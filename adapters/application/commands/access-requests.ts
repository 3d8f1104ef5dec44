import { resolveApprovers, type ResolvedApprovers } from '../../../domain/access-request/approvers.ts'
import {
  accessRequestDecider,
  accessRequestStream,
  type AccessRequestCommand,
} from '../../../domain/access-request/decider.ts'
import type { AccessRequestType, RequestAnswers } from '../../../domain/access-request/events.ts'
import { answersProblem, requestedDurationProblem } from '../../../domain/access-request/input.ts'
import type { ApprovalStage } from '../../../domain/access-package/events.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Id } from '../../../domain/ids.ts'
import { conflictWith } from '../../../domain/package-assignment/decider.ts'
import { holdsAll, type Role } from '../../../domain/roles.ts'
import type { Instant } from '../../../domain/time.ts'
import {
  findAccessPackage,
  packagesFor,
  type RequestablePackage,
} from '../../../read-models/queries/access-packages.ts'
import {
  activeUsers,
  approverCandidates,
  isManagerOf,
  requestSubject,
  type RequestSubject,
} from '../../../read-models/queries/access-requests.ts'
import { incompatibilitiesOf, openAssignmentsOf } from '../../../read-models/queries/package-assignments.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Actor, HandleOptions } from '../services/handle.ts'
import type { Services } from '../services/services.ts'

export interface AccessRequestInput {
  readonly packageId: string
  readonly forUserId: string
  readonly type: AccessRequestType
  readonly justification?: string
  readonly answers: RequestAnswers
  readonly requestedDuration?: string
  readonly startsAt?: Instant
}

/** Who decides about a request besides its approvers. */
interface Decider {
  readonly userId: string
  readonly roles: readonly Role[]
}

const isAdministrator = ({ roles }: Decider): boolean => holdsAll(roles, ['user_admin'])

const nobody: ResolvedApprovers = { approverIds: [], origin: 'stage' }

/** Seconds of a year: how far ahead access can be requested. */
const FURTHEST_START = 366 * 86_400

/** Commands on access requests. */
export const accessRequestCommands = ({
  handle,
  locks,
  pool,
  clock,
}: Pick<Services, 'handle' | 'locks' | 'pool' | 'clock'>) => {
  const send = (command: AccessRequestCommand, actor: Actor, options: HandleOptions<never> = {}) =>
    handle(accessRequestDecider, accessRequestStream(command.requestId), command, actor, options)

  const found = async (requestId: string): Promise<RequestSubject> => {
    const subject = await requestSubject(pool, requestId)
    if (subject === null) throw new DomainError('ERR_NOT_FOUND')
    return subject
  }

  const candidatesFor = (
    { packageId, forUserId }: { readonly packageId: string; readonly forUserId: string },
    stage: ApprovalStage,
  ) => approverCandidates(pool, packageId, forUserId, stage, clock.now())

  /** Returns the approvers of a stage (from 1) as of now; nobody if there is no such stage. */
  const approversOf = async (
    request: Pick<RequestSubject, 'packageId' | 'forUserId' | 'requesterId' | 'stages'>,
    number: number,
    from: 'stage' | 'escalation' = 'stage',
  ): Promise<ResolvedApprovers> => {
    const stage = request.stages[number - 1]
    if (stage === undefined) return nobody
    const concerned = [request.requesterId, request.forUserId]
    return resolveApprovers(await candidatesFor(request, stage), concerned, from)
  }

  /** Returns those of the recorded approvers who are still what made them approvers. */
  const eligibleOf = async (request: RequestSubject): Promise<readonly string[]> => {
    const { approverIds, approverOrigin } = request
    const stage = request.stages[request.stage - 1]
    if (stage === undefined || approverOrigin === null) return []
    if (approverOrigin === 'reassigned') return activeUsers(pool, approverIds)
    const candidates = await candidatesFor(request, stage)
    return approverIds.filter((id) => candidates[approverOrigin].includes(id))
  }

  const conflictOf = async (userId: string, packageId: string): Promise<string | null> => {
    const now = clock.now()
    const [incompatible, open] = await Promise.all([
      incompatibilitiesOf(pool, userId, packageId, now),
      openAssignmentsOf(pool, userId),
    ])
    return conflictWith({ packageId }, incompatible, { open, done: [] }, now)
  }

  const mustFit = (input: AccessRequestInput, offered: RequestablePackage): void => {
    const { type, startsAt, justification, answers, requestedDuration } = input
    if (offered.pendingRequestId !== null)
      throw new DomainError('ERR_CONFLICT', 'There is already a request of this package that is not decided.')
    if (type === 'grant' && offered.assignment !== null)
      throw new DomainError('ERR_CONFLICT', 'The user already has this package.')
    if (type !== 'grant' && offered.assignment === null)
      throw new DomainError('ERR_CONFLICT', 'The user does not have this package.')
    if (type === 'remove') return
    if (!offered.requestable)
      throw new DomainError('ERR_CONFLICT', 'This package cannot be requested any more.')
    if (offered.requesterJustificationRequired && justification === undefined)
      throw new DomainError(
        'ERR_INVALID',
        'justification: expected the reason for the request',
        '/justification',
      )
    const now = clock.now()
    if (
      startsAt !== undefined &&
      (type !== 'grant' || startsAt <= now || startsAt > clock.in(FURTHEST_START))
    )
      throw new DomainError(
        'ERR_INVALID',
        'startsAt: expected a time within the next year, and only in a request of type grant',
        '/startsAt',
      )
    const problem =
      answersProblem(offered.questions, answers) ??
      requestedDurationProblem(offered.duration, requestedDuration, startsAt ?? now)
    if (problem !== null) throw new DomainError('ERR_INVALID', problem.message, problem.field)
  }

  return {
    /**
     * @throws DomainError ERR_NOT_FOUND for a package that the user may not request, ERR_FORBIDDEN for a user whose
     * manager the caller is not, ERR_INVALID, ERR_CONFLICT for a second request, a package that the user has, or one
     * that is incompatible
     */
    create: (requesterId: string, input: AccessRequestInput, actor: Actor) =>
      // One at a time, so that a user has one undecided request of a package.
      locks.alone(`access-request:${input.forUserId}`, async () => {
        const { packageId, forUserId, type, ...rest } = input
        if (forUserId !== requesterId && !(await isManagerOf(pool, requesterId, forUserId)))
          throw new DomainError('ERR_FORBIDDEN', 'You can request access for yourself and for your reports.')
        const requestId: Id<'accessRequest'> = idsFor(actor.idempotencyKey).newId('accessRequest')
        const [[offered], accessPackage] = await Promise.all([
          packagesFor(pool, forUserId, clock.now(), packageId),
          findAccessPackage(pool, packageId, clock.now()),
        ])
        if (offered === undefined || accessPackage === null) throw new DomainError('ERR_NOT_FOUND')
        const repeated =
          offered.pendingRequestId === requestId || (await requestSubject(pool, requestId)) !== null
        if (!repeated) mustFit(input, offered)
        const conflict = type === 'remove' || repeated ? null : await conflictOf(forUserId, packageId)
        if (conflict !== null) throw new DomainError('ERR_CONFLICT', conflict)
        const { required, stages: all } = accessPackage.approval
        const stages = type !== 'remove' && required ? all : []
        const request = {
          packageId,
          packageName: accessPackage.name,
          requesterId,
          userId: forUserId,
          requestType: type,
          ...(type === 'grant' || offered.assignment === null ? {} : { assignmentId: offered.assignment.id }),
          ...rest,
          stages,
        }
        const approvers = await approversOf({ ...request, forUserId }, 1)
        const { version } = await send(
          { type: 'create', requestId, request, approvers, now: clock.now() },
          actor,
        )
        return { requestId, version }
      }),

    /** @throws DomainError ERR_NOT_FOUND, ERR_SELF_APPROVAL, ERR_FORBIDDEN, ERR_CONFLICT, ERR_INVALID */
    approve: async (requestId: string, approverId: string, comment: string | undefined, actor: Actor) => {
      const request = await found(requestId)
      const { forUserId, packageId, type } = request
      const [eligible, nextApprovers, conflict] = await Promise.all([
        eligibleOf(request),
        approversOf(request, request.stage + 1),
        type === 'remove' ? null : conflictOf(forUserId, packageId),
      ])
      const said = comment === undefined ? {} : { comment }
      const now = clock.now()
      await send(
        { type: 'approve', requestId, approverId, ...said, eligible, nextApprovers, conflict, now },
        actor,
      )
    },

    /** @throws DomainError as `approve` does */
    deny: async (requestId: string, approverId: string, comment: string, actor: Actor) => {
      const eligible = await eligibleOf(await found(requestId))
      await send({ type: 'deny', requestId, approverId, comment, eligible, now: clock.now() }, actor)
    },

    /** @throws DomainError as `approve` does, and ERR_INVALID for a user who cannot decide */
    reassign: async (requestId: string, by: Decider, approverId: string, actor: Actor) => {
      const eligible = await eligibleOf(await found(requestId))
      const isActive = (await activeUsers(pool, [approverId])).length > 0
      if (!isActive)
        throw new DomainError('ERR_INVALID', 'approverId: expected the id of an active user', '/approverId')
      const from = { userId: by.userId, isAdministrator: isAdministrator(by) }
      await send({ type: 'reassign', requestId, from, approverId, eligible, now: clock.now() }, actor)
    },

    /** @throws DomainError ERR_NOT_FOUND for a request of others, ERR_CONFLICT if it was decided */
    cancel: async (requestId: string, by: Decider, actor: Actor) => {
      const who = { userId: by.userId, isAdministrator: isAdministrator(by) }
      await send({ type: 'cancel', requestId, by: who }, actor)
    },

    /** @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT unless its delivery failed */
    retry: async (requestId: string, actor: Actor) => {
      await send({ type: 'retry', requestId }, actor)
    },

    /** Finds the approvers again; nothing happens if they are the same. */
    resolve: async (request: RequestSubject, actor: Actor) => {
      const [eligible, approvers, nextApprovers] = await Promise.all([
        eligibleOf(request),
        approversOf(request, request.stage),
        approversOf(request, request.stage + 1),
      ])
      const now = clock.now()
      const requestId = request.id
      return send({ type: 'resolve', requestId, approvers, nextApprovers, eligible, now }, actor, {
        wait: 'left_to_caller',
      })
    },

    /** Escalates or expires a request whose deadline has passed. */
    remind: async (requestId: string, actor: Actor) => {
      await send({ type: 'remind', requestId, now: clock.now() }, actor, { wait: 'recorded' })
    },

    timeOut: async (request: RequestSubject, actor: Actor) => {
      const escalation = await approversOf(request, request.stage, 'escalation')
      const requestId = request.id
      await send({ type: 'time_out', requestId, escalation, now: clock.now() }, actor, { wait: 'recorded' })
    },
  }
}
