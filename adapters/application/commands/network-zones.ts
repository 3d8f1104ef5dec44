import {
  networkZoneDecider,
  networkZoneStream,
  type NetworkZoneCommand,
  type NetworkZoneGuard,
} from '../../../domain/network-zone/decider.ts'
import type { NetworkZoneFields } from '../../../domain/network-zone/events.ts'
import type { Id } from '../../../domain/ids.ts'
import { policiesNaming } from '../../../read-models/queries/policies.ts'
import type { Claim } from '../../engines/postgres/reservations.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { POLICY_USE } from './references.ts'

const claimsOf = (networkZoneId: string, name: string | undefined): readonly Claim[] =>
  name === undefined ? [] : [{ kind: 'network_zone_name', value: name, owner: networkZoneId }]

export const networkZoneCommands = ({
  handle,
  locks,
  pool,
  reservations,
  configuration,
}: Pick<Services, 'handle' | 'locks' | 'pool' | 'reservations' | 'configuration'>) => {
  const send = (command: NetworkZoneCommand, actor: Actor) =>
    handle(networkZoneDecider, networkZoneStream(command.networkZoneId), command, actor)

  return {
    /** @throws DomainError ERR_INVALID, ERR_CONFLICT if the name is in use or the request itself would be blocked */
    create: (fields: NetworkZoneFields, guard: NetworkZoneGuard, actor: Actor) =>
      locks.alone(POLICY_USE, async () => {
        const networkZoneId: Id<'networkZone'> = idsFor(actor.idempotencyKey).newId('networkZone')
        const { networkZones } = await configuration.fresh()
        const count = networkZones.length
        const { version } = await reservations.under(claimsOf(networkZoneId, fields.name), () =>
          send({ type: 'create', networkZoneId, fields, count, guard }, actor),
        )
        return { networkZoneId, version }
      }),

    /** @throws DomainError as `create` does, and ERR_NOT_FOUND */
    update: (
      networkZoneId: string,
      fields: Partial<NetworkZoneFields>,
      guard: NetworkZoneGuard,
      actor: Actor,
    ) =>
      reservations.under(claimsOf(networkZoneId, fields.name), () =>
        send({ type: 'update', networkZoneId, fields, guard }, actor),
      ),

    /** @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT naming the policies that use it */
    delete: (networkZoneId: string, actor: Actor) =>
      locks.alone(POLICY_USE, async () => {
        const policies = await policiesNaming(pool, networkZoneId)
        const usedBy = policies.map((name) => `the policy ${name}`)
        return send({ type: 'delete', networkZoneId, usedBy }, actor)
      }),
  }
}
