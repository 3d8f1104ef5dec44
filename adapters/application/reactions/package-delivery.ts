/**
 * Makes access packages real: approved requests become assignments, assignments become memberships, each recorded like
 * any other. Whoever must decide a request is found again when users leave or change. A batch that is processed twice
 * changes nothing twice.
 */
import { isEventType, type Recorded } from '../../../domain/catalogue.ts'
import { movesPackageAccess } from '../../../domain/consequences.ts'
import {
  membershipDecider,
  membershipStream,
  type MembershipCommand,
} from '../../../domain/membership/decider.ts'
import {
  pendingRequestsOf,
  requestsToResolve,
  scheduledRequest,
} from '../../../read-models/queries/access-requests.ts'
import {
  deliverablesOf,
  deliverablesOfPackage,
  type Deliverable,
} from '../../../read-models/queries/package-assignments.ts'
import type { WaitFor } from '../../engines/postgres/checkpoint-watch.ts'
import { someAtATime } from '../../kernel/some-at-a-time.ts'
import { accessRequestCommands } from '../commands/access-requests.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { requestDelivery } from './request-delivery.ts'

export const PACKAGE_DELIVERY = 'package-delivery'

/** Assignments per page, and memberships changed at once. */
const PAGE = 500
const AT_ONCE = 64

/** The event types that this subscriber handles. */
export const packageDeliveryTypes = (type: string): boolean => isEventType(type) && movesPackageAccess(type)

const causedBy = (cause: Recorded): Actor => ({
  actorId: null,
  actorType: 'system',
  credential: null,
  ip: null,
  correlationId: cause.metadata.correlationId,
  causationId: cause.id,
})

/** Returns the changes that make the memberships of an assignment what they should be. */
export const membershipsToChange = (
  { assignmentId: sourceId, userId, expiresAt, isActive, groupIds, members }: Deliverable,
  now: string,
): readonly MembershipCommand[] => {
  const isOver = expiresAt !== null && expiresAt <= now
  const source = { via: 'package', sourceId } as const
  const wanted = isActive && !isOver ? groupIds : []
  const missing = wanted.filter((groupId) => {
    const member = members.find((one) => one.groupId === groupId)
    return member === undefined || member.expiresAt !== expiresAt
  })
  // Those whose time is over end by themselves.
  const surplus = members.filter(
    (member) => !wanted.includes(member.groupId) && (member.expiresAt === null || member.expiresAt > now),
  )
  return [
    ...missing.map((groupId): MembershipCommand => ({
      ...{ type: 'grant', groupId, userId, ...source, now },
      ...(expiresAt === null ? {} : { expiresAt }),
    })),
    ...surplus.map(({ groupId }): MembershipCommand => {
      const reason = isOver ? 'expired' : 'removed'
      return { type: 'withdraw', groupId, userId, ...source, reason }
    }),
  ]
}

export const deliverPackages = (
  deps: Pick<Services, 'pool' | 'handle' | 'locks' | 'clock'> & { readonly waitFor: WaitFor },
) => {
  const { pool, handle, waitFor, clock } = deps
  const requests = accessRequestCommands(deps)
  const delivery = requestDelivery(deps)

  const projected = async (position: string): Promise<void> => {
    // The subscriber retries instead of waiting in a loop, so that it notices a shutdown.
    if (position !== '' && !(await waitFor('core', position))) throw new Error('the read models lag behind')
  }

  /**
   * Changes memberships. Returns the log position of the last change, which a killed process may have recorded a moment
   * ago; '' if there was none.
   */
  const reconcile = async (deliverables: readonly Deliverable[], actor: Actor): Promise<string> => {
    const commands = deliverables.flatMap((one) => membershipsToChange(one, clock.now()))
    const results = await someAtATime(commands, AT_ONCE, (command) =>
      handle(membershipDecider, membershipStream(command.groupId, command.userId), command, actor, {
        wait: 'left_to_caller',
      }),
    )
    let last = ''
    for (const { change } of results) for (const { position } of change) if (position > last) last = position
    return last
  }

  const reconcilePackage = async (packageId: string, actor: Actor): Promise<string> => {
    let last = ''
    for (let after = ''; ;) {
      const page = await deliverablesOfPackage(pool, packageId, after, PAGE)
      const position = await reconcile(page, actor)
      if (position > last) last = position
      const end = page.at(-1)
      if (end === undefined || page.length < PAGE) return last
      after = end.assignmentId
    }
  }

  /**
   * Makes assignments of what was approved. Returns the assignments whose memberships change, and what is recorded of
   * requests once they have changed.
   */
  const deliver = async (events: readonly Recorded[]) => {
    const assignmentIds = new Set<string>()
    const finishes: (() => Promise<{ readonly position: string | null }>)[] = []
    let last = ''
    for (const event of events) {
      const actor = causedBy(event)
      switch (event.type) {
        case 'access_request.approved':
        case 'access_request.retried': {
          const delivered = await delivery.deliver(event.data.requestId, event.id, actor)
          if (delivered === null) break
          if (delivered.assignmentId !== null) assignmentIds.add(delivered.assignmentId)
          if (delivered.finish !== null) finishes.push(delivered.finish)
          if (delivered.position > last) last = delivered.position
          break
        }
        case 'package_assignment.granted':
        case 'package_assignment.extended':
          assignmentIds.add(event.data.assignmentId)
          break
        case 'package_assignment.started':
        case 'package_assignment.ended': {
          const { assignmentId } = event.data
          assignmentIds.add(assignmentId)
          const request = await scheduledRequest(pool, assignmentId)
          if (request === null) break
          finishes.push(() =>
            event.type === 'package_assignment.started'
              ? delivery.started(request.id, assignmentId, actor)
              : delivery.notStarted(request.id, actor),
          )
          break
        }
        default:
      }
    }
    return { assignmentIds: [...assignmentIds], finishes, last }
  }

  /** Cancels the requests of deleted users, and finds the approvers of the others again. */
  const resolve = async (events: readonly Recorded[], cause: Recorded): Promise<string> => {
    const gone = new Set<string>()
    const userIds = new Set<string>()
    const groupIds = new Set<string>()
    const packageIds = new Set<string>()
    let administrators = false
    for (const event of events) {
      switch (event.type) {
        case 'user.deleted':
          gone.add(event.data.userId)
          userIds.add(event.data.userId)
          administrators = true
          break
        case 'user.suspended':
        case 'user.reactivated':
        case 'user.enrolled':
        case 'user.roles_changed':
          userIds.add(event.data.userId)
          administrators = true
          break
        case 'user.updated':
          userIds.add(event.data.userId)
          break
        case 'membership.granted':
        case 'membership.withdrawn':
          groupIds.add(event.data.groupId)
          break
        case 'access_package.updated':
          packageIds.add(event.data.packageId)
          break
        default:
      }
    }
    const actor = causedBy(cause)
    let last = ''
    const note = (position: string | null): void => {
      if (position !== null && position > last) last = position
    }
    if (gone.size > 0)
      for (const id of await pendingRequestsOf(pool, [...gone]))
        note((await delivery.withdrawn(id, actor)).position)
    const moves = {
      userIds: [...userIds],
      groupIds: [...groupIds],
      packageIds: [...packageIds],
      administrators,
    }
    for (const request of await requestsToResolve(pool, moves))
      note((await requests.resolve(request, actor)).position)
    return last
  }

  return async (batch: {
    readonly events: readonly Recorded[]
    readonly position: string
  }): Promise<void> => {
    const events = batch.events.filter(({ type }) => packageDeliveryTypes(type))
    const cause = events.at(-1)
    if (cause === undefined) return
    await projected(batch.position)
    const { assignmentIds, finishes, last } = await deliver(events)
    await projected(last)
    const positions = [await reconcile(await deliverablesOf(pool, assignmentIds), causedBy(cause))]
    for (const finish of finishes) positions.push((await finish()).position ?? '')
    const regranted = new Set(
      events.flatMap((event) =>
        event.type === 'access_package.updated' && event.data.changes.some(({ field }) => field === 'grants')
          ? [event.data.packageId]
          : [],
      ),
    )
    for (const packageId of regranted) positions.push(await reconcilePackage(packageId, causedBy(cause)))
    positions.push(await resolve(events, cause))
    await projected(positions.reduce((one, other) => (one > other ? one : other)))
  }
}
