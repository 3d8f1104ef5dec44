import type { Change } from '../changes.ts'
import type { Role } from '../roles.ts'
import type { Instant } from '../time.ts'

/** The profile of a user. All of it is personal. */
export interface Profile {
  readonly email: string
  readonly name: string
  readonly givenName?: string
  readonly familyName?: string
  readonly department?: string
  readonly title?: string
  readonly employeeId?: string
  readonly managerId?: string
  readonly location?: string
  readonly phone?: string
  /** False if a directory said that the user prefers another number. */
  readonly phonePrimary?: boolean
  /** BCP 47 */
  readonly locale?: string
  /** IANA name */
  readonly timeZone?: string
  /** YYYY-MM-DD */
  readonly startDate?: string
  /** YYYY-MM-DD */
  readonly endDate?: string
  readonly externalId?: string
  readonly userName?: string
  readonly custom?: Readonly<Record<string, string>>
}

/** The profile that the first administrator enters. */
export type OwnProfile = Pick<Profile, 'email' | 'name'>

export const userSources = ['local', 'scim', 'identity_provider', 'import'] as const
export type UserSource = (typeof userSources)[number]
export type LinkKind = 'invite' | 'reset'

/** A WebAuthn credential (Level 3 §4, credential record), binary parts as base64url. */
export interface PasskeyMethod {
  readonly methodId: string
  readonly methodType: 'passkey' | 'security_key'
  readonly name: string
  readonly credentialId: string
  readonly publicKey: string
  readonly signCount: number
  readonly transports: readonly string[]
  readonly aaguid: string
  readonly backedUp: boolean
}

/** An authenticator app (RFC 6238). */
export interface AuthenticatorMethod {
  readonly methodId: string
  readonly methodType: 'authenticator_code'
  readonly name: string
  /** The shared secret, encrypted for exactly this method. */
  readonly sealedSecret: string
}

/** A sign-in method of a user. */
export type OwnMethod = PasskeyMethod | AuthenticatorMethod

/** A linked account at an identity provider. */
export interface LinkedAccount {
  readonly linkId: string
  readonly identityProviderId: string
  /** The user's id there. */
  readonly subject: string
  readonly email: string | null
}

export type UserEvent =
  | { type: 'user.invited'; data: { userId: string; profile: Profile; source: UserSource } }
  | {
      type: 'user.enrollment_link_issued'
      data: {
        userId: string
        kind: LinkKind
        tokenHash: string
        /** Hash of the token that is emailed to the user only; null if nothing is sent */
        mailedTokenHash: string | null
        expiresAt: Instant
        resent: boolean
      }
    }
  | { type: 'user.enrollment_link_redeemed'; data: { userId: string; tokenHash: string } }
  | { type: 'user.enrolled'; data: { userId: string } }
  | { type: 'user.updated'; data: { userId: string; changes: readonly Change[] } }
  | { type: 'user.email_changed'; data: { userId: string; from: string; to: string } }
  | { type: 'user.email_verified'; data: { userId: string } }
  | { type: 'user.suspended'; data: { userId: string; reason?: string } }
  | { type: 'user.reactivated'; data: { userId: string } }
  | { type: 'user.deleted'; data: { userId: string } }
  | { type: 'user.erased'; data: { userId: string } }
  | {
      type: 'user.roles_changed'
      data: { userId: string; roles: readonly Role[]; added: readonly Role[]; removed: readonly Role[] }
    }
  | { type: 'user.method_added'; data: { userId: string } & PasskeyMethod }
  | { type: 'user.authenticator_added'; data: { userId: string } & Omit<AuthenticatorMethod, 'methodType'> }
  | { type: 'user.method_renamed'; data: { userId: string; methodId: string; name: string } }
  | {
      type: 'user.method_removed'
      /** `methodType` is null if it was not recorded. */
      data: { userId: string; methodId: string; methodType: OwnMethod['methodType'] | null }
    }
  | { type: 'user.methods_reset'; data: { userId: string; methodIds: readonly string[] } }
  | { type: 'user.sessions_revoked'; data: { userId: string } }
  /** Keyed hashes; earlier codes are invalid. */
  | { type: 'user.recovery_codes_generated'; data: { userId: string; hashes: readonly string[] } }
  | { type: 'user.recovery_code_used'; data: { userId: string; hash: string } }
  /** Codes are blocked until then; passkeys still work. */
  | { type: 'user.locked_out'; data: { userId: string; until: Instant } }
  | { type: 'user.unlocked'; data: { userId: string } }
  | { type: 'user.lockout_expired'; data: { userId: string } }
  | { type: 'user.linked_account_added'; data: { userId: string } & LinkedAccount }
  | { type: 'user.linked_account_removed'; data: { userId: string; linkId: string } }
