/**
 * SAML 2.0 Metadata §2.3, §2.4: describes this service, as an identity provider to applications, and as a service
 * provider to identity providers that users sign in with.
 */
import { bindings, nameIdFormats, namespaces } from '../../../domain/saml/names.ts'

export const METADATA_TYPE = 'application/samlmetadata+xml'
const VALID_DAYS = 7

/** Returns the entity id of this service, which is the address of its metadata. */
export const idpEntityId = (publicUrl: string): string => `${publicUrl}/saml/metadata`

/** Returns the address for requests, with both bindings. */
export const ssoUrl = (publicUrl: string): string => `${publicUrl}/saml/sso`

/** Returns the address for a sign-in without a request from the application. */
export const samlLaunchUrl = (publicUrl: string, applicationId: string): string =>
  `${publicUrl}/saml/launch/${applicationId}`

const escaped = (text: string): string =>
  text.replace(/[&<>"\t\n\r]/g, (char) => `&#${String(char.charCodeAt(0))};`)

/** Returns the base64 of a certificate without its PEM lines, as in KeyInfo. */
export const certificateBody = (certificatePem: string): string =>
  certificatePem.replace(/-----[A-Z ]+-----|\s/g, '')

const keyDescriptor = (certificatePem: string): string =>
  '<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data>' +
  `<ds:X509Certificate>${certificateBody(certificatePem)}</ds:X509Certificate>` +
  '</ds:X509Data></ds:KeyInfo></md:KeyDescriptor>'

const entityDescriptor = (entityId: string, now: Date, role: readonly string[]): string => {
  const validUntil = new Date(Math.floor(now.getTime() / 1000) * 1000 + VALID_DAYS * 86_400_000)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="${namespaces.metadata}" xmlns:ds="${namespaces.signature}"` +
      ` entityID="${escaped(entityId)}"` +
      ` validUntil="${validUntil.toISOString().replace('.000Z', 'Z')}" cacheDuration="PT24H">`,
    ...role,
    '</md:EntityDescriptor>',
    '',
  ].join('\n')
}

const formats = Object.values(nameIdFormats).map((format) => `<md:NameIDFormat>${format}</md:NameIDFormat>`)

/** @param certificates all that may sign a response, in PEM; the active one first */
export const idpMetadata = (publicUrl: string, certificates: readonly string[], now: Date): string => {
  const sso = escaped(ssoUrl(publicUrl))
  return entityDescriptor(idpEntityId(publicUrl), now, [
    `<md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${namespaces.protocol}">`,
    ...certificates.map(keyDescriptor),
    ...formats,
    ...Object.values(bindings).map(
      (binding) => `<md:SingleSignOnService Binding="${binding}" Location="${sso}"/>`,
    ),
    '</md:IDPSSODescriptor>',
  ])
}

/**
 * Returns the metadata of the service at one identity provider.
 * @param certificates all that may sign a request, in PEM; the active one first
 */
export const spMetadata = (
  { entityId, acsUrl }: { readonly entityId: string; readonly acsUrl: string },
  certificates: readonly string[],
  now: Date,
): string =>
  entityDescriptor(entityId, now, [
    `<md:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true" protocolSupportEnumeration="${namespaces.protocol}">`,
    ...certificates.map(keyDescriptor),
    ...formats,
    `<md:AssertionConsumerService Binding="${bindings.post}" Location="${escaped(acsUrl)}" index="0" isDefault="true"/>`,
    '</md:SPSSODescriptor>',
  ])
