/**
 * The strength of proofs, and the proof that a session needs before it changes sign-in methods, roles, keys,
 * secrets or policies: a recent proof, as strong as the strongest method of the user.
 */
import type { OwnMethod } from '../user/events.ts'
import type { Instant } from '../time.ts'
import type { SignInMethod } from './events.ts'

/** From weakest to strongest. */
export const proofStrengths = ['none', 'mailbox', 'code', 'federated', 'phishing_resistant'] as const

export type ProofStrength = (typeof proofStrengths)[number]

const byMethod: Readonly<Record<SignInMethod, ProofStrength>> = {
  passkey: 'phishing_resistant',
  security_key: 'phishing_resistant',
  // Another organization vouches for the sign-in: it may require more than a code, but can be phished.
  identity_provider: 'federated',
  phishing_resistant_identity_provider: 'phishing_resistant',
  authenticator_code: 'code',
  recovery_code: 'code',
  // Anyone who can read the user's mailbox has it.
  magic_link: 'mailbox',
  // Counts as the method that was added with it.
  enrollment_link: 'none',
  // Valid only while the service runs in development mode, where it replaces every other method.
  development: 'phishing_resistant',
}

const rankOf = (strength: ProofStrength): number => proofStrengths.indexOf(strength)

export const strongerOf = (a: ProofStrength, b: ProofStrength): ProofStrength =>
  rankOf(b) > rankOf(a) ? b : a

const strongest = (all: readonly ProofStrength[]): ProofStrength => all.reduce(strongerOf, 'none')

/** Returns the proof that the methods of a session provide. */
export const proofOf = (methods: readonly SignInMethod[]): ProofStrength =>
  strongest(methods.map((method) => byMethod[method]))

/** Whether a session counts as every proof at any age (see `development`). */
const isStandIn = (methods: readonly SignInMethod[]): boolean => methods.includes('development')

/** The methods that a user has and may use. Sign-in links belong to no user. */
export interface HeldWays {
  readonly methodTypes: readonly OwnMethod['methodType'][]
  readonly linkedAccounts: boolean
  readonly recoveryCodes: boolean
}

/** The strongest proof that a user can give. */
export const strongestHeld = ({ methodTypes, linkedAccounts, recoveryCodes }: HeldWays): ProofStrength =>
  strongest([
    ...methodTypes.map((type) => byMethod[type]),
    ...(linkedAccounts ? [byMethod.identity_provider] : []),
    ...(recoveryCodes ? [byMethod.recovery_code] : []),
  ])

/** How long a proof counts as recent. */
export const RECENT_PROOF_SECONDS = 600

/** The session data for a change that requires a proof. */
export interface ShownProof {
  readonly methods: readonly SignInMethod[]
  readonly authTime: Instant
  /** Whether the user was granted a role after the last proof. */
  readonly raisedSince: boolean
}

/**
 *
 * What a proof lacks: `stronger`, a stronger method; `again`, the same proof again.
 * @param held the strongest proof that the user can give
 * @param notBefore the earliest time of a recent proof
 */
export const proofLacks = (
  { methods, authTime, raisedSince }: ShownProof,
  held: ProofStrength,
  notBefore: Instant,
): 'stronger' | 'again' | null => {
  if (strongerOf(proofOf(methods), held) !== proofOf(methods)) return 'stronger'
  if (isStandIn(methods)) return null
  return raisedSince || authTime < notBefore ? 'again' : null
}
