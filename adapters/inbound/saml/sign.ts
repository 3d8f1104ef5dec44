/**
 * XML Signature (W3C, second edition) as SAML profiles it (Core §5.4): enveloped, exclusive canonicalization,
 * RSA-SHA256 over SHA-256, one reference to the ID of the element, the certificate included.
 *
 * Signed elements are written in canonical form from the start, so that no parser or canonicalizer is needed between
 * the templates and the signature; the tests compare each of them with the output of a canonicalizer.
 */
import { hash, sign, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { namespaces } from '../../../domain/saml/names.ts'
import { canonicalXml, xml, type Markup } from './markup.ts'

/** The signing key, and the certificate that is sent with the signature. */
export interface XmlSigner {
  readonly privateKey: KeyObject
  readonly certificatePem: string
}

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256'
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'

/** Runs in the thread pool: a signature costs more than the rest of a response. */
const rsa = promisify(sign)

const certificateIn = (pem: string): string => pem.replace(/-----[^-]+-----|\s/g, '')

const signedInfoContent = (id: string, digest: string): Markup =>
  xml`<ds:CanonicalizationMethod Algorithm="${EXCLUSIVE}"></ds:CanonicalizationMethod><ds:SignatureMethod Algorithm="${RSA_SHA256}"></ds:SignatureMethod><ds:Reference URI="${`#${id}`}"><ds:Transforms><ds:Transform Algorithm="${ENVELOPED}"></ds:Transform><ds:Transform Algorithm="${EXCLUSIVE}"></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="${SHA256}"></ds:DigestMethod><ds:DigestValue>${digest}</ds:DigestValue></ds:Reference>`

/**
 * @param id the `ID` of the element
 * @param element returns the element with the signature (null for none) where the schema requires it
 */
export const signElement = async (
  id: string,
  element: (signature: Markup | null) => Markup,
  { privateKey, certificatePem }: XmlSigner,
): Promise<Markup> => {
  const content = signedInfoContent(id, hash('sha256', canonicalXml(element(null)), 'base64'))
  // A detached element declares the namespaces that it inherits.
  const canonical = canonicalXml(
    xml`<ds:SignedInfo xmlns:ds="${namespaces.signature}">${content}</ds:SignedInfo>`,
  )
  const value = (await rsa('sha256', Buffer.from(canonical), privateKey)).toString('base64')
  return element(
    xml`<ds:Signature xmlns:ds="${namespaces.signature}"><ds:SignedInfo>${content}</ds:SignedInfo><ds:SignatureValue>${value}</ds:SignatureValue><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificateIn(certificatePem)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></ds:Signature>`,
  )
}
