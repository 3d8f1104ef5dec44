/**
 * From XML to an authentication request (SAML 2.0 Core §3.4.1): each element is looked up in its namespace and may
 * appear once.
 */
import { MAX_ACS_URL, MAX_ENTITY_ID } from '../../../domain/application/saml-settings.ts'
import type { AuthnRequest } from '../../../domain/saml/authn-request.ts'
import { ENTITY_FORMAT, namespaces } from '../../../domain/saml/names.ts'
import { SamlRequestError } from './request-error.ts'
import { attributeOf, childrenNamed, parseXml, XmlError, textOf } from '../../kernel/xml.ts'

/** A signed request with a certificate and extensions has about 10 KiB, fifty elements and fifty attributes. */
const limits = {
  bytes: 48 * 1024,
  depth: 16,
  elements: 300,
  attributes: 30,
  allAttributes: 300,
  namespaces: 50,
  marks: 1500,
}

const within = (value: string, name: string, limit = MAX_ENTITY_ID): string => {
  if (value.length > limit) throw new SamlRequestError(`${name} is too long`)
  return value
}

const optional = (element: Element, name: string, limit?: number): string | null => {
  const value = attributeOf(element, name)
  return value === null ? null : within(value, name, limit)
}

const required = (element: Element, name: string): string => {
  const value = optional(element, name)
  if (value === null) throw new SamlRequestError(`${name} is missing`)
  return value
}

/** Returns null if there is none. */
const only = (parent: Element, name: string): Element | null => {
  const [first, second] = childrenNamed(parent, namespaces.assertion, name)
  if (second !== undefined) throw new SamlRequestError(`${name} appears twice`)
  return first ?? null
}

const issuerOf = (root: Element): string => {
  const issuer = only(root, 'Issuer')
  const name = issuer === null ? '' : within(textOf(issuer), 'Issuer')
  if (issuer === null || name === '') throw new SamlRequestError('Issuer is missing')
  if ((attributeOf(issuer, 'Format') ?? ENTITY_FORMAT) !== ENTITY_FORMAT)
    throw new SamlRequestError('the Format of the Issuer must be entity')
  return name
}

const subjectOf = (root: Element): string | null => {
  const subject = only(root, 'Subject')
  const nameId = subject === null ? null : only(subject, 'NameID')
  return nameId === null ? null : within(textOf(nameId), 'NameID')
}

const read = (text: string): AuthnRequest => {
  const root = parseXml(text, limits).documentElement
  if (root.localName !== 'AuthnRequest' || root.namespaceURI !== namespaces.protocol)
    throw new SamlRequestError('SAMLRequest is not an AuthnRequest of SAML 2.0')
  return {
    id: required(root, 'ID'),
    version: required(root, 'Version'),
    issueInstant: required(root, 'IssueInstant'),
    issuer: issuerOf(root),
    destination: optional(root, 'Destination'),
    protocolBinding: optional(root, 'ProtocolBinding'),
    acsUrl: optional(root, 'AssertionConsumerServiceURL', MAX_ACS_URL),
    acsIndex: optional(root, 'AssertionConsumerServiceIndex'),
    subject: subjectOf(root),
  }
}

/** @throws SamlRequestError, and nothing else, for any input */
export const readAuthnRequest = (text: string): AuthnRequest => {
  try {
    return read(text)
  } catch (error) {
    // Their messages contain parts of the request, which our pages never repeat.
    if (error instanceof XmlError)
      throw new SamlRequestError(
        'SAMLRequest is not plain XML: it must be well-formed, without document type, CDATA, processing instructions and elements ' +
          'or comments within a value',
      )
    throw error
  }
}
