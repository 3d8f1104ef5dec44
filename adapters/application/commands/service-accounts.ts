import type { Role } from '../../../domain/roles.ts'
import {
  serviceAccountDecider,
  serviceAccountStream,
  type ServiceAccountCommand,
} from '../../../domain/service-account/decider.ts'
import type { ServiceAccountFields } from '../../../domain/service-account/events.ts'
import type { Id } from '../../../domain/ids.ts'
import { DomainError } from '../../../domain/errors.ts'
import { outdatedKeys } from '../../../read-models/queries/api-keys.ts'
import { missingUsers } from '../../../read-models/queries/existence.ts'
import type { Actor } from '../services/handle.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Claim } from '../../engines/postgres/reservations.ts'
import { revokeKeysOf, revokeOutdatedKeys } from './api-keys.ts'
import type { Services } from '../services/services.ts'
import { accountUse } from './references.ts'

const claimsOf = (serviceAccountId: string, name: unknown): readonly Claim[] =>
  typeof name === 'string' ? [{ kind: 'service_account_name', value: name, owner: serviceAccountId }] : []

export const serviceAccountCommands = (
  services: Pick<Services, 'handle' | 'pool' | 'reservations' | 'locks'>,
) => {
  const { handle, reservations, locks, pool } = services
  const send = (command: ServiceAccountCommand, actor: Actor) =>
    handle(serviceAccountDecider, serviceAccountStream(command.serviceAccountId), command, actor)

  /** Sends a command that may give an account rights which the holders of its keys were not given. */
  const raise = (command: ServiceAccountCommand, actor: Actor) =>
    locks.alone(accountUse(command.serviceAccountId), async () => {
      const handled = await send(command, actor)
      await revokeOutdatedKeys(services, await outdatedKeys(pool, command.serviceAccountId), actor)
      return handled
    })

  const mustBeOwner = async (ownerId: unknown): Promise<void> => {
    if (typeof ownerId === 'string' && (await missingUsers(services.pool, [ownerId])).length > 0)
      throw new DomainError('ERR_INVALID', 'ownerId: expected the id of an existing user', '/ownerId')
  }

  return {
    /** @throws DomainError ERR_CONFLICT if the name is in use, ERR_INVALID for an unknown owner */
    create: async (fields: ServiceAccountFields, actor: Actor) => {
      await mustBeOwner(fields.ownerId)
      const serviceAccountId: Id<'user'> = idsFor(actor.idempotencyKey).newId('user')
      const { version } = await reservations.under(claimsOf(serviceAccountId, fields.name), () =>
        send({ type: 'create', serviceAccountId, fields }, actor),
      )
      return { serviceAccountId, version }
    },

    /**
     * @throws DomainError as `create` does, ERR_NOT_FOUND, and ERR_FORBIDDEN for an account with more rights
     * than `by`
     */
    update: async (
      serviceAccountId: string,
      fields: Readonly<Record<string, unknown>>,
      by: readonly Role[],
      actor: Actor,
    ) => {
      await mustBeOwner(fields['ownerId'])
      return reservations.under(claimsOf(serviceAccountId, fields['name']), () =>
        send({ type: 'update', serviceAccountId, fields, by }, actor),
      )
    },

    /**
     * Added roles disable the account's keys. Each key is then also revoked; if this is interrupted, the maintenance
     * task does it.
     */
    setRoles: (serviceAccountId: string, roles: readonly Role[], actor: Actor) =>
      raise({ type: 'set_roles', serviceAccountId, roles }, actor),

    /**
     * The first names disable the account's keys, as added roles do.
     * @throws DomainError ERR_NOT_FOUND, ERR_INVALID naming the first name that is not one
     */
    setSshHostNames: (serviceAccountId: string, hostNames: readonly string[], actor: Actor) =>
      raise({ type: 'set_ssh_host_names', serviceAccountId, hostNames }, actor),

    /** @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT if it already has that status, ERR_FORBIDDEN as `update` does */
    turn: (type: 'disable' | 'enable', serviceAccountId: string, by: readonly Role[], actor: Actor) =>
      send({ type, serviceAccountId, by }, actor),

    /**
     * Its keys stop working immediately. Each key is then also revoked; if this is interrupted, the maintenance task
     * does it.
     */
    delete: (serviceAccountId: string, by: readonly Role[], actor: Actor) =>
      locks.alone(accountUse(serviceAccountId), async () => {
        await send({ type: 'delete', serviceAccountId, by }, actor)
        await revokeKeysOf({ handle, pool }, serviceAccountId, actor)
      }),
  }
}
