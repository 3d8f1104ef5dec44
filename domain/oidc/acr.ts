/**
 * OpenID Connect Core §2 `acr`, §3.1.2.1 `acr_values`, OpenID EAP ACR Values: the strength of a sign-in, and
 * the strength that the application prefers. The preference is voluntary: it never makes a request fail.
 */
import type { Strength } from '../session/events.ts'

const OTP = 'urn:svc:acr:otp'

/** The values that can be requested, from weak to strong. */
const ranks: ReadonlyMap<string, number> = new Map([
  [OTP, 1],
  ['phr', 2],
  ['phrh', 3],
])

const byStrength: Readonly<Record<Strength, string | null>> = {
  phishing_resistant: 'phr',
  otp: OTP,
  // The strength of a sign-in at another provider is unknown.
  federated: null,
}

const rankOf = (acr: string | null): number => (acr === null ? 0 : (ranks.get(acr) ?? 0))

/** Returns the `acr` of a sign-in; null if its strength is unknown. */
export const acrOf = (strength: Strength): string | null => byStrength[strength]

/** The values that ID tokens can have, from weak to strong. Key storage is not attested, so `phrh` is not one of them. */
export const acrValues: readonly string[] = [OTP, 'phr']

const REACHABLE = Math.max(...acrValues.map(rankOf))

/** The requested values that are supported here. */
export const knownAcrValues = (text: string | undefined): readonly string[] =>
  (text ?? '').split(' ').filter((value) => ranks.has(value))

/**
 * Whether a sign-in was as strong as the application prefers, or as strong as possible.
 * @param requested any of these suffices; an empty list requires nothing
 */
export const isStrongEnough = (strength: Strength, requested: readonly string[]): boolean =>
  requested.length === 0 || rankOf(acrOf(strength)) >= Math.min(REACHABLE, ...requested.map(rankOf))

/** The strength of sign-in that satisfies one of the requested values; `none` if any does. */
export const strengthFor = (requested: readonly string[]): 'none' | 'otp' | 'phishing_resistant' => {
  if (requested.length === 0) return 'none'
  return Math.min(...requested.map(rankOf)) > rankOf(OTP) ? 'phishing_resistant' : 'otp'
}
