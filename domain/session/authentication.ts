/** How a session records its sign-in: `amr` (RFC 8176, and the specification's values) and strength. */
import { proofOf, strongerOf, type ProofStrength } from './proof.ts'
import type { SignInMethod, Strength } from './events.ts'

type Kind = 'hwk' | 'otp' | 'fed'

const kinds: Readonly<Record<SignInMethod, Kind | null>> = {
  passkey: 'hwk',
  security_key: 'hwk',
  authenticator_code: 'otp',
  recovery_code: 'otp',
  magic_link: 'otp',
  identity_provider: 'fed',
  phishing_resistant_identity_provider: 'fed',
  // Allows adding a first method, which then determines the strength.
  enrollment_link: null,
  development: null,
}

/** RFC 8176 §2 */
const registered: ReadonlySet<string> = new Set(
  'face fpt geo hwk iris kba mca mfa otp pin pop pwd rba retina sc sms swk tel user vbm wia'.split(' '),
)

const strengths: Readonly<Record<ProofStrength, Strength>> = {
  none: 'otp',
  mailbox: 'otp',
  code: 'otp',
  federated: 'federated',
  phishing_resistant: 'phishing_resistant',
}

/**
 *
 * @param methods all methods of the session; more than one after a second sign-in
 * @param userVerified whether an authenticator verified the user (WebAuthn Level 3 §6.1, UV)
 * @param upstream the `amr` of the identity provider; values that RFC 8176 does not define are ignored
 */
export const authenticationOf = (
  methods: readonly SignInMethod[],
  userVerified: boolean,
  upstream: readonly string[] = [],
): { readonly amr: readonly string[]; readonly strength: Strength } => {
  const references = [...new Set(methods.flatMap((method) => kinds[method] ?? []))]
  const amr = [
    ...references,
    ...(references.includes('hwk') && userVerified ? ['user'] : []),
    ...(references.length > 1 ? ['mfa'] : []),
    ...(references.includes('fed') ? upstream.filter((value) => registered.has(value)) : []),
  ]
  return {
    amr: [...new Set(amr)],
    strength: strengths[proofOf(methods)],
  }
}

/**
 * Whether a new proof adds to the earlier ones of its session. A weaker one replaces them, so that no earlier
 * proof is ever as recent as a later, weaker one.
 */
export const addsTo = (earlier: readonly SignInMethod[], proof: readonly SignInMethod[]): boolean =>
  strongerOf(proofOf(earlier), proofOf(proof)) === proofOf(proof)

/** The methods of a session after its user signed in again. */
export const methodsAfter = (
  earlier: readonly SignInMethod[],
  proof: readonly SignInMethod[],
): readonly SignInMethod[] => (addsTo(earlier, proof) ? [...new Set([...earlier, ...proof])] : proof)
