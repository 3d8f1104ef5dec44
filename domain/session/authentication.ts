/** What a session says of how its person signed in: `amr` (RFC 8176, and the specification's values) and strength. */
import type { SignInMethod, Strength } from './events.ts'

type Kind = 'hwk' | 'otp' | 'fed'

const kinds: Readonly<Record<SignInMethod, Kind | null>> = {
  passkey: 'hwk',
  security_key: 'hwk',
  authenticator_code: 'otp',
  recovery_code: 'otp',
  magic_link: 'otp',
  identity_provider: 'fed',
  // Opens the way to a first method; what it proves is that method's to say.
  enrollment_link: null,
  development: null,
}

const strengths: Readonly<Record<Kind, Strength>> = {
  hwk: 'phishing_resistant',
  fed: 'federated',
  otp: 'otp',
}

const order: readonly Strength[] = ['otp', 'federated', 'phishing_resistant']

/**
 * @param methods all that the session was opened with; more than one where the person proved more
 * @param userVerified whether an authenticator has checked who holds it (WebAuthn Level 3 §6.1, UV)
 */
export const authenticationOf = (
  methods: readonly SignInMethod[],
  userVerified: boolean,
): { readonly amr: readonly string[]; readonly strength: Strength } => {
  const found = [...new Set(methods.flatMap((method) => kinds[method] ?? []))]
  const strength = found
    .map((kind) => strengths[kind])
    .reduce<Strength>((best, one) => (order.indexOf(one) > order.indexOf(best) ? one : best), 'otp')
  return {
    amr: [
      ...found,
      ...(found.includes('hwk') && userVerified ? ['user'] : []),
      ...(found.length > 1 ? ['mfa'] : []),
    ],
    strength,
  }
}

/**
 * The methods that a session rests on once its person has proved again who they are: a proof as strong as what was
 * there adds to it, a weaker one is all that can be said of this moment.
 */
export const methodsAfter = (
  earlier: readonly SignInMethod[],
  proof: readonly SignInMethod[],
): readonly SignInMethod[] => {
  const strength = (methods: readonly SignInMethod[]): number =>
    order.indexOf(authenticationOf(methods, false).strength)
  return strength(proof) < strength(earlier) ? proof : [...new Set([...earlier, ...proof])]
}
