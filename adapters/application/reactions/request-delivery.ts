/** Carries out approved access requests. Repeating it changes nothing. */
import { accessRequestDecider, accessRequestStream } from '../../../domain/access-request/decider.ts'
import type { AccessRequestCommand } from '../../../domain/access-request/decider.ts'
import { durationAfter } from '../../../domain/duration.ts'
import { DomainError } from '../../../domain/errors.ts'
import {
  packageAssignmentDecider,
  packageAssignmentsStream,
  type PackageAssignmentCommand,
} from '../../../domain/package-assignment/decider.ts'
import { findAccessPackage } from '../../../read-models/queries/access-packages.ts'
import { requestSubject, type RequestSubject } from '../../../read-models/queries/access-requests.ts'
import { missingUsers } from '../../../read-models/queries/existence.ts'
import { incompatibilitiesOf } from '../../../read-models/queries/package-assignments.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'

const NEVER_STARTED = 'The assignment ended before it started.'

/** What a delivery recorded: the assignment that it is about, and the last log position. */
export interface Delivered {
  readonly assignmentId: string | null
  readonly position: string
  /** Records that the request is delivered, once the memberships are; null if it failed. */
  readonly finish: (() => Promise<{ readonly position: string | null }>) | null
}

export const requestDelivery = ({ handle, pool, clock }: Pick<Services, 'handle' | 'pool' | 'clock'>) => {
  const wait = 'left_to_caller'

  const record = (command: AccessRequestCommand, actor: Actor) =>
    handle(accessRequestDecider, accessRequestStream(command.requestId), command, actor, { wait })

  const toAssignments = (command: PackageAssignmentCommand, actor: Actor) =>
    handle(packageAssignmentDecider, packageAssignmentsStream(command.userId), command, actor, { wait })

  /**
   * Changes the assignments of the user.
   * @throws DomainError if that is not possible any more
   */
  const carryOut = async (request: RequestSubject, cause: string, actor: Actor) => {
    const { id: requestId, packageId, forUserId: userId, type, requestedDuration, startsAt } = request
    const now = clock.now()
    const accessPackage = await findAccessPackage(pool, packageId, now)
    if (accessPackage === null) throw new DomainError('ERR_CONFLICT', 'The package does not exist any more.')
    if ((await missingUsers(pool, [userId])).length > 0)
      throw new DomainError('ERR_CONFLICT', 'The user does not exist any more.')
    const subject = { userId, packageId, requestId, now }
    const existing = request.assignmentId ?? ''
    if (type === 'remove') {
      const { position } = await toAssignments(
        { type: 'end', ...subject, assignmentId: existing, reason: 'given_up' },
        actor,
      )
      return { assignmentId: existing, position, scheduled: false }
    }
    const incompatible = await incompatibilitiesOf(pool, userId, packageId, now)
    const length = requestedDuration ?? accessPackage.duration?.default ?? null
    const start = startsAt !== null && startsAt > now ? startsAt : now
    const expiresAt = length === null ? null : durationAfter(start, length)
    if (type === 'extend') {
      const { position } = await toAssignments(
        { type: 'extend', ...subject, assignmentId: existing, expiresAt, incompatible },
        actor,
      )
      return { assignmentId: existing, position, scheduled: false }
    }
    const assignmentId = idsFor(`access-request|${cause}`).newId('packageAssignment')
    const scheduled = start !== now
    const { state, position } = await toAssignments(
      {
        ...{ type: 'grant', ...subject, assignmentId, via: 'request', incompatible },
        ...(scheduled ? { startsAt: start } : {}),
        ...(expiresAt === null ? {} : { expiresAt }),
      },
      actor,
    )
    // It was taken away between an interrupted delivery and this one.
    if (scheduled && !state.open.some((one) => one.assignmentId === assignmentId))
      throw new DomainError('ERR_CONFLICT', NEVER_STARTED)
    return { assignmentId, position, scheduled }
  }

  return {
    /**
     * Delivers a request if it is approved and was not delivered yet.
     * @param cause id of the event that approved it: a repetition for the same event makes the same assignment
     */
    deliver: async (requestId: string, cause: string, actor: Actor): Promise<Delivered | null> => {
      const request = await requestSubject(pool, requestId)
      if (request?.status !== 'approved') return null
      try {
        const { assignmentId, position, scheduled } = await carryOut(request, cause, actor)
        const type = scheduled ? 'schedule' : 'deliver'
        const finish = () => record({ type, requestId, assignmentId }, actor)
        return { assignmentId, position: position ?? '', finish }
      } catch (error) {
        // Anything else is an outage, and is tried again.
        if (!(error instanceof DomainError) || error.code === 'ERR_UNAVAILABLE') throw error
        const { position } = await record({ type: 'fail', requestId, error: error.message }, actor)
        return { assignmentId: null, position: position ?? '', finish: null }
      }
    },

    /** Records what became of the request whose assignment was to start later. */
    started: (requestId: string, assignmentId: string, actor: Actor) =>
      record({ type: 'deliver', requestId, assignmentId }, actor),
    notStarted: (requestId: string, actor: Actor) =>
      record({ type: 'fail', requestId, error: NEVER_STARTED }, actor),
    withdrawn: (requestId: string, actor: Actor) => record({ type: 'cancel', requestId, by: null }, actor),
  }
}
