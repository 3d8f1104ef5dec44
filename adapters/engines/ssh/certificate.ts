/** Certificates for users and hosts in the format of OpenSSH (PROTOCOL.certkeys), signed with Ed25519 (RFC 8709). */
import { createPublicKey, sign, type KeyObject } from 'node:crypto'
import { certificateTypes, sshFingerprint, type SshPublicKey } from './public-key.ts'
import { readWire, string, uint32, uint64, WireError } from './wire.ts'

const ED25519 = 'ssh-ed25519'

/** The public half of the key of an authority. */
export interface AuthorityPublicKey {
  /** In wire format */
  readonly blob: Buffer
  /** A line for `TrustedUserCAKeys`, without a comment */
  readonly line: string
  readonly fingerprint: string
}

/** @param privateKey Ed25519 */
export const authorityPublicKey = (privateKey: KeyObject): AuthorityPublicKey => {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  const blob = Buffer.concat([string(ED25519), string(Buffer.from(x, 'base64url'))])
  return { blob, line: `${ED25519} ${blob.toString('base64')}`, fingerprint: sshFingerprint(blob) }
}

/** What a certificate says. Times are seconds since 1970. */
export interface CertificateContent {
  readonly type: 'user' | 'host'
  readonly serial: bigint
  /** Appears in the logs of servers */
  readonly keyId: string
  /** At least one: a certificate without any is valid for every account */
  readonly principals: readonly string[]
  readonly validAfter: number
  readonly validBefore: number
  /** Addresses from which it can be used, as `source-address`; all if there are none */
  readonly sourceAddresses: readonly string[]
  /** Names such as `permit-pty` */
  readonly extensions: readonly string[]
}

/** Options are sorted by name, each with its data in a string of its own. */
const options = (entries: readonly (readonly [name: string, data: Uint8Array])[]): Buffer =>
  Buffer.concat(
    [...entries]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, data]) => Buffer.concat([string(name), string(data)])),
  )

const typeNumbers = { user: 1, host: 2 } as const

/**
 * Signs a certificate.
 * @param nonce random bytes of the authority, so that nobody can choose all that it signs
 * @returns the line of a certificate file: `<type> <base64> <comment>`
 * @throws RangeError without principals, or if one of them contains a separator
 */
export const signCertificate = (
  authority: KeyObject,
  key: SshPublicKey,
  content: CertificateContent,
  nonce: Uint8Array,
): string => {
  const { type, serial, keyId, principals, validAfter, validBefore, sourceAddresses, extensions } = content
  if (principals.length === 0) throw new RangeError('a certificate needs principals')
  if (principals.some((name) => name === '' || /[\s,]/.test(name)))
    throw new RangeError('a principal is one word without commas')
  const { blob } = authorityPublicKey(authority)
  const criticalOptions =
    sourceAddresses.length === 0 ? [] : [['source-address', string(sourceAddresses.join(','))] as const]
  const signed = Buffer.concat([
    string(certificateTypes[key.type]),
    string(nonce),
    key.fields,
    uint64(serial),
    uint32(typeNumbers[type]),
    string(keyId),
    string(Buffer.concat(principals.map(string))),
    uint64(BigInt(validAfter)),
    uint64(BigInt(validBefore)),
    string(options(criticalOptions)),
    string(options(extensions.map((name) => [name, Buffer.alloc(0)] as const))),
    string(''),
    string(blob),
  ])
  const signature = Buffer.concat([string(ED25519), string(sign(null, signed, authority))])
  const bytes = Buffer.concat([signed, string(signature)])
  return `${certificateTypes[key.type]} ${bytes.toString('base64')}`
}

/** How long a certificate is valid; seconds since 1970. */
export interface CertificateValidity {
  readonly validAfter: number
  readonly validBefore: number
}

/**
 * Reads the validity of a certificate. Does not verify it, because servers do.
 * @param line of a certificate file
 * @returns null for anything else, and for a certificate of another key
 */
export const validityOf = (line: string, key: SshPublicKey): CertificateValidity | null => {
  const [type, base64 = ''] = line.trim().split(' ')
  if (type !== certificateTypes[key.type]) return null
  try {
    const bytes = Buffer.from(base64, 'base64')
    const read = readWire(bytes)
    const start = 4 + read.string().length + 4 + read.string().length
    const fieldsEnd = start + key.fields.length
    if (!bytes.subarray(start, fieldsEnd).equals(key.fields)) return null
    const rest = readWire(bytes.subarray(fieldsEnd))
    rest.uint64()
    rest.uint32()
    rest.string()
    rest.string()
    return { validAfter: Number(rest.uint64()), validBefore: Number(rest.uint64()) }
  } catch (error) {
    if (error instanceof WireError) return null
    throw error
  }
}
