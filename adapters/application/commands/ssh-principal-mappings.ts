import {
  sshPrincipalMappingDecider,
  sshPrincipalMappingStream,
  type SshPrincipalMappingCommand,
} from '../../../domain/ssh-principal-mapping/decider.ts'
import type { SshPrincipalMappingFields } from '../../../domain/ssh-principal-mapping/events.ts'
import type { Id } from '../../../domain/ids.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { GROUP_USE, mustBeGroup } from './references.ts'

export const sshPrincipalMappingCommands = ({
  handle,
  locks,
  pool,
}: Pick<Services, 'handle' | 'locks' | 'pool'>) => {
  const send = (command: SshPrincipalMappingCommand, actor: Actor) =>
    handle(sshPrincipalMappingDecider, sshPrincipalMappingStream(command.mappingId), command, actor)

  return {
    /** @throws DomainError ERR_INVALID */
    create: (fields: SshPrincipalMappingFields, actor: Actor) =>
      locks.alone(GROUP_USE, async () => {
        await mustBeGroup(pool, fields.groupId, 'groupId')
        const mappingId: Id<'sshPrincipalMapping'> = idsFor(actor.idempotencyKey).newId('sshPrincipalMapping')
        const { version } = await send({ type: 'create', mappingId, fields }, actor)
        return { mappingId, version }
      }),

    /** @throws DomainError ERR_INVALID, ERR_NOT_FOUND */
    update: (mappingId: string, fields: Partial<SshPrincipalMappingFields>, actor: Actor) =>
      locks.alone(GROUP_USE, async () => {
        if (fields.groupId !== undefined) await mustBeGroup(pool, fields.groupId, 'groupId')
        return send({ type: 'update', mappingId, fields }, actor)
      }),

    /** @throws DomainError ERR_NOT_FOUND */
    delete: (mappingId: string, actor: Actor) => send({ type: 'delete', mappingId }, actor),
  }
}
