/** An authenticator manufacturer with its own certificates (WebAuthn Level 3 §8.2.1, packed attestation with `x5c`). */
import 'reflect-metadata'
import {
  BasicConstraintsExtension,
  Extension,
  X509CertificateGenerator,
  type X509Certificate,
} from '@peculiar/x509'
import { KeyObject, randomBytes } from 'node:crypto'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 86_400_000

/** id-fido-gen-ce-aaguid */
const AAGUID_EXTENSION = '1.3.6.1.4.1.45724.1.1.4'

export interface AttestationCertificate {
  readonly x5c: readonly Uint8Array<ArrayBuffer>[]
  readonly privateKey: KeyObject
}

export interface AttestationMaker {
  /** The root certificate. */
  readonly rootPem: string
  /** The certificate of a batch of keys of this model. */
  readonly batch: (aaguid: string) => Promise<AttestationCertificate>
}

interface MakerOptions {
  /** When the intermediate that issues the batch certificates expires; in ten years by default, like all others. */
  readonly notAfter?: Date
  /** Whether the intermediate is not a CA (basicConstraints CA false), like a batch certificate. */
  readonly forgedAuthority?: boolean
}

const keyPair = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
const serial = () => `01${randomBytes(8).toString('hex')}`
const bytesOf = (certificate: X509Certificate) => new Uint8Array(certificate.rawData)

export const attestationMaker = async (
  name: string,
  options: MakerOptions = {},
): Promise<AttestationMaker> => {
  const tenYears = new Date(Date.now() + 3650 * DAY_MS)
  const { notAfter: issuerEnds = tenYears, forgedAuthority = false } = options
  const notBefore = new Date(Math.min(Date.now(), issuerEnds.getTime()) - DAY_MS)
  const rootKeys = await keyPair()
  const dates = { notBefore, notAfter: tenYears, signingAlgorithm: algorithm }
  const root = await X509CertificateGenerator.createSelfSigned({
    ...dates,
    serialNumber: serial(),
    name: `CN=${name} root, O=${name}, C=SE`,
    keys: rootKeys,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  })
  const issuerKeys = await keyPair()
  const issuer = await X509CertificateGenerator.create({
    ...dates,
    notAfter: issuerEnds,
    serialNumber: serial(),
    subject: `CN=${name} issuer, O=${name}, C=SE`,
    issuer: root.subject,
    publicKey: issuerKeys.publicKey,
    signingKey: rootKeys.privateKey,
    extensions: [new BasicConstraintsExtension(!forgedAuthority, undefined, true)],
  })
  return {
    rootPem: root.toString('pem'),
    batch: async (aaguid) => {
      const keys = await keyPair()
      const octets = Buffer.from(aaguid.replaceAll('-', ''), 'hex')
      const leaf = await X509CertificateGenerator.create({
        ...dates,
        serialNumber: serial(),
        subject: `CN=${name} batch, OU=Authenticator Attestation, O=${name}, C=SE`,
        issuer: issuer.subject,
        publicKey: keys.publicKey,
        signingKey: issuerKeys.privateKey,
        extensions: [
          new BasicConstraintsExtension(false, undefined, true),
          new Extension(AAGUID_EXTENSION, false, new Uint8Array([4, 16, ...octets])),
        ],
      })
      return { x5c: [bytesOf(leaf), bytesOf(issuer)], privateKey: KeyObject.from(keys.privateKey) }
    },
  }
}
