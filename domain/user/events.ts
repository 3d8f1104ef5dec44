import type { Change } from '../changes.ts'
import type { Role } from '../roles.ts'
import type { Instant } from '../time.ts'

/** What is known of a person. Everything in it is personal. */
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

export type UserSource = 'local' | 'scim' | 'identity_provider' | 'import'
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

export type UserEvent =
  | { type: 'user.invited'; data: { userId: string; profile: Profile; source: UserSource } }
  | {
      type: 'user.enrollment_link_issued'
      data: { userId: string; kind: LinkKind; tokenHash: string; expiresAt: Instant; resent: boolean }
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
  | { type: 'user.method_renamed'; data: { userId: string; methodId: string; name: string } }
  | { type: 'user.method_removed'; data: { userId: string; methodId: string } }
  | { type: 'user.methods_reset'; data: { userId: string; methodIds: readonly string[] } }
  | { type: 'user.sessions_revoked'; data: { userId: string } }
