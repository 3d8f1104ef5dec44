/**
 * Reads responses of SAML identity providers (SAML 2.0 Profiles §4.1.4). What identifies the user comes only from the
 * assertion as its signature covers it; the message around it is checked, but proves nothing.
 */
import type { Claims } from '../../../../domain/identity-provider/claims.ts'
import { BEARER, namespaces, statusCodes } from '../../../../domain/saml/names.ts'
import { epochMillis } from '../../../../domain/saml/time.ts'
import { attributeOf, childElements, childrenNamed, parseXml, textOf } from '../../../kernel/xml.ts'
import {
  CLOCK_TOLERANCE,
  ProviderDenied,
  ProviderFailed,
  ProviderRequestUnknown,
  type ProvenIdentity,
} from './provider-protocol.ts'

/** What a response must say to be accepted. */
export interface SamlExpectation {
  /** The entity id of the provider */
  readonly issuer: string
  /** The entity id of the service */
  readonly audience: string
  /** The address that received the response */
  readonly recipient: string
  /** The ID of the AuthnRequest; null for a response that no request asked for */
  readonly requestId: string | null
}

/** An assertion whose signature has been verified, and which is valid now. */
export interface SamlIdentity extends ProvenIdentity {
  /** Unique at the provider */
  readonly assertionId: string
}

const allowed: Readonly<Record<string, readonly string[]>> = {
  CanonicalizationMethod: ['http://www.w3.org/2001/10/xml-exc-c14n#'],
  SignatureMethod: [
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  ],
  Transform: [
    'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
    'http://www.w3.org/2001/10/xml-exc-c14n#',
  ],
  DigestMethod: ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'],
}

const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'

const refuse = (why: string): never => {
  throw new ProviderFailed(why)
}

const descendants = (element: Element): readonly Element[] =>
  childElements(element).flatMap((child) => [child, ...descendants(child)])

const isAssertion = ({ namespaceURI, localName }: Element): boolean =>
  namespaceURI === namespaces.assertion && localName === 'Assertion'

/** Refuses what a signature check may understand differently: SHA-1, several assertions, repeated IDs. */
const checkStructure = (root: Element): void => {
  const all = [root, ...descendants(root)]
  const ids = all.flatMap((element) => attributeOf(element, 'ID') ?? [])
  if (new Set(ids).size < ids.length) refuse('two elements of its response have the same ID')
  const assertions = all.filter(isAssertion)
  if (assertions.length > 1) refuse('its response has more than one assertion')
  if (assertions.some(({ parentNode }) => parentNode !== root))
    refuse('its assertion is not directly in the response')
  for (const element of all.filter(({ namespaceURI }) => namespaceURI === namespaces.signature)) {
    const { localName, parentNode } = element
    if (localName === 'Signature' && parentNode !== root && !assertions.some((one) => one === parentNode))
      refuse('a signature is neither of the response nor of the assertion')
    const algorithm = attributeOf(element, 'Algorithm')
    const known = Object.hasOwn(allowed, localName) ? allowed[localName] : undefined
    if (known !== undefined && (algorithm === null || !known.includes(algorithm)))
      refuse(`its signature uses ${String(algorithm)} as ${localName}; expected ${known.join(' or ')}`)
  }
}

const only = (parent: Element, name: string, namespace: string = namespaces.assertion): Element => {
  const [first, second] = childrenNamed(parent, namespace, name)
  if (first === undefined) return refuse(`${name} is missing`)
  return second === undefined ? first : refuse(`${name} appears twice`)
}

const checkStatus = (root: Element): void => {
  const status = only(root, 'Status', namespaces.protocol)
  const code = only(status, 'StatusCode', namespaces.protocol)
  if (attributeOf(code, 'Value') === statusCodes.success) return
  const [detail] = childrenNamed(code, namespaces.protocol, 'StatusCode')
  const [message] = childrenNamed(status, namespaces.protocol, 'StatusMessage')
  const parts = [
    attributeOf(code, 'Value'),
    detail === undefined ? null : attributeOf(detail, 'Value'),
    message === undefined ? null : textOf(message),
  ]
  throw new ProviderDenied(parts.filter((part) => part !== null).join(': '))
}

/**
 * Checks the message around the assertion: before its signature, which costs more.
 * @throws XmlError, ProviderDenied if the provider did not sign the user in, ProviderFailed
 */
export const checkResponse = (text: string, { issuer, recipient, requestId }: SamlExpectation): void => {
  const root = parseXml(text).documentElement
  if (root.namespaceURI !== namespaces.protocol || root.localName !== 'Response')
    refuse('it did not send a SAML 2.0 response')
  if ((attributeOf(root, 'Destination') ?? recipient) !== recipient)
    refuse(`Destination is ${String(attributeOf(root, 'Destination'))}; expected ${recipient}`)
  if ((attributeOf(root, 'InResponseTo') ?? requestId) !== requestId) {
    if (requestId === null)
      throw new ProviderRequestUnknown('InResponseTo names a request that is not waiting')
    refuse('InResponseTo names another request')
  }
  const [named] = childrenNamed(root, namespaces.assertion, 'Issuer')
  if (named !== undefined && textOf(named) !== issuer)
    refuse(`the response is of the issuer ${textOf(named)}; expected ${issuer}`)
  checkStatus(root)
  if (childrenNamed(root, namespaces.assertion, 'EncryptedAssertion').length > 0)
    refuse('its assertion is encrypted, which is not supported; TLS protects it')
  checkStructure(root)
}

/** Returns a time in milliseconds; null if the attribute is missing. */
const timeOf = (element: Element, name: string): number | null => {
  const text = attributeOf(element, name)
  if (text === null) return null
  return epochMillis(text) ?? refuse(`${name} is not a time`)
}

const checkTimes = (element: Element, nowMs: number): void => {
  const from = timeOf(element, 'NotBefore')
  const until = timeOf(element, 'NotOnOrAfter')
  const tolerance = CLOCK_TOLERANCE * 1000
  if (from !== null && nowMs + tolerance < from)
    refuse(`${element.localName} is valid only from ${new Date(from).toISOString()}; check the clocks`)
  if (until !== null && nowMs - tolerance >= until)
    refuse(`${element.localName} expired at ${new Date(until).toISOString()}; check the clocks`)
}

/** Profiles §4.1.4.2: the bearer confirmation names the request, the address and an end. */
const isConfirmed = (subject: Element, { recipient, requestId }: SamlExpectation, nowMs: number): boolean =>
  childrenNamed(subject, namespaces.assertion, 'SubjectConfirmation').some((confirmation) => {
    if (attributeOf(confirmation, 'Method') !== BEARER) return false
    const data = only(confirmation, 'SubjectConfirmationData')
    if (attributeOf(data, 'Recipient') !== recipient) return false
    if (attributeOf(data, 'InResponseTo') !== requestId) return false
    if (attributeOf(data, 'NotOnOrAfter') === null) return false
    checkTimes(data, nowMs)
    return true
  })

const checkConditions = (assertion: Element, { audience }: SamlExpectation, nowMs: number): void => {
  const conditions = only(assertion, 'Conditions')
  checkTimes(conditions, nowMs)
  const restrictions = childrenNamed(conditions, namespaces.assertion, 'AudienceRestriction')
  if (restrictions.length === 0) refuse('AudienceRestriction is missing')
  for (const restriction of restrictions) {
    const audiences = childrenNamed(restriction, namespaces.assertion, 'Audience').map(textOf)
    if (!audiences.includes(audience)) refuse(`Audience is ${audiences.join(', ')}; expected ${audience}`)
  }
}

/** Values by Name, and by FriendlyName where no other attribute has this name. */
const attributesOf = (assertion: Element): Claims => {
  const attributes = childrenNamed(assertion, namespaces.assertion, 'AttributeStatement')
    .flatMap((statement) => childrenNamed(statement, namespaces.assertion, 'Attribute'))
    .map((attribute) => {
      const values = childrenNamed(attribute, namespaces.assertion, 'AttributeValue').flatMap((value) =>
        childElements(value).length > 0 ? [] : [textOf(value)],
      )
      const value = values.length === 1 ? values[0] : values
      return { name: attributeOf(attribute, 'Name'), friendly: attributeOf(attribute, 'FriendlyName'), value }
    })
  const named = (key: 'name' | 'friendly') =>
    attributes.flatMap(({ value, ...names }) => (names[key] === null ? [] : [[names[key], value] as const]))
  return Object.fromEntries([...named('friendly'), ...named('name')])
}

/** Names that say what this module has read. The name id can serve as an attribute, for providers that send no other. */
const OWN = ['sub', 'acr', 'amr'] as const

/**
 * Reads an assertion.
 * @param text what the signature covers, in canonical form
 * @throws XmlError, ProviderFailed
 */
export const readAssertion = (text: string, expected: SamlExpectation, nowMs: number): SamlIdentity => {
  const assertion = parseXml(text).documentElement
  if (!isAssertion(assertion)) refuse('the signature does not cover the assertion')
  const issuer = textOf(only(assertion, 'Issuer'))
  if (issuer !== expected.issuer)
    refuse(`the assertion is of the issuer ${issuer}; expected ${expected.issuer}`)
  const subject = only(assertion, 'Subject')
  if (!isConfirmed(subject, expected, nowMs))
    refuse('no SubjectConfirmation of the method bearer names this request, with Recipient and NotOnOrAfter')
  checkConditions(assertion, expected, nowMs)
  const nameId = only(subject, 'NameID')
  if (attributeOf(nameId, 'Format') === TRANSIENT)
    refuse('NameID is transient, so the user has another one at each sign-in; expected persistent or email')
  const [statement] = childrenNamed(assertion, namespaces.assertion, 'AuthnStatement')
  if (statement === undefined) return refuse('AuthnStatement is missing')
  const authenticated = timeOf(statement, 'AuthnInstant') ?? refuse('AuthnInstant is missing')
  const ends = timeOf(statement, 'SessionNotOnOrAfter')
  if (ends !== null && ends <= nowMs) refuse('the session at the provider has ended')
  const context = childrenNamed(statement, namespaces.assertion, 'AuthnContext')
    .flatMap((element) => childrenNamed(element, namespaces.assertion, 'AuthnContextClassRef'))
    .map(textOf)
  const attributes = Object.entries(attributesOf(assertion)).filter(
    ([name]) => !OWN.includes(name as (typeof OWN)[number]),
  )
  const name = textOf(nameId)
  return {
    assertionId: attributeOf(assertion, 'ID') ?? refuse('ID is missing'),
    claims: { ...Object.fromEntries(attributes), NameID: name, sub: name, acr: context },
    authTime: Math.floor(authenticated / 1000),
  }
}
