/**
 * How much a proof of who somebody is counts, and what is asked of a session before it changes ways to sign in, roles,
 * keys, secrets or policies: a proof as strong as the strongest way in that its person holds, and a recent one.
 */
import type { OwnMethod } from '../user/events.ts'
import type { Instant } from '../time.ts'
import type { SignInMethod } from './events.ts'

/** From the weakest to the strongest. */
export const proofStrengths = ['none', 'mailbox', 'code', 'federated', 'phishing_resistant'] as const

export type ProofStrength = (typeof proofStrengths)[number]

const byMethod: Readonly<Record<SignInMethod, ProofStrength>> = {
  passkey: 'phishing_resistant',
  security_key: 'phishing_resistant',
  // Another organization vouches for the sign-in: it may ask for more than a typed code, and can be phished.
  identity_provider: 'federated',
  authenticator_code: 'code',
  recovery_code: 'code',
  // Whoever reads the person's mail has it.
  magic_link: 'mailbox',
  // Counts as the method that was added by it.
  enrollment_link: 'none',
  // In force only where the service runs for development, to stand in for every other method there.
  development: 'phishing_resistant',
}

const rankOf = (strength: ProofStrength): number => proofStrengths.indexOf(strength)

export const strongerOf = (a: ProofStrength, b: ProofStrength): ProofStrength =>
  rankOf(b) > rankOf(a) ? b : a

const strongest = (all: readonly ProofStrength[]): ProofStrength => all.reduce(strongerOf, 'none')

/** What the methods that a session rests on prove. */
export const proofOf = (methods: readonly SignInMethod[]): ProofStrength =>
  strongest(methods.map((method) => byMethod[method]))

/** Whether a session stands in for every proof, however old (see `development`). */
const isStandIn = (methods: readonly SignInMethod[]): boolean => methods.includes('development')

/** The ways in that a person holds and may use. Links by e-mail are nobody's own. */
export interface HeldWays {
  readonly methodTypes: readonly OwnMethod['methodType'][]
  readonly linkedAccounts: boolean
  readonly recoveryCodes: boolean
}

/** The strongest proof that a person can give. */
export const strongestHeld = ({ methodTypes, linkedAccounts, recoveryCodes }: HeldWays): ProofStrength =>
  strongest([
    ...methodTypes.map((type) => byMethod[type]),
    ...(linkedAccounts ? [byMethod.identity_provider] : []),
    ...(recoveryCodes ? [byMethod.recovery_code] : []),
  ])

/** How long a proof counts as recent. */
export const RECENT_PROOF_SECONDS = 600

/** What a session has to show for a change that asks for a proof. */
export interface ShownProof {
  readonly methods: readonly SignInMethod[]
  readonly authTime: Instant
  /** Whether the person was given a role after they last proved who they are. */
  readonly raisedSince: boolean
}

/**
 * What a proof lacks: `stronger`, a stronger method; `again`, the same proof once more, now.
 * @param held the strongest proof that the person can give
 * @param notBefore the earliest moment of a proof that still counts as recent
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
