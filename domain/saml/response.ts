/**
 * SAML 2.0 Core §2, §3.2.2, Profiles §4.1.4.2: the response to a service provider, as a value. Times are
 * xs:dateTime.
 */
import type { Instant } from '../time.ts'
import { statusCodes } from './names.ts'
import type { Attribute, NameId } from './subject.ts'
import { samlTime } from './time.ts'

/** How far the clock of a service provider can be behind ours. */
const SKEW_SECONDS = 60
/** How long the delivery of an assertion can take. */
const LIFETIME_SECONDS = 300

/** Both ends of an exchange. */
export interface ResponseParties {
  /** Our entity id. */
  readonly issuer: string
  /** The address that the response is posted to. */
  readonly acsUrl: string
  /** Id of the request; null for IdP-initiated sign-in. */
  readonly inResponseTo: string | null
}

export interface AssertionFacts extends ResponseParties {
  /** xs:ID values, new and of at least 128 random bits (Core §1.3.4). */
  readonly responseId: string
  readonly assertionId: string
  /** Entity id of the service provider. */
  readonly audience: string
  readonly nameId: NameId
  readonly attributes: readonly Attribute[]
  readonly session: {
    readonly sessionId: string
    readonly authTime: Instant
    /** Null if the application must not receive it. */
    readonly expiresAt: Instant | null
  }
  /** Milliseconds since 1970 */
  readonly nowMs: number
}

export interface Assertion {
  readonly id: string
  readonly issueInstant: string
  readonly issuer: string
  readonly nameId: NameId
  readonly recipient: string
  readonly inResponseTo: string | null
  readonly notBefore: string
  readonly notOnOrAfter: string
  readonly audience: string
  readonly authnInstant: string
  readonly sessionIndex: string
  readonly sessionNotOnOrAfter: string | null
  readonly attributes: readonly Attribute[]
}

export interface Response {
  readonly id: string
  readonly issueInstant: string
  readonly issuer: string
  readonly destination: string
  readonly inResponseTo: string | null
  /** The outermost status code first. */
  readonly status: readonly [string, ...string[]]
  readonly assertion: Assertion | null
}

export const assertionResponse = (facts: AssertionFacts): Response => {
  const { issuer, acsUrl, inResponseTo, nowMs, session } = facts
  const issueInstant = samlTime(nowMs)
  return {
    id: facts.responseId,
    issueInstant,
    issuer,
    destination: acsUrl,
    inResponseTo,
    status: [statusCodes.success],
    assertion: {
      id: facts.assertionId,
      issueInstant,
      issuer,
      nameId: facts.nameId,
      recipient: acsUrl,
      inResponseTo,
      notBefore: samlTime(nowMs - SKEW_SECONDS * 1000),
      notOnOrAfter: samlTime(nowMs + LIFETIME_SECONDS * 1000),
      audience: facts.audience,
      authnInstant: samlTime(Date.parse(session.authTime)),
      sessionIndex: session.sessionId,
      sessionNotOnOrAfter: session.expiresAt === null ? null : samlTime(Date.parse(session.expiresAt)),
      attributes: facts.attributes,
    },
  }
}

/** Why there is no assertion: the user cancelled, or has no access to the application. */
export type Denial = 'authnFailed' | 'requestDenied'

export const denialResponse = (
  { issuer, acsUrl, inResponseTo }: ResponseParties,
  {
    responseId,
    denial,
    nowMs,
  }: { readonly responseId: string; readonly denial: Denial; readonly nowMs: number },
): Response => ({
  id: responseId,
  issueInstant: samlTime(nowMs),
  issuer,
  destination: acsUrl,
  inResponseTo,
  status: [statusCodes.responder, statusCodes[denial]],
  assertion: null,
})
