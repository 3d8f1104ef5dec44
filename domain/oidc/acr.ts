/**
 * OpenID Connect Core §2 `acr`, §3.1.2.1 `acr_values`, OpenID EAP ACR Values: how strongly the person proved who they
 * are, and how strongly the application would like them to. What it would like is voluntary: nothing fails for it.
 */
import type { Strength } from '../session/events.ts'

const OTP = 'urn:svc:acr:otp'

/** What may be asked for, the stronger the higher. */
const ranks: ReadonlyMap<string, number> = new Map([
  [OTP, 1],
  ['phr', 2],
  ['phrh', 3],
])

const byStrength: Readonly<Record<Strength, string | null>> = {
  phishing_resistant: 'phr',
  otp: OTP,
  // What another provider asked of the person is not for us to rank.
  federated: null,
}

const rankOf = (acr: string | null): number => (acr === null ? 0 : (ranks.get(acr) ?? 0))

/** Null where nothing can be said. */
export const acrOf = (strength: Strength): string | null => byStrength[strength]

/** The values that sign-ins of this version can reach. Where a key is kept is not attested, so `phrh` is none of them. */
export const acrValues: readonly string[] = ['phr']

const REACHABLE = Math.max(...acrValues.map(rankOf))

/** Those of the values asked for that mean something here. */
export const knownAcrValues = (text: string | undefined): readonly string[] =>
  (text ?? '').split(' ').filter((value) => ranks.has(value))

/**
 * Whether a sign-in was as strong as the application would like, or as strong as sign-ins get.
 * @param asked any of these will do; none asks for nothing
 */
export const isStrongEnough = (strength: Strength, asked: readonly string[]): boolean =>
  asked.length === 0 || rankOf(acrOf(strength)) >= Math.min(REACHABLE, ...asked.map(rankOf))

/** How strongly a sign-in is to be made so that one of the values asked for is met; `none` where any will do. */
export const strengthFor = (asked: readonly string[]): 'none' | 'otp' | 'phishing_resistant' => {
  if (asked.length === 0) return 'none'
  return Math.min(...asked.map(rankOf)) > rankOf(OTP) ? 'phishing_resistant' : 'otp'
}
