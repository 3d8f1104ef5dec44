/** The user of an account at an identity provider: found, linked, enrolled or created, with groups and profile. */
import { changesOf } from '../../../../domain/changes.ts'
import { DomainError } from '../../../../domain/errors.ts'
import type { AssertedIdentity } from '../../../../domain/identity-provider/claims.ts'
import { decideLinking, type LinkingDecision } from '../../../../domain/identity-provider/linking.ts'
import { membershipDecider, membershipStream } from '../../../../domain/membership/decider.ts'
import type { LinkedAccount } from '../../../../domain/user/events.ts'
import type { UserStatus } from '../../../../domain/user/state.ts'
import type { IdentityProviderConfiguration } from '../../../../read-models/queries/configuration.ts'
import {
  accountAtAddress,
  groupsThrough,
  linkedUser,
} from '../../../../read-models/queries/identity-providers.ts'
import { findUser } from '../../../../read-models/queries/users.ts'
import { newId } from '../../../kernel/ids.ts'
import type { ProviderTestReport } from './provider-test.ts'
import { userCommands, type UserServices } from '../../commands/users.ts'
import type { Actor } from '../../services/handle.ts'

/** A user whom the provider has authenticated. */
export interface FederatedUser {
  readonly userId: string
  readonly name: string
  readonly email: string
  readonly status: UserStatus
  /** Of the linked account */
  readonly linkId: string
}

export type Resolution =
  | { readonly outcome: 'user'; readonly user: FederatedUser }
  /** The user has an account, and must confirm with an existing sign-in method that it is theirs. */
  | { readonly outcome: 'confirm'; readonly userId: string; readonly account: LinkedAccount }
  | ({ readonly outcome: 'refused' } & Omit<Extract<LinkingDecision, { decision: 'refuse' }>, 'decision'>)

/** Two first sign-ins at the same time: the second finds what the first has created. */
const ATTEMPTS = 2

/** Returns the part of an address before the domain, for users whose provider sends no name. */
const localPart = (email: string): string => email.slice(0, email.lastIndexOf('@'))

/** The groups that a sign-in adds a user to and removes them from, given those through the provider so far. */
const groupChanges = (
  { groupMapping, jitGroupIds }: IdentityProviderConfiguration,
  current: readonly string[],
  { groups }: AssertedIdentity,
  isNew: boolean,
): { readonly added: readonly string[]; readonly removed: readonly string[] } => {
  // Without the claim, the provider says nothing about groups.
  const mapped = groups === null ? [] : groupMapping.filter(({ value }) => groups.includes(value))
  const wanted = new Set([...mapped.map(({ groupId }) => groupId), ...(isNew ? jitGroupIds : [])])
  const kept = new Set([
    ...jitGroupIds,
    ...(groups === null ? groupMapping.map(({ groupId }) => groupId) : []),
    ...wanted,
  ])
  return {
    added: [...wanted].filter((groupId) => !current.includes(groupId)),
    // Also groups that the provider no longer names: nothing else would ever end these memberships.
    removed: current.filter((groupId) => !kept.has(groupId)),
  }
}

export const federatedAccounts = (services: UserServices) => {
  const { handle, pool, clock } = services
  const users = userCommands(services)

  const syncGroups = async (
    provider: IdentityProviderConfiguration,
    userId: string,
    identity: AssertedIdentity,
    isNew: boolean,
    actor: Actor,
  ): Promise<void> => {
    const subject = { userId, via: 'identity_provider', sourceId: provider.id } as const
    const current = await groupsThrough(pool, provider.id, userId)
    const { added, removed } = groupChanges(provider, current, identity, isNew)
    for (const groupId of added)
      await handle(
        membershipDecider,
        membershipStream(groupId, userId),
        { type: 'grant', groupId, ...subject, now: clock.now() },
        actor,
      )
    for (const groupId of removed)
      await handle(
        membershipDecider,
        membershipStream(groupId, userId),
        { type: 'withdraw', groupId, ...subject, reason: 'removed' },
        actor,
      )
  }

  /** The address identifies the user here, so it never follows the provider. */
  const syncProfile = async (userId: string, { profile }: AssertedIdentity, actor: Actor): Promise<void> => {
    const user = await findUser(pool, userId, clock.now())
    if (user === null || changesOf(user, profile).length === 0) return
    await users.update(userId, { ...profile }, 'system', actor)
  }

  const found = async (identityProviderId: string, subject: string): Promise<FederatedUser> => {
    const user = await linkedUser(pool, identityProviderId, subject)
    if (user === null) throw new DomainError('ERR_NOT_LINKED')
    return user
  }

  const carryOut = async (
    decided: Exclude<LinkingDecision, { decision: 'refuse' | 'confirm' }>,
    {
      account,
      profile,
      email,
    }: { account: LinkedAccount; profile: AssertedIdentity['profile']; email: string },
    actor: Actor,
  ): Promise<void> => {
    switch (decided.decision) {
      case 'sign_in':
        return
      case 'create':
        await users.createFederated(
          { ...profile, name: profile.name ?? localPart(email), email },
          account,
          actor,
        )
        return
      case 'enroll':
        await users.enrollFederated(decided.userId, email, account, actor)
        return
      case 'link':
        await users.linkAccount(decided.userId, account, actor)
    }
  }

  const decide = async (
    provider: IdentityProviderConfiguration,
    identity: Pick<AssertedIdentity, 'subject' | 'email' | 'emailVerified'>,
  ): Promise<LinkingDecision> => {
    const { subject, email } = identity
    const [linked, atAddress] = await Promise.all([
      linkedUser(pool, provider.id, subject),
      email === null ? null : accountAtAddress(pool, provider.id, email),
    ])
    return decideLinking(provider, identity, linked, atAddress)
  }

  const attempt = async (
    provider: IdentityProviderConfiguration,
    identity: AssertedIdentity,
    actor: Actor,
  ): Promise<Resolution> => {
    const { id } = provider
    const { subject, email, profile } = identity
    const decided = await decide(provider, identity)
    const account = { linkId: newId('linkedAccount'), identityProviderId: id, subject, email }
    if (decided.decision === 'refuse')
      return { outcome: 'refused', code: decided.code, userId: decided.userId }
    if (decided.decision === 'confirm') return { outcome: 'confirm', userId: decided.userId, account }
    await carryOut(decided, { account, profile, email: email ?? '' }, actor)
    const user = await found(id, subject)
    await syncGroups(provider, user.userId, identity, decided.decision === 'create', actor)
    if (!provider.syncProfile) return { outcome: 'user', user }
    await syncProfile(user.userId, identity, actor)
    return { outcome: 'user', user: await found(id, subject) }
  }

  return {
    /** Decides about an asserted identity as `resolve` does, without its profile and groups. */
    decide,

    /** Decides about an asserted identity as `resolve` does, and changes nothing. */
    preview: async (
      provider: IdentityProviderConfiguration,
      identity: AssertedIdentity,
    ): Promise<Pick<ProviderTestReport, 'account' | 'groupIds'>> => {
      const decided = await decide(provider, identity)
      const current =
        decided.decision === 'sign_in' ? await groupsThrough(pool, provider.id, decided.userId) : []
      const { added, removed } = groupChanges(provider, current, identity, decided.decision === 'create')
      return {
        account: {
          decision: decided.decision,
          code: decided.decision === 'refuse' ? decided.code : null,
          userId: decided.decision === 'create' ? null : decided.userId,
        },
        groupIds:
          decided.decision === 'refuse'
            ? []
            : [...current.filter((groupId) => !removed.includes(groupId)), ...added],
      }
    },

    /**
     * Returns the user of an asserted identity.
     * @param actor the provider, on whose word the account is created or linked
     * @throws DomainError ERR_CONFLICT, ERR_NOT_LINKED if others keep changing the accounts
     */
    resolve: async (
      provider: IdentityProviderConfiguration,
      identity: AssertedIdentity,
      actor: Actor,
    ): Promise<Resolution> => {
      for (let tries = 1; ; tries++) {
        try {
          return await attempt(provider, identity, actor)
        } catch (error) {
          if (!(error instanceof DomainError) || error.code !== 'ERR_CONFLICT' || tries === ATTEMPTS)
            throw error
        }
      }
    },
  }
}
