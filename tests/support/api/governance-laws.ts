/** What must hold at every position of a log, whatever the history. It reads the events alone, in their order. */
import { START } from '../../../adapters/engines/event-log/event-log.ts'
import { eventSerializer, openedSource } from '../../../adapters/engines/event-log/serializer.ts'
import type { EventOf, EventType, Recorded } from '../../../domain/catalogue.ts'
import type { Instant } from '../../../domain/time.ts'
import type { TestService } from '../service/service.ts'

interface Open {
  readonly userId: string
  readonly packageId: string
  started: boolean
  expiresAt: Instant | null
}

interface Membership {
  readonly userId: string
  readonly assignmentId: string
  readonly expiresAt: Instant | null
}

type Reactions = { readonly [T in EventType]?: (event: Recorded<EventOf<T>>) => void }

/**
 * Returns a line for each event that breaks a law: nobody gets two packages that are incompatible with each other,
 * nobody decides their own request, and no membership of a package remains once its assignment has ended.
 * The incompatible packages are those with which a package was created.
 */
export const brokenLaws = (events: readonly Recorded[]): readonly string[] => {
  const broken: string[] = []
  const incompatible = new Map<string, readonly string[]>()
  const requests = new Map<string, readonly string[]>()
  const assignments = new Map<string, Open>()
  /** Memberships by packages, by group and assignment */
  const memberships = new Map<string, Membership>()

  const conflict = (one: string, other: string): boolean =>
    (incompatible.get(one)?.includes(other) ?? false) || (incompatible.get(other)?.includes(one) ?? false)
  const begins = ({ position, metadata: { time } }: Recorded, starting: Open): void => {
    for (const other of assignments.values()) {
      const isInForce = other.started && (other.expiresAt === null || other.expiresAt > time)
      if (other.userId !== starting.userId || !isInForce) continue
      if (conflict(other.packageId, starting.packageId))
        broken.push(`${position}: ${starting.userId} has ${other.packageId} and ${starting.packageId}`)
    }
    starting.started = true
  }

  const decides = (event: Recorded<EventOf<'access_request.approved' | 'access_request.denied'>>): void => {
    const { requestId, approverId } = event.data
    if (approverId !== null && requests.get(requestId)?.includes(approverId) === true)
      broken.push(`${event.position}: ${approverId} decided their own request`)
  }
  const holds = ({
    data: { via, sourceId: assignmentId, groupId, userId, expiresAt = null },
  }: Recorded<EventOf<'membership.granted' | 'membership.expiry_changed'>>): void => {
    if (via === 'package' && assignmentId !== undefined)
      memberships.set(`${groupId}|${assignmentId}`, { userId, assignmentId, expiresAt })
  }

  const reactions: Reactions = {
    'access_package.created': ({ data }) => {
      incompatible.set(data.packageId, data.incompatiblePackageIds)
    },
    'access_request.created': ({ data }) => {
      requests.set(data.requestId, [data.requesterId, data.userId])
    },
    'access_request.approved': decides,
    'access_request.denied': decides,
    'package_assignment.granted': (event) => {
      const { assignmentId, userId, packageId, startsAt, expiresAt = null } = event.data
      const open = { userId, packageId, started: false, expiresAt }
      if (startsAt === undefined) begins(event, open)
      assignments.set(assignmentId, open)
    },
    'package_assignment.started': (event) => {
      const open = assignments.get(event.data.assignmentId)
      if (open !== undefined) begins(event, open)
    },
    'package_assignment.extended': ({ data }) => {
      const open = assignments.get(data.assignmentId)
      if (open !== undefined) open.expiresAt = data.expiresAt
    },
    'package_assignment.ended': ({ data }) => {
      assignments.delete(data.assignmentId)
    },
    'membership.granted': holds,
    'membership.expiry_changed': holds,
    'membership.withdrawn': ({ data: { groupId, sourceId } }) => {
      memberships.delete(`${groupId}|${String(sourceId)}`)
    },
    // Ends all memberships and assignments of the user by itself.
    'user.deleted': ({ data: { userId } }) => {
      for (const held of [memberships, assignments])
        for (const [key, one] of held) if (one.userId === userId) held.delete(key)
    },
  }
  for (const event of events) {
    const react = reactions[event.type] as ((event: Recorded) => void) | undefined
    react?.(event)
  }
  const now = events.at(-1)?.metadata.time ?? ''
  for (const [membership, { assignmentId, expiresAt }] of memberships)
    if (!assignments.has(assignmentId) && (expiresAt === null || expiresAt > now))
      broken.push(`end: ${membership} has no assignment`)
  return broken
}

export const lawsBrokenIn = async ({ core }: TestService): Promise<readonly string[]> => {
  const log = openedSource(core.eventLog, eventSerializer(core.services.vault))
  return brokenLaws((await log.read(START, 1_000_000)).events)
}
