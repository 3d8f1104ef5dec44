/** OpenID Connect Core §2 `acr`, OpenID EAP ACR Values: how strongly the person proved who they are. */
import type { Strength } from '../session/events.ts'

const byStrength: Readonly<Record<Strength, string | null>> = {
  phishing_resistant: 'phr',
  otp: 'urn:svc:acr:otp',
  // What another provider asked of the person is not for us to rank.
  federated: null,
}

/** Null where nothing can be said. */
export const acrOf = (strength: Strength): string | null => byStrength[strength]

/** The values that sign-ins of this version can reach. */
export const acrValues: readonly string[] = ['phr']
