/**
 * WebAuthn Level 3 §7.1 steps 22 to 24: whether the certificate of an attestation statement chains to a
 * trusted root. The library has already verified the signature of the statement.
 */
import { X509Certificate } from 'node:crypto'
import { decodeAttestationObject } from '@simplewebauthn/server/helpers'
import type { Instant } from '../../../../domain/time.ts'

/** Maximum number of certificates in one statement; manufacturers use two or three. */
const MAX_CHAIN = 6

const read = (bytes: Uint8Array): X509Certificate | null => {
  try {
    return new X509Certificate(bytes)
  } catch {
    return null
  }
}

const isInForce = ({ validFrom, validTo }: X509Certificate, at: number): boolean =>
  Date.parse(validFrom) <= at && at <= Date.parse(validTo)

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)

const leadsTo = (
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  roots: readonly X509Certificate[],
  at: number,
): boolean => {
  if (!isInForce(certificate, at)) return false
  if (roots.some((root) => root.raw.equals(certificate.raw))) return true
  if (roots.some((root) => isInForce(root, at) && isIssuedBy(certificate, root))) return true
  return others.some(
    (issuer) =>
      issuer.ca &&
      isIssuedBy(certificate, issuer) &&
      leadsTo(
        issuer,
        others.filter((other) => other !== issuer),
        roots,
        at,
      ),
  )
}

/**
 * Whether the manufacturer vouches for an authenticator: the statement has a certificate (`x5c`) with a path
 * to a trusted root (RFC 5280 §6.1: names, signatures, dates, CAs). Self attestation does not count.
 * Revocation is not checked: the service downloads nothing that a statement refers to.
 * @param attestationObject as the browser sent it
 * @param roots in PEM
 */
export const isAttestedByMaker = (
  attestationObject: Uint8Array<ArrayBuffer>,
  roots: readonly string[],
  now: Instant,
): boolean => {
  const chain = decodeAttestationObject(attestationObject).get('attStmt').get('x5c') ?? []
  if (chain.length > MAX_CHAIN) return false
  const certificates = chain.map(read)
  const [leaf, ...others] = certificates
  if (leaf === undefined || leaf === null || others.includes(null)) return false
  const trusted = roots.map((pem) => new X509Certificate(pem))
  return leadsTo(
    leaf,
    others.filter((each) => each !== null),
    trusted,
    Date.parse(now),
  )
}

/** Returns a PEM certificate in canonical form; null if it is not one. */
export const readCertificate = (pem: string): string | null => {
  try {
    return new X509Certificate(pem).toString()
  } catch {
    return null
  }
}
