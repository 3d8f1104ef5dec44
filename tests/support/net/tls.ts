/** A certificate authority for tests, and the certificates that it issues. */
import * as x509 from '@peculiar/x509'
import type { webcrypto } from 'node:crypto'

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 86_400_000

export interface Certified {
  /** PEM. */
  readonly cert: string
  readonly key: string
}

const privatePem = async (key: webcrypto.CryptoKey): Promise<string> =>
  x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')

/** @returns its certificate, and a function that issues certificates for a name */
export const testAuthority = async (): Promise<{
  readonly cert: string
  readonly certify: (name: string) => Promise<Certified>
}> => {
  x509.cryptoProvider.set(crypto)
  const makeKeys = () => crypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify'])
  const times = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) }
  const keys = await makeKeys()
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Test authority',
    keys,
    signingAlgorithm: keyAlgorithm,
    ...times,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  })
  return {
    cert: root.toString('pem'),
    certify: async (name) => {
      const own = await makeKeys()
      const cert = await x509.X509CertificateGenerator.create({
        subject: `CN=${name}`,
        issuer: root.subject,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: keyAlgorithm,
        ...times,
        extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: name }])],
      })
      return { cert: cert.toString('pem'), key: await privatePem(own.privateKey) }
    },
  }
}
