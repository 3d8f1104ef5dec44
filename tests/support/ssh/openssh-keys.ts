/** Public keys in the format of OpenSSH, made without its programs. */
import { generateKeyPairSync } from 'node:crypto'
import { string } from '../../../adapters/engines/ssh/wire.ts'
import type { SshKeyType } from '../../../adapters/engines/ssh/public-key.ts'

const bytesOf = (text = ''): Buffer => Buffer.from(text, 'base64url')

/** A line of a public key file. */
export const lineOf = (type: string, ...fields: readonly (Buffer | string)[]): string =>
  `${type} ${Buffer.concat([type, ...fields].map(string)).toString('base64')} ada@laptop`

export const ed25519Point = (): Buffer =>
  bytesOf(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x)

export const ecPoint = (namedCurve: string): Buffer => {
  const { x, y } = generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' })
  return Buffer.concat([Buffer.from([4]), bytesOf(x), bytesOf(y)])
}

/** RFC 4251 §5: with a zero before a first bit that is set. */
export const positive = (bytes: Buffer): Buffer =>
  (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes

export const rsaFields = (modulusLength: number): readonly [exponent: Buffer, modulus: Buffer] => {
  const { n, e } = generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' })
  return [positive(bytesOf(e)), positive(bytesOf(n))]
}

/** A new key of each accepted type. */
export const newKeyOf: Readonly<Record<SshKeyType, () => string>> = {
  'ssh-ed25519': () => lineOf('ssh-ed25519', ed25519Point()),
  'sk-ssh-ed25519@openssh.com': () => lineOf('sk-ssh-ed25519@openssh.com', ed25519Point(), 'ssh:'),
  'ecdsa-sha2-nistp256': () => lineOf('ecdsa-sha2-nistp256', 'nistp256', ecPoint('P-256')),
  'ecdsa-sha2-nistp384': () => lineOf('ecdsa-sha2-nistp384', 'nistp384', ecPoint('P-384')),
  'ecdsa-sha2-nistp521': () => lineOf('ecdsa-sha2-nistp521', 'nistp521', ecPoint('P-521')),
  'sk-ecdsa-sha2-nistp256@openssh.com': () =>
    lineOf('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', ecPoint('P-256'), 'ssh:'),
  'ssh-rsa': () => lineOf('ssh-rsa', ...rsaFields(3072)),
}
