/** SAML 2.0 Metadata §2.3, §2.4: what applications have to know of this service as their identity provider. */
import { bindings, nameIdFormats, namespaces } from '../../../domain/saml/names.ts'

export const METADATA_TYPE = 'application/samlmetadata+xml'
const VALID_DAYS = 7

/** The entity id of this service, which is where its metadata is. */
export const idpEntityId = (publicUrl: string): string => `${publicUrl}/saml/metadata`

/** Where requests go, by both bindings. */
export const ssoUrl = (publicUrl: string): string => `${publicUrl}/saml/sso`

/** Where the service begins a sign-in by itself. */
export const samlLaunchUrl = (publicUrl: string, applicationId: string): string =>
  `${publicUrl}/saml/launch/${applicationId}`

const escaped = (text: string): string =>
  text.replace(/[&<>"\t\n\r]/g, (char) => `&#${String(char.charCodeAt(0))};`)

/** The base64 of a certificate without its PEM lines, as KeyInfo holds it. */
export const certificateBody = (certificatePem: string): string =>
  certificatePem.replace(/-----[A-Z ]+-----|\s/g, '')

const keyDescriptor = (certificatePem: string): string =>
  '<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data>' +
  `<ds:X509Certificate>${certificateBody(certificatePem)}</ds:X509Certificate>` +
  '</ds:X509Data></ds:KeyInfo></md:KeyDescriptor>'

/** @param certificates all that a response may be signed with, in PEM; the one that signs now first */
export const idpMetadata = (publicUrl: string, certificates: readonly string[], now: Date): string => {
  const validUntil = new Date(Math.floor(now.getTime() / 1000) * 1000 + VALID_DAYS * 86_400_000)
  const sso = escaped(ssoUrl(publicUrl))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="${namespaces.metadata}" xmlns:ds="${namespaces.signature}"` +
      ` entityID="${escaped(idpEntityId(publicUrl))}"` +
      ` validUntil="${validUntil.toISOString().replace('.000Z', 'Z')}" cacheDuration="PT24H">`,
    `<md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${namespaces.protocol}">`,
    ...certificates.map(keyDescriptor),
    ...Object.values(nameIdFormats).map((format) => `<md:NameIDFormat>${format}</md:NameIDFormat>`),
    ...Object.values(bindings).map(
      (binding) => `<md:SingleSignOnService Binding="${binding}" Location="${sso}"/>`,
    ),
    '</md:IDPSSODescriptor>',
    '</md:EntityDescriptor>',
    '',
  ].join('\n')
}
