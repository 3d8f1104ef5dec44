import {
  applicationDecider,
  applicationStream,
  type ApplicationCommand,
} from '../../../domain/application/decider.ts'
import type {
  ApplicationFields,
  OidcApplicationType,
  OidcSettings,
} from '../../../domain/application/events.ts'
import type { SamlInput } from '../../../domain/application/saml-settings.ts'
import { isConfidential } from '../../../domain/application/grant-types.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Id } from '../../../domain/ids.ts'
import { missingGroups } from '../../../read-models/queries/existence.ts'
import type { Actor } from '../services/handle.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Claim } from '../../engines/postgres/reservations.ts'
import { hashSecret } from '../../engines/vault/hash.ts'
import type { Services } from '../services/services.ts'
import {
  API_RESOURCE_USE,
  applicationUse,
  GROUP_USE,
  mustBeApplication,
  mustBeGrantable,
  mustBeGroups,
  mustBeOffered,
} from './references.ts'
import { secretsFor } from './secrets.ts'

export const CLIENT_SECRET_PREFIX = 'svs_'
/** How many characters of a secret are stored, to recognize it. */
const RECOGNISED_BY = 8

/** A client secret, returned only once; only its hash is recorded. */
export interface HandedOutSecret {
  readonly id: Id<'clientSecret'>
  readonly clientSecret: string
}

const claimsOf = (applicationId: string, name: unknown, entityId?: string): readonly Claim[] => [
  ...(typeof name === 'string'
    ? [{ kind: 'application_name' as const, value: name, owner: applicationId }]
    : []),
  ...(entityId === undefined
    ? []
    : [{ kind: 'saml_entity_id' as const, value: entityId, owner: applicationId }]),
]

export const applicationCommands = (
  services: Pick<Services, 'handle' | 'pool' | 'reservations' | 'locks' | 'vault' | 'clock' | 'random'>,
) => {
  const { handle, reservations, locks, pool, clock } = services
  const newSecret = secretsFor(services)

  const send = (command: ApplicationCommand, actor: Actor) =>
    handle(applicationDecider, applicationStream(command.applicationId), command, actor)

  const secretOf = (applicationId: string, expiresAt: string | undefined, actor: Actor) => {
    const id = idsFor(actor.idempotencyKey).newId('clientSecret')
    const clientSecret = newSecret(CLIENT_SECRET_PREFIX, `client-secret|${applicationId}`, actor)
    return {
      secret: {
        secretId: id,
        prefix: clientSecret.slice(0, RECOGNISED_BY),
        hash: hashSecret(clientSecret),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      },
      handedOut: { id, clientSecret },
    }
  }

  /** Runs `work`, and prevents the given groups from being deleted meanwhile. */
  const withGroups = <T>(groupIds: readonly string[] | undefined, work: () => Promise<T>): Promise<T> =>
    groupIds === undefined || groupIds.length === 0
      ? work()
      : locks.alone(GROUP_USE, async () => {
          await mustBeGroups(pool, groupIds)
          return work()
        })

  return {
    /**
     * Creates an application; web applications and services get a secret.
     * @throws DomainError ERR_CONFLICT if the name is in use, ERR_INVALID for settings that do not fit the
     * type
     */
    create: async (
      input: {
        applicationType: OidcApplicationType
        settings: Partial<OidcSettings> & Partial<ApplicationFields> & { readonly name: string }
        groupIds?: readonly string[]
        /** Set for the built-in application. */
        builtInAs?: string
      },
      actor: Actor,
    ) => {
      const { applicationType, settings, groupIds = [], builtInAs } = input
      const ids = idsFor(actor.idempotencyKey)
      const applicationId = ids.newId('application')
      const clientId = builtInAs ?? `sv_${ids.newId('application').slice('app_'.length)}`
      const made = isConfidential(applicationType) ? secretOf(applicationId, undefined, actor) : undefined
      const { version } = await withGroups(groupIds, () =>
        reservations.under(claimsOf(applicationId, settings.name), () =>
          send(
            {
              type: 'create',
              applicationId,
              applicationType,
              clientId,
              builtIn: builtInAs !== undefined,
              settings,
              groupIds,
              ...(made === undefined ? {} : { secret: made.secret }),
            },
            actor,
          ),
        ),
      )
      return { applicationId, version, clientSecret: made?.handedOut.clientSecret }
    },

    /**
     * Creates a SAML application.
     * @throws DomainError ERR_CONFLICT if the name or the entity id is in use, ERR_INVALID for invalid
     * settings
     */
    createSaml: async (
      input: {
        fields: Partial<ApplicationFields> & { readonly name: string }
        saml: SamlInput
        groupIds?: readonly string[]
      },
      actor: Actor,
    ) => {
      const { fields, saml, groupIds = [] } = input
      const applicationId = idsFor(actor.idempotencyKey).newId('application')
      const { version } = await withGroups(groupIds, () =>
        reservations.under(claimsOf(applicationId, fields.name, saml.entityId), () =>
          send({ type: 'create_saml', applicationId, fields, saml, groupIds }, actor),
        ),
      )
      return { applicationId, version }
    },

    /** @param change omitted fields do not change */
    update: (
      applicationId: string,
      change: {
        readonly settings: Readonly<Record<string, unknown>>
        readonly saml?: SamlInput | undefined
        readonly groupIds?: readonly string[] | undefined
      },
      actor: Actor,
    ) => {
      const { settings, saml, groupIds } = change
      return withGroups(groupIds, () =>
        reservations.under(claimsOf(applicationId, settings['name'], saml?.entityId), () =>
          send(
            {
              type: 'update',
              applicationId,
              settings,
              ...(saml === undefined ? {} : { saml }),
              ...(groupIds === undefined ? {} : { groupIds }),
            },
            actor,
          ),
        ),
      )
    },

    /**
     * All SAML settings; omitted ones get their default.
     * @throws DomainError as `createSaml` does
     */
    replaceSaml: (applicationId: string, saml: SamlInput, actor: Actor) =>
      reservations.under(claimsOf(applicationId, undefined, saml.entityId), () =>
        send({ type: 'replace_saml', applicationId, saml }, actor),
      ),

    setGroups: (applicationId: string, groupIds: readonly string[], actor: Actor) =>
      withGroups(groupIds, () => send({ type: 'set_groups', applicationId, groupIds }, actor)),

    assignGroup: (applicationId: string, groupId: string, actor: Actor) =>
      locks.alone(GROUP_USE, async () => {
        if ((await missingGroups(pool, [groupId])).length > 0)
          throw new DomainError('ERR_NOT_FOUND', 'This group does not exist.')
        return send({ type: 'assign_group', applicationId, groupId }, actor)
      }),

    unassignGroup: (applicationId: string, groupId: string, actor: Actor) =>
      send({ type: 'unassign_group', applicationId, groupId }, actor),

    /**
     * Replaces the granted scopes of an API resource.
     * @throws DomainError ERR_NOT_FOUND for an unknown application or resource, ERR_INVALID for no scope or an unknown
     * one
     */
    setApiGrant: async (
      applicationId: string,
      apiResourceId: string,
      scopes: readonly string[],
      actor: Actor,
    ) => {
      const grantId = idsFor(actor.idempotencyKey).newId('grant')
      return locks.alone(API_RESOURCE_USE, async () => {
        await mustBeApplication(pool, applicationId)
        await mustBeOffered(pool, apiResourceId, scopes)
        return send(
          { type: 'set_api_grant', applicationId, apiGrant: { apiResourceId, grantId, scopes } },
          actor,
        )
      })
    },

    removeApiGrant: (applicationId: string, apiResourceId: string, actor: Actor) =>
      send({ type: 'remove_api_grant', applicationId, apiResourceId }, actor),

    /**
     * The complete list of grants.
     * @throws DomainError as `setApiGrant` does
     */
    setApiGrants: async (
      applicationId: string,
      wanted: readonly { readonly apiResourceId: string; readonly scopes: readonly string[] }[],
      actor: Actor,
    ) => {
      const ids = idsFor(actor.idempotencyKey)
      const apiGrants = wanted.map((grant) => ({ ...grant, grantId: ids.newId('grant') }))
      return locks.alone(API_RESOURCE_USE, async () => {
        await mustBeApplication(pool, applicationId)
        await mustBeGrantable(pool, apiGrants)
        return send({ type: 'set_api_grants', applicationId, apiGrants }, actor)
      })
    },

    /** @throws DomainError ERR_CONFLICT for a public client, or if two secrets are active already */
    createSecret: async (
      applicationId: string,
      expiresAt: string | undefined,
      actor: Actor,
    ): Promise<HandedOutSecret> => {
      const { secret, handedOut } = secretOf(applicationId, expiresAt, actor)
      await send({ type: 'create_secret', applicationId, secret, now: clock.now() }, actor)
      return handedOut
    },

    /**
     * Creates a new secret; the newest earlier one remains valid for the grace period.
     * @param graceSeconds 0 ends it now
     */
    rotateSecret: async (
      applicationId: string,
      graceSeconds: number,
      actor: Actor,
    ): Promise<HandedOutSecret> => {
      const { secret, handedOut } = secretOf(applicationId, undefined, actor)
      const now = clock.now()
      const oldExpiresAt = graceSeconds === 0 ? now : clock.in(graceSeconds)
      await send({ type: 'rotate_secret', applicationId, secret, now, oldExpiresAt }, actor)
      return handedOut
    },

    revokeSecret: (applicationId: string, secretId: string, actor: Actor) =>
      send({ type: 'revoke_secret', applicationId, secretId }, actor),
    disable: (applicationId: string, actor: Actor) => send({ type: 'disable', applicationId }, actor),
    enable: (applicationId: string, actor: Actor) => send({ type: 'enable', applicationId }, actor),
    /** @throws DomainError ERR_BUILT_IN */
    delete: (applicationId: string, actor: Actor) =>
      locks.alone(applicationUse(applicationId), () => send({ type: 'delete', applicationId }, actor)),
  }
}
