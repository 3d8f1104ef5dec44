import { DomainError } from '../../../domain/errors.ts'
import { groupDecider, groupStream, type GroupCommand } from '../../../domain/group/decider.ts'
import type { GroupSource } from '../../../domain/group/events.ts'
import type { GroupRule } from '../../../domain/group/rule.ts'
import type { Id } from '../../../domain/ids.ts'
import { membershipDecider, membershipStream } from '../../../domain/membership/decider.ts'
import { missingGroups, missingUsers } from '../../../read-models/queries/existence.ts'
import { applicationsUsingGroup } from '../../../read-models/queries/groups.ts'
import { methodsLimitedTo } from '../../../read-models/queries/method-settings.ts'
import { providersUsingGroup } from '../../../read-models/queries/identity-providers.ts'
import { packagesUsingGroup } from '../../../read-models/queries/access-packages.ts'
import { mappingsOfGroup } from '../../../read-models/queries/ssh.ts'
import { rulesUsingGroup } from '../../../read-models/queries/lifecycle-rules.ts'
import { policiesNaming } from '../../../read-models/queries/policies.ts'
import type { Actor } from '../services/handle.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Claim } from '../../engines/postgres/reservations.ts'
import type { Services } from '../services/services.ts'
import { GROUP_USE, mustBeOwners } from './references.ts'

const claimsOf = (groupId: string, name: unknown): readonly Claim[] =>
  typeof name === 'string' ? [{ kind: 'group_name', value: name, owner: groupId }] : []

export const groupCommands = ({
  handle,
  reservations,
  locks,
  pool,
  clock,
}: Pick<Services, 'handle' | 'pool' | 'reservations' | 'locks' | 'clock'>) => {
  const send = (command: GroupCommand, actor: Actor) =>
    handle(groupDecider, groupStream(command.groupId), command, actor)

  const mustExist = async (groupId: string, userId: string): Promise<void> => {
    if ((await missingGroups(pool, [groupId])).length > 0) throw new DomainError('ERR_NOT_FOUND')
    if ((await missingUsers(pool, [userId])).length > 0)
      throw new DomainError('ERR_NOT_FOUND', 'This user does not exist.')
  }

  return {
    /** @throws DomainError ERR_CONFLICT if the name is in use, ERR_INVALID for an invalid rule or unknown owners */
    create: async (
      input: {
        name: string
        description?: string
        externalId?: string
        ownerIds?: readonly string[]
        rule?: GroupRule | null
        source: GroupSource
      },
      actor: Actor,
    ) => {
      const { rule = null, source, ownerIds = [], ...fields } = input
      await mustBeOwners(pool, ownerIds)
      const groupId: Id<'group'> = idsFor(actor.idempotencyKey).newId('group')
      const { version } = await reservations.under(claimsOf(groupId, fields.name), () =>
        send({ type: 'create', groupId, fields: { ...fields, ownerIds }, rule, source }, actor),
      )
      return { groupId, version }
    },

    /** @throws DomainError as `create` does, and ERR_NOT_FOUND */
    update: async (
      groupId: string,
      fields: Readonly<Record<string, unknown>>,
      rule: GroupRule | null | undefined,
      actor: Actor,
    ) => {
      const { ownerIds } = fields
      if (Array.isArray(ownerIds)) await mustBeOwners(pool, ownerIds as readonly string[])
      return reservations.under(claimsOf(groupId, fields['name']), () =>
        send({ type: 'update', groupId, fields, ...(rule === undefined ? {} : { rule }) }, actor),
      )
    },

    /** @throws DomainError ERR_CONFLICT naming the applications, sign-in methods and policies that use the group */
    delete: (groupId: string, actor: Actor) =>
      locks.alone(GROUP_USE, async () => {
        const [applications, methods, policies, providers, packages, rules, mappings] = await Promise.all([
          applicationsUsingGroup(pool, groupId),
          methodsLimitedTo(pool, groupId),
          policiesNaming(pool, groupId),
          providersUsingGroup(pool, groupId),
          packagesUsingGroup(pool, groupId),
          rulesUsingGroup(pool, groupId),
          mappingsOfGroup(pool, groupId),
        ])
        const settings = methods.map((type) => `the sign-in method ${type.replaceAll('_', ' ')}`)
        const naming = policies.map((name) => `the policy ${name}`)
        const adding = providers.map((name) => `the identity provider ${name}`)
        const granting = packages.map((name) => `the access package ${name}`)
        const acting = rules.map((name) => `the lifecycle rule ${name}`)
        const mapping = mappings.map(({ principals }) => `the SSH principals ${principals.join(', ')}`)
        const usedBy = [
          ...[...applications, ...settings, ...naming, ...adding],
          ...[...granting, ...acting, ...mapping],
        ]
        return send({ type: 'delete', groupId, usedBy }, actor)
      }),

    /**
     * Adds a user manually, or changes the expiry.
     * @throws DomainError ERR_NOT_FOUND for the group or the user
     */
    addMember: async (
      groupId: string,
      userId: string,
      expiresAt: string | undefined,
      actor: Actor,
      source: { via: 'assigned' | 'scim' } | { via: 'lifecycle'; sourceId: string } = { via: 'assigned' },
    ) => {
      await mustExist(groupId, userId)
      const stream = membershipStream(groupId, userId)
      const subject = { groupId, userId, ...source }
      const handled = await handle(
        membershipDecider,
        stream,
        { type: 'grant', ...subject, now: clock.now(), ...(expiresAt === undefined ? {} : { expiresAt }) },
        actor,
      )
      // Either may have been deleted meanwhile; a later deletion ends the membership itself.
      try {
        await mustExist(groupId, userId)
      } catch (error) {
        const { idempotencyKey: _, ...undoing } = actor
        await handle(
          membershipDecider,
          stream,
          { type: 'withdraw', ...subject, reason: 'removed' },
          { ...undoing, causationId: actor.correlationId },
        )
        throw error
      }
      return handled
    },

    /**
     * Ends a manual or SCIM membership, or one from an identity provider.
     * @throws DomainError ERR_CONFLICT for a membership from the group's rule or a package
     */
    removeMember: (groupId: string, userId: string, actor: Actor) =>
      handle(
        membershipDecider,
        membershipStream(groupId, userId),
        { type: 'remove', groupId, userId },
        actor,
      ),
  }
}
