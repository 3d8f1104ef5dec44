/** Names defined by SAML 2.0 (Core, Bindings, Profiles). */
import type { NameIdFormat } from '../application/events.ts'

export const namespaces = {
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
} as const

export const bindings = {
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
} as const

/** The only encoding of the HTTP-Redirect binding (Bindings §3.4.4.1). */
export const DEFLATE = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE'

/** Core §8.3, in the order of preference. */
export const nameIdFormats: Readonly<Record<NameIdFormat, string>> = {
  email: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  unspecified: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
}

/** Core §8.3.6: the format of an issuer's name, explicit or not. */
export const ENTITY_FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:entity'

export const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
export const BASIC_NAME = 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic'
export const UNSPECIFIED_CONTEXT = 'urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified'

/** Core §3.2.2.2 */
export const statusCodes = {
  success: 'urn:oasis:names:tc:SAML:2.0:status:Success',
  responder: 'urn:oasis:names:tc:SAML:2.0:status:Responder',
  authnFailed: 'urn:oasis:names:tc:SAML:2.0:status:AuthnFailed',
  requestDenied: 'urn:oasis:names:tc:SAML:2.0:status:RequestDenied',
} as const
