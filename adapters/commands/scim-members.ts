import type { EventType } from '../../domain/catalogue.ts'
import { DomainError } from '../../domain/errors.ts'
import {
  membershipDecider,
  membershipStream,
  type MembershipCommand,
} from '../../domain/membership/decider.ts'
import { missingGroups, missingUsers } from '../../read-models/queries/existence.ts'
import { everMembers } from '../../read-models/queries/scim.ts'
import type { Actor } from '../event-log/handle.ts'
import type { Services } from './deps.ts'

/** Memberships recorded side by side: the log takes what waits as one, and reads streams one by one. */
const NEW_AT_ONCE = 500
const KNOWN_AT_ONCE = 64
/** Two seconds each: thousands of memberships take the read models a while. */
const ROUNDS = 15

type ScimMembers = Pick<Services, 'handle' | 'inForce' | 'pool' | 'clock'>

/** Members that a directory gives to groups, and takes from them: many at a time, waited for once. */
export const scimMembers = ({ handle, inForce, pool, clock }: ScimMembers) => {
  const carryOut = async (
    commands: readonly MembershipCommand[],
    actor: Actor,
    areNew: boolean,
  ): Promise<void> => {
    const step = areNew ? NEW_AT_ONCE : KNOWN_AT_ONCE
    const presumed = { presumed: { state: membershipDecider.initial, revision: -1 } }
    let last = ''
    const types = new Set<EventType>()
    try {
      for (let i = 0; i < commands.length; i += step)
        await Promise.all(
          commands.slice(i, i + step).map(async (command) => {
            const stream = membershipStream(command.groupId, command.userId)
            const { position, recorded } = await handle(membershipDecider, stream, command, actor, {
              wait: 'together',
              ...(areNew ? presumed : {}),
            })
            for (const type of recorded) types.add(type)
            if (position !== null && position > last) last = position
          }),
        )
    } finally {
      if (last !== '') await inForce([...types], last, ROUNDS)
    }
  }

  const withdraw = (groupId: string, userIds: readonly string[], actor: Actor): Promise<void> =>
    carryOut(
      userIds.map((userId) => ({ type: 'withdraw', groupId, userId, via: 'scim', reason: 'removed' })),
      actor,
      false,
    )

  return {
    /** @throws DomainError ERR_INVALID naming the first who does not exist */
    mustExist: async (userIds: readonly string[]): Promise<void> => {
      const [first] = await missingUsers(pool, userIds)
      if (first !== undefined)
        throw new DomainError(
          'ERR_INVALID',
          `members: expected ids of existing people, but there is no ${first}`,
        )
    },

    /**
     * Whoever is in through SCIM already, or was never in by it, stays as they are. Done again after a failure it does
     * the rest.
     */
    change: async (
      groupId: string,
      { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
      actor: Actor,
    ): Promise<void> => {
      const known = await everMembers(pool, groupId, add)
      const grants = (userIds: readonly string[]) =>
        userIds.map((userId): MembershipCommand => ({
          type: 'grant',
          groupId,
          userId,
          via: 'scim',
          now: clock.now(),
        }))
      await withdraw(groupId, remove, actor)
      await carryOut(grants(add.filter((userId) => known.has(userId))), actor, false)
      await carryOut(grants(add.filter((userId) => !known.has(userId))), actor, true)
      // Deleted meanwhile: what was deleted later has ended the memberships by itself.
      const undoing = { ...actor, causationId: actor.correlationId }
      if ((await missingGroups(pool, [groupId])).length > 0) {
        await withdraw(groupId, add, undoing)
        throw new DomainError('ERR_NOT_FOUND')
      }
      const gone = await missingUsers(pool, add)
      if (gone.length > 0) await withdraw(groupId, gone, undoing)
    },
  }
}
