import { userDecider, type UserCommand } from '../../../domain/user/decider.ts'
import type {
  AuthenticatorMethod,
  LinkedAccount,
  PasskeyMethod,
  Profile,
  UserEvent,
} from '../../../domain/user/events.ts'
import { at, id } from '../fixed.ts'
import { given } from '../domain/given.ts'

// The life of one user in events, and the user's commands.
type Of<T extends UserCommand['type']> = Extract<UserCommand, { type: T }>

export const userId = id('user')
export const profile: Profile = { email: 'ada@example.com', name: 'Ada', department: 'Engines' }
export const link = { tokenHash: 'aa', mailedTokenHash: 'aa-mailed', expiresAt: at(100) }
export const passkey = (n = 1): PasskeyMethod => ({
  methodId: id('method', n),
  methodType: 'passkey',
  name: `Key ${String(n)}`,
  credentialId: `cred-${String(n)}`,
  publicKey: 'pk',
  signCount: 0,
  transports: ['internal'],
  aaguid: '00000000-0000-0000-0000-000000000000',
  backedUp: true,
})

export const authenticator = (n = 1): AuthenticatorMethod => ({
  methodId: id('method', 100 + n),
  methodType: 'authenticator_code',
  name: `App ${String(n)}`,
  sealedSecret: `sealed-${String(n)}`,
})
export const account = (n = 1): LinkedAccount => ({
  linkId: id('linkedAccount', n),
  identityProviderId: id('identityProvider'),
  subject: `subject-${String(n)}`,
  email: 'ada@work.example',
})

export const invited: UserEvent = { type: 'user.invited', data: { userId, profile, source: 'local' } }
export const issued = (kind: 'invite' | 'reset' = 'invite', resent = false, tokenHash = 'aa'): UserEvent => ({
  type: 'user.enrollment_link_issued',
  data: { userId, kind, tokenHash, mailedTokenHash: `${tokenHash}-mailed`, expiresAt: at(100), resent },
})
export const redeemed = (tokenHash = 'aa'): UserEvent => ({
  type: 'user.enrollment_link_redeemed',
  data: { userId, tokenHash },
})
export const added = (n = 1): UserEvent => ({ type: 'user.method_added', data: { userId, ...passkey(n) } })
export const appAdded = (n = 1): UserEvent => {
  const { methodType: _, ...app } = authenticator(n)
  return { type: 'user.authenticator_added', data: { userId, ...app } }
}
export const codesMade = (...hashes: readonly string[]): UserEvent => ({
  type: 'user.recovery_codes_generated',
  data: { userId, hashes },
})
export const codeUsed = (hash: string): UserEvent => ({
  type: 'user.recovery_code_used',
  data: { userId, hash },
})
export const lockedOut = (until = at(3600)): UserEvent => ({
  type: 'user.locked_out',
  data: { userId, until },
})
export const unlocked: UserEvent = { type: 'user.unlocked', data: { userId } }
export const lockoutExpired: UserEvent = { type: 'user.lockout_expired', data: { userId } }
export const linked = (n = 1): UserEvent => ({
  type: 'user.linked_account_added',
  data: { userId, ...account(n) },
})
export const unlinked = (n = 1): UserEvent => ({
  type: 'user.linked_account_removed',
  data: { userId, linkId: id('linkedAccount', n) },
})
export const verified: UserEvent = { type: 'user.email_verified', data: { userId } }
export const enrolled: UserEvent = { type: 'user.enrolled', data: { userId } }
export const suspended: UserEvent = { type: 'user.suspended', data: { userId } }
export const reactivated: UserEvent = { type: 'user.reactivated', data: { userId } }
export const deleted: UserEvent = { type: 'user.deleted', data: { userId } }
export const erased: UserEvent = { type: 'user.erased', data: { userId } }
export const roles = (...held: ('global_admin' | 'auditor' | 'helpdesk_admin')[]): UserEvent => ({
  type: 'user.roles_changed',
  data: { userId, roles: held, added: held, removed: [] },
})
export const moved: UserEvent = {
  type: 'user.email_changed',
  data: { userId, from: 'ada@example.com', to: 'ada@example.org' },
}
export const resetEvents: readonly UserEvent[] = [
  { type: 'user.methods_reset', data: { userId, methodIds: [id('method', 1)] } },
  issued('reset', false, 'rr'),
]

export const waiting = [invited, issued()]
export const active = [...waiting, redeemed(), added(), enrolled]
export const tombstone = [...active, deleted]

export const user = (...past: readonly UserEvent[]) => given(userDecider, ...past)

export const others = { otherActiveGlobalAdmins: 1 }
export const enroll: Of<'enroll'> = {
  type: 'enroll',
  userId,
  tokenHash: 'aa',
  now: at(0),
  method: passkey(),
}
export const suspend: Of<'suspend'> = { type: 'suspend', userId, by: ['user_admin'], ...others }
export const reactivate: Of<'reactivate'> = { type: 'reactivate', userId, by: ['user_admin'] }
export const remove: Of<'delete'> = { type: 'delete', userId, by: ['user_admin'], ...others }
export const update: Of<'update'> = {
  type: 'update',
  userId,
  by: ['user_admin'],
  fields: { department: 'Research' },
}
export const reissue: Of<'issue_link'> = {
  type: 'issue_link',
  userId,
  by: ['user_admin'],
  link: { ...link, tokenHash: 'bb', mailedTokenHash: 'bb-mailed' },
}
export const reset: Of<'reset_methods'> = {
  type: 'reset_methods',
  userId,
  by: ['helpdesk_admin'],
  link: { ...link, tokenHash: 'rr', mailedTokenHash: 'rr-mailed' },
}
export const revoke: Of<'revoke_sessions'> = { type: 'revoke_sessions', userId, by: ['helpdesk_admin'] }
export const addMethod: Of<'add_method'> = { type: 'add_method', userId, method: passkey(2) }
export const rename: Of<'rename_method'> = {
  type: 'rename_method',
  userId,
  methodId: id('method', 1),
  name: 'Laptop',
}
export const removeMethod: Of<'remove_method'> = {
  type: 'remove_method',
  userId,
  methodId: id('method', 1),
  by: 'self',
  enabledProviderIds: [id('identityProvider')],
}
export const makeCodes: Of<'generate_recovery_codes'> = {
  type: 'generate_recovery_codes',
  userId,
  hashes: ['r1', 'r2'],
}
export const useCode: Of<'use_recovery_code'> = { type: 'use_recovery_code', userId, hash: 'r1' }
export const lockOut: Of<'lock_out'> = { type: 'lock_out', userId, now: at(0), until: at(3600) }
export const unlock: Of<'unlock'> = { type: 'unlock', userId, by: ['helpdesk_admin'] }
export const expireLockout: Of<'expire_lockout'> = { type: 'expire_lockout', userId, now: at(3600) }
export const linkAccount: Of<'link_account'> = { type: 'link_account', userId, account: account() }
export const unlinkAccount: Of<'unlink_account'> = {
  type: 'unlink_account',
  userId,
  linkId: id('linkedAccount'),
  by: 'self',
  enabledProviderIds: [id('identityProvider')],
}
export const setRoles: Of<'set_roles'> = { type: 'set_roles', userId, roles: ['auditor'], ...others }
export const erase: Of<'erase'> = { type: 'erase', userId }
export const onExisting = [
  update,
  suspend,
  reactivate,
  remove,
  reissue,
  reset,
  revoke,
  addMethod,
  rename,
  removeMethod,
  makeCodes,
  useCode,
  lockOut,
  unlock,
  expireLockout,
  linkAccount,
  unlinkAccount,
  setRoles,
]
