import type { Instant } from '../time.ts'

/** The lowest first */
export const riskLevels = ['low', 'medium', 'high'] as const

export type RiskLevel = (typeof riskLevels)[number]

/** An open risk event no longer counts after this many days. */
export const RISK_DAYS = 14

/** The facts of each type of risk. */
export interface RiskDetails {
  /** Wrong codes from unknown devices across users: an attacker tries a few codes for each of many users. */
  readonly code_guessing: {
    /** Wrong codes within the window */
    readonly wrongCodes: number
    /** Number of addresses that they were entered for, existing or not */
    readonly addresses: number
    /** Number of networks that they came from */
    readonly networks: number
    readonly windowSeconds: number
  }
  /** Nobody could have travelled between the locations of two sign-ins in the time between them. */
  readonly impossible_travel: {
    readonly from: string
    readonly to: string
    readonly leastKm: number
    readonly minutes: number
  }
  readonly new_country: { readonly country: string }
  readonly new_device: object
  /** The address belongs to a network that hides who uses it. */
  readonly anonymizer_ip: object
  /** A session was used from a blocked network zone. */
  readonly blocked_zone_attempt: object
  /** Many failed attempts before a successful one. */
  readonly repeated_failures: { readonly failures: number; readonly windowSeconds: number }
  /** Too many wrong codes in a day. */
  readonly code_lockout: { readonly until: Instant }
  /** The signature counter of a passkey went back (WebAuthn Level 3 §6.1.1). */
  readonly credential_cloned: { readonly methodId: string }
  /** A refresh token or an authorization code was used twice (RFC 9700 §2.2.2, RFC 6749 §4.1.2). */
  readonly token_reuse: {
    readonly token: 'authorization_code' | 'refresh_token'
    readonly applicationId: string
  }
  /** The user does not recognize a sign-in. */
  readonly user_reported: { readonly note?: string }
  /** An administrator knows that the account is compromised. */
  readonly admin_confirmed: object
  /** Somebody signed in to the break-glass account. */
  readonly break_glass_used: object
}

export type RiskType = keyof RiskDetails

/** A risk with the facts that make it one. */
export type RiskOf<T extends RiskType> = {
  readonly [K in T]: { readonly riskType: K; readonly level: RiskLevel; readonly detail: RiskDetails[K] }
}[T]

/** The risks of a sign-in, assessed before it is decided. */
export type SignInRiskType =
  | 'impossible_travel'
  | 'new_country'
  | 'new_device'
  | 'anonymizer_ip'
  | 'repeated_failures'
  | 'credential_cloned'

export type SignInRisk = RiskOf<SignInRiskType>

/** Where a risk was noticed. */
export interface RiskOrigin {
  readonly signInId: string | null
  readonly sessionId: string | null
  readonly ip: string | null
  /** `City, CC`, or only the name of the country */
  readonly location: string | null
}

/** A possible attack. */
export type DetectedRisk = RiskOf<RiskType> &
  RiskOrigin & {
    /** `rsk_` id */
    readonly riskEventId: string
    /** The user at risk; null if all users are */
    readonly userId: string | null
  }

interface Resolution {
  readonly riskEventId: string
  /** Null if all users were at risk */
  readonly userId: string | null
  /** Why, as an administrator wrote it */
  readonly note?: string
}

export type RiskEvent =
  | { readonly type: 'risk_event.detected'; readonly data: DetectedRisk }
  /** The user proved with a passkey that it is them. */
  | {
      readonly type: 'risk_event.remediated'
      readonly data: { readonly riskEventId: string; readonly userId: string; readonly signInId: string }
    }
  /** It is of no interest. */
  | { readonly type: 'risk_event.dismissed'; readonly data: Resolution }
  /** It was the user. */
  | { readonly type: 'risk_event.confirmed_safe'; readonly data: Resolution }
  /** It was an attacker: the user must set up their sign-in methods again. */
  | {
      readonly type: 'risk_event.confirmed_compromised'
      readonly data: Resolution & { readonly userId: string }
    }
