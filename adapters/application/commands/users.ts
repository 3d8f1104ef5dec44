import type { Actor, Handled } from '../services/handle.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Claim } from '../../engines/postgres/reservations.ts'
import { forgetDeviceUse } from '../services/device-use.ts'
import { hashSecret } from '../../engines/vault/hash.ts'
import type { Services } from '../services/services.ts'
import { ADMINISTRATORS } from './references.ts'
import { secretsFor } from './secrets.ts'
import type { Id } from '../../../domain/ids.ts'
import type { Role } from '../../../domain/roles.ts'
import { userDecider, userStream, type ActingRoles, type UserCommand } from '../../../domain/user/decider.ts'
import type { UserState } from '../../../domain/user/state.ts'
import type {
  LinkedAccount,
  OwnMethod,
  OwnProfile,
  Profile,
  UserSource,
} from '../../../domain/user/events.ts'
import { countOtherGlobalAdmins } from '../../../read-models/queries/administrators.ts'

/** A one-time enrolment link, returned once; only a hash of its token is recorded. */
export interface EnrollmentLink {
  readonly enrollUrl: string
  readonly expiresAt: string
  /** Whether the service sends a link by email as well. */
  readonly emailed: boolean
}

/** Claims on the profile values that must be unique. */
const claimsOf = (userId: string, fields: Readonly<Record<string, unknown>>): readonly Claim[] => {
  const kinds = { email: 'user_email', userName: 'user_name', externalId: 'user_external_id' } as const
  return Object.entries(kinds).flatMap(([field, kind]) => {
    const value = fields[field]
    return typeof value === 'string' ? [{ kind, value, owner: userId }] : []
  })
}

/**
 * The token of the emailed copy of a link. The sender derives it when needed, so it is stored nowhere. An
 * administrator who saw only the other copy does not know it.
 */
export const mailedToken = (
  vault: Pick<Services['vault'], 'digest'>,
  userId: string,
  tokenHash: string,
): string => vault.digest('mailed-link', `${userId}|${tokenHash}`)

/** The services that the commands on users need. */
export type UserServices = Pick<
  Services,
  | 'handle'
  | 'inForce'
  | 'pool'
  | 'reservations'
  | 'locks'
  | 'vault'
  | 'clock'
  | 'random'
  | 'configuration'
  | 'mail'
  | 'publicUrl'
>

export const userCommands = (services: UserServices) => {
  const { handle, inForce, reservations, locks, pool, vault, clock, configuration, publicUrl, mail } =
    services
  const newSecret = secretsFor(services)

  const send = (command: UserCommand, actor: Actor): Promise<Handled<UserState>> =>
    handle(userDecider, userStream(command.userId), command, actor)

  const newLink = async (userId: string, actor: Actor, byMail = true) => {
    const token = newSecret('', `link|${userId}`, actor)
    const expiresAt = clock.in((await configuration.fresh()).settings.inviteLifetimeHours * 3600)
    const enrollUrl = `${publicUrl}/enroll/${token}`
    const tokenHash = hashSecret(token)
    const mailedTokenHash =
      mail.available && byMail ? hashSecret(mailedToken(vault, userId, tokenHash)) : null
    return {
      link: { tokenHash, mailedTokenHash, expiresAt },
      // Takes the recorded link: a repeated command returns the link that its first run issued.
      handedOut: ({ state, version }: Handled<UserState>): EnrollmentLink & { readonly version: number } => ({
        enrollUrl,
        expiresAt: state.link?.expiresAt ?? expiresAt,
        emailed: (state.link?.mailedTokenHash ?? null) !== null,
        version,
      }),
    }
  }

  /** For a new user with a new id: the claims are settled while the read models catch up. */
  const invited = async (
    command: Extract<UserCommand, { type: 'invite' }>,
    actor: Actor,
  ): Promise<Handled<UserState>> => {
    const claims = claimsOf(command.userId, { ...command.profile })
    // A repeated command has the id of the first one, whose stream already exists.
    if (actor.idempotencyKey !== undefined) return reservations.under(claims, () => send(command, actor))
    const options = {
      wait: 'left_to_caller',
      presumed: { state: userDecider.initial, revision: -1 },
    } as const
    const handled = await reservations.under(claims, () =>
      handle(userDecider, userStream(command.userId), command, actor, options),
    )
    await inForce(handled.change)
    return handled
  }

  const newPerson = async ({ idempotencyKey }: Actor): Promise<Id<'user'>> => {
    const userId = idsFor(idempotencyKey).newId('user')
    await vault.createPersonKey(userId)
    return userId
  }

  const enabledProviders = async () => ({
    enabledProviderIds: (await configuration.fresh()).identityProviders.map(({ id }) => id),
  })

  const withAdministratorCount = <T>(userId: string, work: (others: number) => Promise<T>): Promise<T> =>
    locks.alone(ADMINISTRATORS, async () => work(await countOtherGlobalAdmins(pool, userId)))

  return {
    /**
     *
     * @param byMail false for a placeholder address
     * @throws DomainError ERR_CONFLICT if the address, user name or external id is in use
     */
    invite: async (
      input: { profile: Profile; source: UserSource; roles?: readonly Role[] },
      actor: Actor,
      byMail = true,
    ): Promise<{ userId: Id<'user'>; version: number } & EnrollmentLink> => {
      const userId = await newPerson(actor)
      const { link, handedOut } = await newLink(userId, actor, byMail)
      return { userId, ...handedOut(await invited({ type: 'invite', userId, ...input, link }, actor)) }
    },

    /**
     * Creates a user for a directory. An active user gets an emailed link that nobody else sees.
     * @throws DomainError as `invite` does
     */
    create: async (profile: Profile, source: UserSource, active: boolean, actor: Actor) => {
      const userId = await newPerson(actor)
      const link = active ? { link: (await newLink(userId, actor)).link } : { suspended: true }
      const { version } = await invited({ type: 'invite', userId, profile, source, ...link }, actor)
      return { userId, version }
    },

    /**
     * Applies a user's complete data from a directory: fields and status.
     * @throws DomainError ERR_CONFLICT if the address, user name or external id is in use, ERR_FORBIDDEN for
     * accounts with a role, ERR_LAST_ADMIN
     */
    provision: async (
      userId: string,
      fields: Readonly<Record<string, unknown>>,
      active: boolean | undefined,
      by: ActingRoles,
      actor: Actor,
    ) => {
      const opens = active === true || typeof fields['email'] === 'string'
      const command = {
        type: 'provision' as const,
        userId,
        by,
        fields,
        ...(active === undefined ? {} : { active }),
        ...(opens ? { link: (await newLink(userId, actor)).link } : {}),
      }
      const carryOut = (otherActiveGlobalAdmins: number) =>
        reservations.under(claimsOf(userId, fields), () =>
          send({ ...command, otherActiveGlobalAdmins }, actor),
        )
      // Only the deactivation of a user depends on the number of administrators.
      return active === false ? withAdministratorCount(userId, carryOut) : carryOut(0)
    },

    /** A new enrolment link for a user who has not enrolled; the old link becomes invalid. */
    inviteAgain: async (userId: string, by: ActingRoles, actor: Actor, byMail = true) => {
      const { link, handedOut } = await newLink(userId, actor, byMail)
      return handedOut(await send({ type: 'issue_link', userId, by, link }, actor))
    },

    update: (userId: string, fields: Readonly<Record<string, unknown>>, by: ActingRoles, actor: Actor) =>
      reservations.under(claimsOf(userId, fields), () => send({ type: 'update', userId, by, fields }, actor)),

    suspend: (userId: string, reason: string | undefined, by: ActingRoles, actor: Actor) =>
      withAdministratorCount(userId, (otherActiveGlobalAdmins) =>
        send(
          {
            type: 'suspend',
            userId,
            by,
            otherActiveGlobalAdmins,
            ...(reason === undefined ? {} : { reason }),
          },
          actor,
        ),
      ),

    reactivate: (userId: string, by: ActingRoles, actor: Actor) =>
      send({ type: 'reactivate', userId, by }, actor),

    delete: (userId: string, by: ActingRoles, actor: Actor) =>
      withAdministratorCount(userId, (otherActiveGlobalAdmins) =>
        send({ type: 'delete', userId, by, otherActiveGlobalAdmins }, actor),
      ),

    /** Destroys the key of a deleted user: nobody can decrypt the personal data in their events any more. */
    erase: async (userId: string, actor: Actor) => {
      const { change } = await handle(userDecider, userStream(userId), { type: 'erase', userId }, actor, {
        wait: 'left_to_caller',
      })
      // If this fails, the event is still recorded, and the maintenance task completes the erasure.
      await forgetDeviceUse(pool, [userId])
      await vault.destroyPersonKey(userId)
      // This comes last because a failing projection must not delay the destruction of the key.
      await inForce(change)
    },

    setRoles: (userId: string, roles: readonly Role[], actor: Actor) =>
      withAdministratorCount(userId, (otherActiveGlobalAdmins) =>
        send({ type: 'set_roles', userId, roles, otherActiveGlobalAdmins }, actor),
      ),

    /** Removes every sign-in method and returns a new enrolment link. */
    resetMethods: async (userId: string, by: ActingRoles, actor: Actor) => {
      const { link, handedOut } = await newLink(userId, actor)
      return handedOut(await send({ type: 'reset_methods', userId, by, link }, actor))
    },

    /**
     * Redeems an enrolment link with a first method.
     * @throws DomainError ERR_LINK_EXPIRED, ERR_INVALID for a profile that is missing or not expected, ERR_CONFLICT if
     * its address is in use
     */
    enroll: (
      input: {
        userId: string
        token: string
        method: OwnMethod
        recoveryCodes?: readonly string[]
        profile?: OwnProfile
      },
      actor: Actor,
    ) => {
      const claims = [
        ...credentialClaim(input.userId, input.method),
        ...claimsOf(input.userId, { ...input.profile }),
      ]
      return reservations.under(claims, () =>
        send(
          {
            type: 'enroll',
            userId: input.userId,
            tokenHash: hashSecret(input.token),
            now: clock.now(),
            method: input.method,
            ...(input.recoveryCodes === undefined ? {} : { recoveryCodes: input.recoveryCodes }),
            ...(input.profile === undefined ? {} : { profile: input.profile }),
          },
          actor,
        ),
      )
    },

    /** @param recoveryCodes keyed hashes, used if the user has no code left */
    addMethod: (userId: string, method: OwnMethod, actor: Actor, recoveryCodes?: readonly string[]) =>
      reservations.under(credentialClaim(userId, method), () =>
        send(
          {
            type: 'add_method',
            userId,
            method,
            ...(recoveryCodes === undefined ? {} : { recoveryCodes }),
          },
          actor,
        ),
      ),

    /**
     * @param raises how often roles had been added to the user when the email was sent
     * @throws DomainError ERR_LINK_EXPIRED if the user's address has changed, or roles were added since
     */
    verifyEmail: (userId: string, email: string, raises: number, actor: Actor) =>
      send({ type: 'verify_email', userId, email, raises }, actor),

    /** @throws DomainError ERR_LINK_EXPIRED as `verifyEmail` does, and if the address is not verified */
    openByMail: (userId: string, email: string, raises: number, actor: Actor) =>
      send({ type: 'open_by_mail', userId, email, raises }, actor),

    renameMethod: (userId: string, methodId: string, name: string, actor: Actor) =>
      send({ type: 'rename_method', userId, methodId, name }, actor),

    removeMethod: async (userId: string, methodId: string, by: ActingRoles | 'self', actor: Actor) =>
      send({ type: 'remove_method', userId, methodId, by, ...(await enabledProviders()) }, actor),

    /**
     * Replaces all earlier codes.
     * @param hashes keyed
     */
    generateRecoveryCodes: (userId: string, hashes: readonly string[], actor: Actor) =>
      send({ type: 'generate_recovery_codes', userId, hashes }, actor),

    /** @throws DomainError ERR_CODE_MISMATCH for a used, invalid or unknown code */
    useRecoveryCode: (userId: string, hash: string, actor: Actor) =>
      send({ type: 'use_recovery_code', userId, hash }, actor),

    unlock: (userId: string, by: ActingRoles, actor: Actor) => send({ type: 'unlock', userId, by }, actor),

    /**
     * Creates the account of a user whom only an identity provider knows.
     * @throws DomainError ERR_CONFLICT if the address or the external account is in use
     */
    createFederated: async (profile: Profile, account: LinkedAccount, actor: Actor) => {
      const userId = await newPerson(actor)
      const claims = [...claimsOf(userId, { ...profile }), accountClaim(userId, account)]
      await reservations.under(claims, () =>
        send({ type: 'create_federated', userId, profile, account }, actor),
      )
      return userId
    },

    /**
     * The first sign-in of an invited user.
     * @param email that the provider has verified
     * @throws DomainError ERR_NOT_LINKED if the user has enrolled or got another address meanwhile, ERR_CONFLICT
     */
    enrollFederated: (userId: string, email: string, account: LinkedAccount, actor: Actor) =>
      reservations.under([accountClaim(userId, account)], () =>
        send({ type: 'enroll_federated', userId, email, account }, actor),
      ),

    /** @throws DomainError ERR_CONFLICT if the external account is linked to another user */
    linkAccount: (userId: string, account: LinkedAccount, actor: Actor) =>
      reservations.under([accountClaim(userId, account)], () =>
        send({ type: 'link_account', userId, account }, actor),
      ),

    unlinkAccount: async (userId: string, linkId: string, by: ActingRoles | 'self', actor: Actor) =>
      send({ type: 'unlink_account', userId, linkId, by, ...(await enabledProviders()) }, actor),

    revokeSessions: (userId: string, by: ActingRoles, actor: Actor) =>
      send({ type: 'revoke_sessions', userId, by }, actor),
  }
}

const accountClaim = (userId: string, { identityProviderId, subject }: LinkedAccount): Claim => ({
  kind: 'linked_account',
  value: `${identityProviderId}|${subject}`,
  owner: userId,
})

const credentialClaim = (userId: string, method: OwnMethod): readonly Claim[] =>
  method.methodType === 'authenticator_code'
    ? []
    : [{ kind: 'credential', value: method.credentialId, owner: userId }]
