import { DomainError } from '../../../domain/errors.ts'
import {
  membershipDecider,
  membershipStream,
  type MembershipCommand,
  type MembershipState,
} from '../../../domain/membership/decider.ts'
import { missingGroups, missingUsers } from '../../../read-models/queries/existence.ts'
import { sourcesEver } from '../../../read-models/queries/scim.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'

/** Each round waits two seconds: projecting thousands of memberships takes that long. */
const ROUNDS = 15

type ScimMembers = Pick<Services, 'handleMany' | 'pool' | 'clock'>

/** Adds and removes group members for a directory: many changes at a time, with a single wait. */
export const scimMembers = ({ handleMany, pool, clock }: ScimMembers) => {
  /**
   * The expected state of membership streams, from the read models: reading thousands of streams takes longer
   * than everything else. If it is wrong, the append fails and the stream is read.
   */
  const presumptions = async (groupId: string, userIds: readonly string[]) => {
    const events = new Map<string, number>()
    const open = new Map<string, MembershipState['sources'][number][]>()
    for (const { userId, via, sourceId, expiresAt, endReason } of await sourcesEver(pool, groupId, userIds)) {
      // A membership that ended with its group or user has no end event of its own.
      const ended = endReason !== null && !endReason.endsWith('_deleted')
      events.set(userId, (events.get(userId) ?? 0) + (ended ? 2 : 1))
      const source = { via, sourceId: sourceId ?? undefined, expiresAt }
      if (endReason === null) open.set(userId, [...(open.get(userId) ?? []), source])
    }
    return (userId: string) => ({
      state: { sources: open.get(userId) ?? [] },
      revision: (events.get(userId) ?? 0) - 1,
    })
  }

  const carryOut = async (
    groupId: string,
    commands: readonly MembershipCommand[],
    actor: Actor,
  ): Promise<void> => {
    if (commands.length === 0) return
    const presumed = await presumptions(
      groupId,
      commands.map(({ userId }) => userId),
    )
    await handleMany(
      membershipDecider,
      commands.map((command) => ({
        stream: membershipStream(groupId, command.userId),
        command,
        presumed: presumed(command.userId),
      })),
      actor,
      ROUNDS,
    )
  }

  const withdrawals = (groupId: string, userIds: readonly string[]) =>
    userIds.map((userId): MembershipCommand => ({
      type: 'withdraw',
      groupId,
      userId,
      via: 'scim',
      reason: 'removed',
    }))

  const memberGrants = (groupId: string, userIds: readonly string[]) =>
    userIds.map((userId): MembershipCommand => ({
      type: 'grant',
      groupId,
      userId,
      via: 'scim',
      now: clock.now(),
    }))

  return {
    /** @throws DomainError ERR_INVALID naming the first user who does not exist */
    mustExist: async (userIds: readonly string[]): Promise<void> => {
      const [first] = await missingUsers(pool, userIds)
      if (first !== undefined)
        throw new DomainError(
          'ERR_INVALID',
          `members: expected ids of existing users, but ${first} does not exist`,
        )
    },

    /**
     * Skips additions of users who are already SCIM members, and removals of users who are not. Repeating the request
     * after a failure completes the rest.
     */
    change: async (
      groupId: string,
      { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
      actor: Actor,
    ): Promise<void> => {
      await carryOut(groupId, [...withdrawals(groupId, remove), ...memberGrants(groupId, add)], actor)
      if (add.length === 0) return
      // If the group was deleted meanwhile, its later deletion ends the remaining memberships.
      const undoing = { ...actor, causationId: actor.correlationId }
      if ((await missingGroups(pool, [groupId])).length > 0) {
        await carryOut(groupId, withdrawals(groupId, add), undoing)
        throw new DomainError('ERR_NOT_FOUND')
      }
      await carryOut(groupId, withdrawals(groupId, await missingUsers(pool, add)), undoing)
    },
  }
}
