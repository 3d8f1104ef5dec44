import type { Role } from '../roles.ts'
import type { Instant } from '../time.ts'
import type { LinkedAccount, LinkKind, OwnMethod, Profile, UserSource } from './events.ts'

/** The method data that the rules need. */
export interface HeldMethod {
  readonly methodId: string
  readonly methodType: OwnMethod['methodType']
  /** Null for a method that is not a WebAuthn credential */
  readonly credentialId: string | null
  readonly name: string
}

export type UserStatus = 'invited' | 'active' | 'suspended' | 'deleted'

export interface UserState {
  readonly status: 'none' | UserStatus
  readonly erased: boolean
  /** Whether the user ever finished enrolment; decides the status after a reactivation. */
  readonly enrolled: boolean
  /** Empty after erasure. */
  readonly profile: Partial<Profile>
  readonly source: UserSource
  readonly emailVerified: boolean
  readonly roles: readonly Role[]
  /** How often roles were added. Links issued before the last time no longer work. */
  readonly raises: number
  readonly methods: readonly HeldMethod[]
  /** Keyed hashes of the remaining recovery codes. */
  readonly recoveryCodes: readonly string[]
  readonly linkedAccounts: readonly LinkedAccount[]
  /** Until when codes are blocked; null if they are not. */
  readonly lockedUntil: Instant | null
  readonly link: {
    readonly kind: LinkKind
    readonly tokenHash: string
    readonly mailedTokenHash: string | null
    readonly expiresAt: Instant
  } | null
}

/** The state before the first event. */
export const noUser: UserState = {
  status: 'none',
  erased: false,
  enrolled: false,
  profile: {},
  source: 'local',
  emailVerified: false,
  roles: [],
  raises: 0,
  methods: [],
  recoveryCodes: [],
  linkedAccounts: [],
  lockedUntil: null,
  link: null,
}
