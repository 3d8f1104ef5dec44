/**
 * SAML 2.0 Core §3.4.1, Profiles §4.1.4.1: a service provider's sign-in request, and whether it can be
 * answered. Requests are not trusted, signed or not: only registered data decides where the response goes.
 *
 * NameIDPolicy, RequestedAuthnContext, Conditions, Scoping, ForceAuthn and IsPassive have no effect: the
 * application's settings define the NameID.
 */
import { epochMillis } from './time.ts'
import { bindings } from './names.ts'

/** As sent; null for missing values. */
export interface AuthnRequest {
  readonly id: string
  readonly version: string
  readonly issueInstant: string
  readonly issuer: string
  readonly destination: string | null
  readonly protocolBinding: string | null
  readonly acsUrl: string | null
  readonly acsIndex: string | null
  /** The name of the user that the application expects. */
  readonly subject: string | null
}

export interface AuthnRequestFacts {
  /** Where responses to its issuer can be sent; the first is the default. */
  readonly acsUrls: readonly string[]
  /** The index that its requests use for each; the positions if omitted. */
  readonly acsIndexes?: readonly number[]
  /** Our own address for requests. */
  readonly ssoUrl: string
  /** Milliseconds since 1970 */
  readonly nowMs: number
}

export interface AuthnRequestProblem {
  readonly code: 'ERR_INVALID_SAML_REQUEST' | 'ERR_INVALID_REDIRECT_URI'
  /** For the application's developer; contains no part of the request */
  readonly description: string
}

/** The maximum clock difference to an application, and the maximum age of a request. */
const REQUEST_SKEW_SECONDS = 300

/** xs:ID is an NCName; the response repeats the ID of the request (Core §1.3.4). */
const ID = /^[A-Za-z_][\w.-]{0,255}$/
const INDEX = /^\d{1,5}$/

const invalid = (description: string): { readonly problem: AuthnRequestProblem } => ({
  problem: { code: 'ERR_INVALID_SAML_REQUEST', description },
})

const notRegistered = (description: string): { readonly problem: AuthnRequestProblem } => ({
  problem: { code: 'ERR_INVALID_REDIRECT_URI', description },
})

const consumer = (
  { acsUrl, acsIndex }: AuthnRequest,
  { acsUrls, acsIndexes = [...acsUrls.keys()] }: Pick<AuthnRequestFacts, 'acsUrls' | 'acsIndexes'>,
): { readonly acsUrl: string } | { readonly problem: AuthnRequestProblem } => {
  if (acsUrl !== null && acsIndex !== null)
    return invalid('AssertionConsumerServiceURL and AssertionConsumerServiceIndex are mutually exclusive')
  if (acsUrl !== null)
    return acsUrls.includes(acsUrl)
      ? { acsUrl }
      : notRegistered('AssertionConsumerServiceURL is not registered for this application')
  if (acsIndex !== null && !INDEX.test(acsIndex))
    return invalid('AssertionConsumerServiceIndex is not a number')
  const indexedUrl = acsUrls[acsIndex === null ? 0 : acsIndexes.indexOf(Number(acsIndex))]
  return indexedUrl === undefined
    ? notRegistered('AssertionConsumerServiceIndex is not registered for this application')
    : { acsUrl: indexedUrl }
}

/** Returns where the response goes, or why the request is rejected. */
export const acceptAuthnRequest = (
  request: AuthnRequest,
  { ssoUrl, nowMs, ...addresses }: AuthnRequestFacts,
): { readonly acsUrl: string } | { readonly problem: AuthnRequestProblem } => {
  const { id, version, issueInstant, destination, protocolBinding } = request
  const issuedMs = epochMillis(issueInstant)
  if (version !== '2.0') return invalid('Version is not 2.0')
  if (!ID.test(id)) return invalid('ID is not an xs:ID of at most 256 characters')
  if (destination !== null && destination !== ssoUrl)
    return invalid('Destination is not the URL of this endpoint')
  if (issuedMs === null) return invalid('IssueInstant is not an xs:dateTime with a time zone')
  if (Math.abs(nowMs - issuedMs) > REQUEST_SKEW_SECONDS * 1000)
    return invalid('IssueInstant is more than five minutes away from now')
  if (protocolBinding !== null && protocolBinding !== bindings.post)
    return invalid('ProtocolBinding is not HTTP-POST')
  return consumer(request, addresses)
}
