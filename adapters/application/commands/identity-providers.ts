import { DomainError } from '../../../domain/errors.ts'
import {
  identityProviderDecider,
  identityProviderStream,
  type IdentityProviderCommand,
} from '../../../domain/identity-provider/decider.ts'
import type {
  AnyProviderFields,
  IdentityProviderFields,
  IdentityProviderType,
} from '../../../domain/identity-provider/events.ts'
import type { Id } from '../../../domain/ids.ts'
import { sessionDecider, sessionStream } from '../../../domain/session/decider.ts'
import { membershipDecider, membershipStream } from '../../../domain/membership/decider.ts'
import { listDomainNames } from '../../../read-models/queries/domains.ts'
import {
  countIdentityProviders,
  countOnlyMethodOf,
  membershipsThrough,
  providersOfDomain,
  sessionsThrough,
} from '../../../read-models/queries/identity-providers.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Claim } from '../../engines/postgres/reservations.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { GROUP_USE, mustBeGroups, PROVIDER_USE } from './references.ts'

/** Purpose of the encryption of client secrets; the provider's id is the associated data. */
export const IDENTITY_PROVIDER_SECRET = 'identity-provider-secret'

const claimsOf = (identityProviderId: string, name: string | undefined): readonly Claim[] =>
  name === undefined ? [] : [{ kind: 'identity_provider_name', value: name, owner: identityProviderId }]

export const identityProviderCommands = (
  services: Pick<Services, 'handle' | 'inForce' | 'pool' | 'reservations' | 'locks' | 'vault' | 'clock'>,
) => {
  const { handle, inForce, pool, reservations, locks, vault, clock } = services
  const send = (command: IdentityProviderCommand, actor: Actor) =>
    handle(identityProviderDecider, identityProviderStream(command.identityProviderId), command, actor)

  /** Each domain leads to one provider. */
  const mustBeFree = async (identityProviderId: string, domains: readonly string[]): Promise<void> => {
    const known = await listDomainNames(pool)
    for (const [index, domain] of domains.entries()) {
      const field = `/domains/${String(index)}`
      if (!known.includes(domain))
        throw new DomainError(
          'ERR_INVALID',
          `domains: expected domains of the organization, got ${domain}`,
          field,
        )
      const [other] = (await providersOfDomain(pool, domain)).filter(({ id }) => id !== identityProviderId)
      if (other !== undefined)
        throw new DomainError(
          'ERR_CONFLICT',
          `The domain ${domain} belongs to the provider ${other.name}.`,
          field,
        )
    }
  }

  /** Runs `work` while nobody can delete the groups, or give the domains to another provider. */
  const checked = <T>(
    identityProviderId: string,
    { domains = [], jitGroupIds = [], groupMapping = [] }: AnyProviderFields,
    work: () => Promise<T>,
  ): Promise<T> =>
    locks.alone(PROVIDER_USE, async () => {
      await mustBeFree(identityProviderId, domains)
      const mapped = groupMapping.map(({ groupId }) => groupId)
      if (jitGroupIds.length + mapped.length === 0) return work()
      return locks.alone(GROUP_USE, async () => {
        await mustBeGroups(pool, jitGroupIds, 'jitGroupIds')
        await mustBeGroups(pool, mapped, 'groupMapping')
        return work()
      })
    })

  const sealed = (identityProviderId: string, secret: string): string =>
    vault.seal(IDENTITY_PROVIDER_SECRET, secret, identityProviderId)

  const takeAway = (type: 'disable' | 'delete', identityProviderId: string, force: boolean, actor: Actor) =>
    locks.alone(PROVIDER_USE, async () =>
      send(
        { type, identityProviderId, onlyMethodOf: await countOnlyMethodOf(pool, identityProviderId), force },
        actor,
      ),
    )

  /** Ends the sessions that the provider has opened. It must be disabled already, so that it opens no more. */
  const endSessions = async (
    identityProviderId: string,
    { ifVersion: _, ...actor }: Actor,
  ): Promise<void> => {
    const by = { ...actor, causationId: actor.correlationId }
    for (const sessionId of await sessionsThrough(pool, identityProviderId, clock.now())) {
      const end = { type: 'end', sessionId, reason: 'admin_revoked' } as const
      const { change } = await handle(sessionDecider, sessionStream(sessionId), end, by, {
        wait: 'left_to_caller',
      })
      await inForce(change)
    }
  }

  return {
    /** @throws DomainError ERR_INVALID, and ERR_CONFLICT if the name or a domain is in use, or there are too many */
    create: async (
      input: {
        providerType: IdentityProviderType
        issuer: string
        fields: IdentityProviderFields
        clientSecret: string | undefined
      },
      actor: Actor,
    ) => {
      const { providerType, issuer, fields, clientSecret } = input
      const identityProviderId: Id<'identityProvider'> = idsFor(actor.idempotencyKey).newId(
        'identityProvider',
      )
      const sealedSecret = clientSecret === undefined ? null : sealed(identityProviderId, clientSecret)
      const { version } = await checked(identityProviderId, fields, async () => {
        const count = await countIdentityProviders(pool)
        return reservations.under(claimsOf(identityProviderId, fields.name), () =>
          send(
            { type: 'create', identityProviderId, providerType, issuer, fields, sealedSecret, count },
            actor,
          ),
        )
      })
      return { identityProviderId, version }
    },

    /** @throws DomainError as `create` does, and ERR_NOT_FOUND */
    update: async (
      identityProviderId: string,
      fields: AnyProviderFields,
      clientSecret: string | undefined,
      actor: Actor,
    ) => {
      const secret =
        clientSecret === undefined ? {} : { sealedSecret: sealed(identityProviderId, clientSecret) }
      return checked(identityProviderId, fields, () =>
        reservations.under(claimsOf(identityProviderId, fields.name), () =>
          send({ type: 'update', identityProviderId, fields, ...secret }, actor),
        ),
      )
    },

    enable: (identityProviderId: string, actor: Actor) => send({ type: 'enable', identityProviderId }, actor),

    /**
     * @param options.endSessions whether the sessions that the provider has opened end, too
     * @throws DomainError ERR_CONFLICT with the number of users who could not sign in any more, unless `force`
     */
    disable: async (
      identityProviderId: string,
      options: { readonly force: boolean; readonly endSessions: boolean },
      actor: Actor,
    ) => {
      const done = await takeAway('disable', identityProviderId, options.force, actor)
      if (options.endSessions) await endSessions(identityProviderId, actor)
      return done
    },

    /**
     * Deletes the provider, its linked accounts, the sessions that it has opened and the memberships that came from it.
     * The provider is disabled first and deleted last, so that a deletion that breaks off can be repeated, and nothing
     * remains.
     * @throws DomainError as `disable` does
     */
    delete: async (identityProviderId: string, force: boolean, actor: Actor): Promise<void> => {
      await takeAway('disable', identityProviderId, force, actor)
      await endSessions(identityProviderId, actor)
      const { ifVersion: _, ...later } = actor
      for (const { groupId, userId } of await membershipsThrough(pool, identityProviderId)) {
        const { change } = await handle(
          membershipDecider,
          membershipStream(groupId, userId),
          {
            ...{ type: 'withdraw', groupId, userId, reason: 'removed' },
            ...{ via: 'identity_provider', sourceId: identityProviderId },
          } as const,
          { ...later, causationId: actor.correlationId },
          { wait: 'left_to_caller' },
        )
        await inForce(change)
      }
      await takeAway('delete', identityProviderId, force, later)
    },
  }
}
