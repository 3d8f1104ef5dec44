import { applyChanges, changesOf } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { Role } from '../roles.ts'
import type { Instant } from '../time.ts'
import { enroll, isProofInForce, linkIssued, type EnrollCommand, type NewLink } from './enrollment.ts'
import type { LinkedAccount, OwnMethod, Profile, UserEvent, UserSource } from './events.ts'
import {
  createFederated,
  enrollFederated,
  linkAccount,
  unlinkAccount,
  type CreateFederatedCommand,
  type EnrollFederatedCommand,
} from './federation.ts'
import {
  addMethod,
  expireLockout,
  generateRecoveryCodes,
  lockOut,
  removeMethod,
  renameMethod,
  useRecoveryCode,
} from './methods.ts'
import { updateProfile } from './profile.ts'
import { noUser, type UserState } from './state.ts'

/** The actor, as far as the rules need it: the roles, or the service itself. */
export type ActingRoles = readonly Role[] | 'system'

/** Counted while role changes are locked, so that two administrators cannot remove each other. */
interface AdministratorCount {
  readonly otherActiveGlobalAdmins: number
}

/** Linked accounts of other providers do not sign the user in. */
interface Providers {
  readonly enabledProviderIds: readonly string[]
}

export type UserCommand =
  | {
      type: 'invite'
      userId: string
      profile: Profile
      source: UserSource
      link?: NewLink
      roles?: readonly Role[]
      /** Known to the service, but without access yet. */
      suspended?: boolean
    }
  | { type: 'issue_link'; userId: string; by: ActingRoles; link: NewLink }
  | EnrollCommand
  | CreateFederatedCommand
  | EnrollFederatedCommand
  /**
   * The user has proved access to this address; rejected if the address has changed. `raises`: the count when the
   * proof was sent. A proof from before a role was granted is rejected.
   */
  | { type: 'verify_email'; userId: string; email: string; raises: number }
  /** Checks that a sign-in link sent to this address still opens the account; records nothing. */
  | { type: 'open_by_mail'; userId: string; email: string; raises: number }
  | { type: 'update'; userId: string; by: ActingRoles; fields: Readonly<Record<string, unknown>> }
  /**
   * The complete user data from a directory. `link`: for a user who must enrol and has no valid link, because
   * the address is new or the user was suspended.
   */
  | ({
      type: 'provision'
      userId: string
      by: ActingRoles
      fields: Readonly<Record<string, unknown>>
      active?: boolean
      link?: NewLink
    } & AdministratorCount)
  | ({ type: 'suspend'; userId: string; by: ActingRoles; reason?: string } & AdministratorCount)
  | { type: 'reactivate'; userId: string; by: ActingRoles }
  | ({ type: 'delete'; userId: string; by: ActingRoles } & AdministratorCount)
  | { type: 'erase'; userId: string }
  | ({ type: 'set_roles'; userId: string; roles: readonly Role[] } & AdministratorCount)
  | {
      type: 'add_method'
      userId: string
      method: OwnMethod
      /** Keyed hashes of recovery codes for a user who has none left. */
      recoveryCodes?: readonly string[]
    }
  | { type: 'rename_method'; userId: string; methodId: string; name: string }
  | ({ type: 'remove_method'; userId: string; methodId: string; by: ActingRoles | 'self' } & Providers)
  | { type: 'generate_recovery_codes'; userId: string; hashes: readonly string[] }
  | { type: 'use_recovery_code'; userId: string; hash: string }
  | { type: 'lock_out'; userId: string; now: Instant; until: Instant }
  | { type: 'unlock'; userId: string; by: ActingRoles }
  | { type: 'expire_lockout'; userId: string; now: Instant }
  | { type: 'link_account'; userId: string; account: LinkedAccount }
  | ({ type: 'unlink_account'; userId: string; linkId: string; by: ActingRoles | 'self' } & Providers)
  | { type: 'reset_methods'; userId: string; by: ActingRoles; link: NewLink }
  | { type: 'revoke_sessions'; userId: string; by: ActingRoles }

const evolve = (state: UserState, { type, data }: UserEvent): UserState => {
  switch (type) {
    case 'user.invited':
      // After the user's erasure, the profile is missing.
      return {
        ...state,
        status: 'invited',
        profile: data.profile ?? {},
        source: data.source,
      }
    case 'user.enrollment_link_issued':
      return {
        ...state,
        link: {
          kind: data.kind,
          tokenHash: data.tokenHash,
          mailedTokenHash: data.mailedTokenHash,
          expiresAt: data.expiresAt,
        },
      }
    case 'user.enrollment_link_redeemed':
      return { ...state, link: null }
    case 'user.enrolled':
      return { ...state, status: 'active', enrolled: true }
    case 'user.updated':
      return {
        ...state,
        profile: applyChanges(state.profile, (data.changes as typeof data.changes | undefined) ?? []),
      }
    case 'user.email_changed':
      // A link that was sent to the former address must not enrol its reader.
      return { ...state, profile: { ...state.profile, email: data.to }, emailVerified: false, link: null }
    case 'user.email_verified':
      // An unreadable address is never verified.
      return { ...state, emailVerified: state.profile.email !== undefined }
    case 'user.suspended':
      return { ...state, status: 'suspended' }
    case 'user.reactivated':
      return { ...state, status: state.enrolled ? 'active' : 'invited' }
    case 'user.deleted':
      return {
        ...state,
        status: 'deleted',
        roles: [],
        methods: [],
        recoveryCodes: [],
        linkedAccounts: [],
        lockedUntil: null,
        link: null,
      }
    case 'user.erased':
      return { ...state, erased: true, profile: {} }
    case 'user.roles_changed':
      if (data.added.length === 0) return { ...state, roles: data.roles }
      // The holder of an earlier copy of the link must not enrol with the new roles.
      return { ...state, roles: data.roles, raises: state.raises + 1, link: null }
    case 'user.method_added':
      return {
        ...state,
        methods: [
          ...state.methods,
          {
            methodId: data.methodId,
            methodType: data.methodType,
            credentialId: data.credentialId,
            name: data.name,
          },
        ],
      }
    case 'user.authenticator_added':
      return {
        ...state,
        methods: [
          ...state.methods,
          { methodId: data.methodId, methodType: 'authenticator_code', credentialId: null, name: data.name },
        ],
      }
    case 'user.method_renamed':
      return {
        ...state,
        methods: state.methods.map((m) => (m.methodId === data.methodId ? { ...m, name: data.name } : m)),
      }
    case 'user.method_removed':
      return { ...state, methods: state.methods.filter((m) => m.methodId !== data.methodId) }
    case 'user.methods_reset':
      return { ...state, methods: [], recoveryCodes: [], linkedAccounts: [], lockedUntil: null }
    case 'user.recovery_codes_generated':
      return { ...state, recoveryCodes: data.hashes }
    case 'user.recovery_code_used':
      return { ...state, recoveryCodes: state.recoveryCodes.filter((hash) => hash !== data.hash) }
    case 'user.locked_out':
      return { ...state, lockedUntil: data.until }
    case 'user.unlocked':
    case 'user.lockout_expired':
      return { ...state, lockedUntil: null }
    case 'user.linked_account_added': {
      const { linkId, identityProviderId, subject, email } = data
      return {
        ...state,
        linkedAccounts: [...state.linkedAccounts, { linkId, identityProviderId, subject, email }],
      }
    }
    case 'user.linked_account_removed':
      return {
        ...state,
        linkedAccounts: state.linkedAccounts.filter(({ linkId }) => linkId !== data.linkId),
      }
    case 'user.sessions_revoked':
      return state
  }
}

const mayActOn = (by: ActingRoles, state: UserState): boolean =>
  by === 'system' || state.roles.length === 0 || by.includes('global_admin')

const PRIVILEGED = 'Only a global administrator can act on an account that has a role.'

const isLastAdministrator = (state: UserState, { otherActiveGlobalAdmins }: AdministratorCount): boolean =>
  state.status === 'active' && state.roles.includes('global_admin') && otherActiveGlobalAdmins === 0

const addressOf = ({ profile, emailVerified }: UserState) => ({
  email: profile.email,
  verified: emailVerified,
})

const rolesChanged = (userId: string, from: readonly Role[], to: readonly Role[]): UserEvent => ({
  type: 'user.roles_changed',
  data: {
    userId,
    roles: to,
    added: to.filter((role) => !from.includes(role)),
    removed: from.filter((role) => !to.includes(role)),
  },
})

/** Fields that identify or reach a user, or that the directory uses to find them. */
const IDENTIFYING = ['email', 'userName'] as const

const provision = (
  command: Extract<UserCommand, { type: 'provision' }>,
  state: UserState,
): Decision<UserEvent> => {
  const { userId, by, fields, active, link } = command
  const changed = updateProfile(fields, userId, state)
  if ('refusal' in changed) return changed
  const suspended = state.status === 'suspended'
  const suspends = active === false && !suspended
  const reactivates = active === true && suspended
  const identifies = changesOf(state.profile, fields).some(({ field }) =>
    IDENTIFYING.some((each) => each === field),
  )
  if ((suspends || reactivates || identifies) && !mayActOn(by, state))
    return refuse('ERR_FORBIDDEN', PRIVILEGED)
  if (suspends && isLastAdministrator(state, command)) return refuse('ERR_LAST_ADMIN')
  const moved = changed.events.some(({ type }) => type === 'user.email_changed')
  const letIn = reactivates || (!suspended && !suspends)
  return accept<UserEvent>(
    ...changed.events,
    ...(suspends ? [{ type: 'user.suspended' as const, data: { userId } }] : []),
    ...(reactivates ? [{ type: 'user.reactivated' as const, data: { userId } }] : []),
    ...(link !== undefined && !state.enrolled && letIn && (moved || reactivates)
      ? [
          linkIssued(userId, { kind: 'invite' }, link, {
            ...addressOf(state),
            ...(moved ? { email: String(fields['email']) } : {}),
          }),
        ]
      : []),
  )
}

const decide = (command: UserCommand, state: UserState): Decision<UserEvent> => {
  const { userId } = command
  if (command.type === 'invite') {
    if (state.status !== 'none') return refuse('ERR_CONFLICT', 'This user already exists.')
    const { profile, source, link } = command
    const roles = [...new Set(command.roles)]
    return accept<UserEvent>(
      { type: 'user.invited', data: { userId, profile, source } },
      // The link comes last, because adding roles revokes earlier links.
      ...(roles.length === 0 ? [] : [rolesChanged(userId, [], roles)]),
      ...(link === undefined
        ? []
        : [linkIssued(userId, { kind: 'invite' }, link, { email: profile.email, verified: false })]),
      ...(command.suspended === true ? [{ type: 'user.suspended' as const, data: { userId } }] : []),
    )
  }
  if (command.type === 'create_federated') return createFederated(command, state)
  const gone = state.status === 'none' || state.status === 'deleted'
  if (gone && command.type === 'enroll') return refuse('ERR_LINK_EXPIRED')
  if (state.status === 'none') return refuse('ERR_NOT_FOUND')
  if (command.type === 'erase') {
    if (state.status !== 'deleted')
      return refuse('ERR_CONFLICT', 'Delete the user before you erase their data.')
    return state.erased ? accept() : accept({ type: 'user.erased', data: { userId } })
  }
  if (state.status === 'deleted') return refuse('ERR_NOT_FOUND')
  if (command.type === 'provision') return provision(command, state)
  if ('by' in command && command.by !== 'self' && !mayActOn(command.by, state))
    return refuse('ERR_FORBIDDEN', PRIVILEGED)

  switch (command.type) {
    case 'issue_link':
      if (state.status !== 'invited')
        return refuse('ERR_CONFLICT', 'Only a user who has not enrolled can be invited again.')
      return accept(linkIssued(userId, { kind: 'invite', resent: true }, command.link, addressOf(state)))
    case 'enroll':
      return enroll(command, state)
    case 'enroll_federated':
      return enrollFederated(command, state)
    case 'verify_email':
      if (!isProofInForce(command, state)) return refuse('ERR_LINK_EXPIRED')
      return state.emailVerified ? accept() : accept({ type: 'user.email_verified', data: { userId } })
    case 'open_by_mail':
      return state.emailVerified && isProofInForce(command, state) ? accept() : refuse('ERR_LINK_EXPIRED')
    case 'update':
      return updateProfile(command.fields, userId, state)
    case 'suspend':
      if (state.status === 'suspended') return refuse('ERR_CONFLICT', 'This user is already suspended.')
      if (isLastAdministrator(state, command)) return refuse('ERR_LAST_ADMIN')
      return accept({
        type: 'user.suspended',
        data: { userId, ...(command.reason === undefined ? {} : { reason: command.reason }) },
      })
    case 'reactivate':
      if (state.status !== 'suspended') return refuse('ERR_CONFLICT', 'This user is not suspended.')
      return accept({ type: 'user.reactivated', data: { userId } })
    case 'delete':
      if (isLastAdministrator(state, command)) return refuse('ERR_LAST_ADMIN')
      return accept({ type: 'user.deleted', data: { userId } })
    case 'set_roles': {
      const wanted = [...new Set(command.roles)]
      const same = wanted.length === state.roles.length && wanted.every((role) => state.roles.includes(role))
      if (same) return accept()
      if (!wanted.includes('global_admin') && isLastAdministrator(state, command))
        return refuse('ERR_LAST_ADMIN')
      return accept(rolesChanged(userId, state.roles, wanted))
    }
    case 'add_method':
      return addMethod(userId, command, state)
    case 'rename_method':
      return renameMethod(userId, command.methodId, command.name, state)
    case 'remove_method':
      return removeMethod(userId, command.methodId, command.enabledProviderIds, state)
    case 'generate_recovery_codes':
      return generateRecoveryCodes(userId, command.hashes, state)
    case 'use_recovery_code':
      return useRecoveryCode(userId, command.hash, state)
    case 'lock_out':
      return lockOut(userId, command, state)
    case 'unlock':
      return state.lockedUntil === null ? accept() : accept({ type: 'user.unlocked', data: { userId } })
    case 'expire_lockout':
      return expireLockout(userId, command.now, state)
    case 'link_account':
      return linkAccount(userId, command.account, state)
    case 'unlink_account':
      return unlinkAccount(userId, command.linkId, command.enabledProviderIds, state)
    case 'reset_methods':
      if (!state.enrolled)
        return refuse('ERR_CONFLICT', 'This user has not enrolled. Resend the invitation instead.')
      return accept<UserEvent>(
        { type: 'user.methods_reset', data: { userId, methodIds: state.methods.map((m) => m.methodId) } },
        linkIssued(userId, { kind: 'reset' }, command.link, addressOf(state)),
      )
    case 'revoke_sessions':
      return accept({ type: 'user.sessions_revoked', data: { userId } })
  }
}

export const userDecider: Decider<UserState, UserCommand, UserEvent> = { initial: noUser, evolve, decide }

export const userStream = (userId: string): string => `user-${userId}`
