/**
 * SAML 2.0 Metadata §2.4.3: the metadata of an identity provider. Signatures are not verified: the administrator who
 * adds the provider vouches for the document.
 */
import type { SamlConnection } from '../../../domain/identity-provider/events.ts'
import { bindings, namespaces } from '../../../domain/saml/names.ts'
import { attributeOf, childrenNamed, textOf } from '../../kernel/xml.ts'
import { descriptorIn, expectedOf, inMetadata, refuseMetadata } from './metadata-document.ts'

export type IdpMetadata = Pick<SamlConnection, 'ssoUrl' | 'certificates'> & { readonly entityId: string }

/** Returns the certificates of keys that sign, in base64 without PEM lines. */
const signingCertificates = (descriptor: Element): readonly string[] => {
  const inSignature = (parent: Element, name: string) => childrenNamed(parent, namespaces.signature, name)
  const certificates = inMetadata(descriptor, 'KeyDescriptor')
    .filter((key) => (attributeOf(key, 'use') ?? 'signing') === 'signing')
    .flatMap((key) => inSignature(key, 'KeyInfo'))
    .flatMap((info) => inSignature(info, 'X509Data'))
    .flatMap((data) => inSignature(data, 'X509Certificate'))
    .map((element) => textOf(element).replaceAll(/\s/g, ''))
  return [...new Set(certificates)]
}

/**
 * Reads the metadata of one identity provider.
 * @throws MetadataError for any other document
 */
export const readIdpMetadata = (text: string, now: Date): IdpMetadata =>
  expectedOf(() => {
    const { entityId, descriptor } = descriptorIn(text, 'IDPSSODescriptor', now)
    const ssoUrl = inMetadata(descriptor, 'SingleSignOnService')
      .filter((element) => attributeOf(element, 'Binding') === bindings.redirect)
      .map((element) => attributeOf(element, 'Location'))
      .find((location) => location !== null)
    if (ssoUrl === undefined || ssoUrl === null)
      return refuseMetadata('a SingleSignOnService with the binding HTTP-Redirect')
    const certificates = signingCertificates(descriptor)
    if (certificates.length === 0)
      return refuseMetadata('a KeyDescriptor for signing with an X509Certificate')
    return { entityId, ssoUrl, certificates }
  })
