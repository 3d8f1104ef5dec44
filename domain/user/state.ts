import type { Role } from '../roles.ts'
import type { Instant } from '../time.ts'
import type { LinkedAccount, LinkKind, OwnMethod, Profile, UserSource } from './events.ts'

/** What the rules know of a method. */
export interface HeldMethod {
  readonly methodId: string
  readonly methodType: OwnMethod['methodType']
  /** Null for one that is no WebAuthn credential. */
  readonly credentialId: string | null
  readonly name: string
}

export type UserStatus = 'invited' | 'active' | 'suspended' | 'deleted'

export interface UserState {
  readonly status: 'none' | UserStatus
  readonly erased: boolean
  /** Whether the person ever finished enrolment; tells where a reactivation leads. */
  readonly enrolled: boolean
  /** Empty after erasure. */
  readonly profile: Partial<Profile>
  readonly source: UserSource
  readonly emailVerified: boolean
  readonly roles: readonly Role[]
  /** How often roles were added. What was handed out before the last time no longer opens the account. */
  readonly raises: number
  readonly methods: readonly HeldMethod[]
  /** Keyed hashes of the recovery codes that are left. */
  readonly recoveryCodes: readonly string[]
  readonly linkedAccounts: readonly LinkedAccount[]
  /** Until when no typed code counts; null when nothing stands in the way. */
  readonly lockedUntil: Instant | null
  readonly link: {
    readonly kind: LinkKind
    readonly tokenHash: string
    readonly mailedTokenHash: string | null
    readonly expiresAt: Instant
  } | null
}

/** Before the first event. */
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
