import { accessPackageDecider, accessPackageStream } from '../../../domain/access-package/decider.ts'
import type { AccessPackageCommand } from '../../../domain/access-package/decider.ts'
import type { AccessPackageFields } from '../../../domain/access-package/events.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Id } from '../../../domain/ids.ts'
import {
  packageAssignmentDecider,
  packageAssignmentsStream,
  type PackageAssignmentCommand,
} from '../../../domain/package-assignment/decider.ts'
import type { Instant } from '../../../domain/time.ts'
import { findAccessPackage, missingPackages } from '../../../read-models/queries/access-packages.ts'
import { missingGroups, missingUsers } from '../../../read-models/queries/existence.ts'
import { rulesUsingPackage } from '../../../read-models/queries/lifecycle-rules.ts'
import {
  findPackageAssignment,
  incompatibilitiesOf,
} from '../../../read-models/queries/package-assignments.ts'
import type { Claim } from '../../engines/postgres/reservations.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { GROUP_USE, mustBeOwners, mustBeReviewers } from './references.ts'

const claimsOf = (packageId: string, name: unknown): readonly Claim[] =>
  typeof name === 'string' ? [{ kind: 'access_package_name', value: name, owner: packageId }] : []

const missingAt = (missing: readonly string[], ids: readonly string[], field: string, what: string): void => {
  const [first] = missing
  if (first === undefined) return
  throw new DomainError(
    'ERR_INVALID',
    `${field}: expected ids of existing ${what}, but ${first} does not exist`,
    `/${field}/${String(ids.indexOf(first))}`,
  )
}

/** Commands on access packages and on who has them. */
export const accessPackageCommands = ({
  handle,
  locks,
  pool,
  reservations,
  clock,
}: Pick<Services, 'handle' | 'locks' | 'pool' | 'reservations' | 'clock'>) => {
  const send = (command: AccessPackageCommand, actor: Actor) =>
    handle(accessPackageDecider, accessPackageStream(command.packageId), command, actor)

  const toAssignments = (command: PackageAssignmentCommand, actor: Actor) =>
    handle(packageAssignmentDecider, packageAssignmentsStream(command.userId), command, actor)

  const mustExist = async (fields: Partial<AccessPackageFields>): Promise<void> => {
    const { grants = [], requesters, approval, ownerIds = [], incompatiblePackageIds = [], review } = fields
    const granted = grants.map(({ groupId }) => groupId)
    missingAt(await missingGroups(pool, granted), granted, 'grants', 'groups')
    const askers = requesters?.groupIds ?? []
    missingAt(await missingGroups(pool, askers), askers, 'requesters/groupIds', 'groups')
    for (const [at, { approvers, escalateTo }] of (approval?.stages ?? []).entries()) {
      const field = `approval/stages/${String(at)}`
      const { type, ids } = approvers
      if (type === 'groups')
        missingAt(await missingGroups(pool, ids), ids, `${field}/approvers/ids`, 'groups')
      if (type === 'users') missingAt(await missingUsers(pool, ids), ids, `${field}/approvers/ids`, 'users')
      if (escalateTo !== undefined)
        missingAt(await missingUsers(pool, [escalateTo]), [escalateTo], `${field}/escalateTo`, 'users')
    }
    // Null removes the reviews.
    const reviewers = review?.reviewers
    if (reviewers !== undefined) await mustBeReviewers(pool, reviewers, 'review/reviewers')
    await mustBeOwners(pool, ownerIds)
    missingAt(
      await missingPackages(pool, incompatiblePackageIds),
      incompatiblePackageIds,
      'incompatiblePackageIds',
      'access packages',
    )
  }

  /** @throws DomainError ERR_NOT_FOUND */
  const current = async (packageId: string) => {
    const found = await findAccessPackage(pool, packageId, clock.now())
    if (found === null) throw new DomainError('ERR_NOT_FOUND')
    return found
  }

  /** @throws DomainError ERR_NOT_FOUND unless the assignment belongs to the package and has not ended */
  const assignmentIn = async (packageId: string, assignmentId: string) => {
    const found = await findPackageAssignment(pool, assignmentId, clock.now())
    if (found?.packageId !== packageId || found.endedAt !== null) throw new DomainError('ERR_NOT_FOUND')
    return found
  }

  return {
    /** @throws DomainError ERR_INVALID for wrong settings and ids that do not exist, ERR_CONFLICT for a name in use */
    create: (fields: AccessPackageFields, actor: Actor) =>
      // A group must not be deleted meanwhile.
      locks.alone(GROUP_USE, async () => {
        await mustExist(fields)
        const packageId: Id<'accessPackage'> = idsFor(actor.idempotencyKey).newId('accessPackage')
        const { version } = await reservations.under(claimsOf(packageId, fields.name), () =>
          send({ type: 'create', packageId, fields }, actor),
        )
        return { packageId, version }
      }),

    /** @throws DomainError as `create` does, and ERR_NOT_FOUND */
    update: (packageId: string, fields: Readonly<Record<string, unknown>>, actor: Actor) =>
      locks.alone(GROUP_USE, async () => {
        await mustExist(fields)
        return reservations.under(claimsOf(packageId, fields['name']), () =>
          send({ type: 'update', packageId, fields }, actor),
        )
      }),

    /** @throws DomainError ERR_NOT_FOUND */
    publish: (packageId: string, actor: Actor) => send({ type: 'publish', packageId }, actor),

    /** @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT for a draft */
    archive: (packageId: string, actor: Actor) => send({ type: 'archive', packageId }, actor),

    /** @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT while users have it or requests are undecided */
    delete: async (packageId: string, actor: Actor) => {
      const { assignments, pendingRequests: requests } = await current(packageId)
      const [rule] = await rulesUsingPackage(pool, packageId)
      if (rule !== undefined)
        throw new DomainError('ERR_CONFLICT', `The lifecycle rule ${rule} uses this package.`)
      return send({ type: 'delete', packageId, assignments, requests }, actor)
    },

    /**
     * Gives a user the package at once, without a request.
     * @throws DomainError ERR_NOT_FOUND, ERR_INVALID for an unknown user, ERR_CONFLICT if the user has it already, or
     * something incompatible with it
     */
    assign: async (
      packageId: string,
      userId: string,
      expiresAt: Instant | undefined,
      actor: Actor,
      via: 'admin' | 'lifecycle' = 'admin',
    ) => {
      const { status } = await current(packageId)
      if (status === 'draft')
        throw new DomainError('ERR_CONFLICT', 'This package is a draft. Publish it before you assign it.')
      if ((await missingUsers(pool, [userId])).length > 0)
        throw new DomainError('ERR_INVALID', 'userId: expected the id of an existing user', '/userId')
      const now = clock.now()
      const assignmentId = idsFor(actor.idempotencyKey).newId('packageAssignment')
      const incompatible = await incompatibilitiesOf(pool, userId, packageId, now)
      const until = expiresAt === undefined ? {} : { expiresAt }
      const { state } = await toAssignments(
        { type: 'grant', userId, packageId, assignmentId, via, ...until, incompatible, now },
        actor,
      )
      const open = state.open.find((one) => one.packageId === packageId)
      return { assignmentId: open?.assignmentId ?? assignmentId }
    },

    /**
     * Changes when an assignment expires; null: never.
     * @throws DomainError ERR_NOT_FOUND, ERR_INVALID for a time in the past, ERR_CONFLICT if it is over
     */
    extend: async (packageId: string, assignmentId: string, expiresAt: Instant | null, actor: Actor) => {
      const { userId } = await assignmentIn(packageId, assignmentId)
      await toAssignments(
        { type: 'extend', userId, packageId, assignmentId, expiresAt, now: clock.now() },
        actor,
      )
    },

    /** @throws DomainError ERR_NOT_FOUND if it is over, too */
    end: async (packageId: string, assignmentId: string, actor: Actor) => {
      const { userId } = await assignmentIn(packageId, assignmentId)
      const now = clock.now()
      await toAssignments({ type: 'end', userId, packageId, assignmentId, reason: 'revoked', now }, actor)
    },
  }
}
