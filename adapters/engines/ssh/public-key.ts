/**
 * Public keys of users in the format of OpenSSH: `<type> <base64> [comment]` (RFC 4253 §6.6; PROTOCOL.u2f for keys on
 * security keys).
 */
import { createHash, createPublicKey } from 'node:crypto'
import { readWire, WireError, type WireReader } from './wire.ts'

/** Every accepted type of key, with the type of its certificates (PROTOCOL.certkeys of OpenSSH). */
export const certificateTypes = {
  'ssh-ed25519': 'ssh-ed25519-cert-v01@openssh.com',
  'sk-ssh-ed25519@openssh.com': 'sk-ssh-ed25519-cert-v01@openssh.com',
  'ecdsa-sha2-nistp256': 'ecdsa-sha2-nistp256-cert-v01@openssh.com',
  'ecdsa-sha2-nistp384': 'ecdsa-sha2-nistp384-cert-v01@openssh.com',
  'ecdsa-sha2-nistp521': 'ecdsa-sha2-nistp521-cert-v01@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com': 'sk-ecdsa-sha2-nistp256-cert-v01@openssh.com',
  'ssh-rsa': 'ssh-rsa-cert-v01@openssh.com',
} as const

export type SshKeyType = keyof typeof certificateTypes

/** Node.js and OpenSSL allow much longer keys; verifying with one takes seconds. */
const RSA_BITS = { least: 3072, most: 16_384 } as const

export interface SshPublicKey {
  readonly type: SshKeyType
  /** The key in wire format, as in the file */
  readonly blob: Buffer
  /** The part of `blob` after the type, which certificates repeat */
  readonly fields: Buffer
  /** As `ssh-keygen -l` prints it: `SHA256:…` */
  readonly fingerprint: string
}

/** The text is not an accepted public key. The message completes "publicKey: …". */
export class SshPublicKeyError extends Error {}

export const sshFingerprint = (blob: Uint8Array): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`

const isKeyType = (type: string): type is SshKeyType => Object.hasOwn(certificateTypes, type)

const refuse = (why: string): never => {
  throw new SshPublicKeyError(why)
}

const curves = {
  nistp256: { crv: 'P-256', bytes: 32 },
  nistp384: { crv: 'P-384', bytes: 48 },
  nistp521: { crv: 'P-521', bytes: 66 },
} as const

/** SEC 1 §2.3.3: an uncompressed point of the curve. OpenSSL checks that it is one. */
const checkPoint = (curve: string, read: WireReader): void => {
  if (read.string().toString('latin1') !== curve)
    return refuse('the curve does not match the type of the key')
  const { crv, bytes } = curves[curve as keyof typeof curves]
  const point = read.string()
  if (point.length !== 1 + 2 * bytes || point[0] !== 4) return refuse('expected an uncompressed point')
  const x = point.subarray(1, 1 + bytes).toString('base64url')
  const y = point.subarray(1 + bytes).toString('base64url')
  try {
    createPublicKey({ key: { kty: 'EC', crv, x, y }, format: 'jwk' })
  } catch {
    refuse('the point is not on the curve')
  }
}

const checkEd25519 = (read: WireReader): void => {
  if (read.string().length !== 32) refuse('an Ed25519 key has 32 bytes')
}

/** Security keys answer for an application; OpenSSH accepts any, but all real ones begin with `ssh:`. */
const checkSecurityKeyApplication = (read: WireReader): void => {
  if (!/^ssh:[\x21-\x7e]{0,255}$/.test(read.string().toString('latin1')))
    refuse('expected the key of a security key that was created for ssh')
}

/** RFC 4251 §5: a positive number in its shortest form. Returns its length in bits. */
const positiveBits = (bytes: Buffer, name: string): number => {
  const [first = 0x80, second = 0] = bytes
  if (first >= 0x80 || (first === 0 && second < 0x80))
    return refuse(`the ${name} is not in its shortest form`)
  const magnitude = first === 0 ? bytes.subarray(1) : bytes
  return magnitude.length * 8 - (Math.clz32(magnitude[0] ?? 0) - 24)
}

const checkRsa = (read: WireReader): void => {
  const exponent = read.string()
  const exponentBits = positiveBits(exponent, 'exponent')
  if (exponentBits < 2 || exponentBits > 32 || ((exponent.at(-1) ?? 0) & 1) === 0)
    refuse('expected an odd exponent of at least 3 and at most 32 bits')
  const modulus = read.string()
  const bits = positiveBits(modulus, 'modulus')
  if (bits < RSA_BITS.least || bits > RSA_BITS.most)
    refuse(
      `expected an RSA key of ${String(RSA_BITS.least)} to ${String(RSA_BITS.most)} bits, got ${String(bits)}. ` +
        'Create another one with: ssh-keygen -t ed25519',
    )
  if (((modulus.at(-1) ?? 0) & 1) === 0) refuse('the modulus is even')
}

const checks: Readonly<Record<SshKeyType, (read: WireReader) => void>> = {
  'ssh-ed25519': checkEd25519,
  'sk-ssh-ed25519@openssh.com': (read) => {
    checkEd25519(read)
    checkSecurityKeyApplication(read)
  },
  'ecdsa-sha2-nistp256': (read) => checkPoint('nistp256', read),
  'ecdsa-sha2-nistp384': (read) => checkPoint('nistp384', read),
  'ecdsa-sha2-nistp521': (read) => checkPoint('nistp521', read),
  'sk-ecdsa-sha2-nistp256@openssh.com': (read) => {
    checkPoint('nistp256', read)
    checkSecurityKeyApplication(read)
  },
  'ssh-rsa': checkRsa,
}

/**
 * Parses one line of a public key file; a comment is ignored.
 * @throws SshPublicKeyError for anything else, for certificates, and for RSA keys below 3072 bits
 */
export const parseSshPublicKey = (text: string): SshPublicKey => {
  if (text.includes('PRIVATE KEY'))
    return refuse('this is a private key. Send the file that ends in .pub, and never the private key')
  const trimmed = text.trim()
  if (/[\r\n]/.test(trimmed)) return refuse('expected one line')
  const [type = '', base64 = ''] = trimmed.split(/[ \t]+/)
  if (/-cert-v0\d@openssh\.com$/.test(type)) return refuse('this is a certificate; expected a public key')
  if (!isKeyType(type))
    return refuse(`expected a line that begins with one of ${Object.keys(certificateTypes).join(', ')}`)
  const blob = Buffer.from(base64, 'base64')
  if (base64 === '' || blob.toString('base64') !== base64) return refuse('expected base64 after the type')
  try {
    const read = readWire(blob)
    const named = read.string()
    if (named.toString('latin1') !== type) return refuse('the type inside the key differs')
    checks[type](read)
    read.end()
    return { type, blob, fields: blob.subarray(4 + named.length), fingerprint: sshFingerprint(blob) }
  } catch (error) {
    if (error instanceof WireError) return refuse(`the key is damaged: ${error.message}`)
    throw error
  }
}
