/** SAML 2.0 Core §2, §3.2.2 elements in schema order and in canonical form; a signature follows the issuer. */
import { BASIC_NAME, BEARER, namespaces, UNSPECIFIED_CONTEXT } from '../../../domain/saml/names.ts'
import type { Assertion, Response } from '../../../domain/saml/response.ts'
import type { Attribute } from '../../../domain/saml/subject.ts'
import { attribute, xml, type Markup } from './markup.ts'

const attributeXml = ({ name, values }: Attribute): Markup =>
  xml`<saml:Attribute Name="${name}" NameFormat="${BASIC_NAME}">${values.map(
    (value) => xml`<saml:AttributeValue>${value}</saml:AttributeValue>`,
  )}</saml:Attribute>`

/** The assertion declares its own namespaces, so that its signature can be verified in any document. */
export const assertionXml = (assertion: Assertion, signature: Markup | null): Markup => {
  const { id, issueInstant, issuer, nameId, recipient, inResponseTo, notBefore, notOnOrAfter } = assertion
  const { audience, authnInstant, sessionIndex, sessionNotOnOrAfter, attributes } = assertion
  return xml`<saml:Assertion xmlns:saml="${namespaces.assertion}" ID="${id}" IssueInstant="${issueInstant}" Version="2.0"><saml:Issuer>${issuer}</saml:Issuer>${signature}<saml:Subject><saml:NameID Format="${nameId.format}">${nameId.value}</saml:NameID><saml:SubjectConfirmation Method="${BEARER}"><saml:SubjectConfirmationData${attribute('InResponseTo', inResponseTo)} NotOnOrAfter="${notOnOrAfter}" Recipient="${recipient}"></saml:SubjectConfirmationData></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${notBefore}" NotOnOrAfter="${notOnOrAfter}"><saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${authnInstant}" SessionIndex="${sessionIndex}"${attribute('SessionNotOnOrAfter', sessionNotOnOrAfter)}><saml:AuthnContext><saml:AuthnContextClassRef>${UNSPECIFIED_CONTEXT}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>${
    attributes.length === 0
      ? null
      : xml`<saml:AttributeStatement>${attributes.map(attributeXml)}</saml:AttributeStatement>`
  }</saml:Assertion>`
}

/** Status codes are nested. */
const statusXml = ([code, ...inner]: readonly string[]): Markup | null =>
  code === undefined ? null : xml`<samlp:StatusCode Value="${code}">${statusXml(inner)}</samlp:StatusCode>`

/** @param assertion signed; null if there is none */
export const responseXml = (
  response: Response,
  assertion: Markup | null,
  signature: Markup | null,
): Markup => {
  const { id, issueInstant, issuer, destination, inResponseTo, status } = response
  return xml`<samlp:Response xmlns:samlp="${namespaces.protocol}" Destination="${destination}" ID="${id}"${attribute('InResponseTo', inResponseTo)} IssueInstant="${issueInstant}" Version="2.0"><saml:Issuer xmlns:saml="${namespaces.assertion}">${issuer}</saml:Issuer>${signature}<samlp:Status>${statusXml(status)}</samlp:Status>${assertion}</samlp:Response>`
}
