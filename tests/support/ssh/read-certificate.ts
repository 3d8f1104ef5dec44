/** Reads certificates and revocation lists in the format of OpenSSH, independently of the code that writes them. */
import { createHash, createPublicKey, verify } from 'node:crypto'

const certifiedFields: Readonly<Record<string, number>> = {
  'ssh-ed25519-cert-v01@openssh.com': 1,
  'sk-ssh-ed25519-cert-v01@openssh.com': 2,
  'ecdsa-sha2-nistp256-cert-v01@openssh.com': 2,
  'ecdsa-sha2-nistp384-cert-v01@openssh.com': 2,
  'ecdsa-sha2-nistp521-cert-v01@openssh.com': 2,
  'sk-ecdsa-sha2-nistp256-cert-v01@openssh.com': 3,
  'ssh-rsa-cert-v01@openssh.com': 2,
}

const cursorOf = (bytes: Buffer) => {
  let at = 0
  const take = (count: number): Buffer => {
    if (at + count > bytes.length) throw new Error('the data ends too early')
    at += count
    return bytes.subarray(at - count, at)
  }
  const string = (): Buffer => take(take(4).readUInt32BE())
  return { take, string, at: () => at, left: () => bytes.length - at }
}

const stringsIn = (bytes: Buffer): readonly Buffer[] => {
  const cursor = cursorOf(bytes)
  const found: Buffer[] = []
  while (cursor.left() > 0) found.push(cursor.string())
  return found
}

const pairsIn = (bytes: Buffer): Readonly<Record<string, string>> => {
  const strings = stringsIn(bytes)
  const names = strings.filter((_, index) => index % 2 === 0).map(String)
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      stringsIn(strings[2 * index + 1] ?? Buffer.alloc(0))
        .map(String)
        .join(),
    ]),
  )
}

const fingerprintOf = (blob: Buffer): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replaceAll('=', '')}`

const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/** What a line of a certificate file says; `isGenuine`: the signature is valid for the key that it names. */
export const readCertificate = (line: string) => {
  const bytes = Buffer.from(line.split(' ')[1] ?? '', 'base64')
  const cursor = cursorOf(bytes)
  const type = cursor.string().toString()
  cursor.string()
  for (let n = 0; n < (certifiedFields[type] ?? 0); n++) cursor.string()
  const serial = cursor.take(8).readBigUInt64BE()
  const kind = cursor.take(4).readUInt32BE()
  const keyId = cursor.string().toString()
  const principals = stringsIn(cursor.string()).map(String)
  const validAfter = Number(cursor.take(8).readBigUInt64BE())
  const validBefore = Number(cursor.take(8).readBigUInt64BE())
  const criticalOptions = pairsIn(cursor.string())
  const extensions = Object.keys(pairsIn(cursor.string()))
  cursor.string()
  const authority = cursor.string()
  const signed = bytes.subarray(0, cursor.at())
  const signature = stringsIn(cursor.string())
  const point = stringsIn(authority)[1] ?? Buffer.alloc(0)
  const key = createPublicKey({ key: Buffer.concat([ED25519_SPKI, point]), format: 'der', type: 'spki' })
  return {
    ...{ type, serial, kind, keyId, principals, validAfter, validBefore, criticalOptions, extensions },
    authorityFingerprint: fingerprintOf(authority),
    isGenuine: cursor.left() === 0 && verify(null, signed, key, signature[1] ?? Buffer.alloc(0)),
  }
}

/** The serials of a revocation list, by the fingerprint of the authority. */
export const readRevoked = (list: Buffer): Readonly<Record<string, readonly bigint[]>> => {
  const cursor = cursorOf(list)
  if (cursor.take(8).toString('latin1') !== 'SSHKRL\n\0') throw new Error('not a revocation list')
  cursor.take(4 + 8 + 8 + 8)
  cursor.string()
  cursor.string()
  const revoked: Record<string, bigint[]> = {}
  while (cursor.left() > 0) {
    cursor.take(1)
    const section = cursorOf(cursor.string())
    const authority = fingerprintOf(section.string())
    section.string()
    while (section.left() > 0) {
      section.take(1)
      const serials = section.string()
      for (let at = 0; at < serials.length; at += 8)
        (revoked[authority] ??= []).push(serials.readBigUInt64BE(at))
    }
  }
  return revoked
}
