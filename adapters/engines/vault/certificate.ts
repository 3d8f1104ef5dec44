/** RFC 5280: the self-signed certificates with which applications verify our SAML signatures. */
// The certificate library requires this to be loaded first.
import 'reflect-metadata'
import { Name, SubjectKeyIdentifierExtension, X509CertificateGenerator } from '@peculiar/x509'
import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import type { Instant } from '../../../domain/time.ts'

const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

const YEARS = 10
/** Allows for clocks that are behind ours. */
const BACKDATED_MS = 3_600_000
/** RFC 5280 appendix A.1: ub-common-name. */
const MAX_COMMON_NAME = 64
const SERIAL_BYTES = 16

export interface NewCertificate {
  readonly certificatePem: string
  /** SHA-256, hexadecimal */
  readonly fingerprint: string
  readonly notBefore: Instant
  readonly notAfter: Instant
  /** PKCS #8 */
  readonly privateKeyPem: string
}

const pem = (label: string, der: ArrayBuffer): string =>
  `-----BEGIN ${label}-----\n${(
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  ).join('\n')}\n-----END ${label}-----\n`

const wholeSecond = (millis: number): Date => new Date(Math.floor(millis / 1000) * 1000)

const instant = (date: Date): Instant => date.toISOString().replace('Z', '000Z')

/**
 *
 * @param commonName of subject and issuer; truncated if it is too long for a certificate
 * @param privateKey RSA; the certificate is self-signed
 */
export const newCertificate = async (
  commonName: string,
  privateKey: KeyObject,
  { now, random }: { readonly now: Instant; readonly random: (bytes: number) => Buffer },
): Promise<NewCertificate> => {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' })
  const keys = {
    publicKey: await crypto.subtle.importKey('spki', spki, algorithm, true, ['verify']),
    privateKey: await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']),
  }
  const serial = random(SERIAL_BYTES)
  // Serial numbers are positive (RFC 5280 §4.1.2.2).
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const notBefore = wholeSecond(Date.parse(now) - BACKDATED_MS)
  const notAfter = new Date(notBefore)
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + YEARS)
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serial.toString('hex'),
    name: new Name([{ CN: [{ utf8String: [...commonName].slice(0, MAX_COMMON_NAME).join('') }] }]),
    notBefore,
    notAfter,
    signingAlgorithm: algorithm,
    keys,
    extensions: [await SubjectKeyIdentifierExtension.create(keys.publicKey, false)],
  })
  return {
    certificatePem: pem('CERTIFICATE', certificate.rawData),
    fingerprint: createHash('sha256').update(Buffer.from(certificate.rawData)).digest('hex'),
    notBefore: instant(notBefore),
    notAfter: instant(notAfter),
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
