/**
 * Removes the access that a review revoked, through the paths that it showed: memberships are withdrawn, package
 * assignments end, roles are taken away. What only people can change stays, with the reason. Access that came later
 * was not reviewed and stays, too.
 */
import type { ApplyStatus, ReviewedPath } from '../../../domain/access-review/events.ts'
import { reviewItemDecider, reviewItemStream } from '../../../domain/access-review/item.ts'
import { DomainError } from '../../../domain/errors.ts'
import { membershipDecider, membershipStream } from '../../../domain/membership/decider.ts'
import {
  packageAssignmentDecider,
  packageAssignmentsStream,
} from '../../../domain/package-assignment/decider.ts'
import type { Role } from '../../../domain/roles.ts'
import { userDecider, userStream } from '../../../domain/user/decider.ts'
import type { AccessReviewItemRow } from '../../../read-models/queries/access-reviews.ts'
import { corePosition } from '../../../read-models/queries/core-position.ts'
import { countOtherGlobalAdmins } from '../../../read-models/queries/administrators.ts'
import {
  isActiveGlobalAdmin,
  openAssignments,
  openMemberships,
  rolesHeld,
  type OpenMembership,
} from '../../../read-models/queries/review-application.ts'
import { serviceAccountDecider, serviceAccountStream } from '../../../domain/service-account/decider.ts'
import { accountUse, ADMINISTRATORS } from '../commands/references.ts'
import { presumedItem, subjectOf } from '../commands/access-reviews.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'

/** How many times the usual wait a page may take until it is in effect. */
const ROUNDS = 10

interface Outcome {
  readonly status: ApplyStatus
  readonly error?: string
}

/** The read models lag behind: the page is repeated. */
const ENDED_MEANWHILE = 'An assignment has ended, and its groups are not withdrawn yet.'

const GIVEN_AGAIN =
  'The user has the access again, or by other means, since the review started: review it anew.'

/** Why a path cannot be removed here; null if it can. */
const obstacleOf = ({ via, groupName = '' }: ReviewedPath): string | null => {
  switch (via) {
    case 'rule':
      return `The rule of the group ${groupName} gives it: change the rule, or the user's attributes.`
    case 'scim':
      return `A directory manages the members of the group ${groupName}: remove the user there.`
    case 'identity_provider':
      return `The identity provider gives the group ${groupName} at each sign-in: remove the user there.`
    case 'assigned':
    case 'lifecycle':
    case 'package':
    case 'direct':
      return null
  }
}

/** Errors of the rules; others are temporary, and the page is repeated. */
const isFinal = (error: unknown): error is DomainError =>
  error instanceof DomainError && error.code !== 'ERR_UNAVAILABLE'

export const reviewApplication = ({
  handle,
  handleMany,
  inForce,
  locks,
  pool,
  clock,
}: Pick<Services, 'handle' | 'handleMany' | 'inForce' | 'locks' | 'pool' | 'clock'>) => {
  const withdraw = async (items: readonly AccessReviewItemRow[], actor: Actor): Promise<void> => {
    const wanted = new Set<string>()
    const keyOf = ({ groupId, userId, via, sourceId, since }: Omit<OpenMembership, 'expiresAt'>): string =>
      [groupId, userId, via, sourceId ?? '', since].join('|')
    for (const { userId, accessVia } of items)
      for (const { groupId, via, sourceId = null, since } of accessVia)
        if (groupId !== undefined && (via === 'assigned' || via === 'lifecycle'))
          wanted.add(keyOf({ groupId, userId, via, sourceId, since }))
    if (wanted.size === 0) return
    const groupIds = items.flatMap(({ accessVia }) => accessVia.flatMap(({ groupId }) => groupId ?? []))
    const open = await openMemberships(
      pool,
      items.map(({ userId }) => userId),
      [...new Set(groupIds)],
    )
    const commands = open
      .filter((one) => wanted.has(keyOf(one)))
      .map(({ groupId, userId, via, sourceId, expiresAt }) => {
        const source = { via, ...(sourceId === null ? {} : { sourceId }) }
        return {
          stream: membershipStream(groupId, userId),
          command: { type: 'withdraw' as const, groupId, userId, ...source, reason: 'removed' as const },
          // Most memberships were granted once, and nothing else happened to them.
          presumed: {
            state: { sources: [{ via, sourceId: sourceId ?? undefined, expiresAt }] },
            revision: 0,
          },
        }
      })
    await handleMany(membershipDecider, commands, actor, ROUNDS)
  }

  /** Ends assignments, and waits until the groups of those that have ended are withdrawn. */
  const endAssignments = async (items: readonly AccessReviewItemRow[], actor: Actor): Promise<void> => {
    const ids = items.flatMap(({ accessVia }) =>
      accessVia.flatMap(({ via, sourceId }) => (via === 'package' ? (sourceId ?? []) : [])),
    )
    const assignmentIds = [...new Set(ids)]
    const open = await openAssignments(pool, assignmentIds)
    // A process that was killed may have ended the others a moment ago.
    if (open.length < assignmentIds.length)
      await inForce([{ type: 'package_assignment.ended', position: await corePosition(pool) }], ROUNDS)
    for (const { assignmentId, packageId, userId } of open)
      await handle(
        packageAssignmentDecider,
        packageAssignmentsStream(userId),
        { type: 'end', userId, packageId, assignmentId, reason: 'revoked', now: clock.now() },
        actor,
      ).catch((error: unknown) => {
        const hasEnded = error instanceof DomainError && error.code === 'ERR_NOT_FOUND'
        throw hasEnded ? new DomainError('ERR_UNAVAILABLE', ENDED_MEANWHILE) : error
      })
  }

  /**
   * Reads the roles under the lock that every change of them takes: a role that somebody takes away at the same moment
   * must not come back.
   * @throws DomainError for the last global administrator
   */
  const removeRole = async ({ userId, resource }: AccessReviewItemRow, actor: Actor): Promise<void> => {
    const remaining = async (): Promise<readonly Role[] | null> => {
      const held = (await rolesHeld(pool, userId))?.roles ?? []
      const roles = held.filter((role) => role !== resource.id)
      return roles.length === held.length ? null : roles
    }
    const account = await rolesHeld(pool, userId)
    if (account?.kind === 'service_account')
      await locks.alone(accountUse(userId), async () => {
        const roles = await remaining()
        if (roles === null) return
        const command = { type: 'set_roles', serviceAccountId: userId, roles } as const
        await handle(serviceAccountDecider, serviceAccountStream(userId), command, actor)
      })
    if (account?.kind === 'user')
      await locks.alone(ADMINISTRATORS, async () => {
        const roles = await remaining()
        if (roles === null) return
        const otherActiveGlobalAdmins = await countOtherGlobalAdmins(pool, userId)
        const command = { type: 'set_roles', userId, roles, otherActiveGlobalAdmins } as const
        await handle(userDecider, userStream(userId), command, actor)
      })
  }

  /** The memberships that these users still have, as `user|group`. */
  const heldBy = async (items: readonly AccessReviewItemRow[]): Promise<ReadonlySet<string>> => {
    const groupIds = items.flatMap(({ accessVia }) => accessVia.flatMap(({ groupId }) => groupId ?? []))
    const open = await openMemberships(
      pool,
      items.map(({ userId }) => userId),
      [...new Set(groupIds)],
    )
    const now = clock.now()
    const inForce = open.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    return new Set(inForce.map(({ userId, groupId }) => `${userId}|${groupId}`))
  }

  const outcomeOf = async (
    item: AccessReviewItemRow,
    held: ReadonlySet<string>,
    authorId: string | null,
    actor: Actor,
  ): Promise<Outcome> => {
    if (item.resource.type === 'role') {
      // Roles are only taken in the name of somebody who may still do so.
      if (authorId === null || !(await isActiveGlobalAdmin(pool, authorId)))
        return { status: 'failed', error: 'The author of the review is no longer a global administrator.' }
      try {
        await removeRole(item, actor)
      } catch (error) {
        if (isFinal(error)) return { status: 'failed', error: error.message }
        throw error
      }
    }
    const obstacles = new Set(item.accessVia.flatMap((path) => obstacleOf(path) ?? []))
    const isHeld = item.accessVia.some(({ groupId = '' }) => held.has(`${item.userId}|${groupId}`))
    if (obstacles.size === 0 && isHeld) return { status: 'manual', error: GIVEN_AGAIN }
    return obstacles.size === 0
      ? { status: 'applied' }
      : { status: 'manual', error: [...obstacles].join(' ') }
  }

  /**
   * Removes the access of a page of revoked items, and records what became of each.
   * @param authorId of the review
   */
  return async (
    items: readonly AccessReviewItemRow[],
    authorId: string | null,
    actor: Actor,
  ): Promise<void> => {
    await withdraw(items, actor)
    await endAssignments(items, actor)
    const held = await heldBy(items)
    const commands = []
    for (const item of items)
      commands.push({
        stream: reviewItemStream(item.id),
        command: {
          ...{ type: 'record_applied' as const, ...subjectOf(item), expected: 'revoked' as const },
          ...(await outcomeOf(item, held, authorId, actor)),
        },
        presumed: presumedItem(item),
      })
    await handleMany(reviewItemDecider, commands, actor, ROUNDS)
  }
}
