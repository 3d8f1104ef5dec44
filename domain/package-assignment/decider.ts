/**
 * All packages of one user are one stream, so that separation of duties is decided on all of them at once, whatever
 * happens at the same time.
 */
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { Instant } from '../time.ts'
import type { AssignmentVia, PackageAssignmentEvent } from './events.ts'

export interface OpenAssignment {
  readonly assignmentId: string
  readonly packageId: string
  readonly requestId: string | null
  readonly status: 'scheduled' | 'active'
  readonly startsAt: Instant | null
  readonly expiresAt: Instant | null
}

export interface PackageAssignmentsState {
  readonly open: readonly OpenAssignment[]
  /** Ids of ended assignments and of carried out requests: a repeated delivery must not bring them back. */
  readonly done: readonly string[]
}

/** Facts about separation of duties, for one user and one package. */
export interface Incompatibilities {
  readonly packages: readonly { readonly packageId: string; readonly name: string }[]
  /** Groups of incompatible packages that the user is in otherwise, with the name of the package. */
  readonly held: readonly { readonly groupName: string; readonly packageName: string }[]
}

interface Subject {
  readonly userId: string
  readonly packageId: string
  readonly now: Instant
}

export type PackageAssignmentCommand =
  | (Subject & {
      type: 'grant'
      assignmentId: string
      via: AssignmentVia
      requestId?: string
      startsAt?: Instant
      expiresAt?: Instant
      incompatible: Incompatibilities
    })
  /** Starts a scheduled assignment whose time has come; ends it if something incompatible has been given since. */
  | (Subject & { type: 'start'; assignmentId: string; incompatible: Incompatibilities })
  /** By an approved request, or by an administrator, to whom separation of duties does not matter here. */
  | (Subject & {
      type: 'extend'
      assignmentId: string
      requestId?: string
      expiresAt: Instant | null
      incompatible?: Incompatibilities
    })
  | (Subject & { type: 'end'; assignmentId: string; requestId?: string; reason: 'revoked' | 'given_up' })
  /** Records that assignments of the user have expired. */
  | { type: 'expire'; userId: string; now: Instant }

const initial: PackageAssignmentsState = { open: [], done: [] }

const evolve = (
  state: PackageAssignmentsState,
  { type, data }: PackageAssignmentEvent,
): PackageAssignmentsState => {
  const others = state.open.filter(({ assignmentId }) => assignmentId !== data.assignmentId)
  const one = state.open.find(({ assignmentId }) => assignmentId === data.assignmentId)
  switch (type) {
    case 'package_assignment.granted': {
      const { assignmentId, packageId, requestId = null, startsAt = null, expiresAt = null } = data
      const status = startsAt === null ? 'active' : 'scheduled'
      const granted: OpenAssignment = { assignmentId, packageId, requestId, status, startsAt, expiresAt }
      return { ...state, open: [...others, granted] }
    }
    case 'package_assignment.started':
      return one === undefined ? state : { ...state, open: [...others, { ...one, status: 'active' }] }
    case 'package_assignment.extended': {
      const done = data.requestId === undefined ? state.done : [...state.done, data.requestId]
      const extended = one === undefined ? [] : [{ ...one, expiresAt: data.expiresAt }]
      return { open: [...others, ...extended], done }
    }
    case 'package_assignment.ended': {
      const { assignmentId, requestId } = data
      return {
        open: others,
        done: [...state.done, assignmentId, ...(requestId === undefined ? [] : [requestId])],
      }
    }
  }
}

const DOES_NOT_HAVE = 'The user does not have this package.'

const isOver = ({ expiresAt }: OpenAssignment, now: Instant): boolean =>
  expiresAt !== null && expiresAt <= now

/**
 * Why a user must not have a package, in one sentence; null if they may. Counts what is scheduled, too.
 */
export const conflictWith = (
  { packageId }: { readonly packageId: string },
  { packages, held }: Incompatibilities,
  state: PackageAssignmentsState,
  now: Instant,
): string | null => {
  const other = state.open.find(
    (one) =>
      one.packageId !== packageId &&
      !isOver(one, now) &&
      packages.some((incompatible) => incompatible.packageId === one.packageId),
  )
  if (other !== undefined) {
    const { name } = packages.find((one) => one.packageId === other.packageId) ?? { name: other.packageId }
    return `The user has the package ${name}, which is incompatible with this one.`
  }
  const [group] = held
  return group === undefined
    ? null
    : `The user is in the group ${group.groupName} of the package ${group.packageName}, which is incompatible with this one.`
}

const decide = (
  command: PackageAssignmentCommand,
  state: PackageAssignmentsState,
): Decision<PackageAssignmentEvent> => {
  const { userId, now } = command
  const subjectOf = ({ assignmentId, packageId }: Pick<OpenAssignment, 'assignmentId' | 'packageId'>) => ({
    assignmentId,
    packageId,
    userId,
  })
  const ended = (one: OpenAssignment, reason: 'expired' | 'conflict'): PackageAssignmentEvent => ({
    type: 'package_assignment.ended',
    data: { ...subjectOf(one), reason },
  })
  if (command.type === 'expire')
    return accept(...state.open.filter((one) => isOver(one, now)).map((one) => ended(one, 'expired')))
  const current = state.open.find(({ packageId }) => packageId === command.packageId)
  switch (command.type) {
    case 'grant': {
      const { assignmentId, via, requestId, startsAt, expiresAt, incompatible } = command
      if (expiresAt !== undefined && expiresAt <= (startsAt ?? now))
        return refuse('ERR_INVALID', 'expiresAt: expected a time after the start', '/expiresAt')
      if (state.done.includes(assignmentId)) return accept()
      const open = current !== undefined && !isOver(current, now) ? current : null
      if (open?.assignmentId === assignmentId) return accept()
      if (open !== null)
        return refuse(
          'ERR_CONFLICT',
          open.status === 'active'
            ? 'The user already has this package.'
            : 'The user already gets this package later.',
        )
      const conflict = conflictWith(command, incompatible, state, now)
      if (conflict !== null) return refuse('ERR_CONFLICT', conflict)
      const later = startsAt !== undefined && startsAt > now
      return accept<PackageAssignmentEvent>(
        // An expired assignment starts again, so that the gap never counts.
        ...(current === undefined ? [] : [ended(current, 'expired')]),
        {
          type: 'package_assignment.granted',
          data: {
            ...subjectOf(command),
            via,
            ...(requestId === undefined ? {} : { requestId }),
            ...(later ? { startsAt } : {}),
            ...(expiresAt === undefined ? {} : { expiresAt }),
          },
        },
      )
    }
    case 'start': {
      const { assignmentId, incompatible } = command
      if (current === undefined || current.assignmentId !== assignmentId || current.status === 'active')
        return accept()
      if (current.startsAt !== null && current.startsAt > now) return accept()
      if (isOver(current, now)) return accept(ended(current, 'expired'))
      if (conflictWith(command, incompatible, state, now) !== null) return accept(ended(current, 'conflict'))
      return accept({ type: 'package_assignment.started', data: subjectOf(current) })
    }
    case 'extend': {
      const { assignmentId, expiresAt, requestId } = command
      if (requestId !== undefined && state.done.includes(requestId)) return accept()
      if (current?.assignmentId !== assignmentId || isOver(current, now))
        return refuse('ERR_CONFLICT', DOES_NOT_HAVE)
      if (expiresAt !== null && expiresAt <= now)
        return refuse('ERR_INVALID', 'expiresAt: expected a time in the future', '/expiresAt')
      const incompatible = command.incompatible ?? { packages: [], held: [] }
      const conflict = conflictWith(command, incompatible, state, now)
      if (conflict !== null) return refuse('ERR_CONFLICT', conflict)
      if (current.expiresAt === expiresAt) return accept()
      const cause = requestId === undefined ? {} : { requestId }
      return accept({
        type: 'package_assignment.extended',
        data: { ...subjectOf(current), ...cause, expiresAt },
      })
    }
    case 'end': {
      const { assignmentId, requestId, reason } = command
      if (requestId !== undefined && state.done.includes(requestId)) return accept()
      if (current?.assignmentId !== assignmentId)
        return requestId === undefined ? refuse('ERR_NOT_FOUND') : refuse('ERR_CONFLICT', DOES_NOT_HAVE)
      const cause = requestId === undefined ? {} : { requestId }
      return accept({
        type: 'package_assignment.ended',
        data: { ...subjectOf(current), ...cause, reason: isOver(current, now) ? 'expired' : reason },
      })
    }
  }
}

export const packageAssignmentDecider: Decider<
  PackageAssignmentsState,
  PackageAssignmentCommand,
  PackageAssignmentEvent
> = { initial, evolve, decide }

export const packageAssignmentsStream = (userId: string): string => `package_assignments-${userId}`
