import {
  apiResourceDecider,
  apiResourceStream,
  type ApiResourceCommand,
} from '../../../domain/api-resource/decider.ts'
import type { ApiScope } from '../../../domain/api-resource/events.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Id } from '../../../domain/ids.ts'
import { holdersOf } from '../../../read-models/queries/api-resources.ts'
import type { Actor } from '../services/handle.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Claim } from '../../engines/postgres/reservations.ts'
import type { Services } from '../services/services.ts'
import { API_RESOURCE_USE, mustBeOwnerApplications } from './references.ts'

const scopeClaims = (apiResourceId: string, scopes: readonly ApiScope[]): readonly Claim[] =>
  scopes.map(({ name }, index) => ({
    kind: 'api_scope',
    value: name,
    owner: apiResourceId,
    field: `/scopes/${String(index)}/name`,
  }))

/** The rules reject a repeated scope. Until then each name is claimed only once. */
const once = (scopes: readonly ApiScope[]): readonly ApiScope[] =>
  scopes.filter(({ name }, index) => scopes.findIndex((scope) => scope.name === name) === index)

export const apiResourceCommands = ({
  handle,
  reservations,
  locks,
  pool,
  publicUrl,
}: Pick<Services, 'handle' | 'pool' | 'reservations' | 'locks' | 'publicUrl'>) => {
  const send = (command: ApiResourceCommand, actor: Actor) =>
    handle(apiResourceDecider, apiResourceStream(command.apiResourceId), command, actor)

  /** The service is the audience of its own tokens: an API with the same identifier could use them. */
  const mustBeElsewhere = (identifier: string): void => {
    if (identifier === publicUrl || identifier === `${publicUrl}/`)
      throw new DomainError(
        'ERR_INVALID',
        "identifier: must not be this service's own address",
        '/identifier',
      )
  }

  return {
    /**
     *
     * @throws DomainError ERR_CONFLICT if another API resource has the identifier or a scope, ERR_INVALID for
     * an invalid identifier or scopes, or unknown owners
     */
    create: async (
      input: {
        identifier: string
        name: string
        description?: string
        accessTokenLifetimeSeconds?: number
        ownerApplicationIds?: readonly string[]
        scopes?: readonly ApiScope[]
      },
      actor: Actor,
    ) => {
      const { identifier, scopes = [], ownerApplicationIds = [], ...rest } = input
      mustBeElsewhere(identifier)
      await mustBeOwnerApplications(pool, ownerApplicationIds)
      const apiResourceId: Id<'apiResource'> = idsFor(actor.idempotencyKey).newId('apiResource')
      const claims: readonly Claim[] = [
        { kind: 'api_identifier', value: identifier, owner: apiResourceId },
        ...scopeClaims(apiResourceId, once(scopes)),
      ]
      const { version } = await reservations.under(claims, () =>
        send(
          { type: 'create', apiResourceId, identifier, fields: { ...rest, ownerApplicationIds }, scopes },
          actor,
        ),
      )
      return { apiResourceId, version }
    },

    /** @throws DomainError as `create` does, ERR_NOT_FOUND, and ERR_CONFLICT for the removal of a granted scope */
    update: async (
      apiResourceId: string,
      fields: Readonly<Record<string, unknown>>,
      scopes: readonly ApiScope[] | undefined,
      actor: Actor,
    ) => {
      const { ownerApplicationIds } = fields
      if (Array.isArray(ownerApplicationIds))
        await mustBeOwnerApplications(pool, ownerApplicationIds as readonly string[])
      if (scopes === undefined) return send({ type: 'update', apiResourceId, fields, granted: [] }, actor)
      return locks.alone(API_RESOURCE_USE, async () => {
        const granted = await holdersOf(pool, apiResourceId)
        return reservations.under(scopeClaims(apiResourceId, once(scopes)), () =>
          send({ type: 'update', apiResourceId, fields, scopes, granted }, actor),
        )
      })
    },

    /** @throws DomainError ERR_CONFLICT naming the applications that have scopes of the resource */
    delete: (apiResourceId: string, actor: Actor) =>
      locks.alone(API_RESOURCE_USE, async () =>
        send({ type: 'delete', apiResourceId, granted: await holdersOf(pool, apiResourceId) }, actor),
      ),
  }
}
