/**
 * A second verifier of audit bundles, written only from the documentation of the format and from RFC 6962 §2.1, RFC
 * 8785 and C2SP signed-note. It shares no code with the service.
 */
import { createHash, createPublicKey, verify } from 'node:crypto'

const sha256 = (...parts: (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** RFC 8785: members sorted by UTF-16 code units, everything else serialized as in ECMAScript. */
const jcs = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(jcs).join()}]`
    : typeof value === 'object' && value !== null
      ? `{${Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, member]) => `${JSON.stringify(name)}:${jcs(member)}`)
          .join()}}`
      : JSON.stringify(value)

/** The three lines of a note, after checking the key's signature. */
export const openNote = (key: string, note: string): { origin: string; size: number; hash: string } => {
  const [name = '', id = '', ...rest] = key.trim().split('+')
  const algorithmAndKey = Buffer.from(rest.join('+'), 'base64')
  if (algorithmAndKey.length !== 33 || algorithmAndKey[0] !== 1) throw new Error('not an Ed25519 key')
  const keyId = sha256(name, '\n', algorithmAndKey).subarray(0, 4)
  if (keyId.toString('hex') !== id) throw new Error('the key id is wrong')
  const end = note.indexOf('\n\n') + 1
  const text = note.slice(0, end)
  const [, signer, encoded = ''] = /^— (\S+) (\S+)\n$/.exec(note.slice(end + 1)) ?? []
  const signature = Buffer.from(encoded, 'base64')
  const publicKey = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: algorithmAndKey.subarray(1).toString('base64url') },
    format: 'jwk',
  })
  const good =
    signer === name &&
    signature.subarray(0, 4).equals(keyId) &&
    verify(null, Buffer.from(text), publicKey, signature.subarray(4))
  if (!good) throw new Error('the signature is wrong')
  const [origin = '', size, hash = ''] = text.split('\n')
  return { origin, size: Number(size), hash }
}

/** MTH of RFC 6962 §2.1 over hashes of leaves; all in base64. */
export const merkleRoot = (leaves: readonly string[]): string => {
  const hashes = leaves.map((leaf) => Buffer.from(leaf, 'base64'))
  const MTH = (a: number, b: number): Buffer => {
    if (b - a === 1) return hashes[a] ?? Buffer.alloc(0)
    let k = 1
    while (k * 2 < b - a) k *= 2
    return sha256(Buffer.of(1), MTH(a, a + k), MTH(a + k, b))
  }
  return (hashes.length === 0 ? sha256() : MTH(0, hashes.length)).toString('base64')
}

/** @throws Error that describes the problem; for a leaf, with its line */
export const verifyBundleFile = (
  file: Buffer,
  key: string,
): { from: number; to: number; size: number; note: string; leaves: number } => {
  const text = file.toString()
  if (!Buffer.from(text).equals(file) || !text.endsWith('\n')) throw new Error('not lines of UTF-8')
  const lines = text.slice(0, -1).split('\n')
  const last = lines.pop() ?? ''
  const { seal } = JSON.parse(last) as { seal: string }
  const header = JSON.parse(lines[0] ?? '') as Record<'before' | 'after', string[]> &
    Record<'format' | 'origin' | 'note', string> &
    Record<'from' | 'to' | 'size', number>
  const { from, to, size, before, after } = header
  if (header.format !== 'svc-audit-bundle/1') throw new Error('another format')
  const hashes = lines.slice(1).map((line, i) => {
    const { hash, leaf } = JSON.parse(line) as { hash: string; leaf?: unknown }
    const bytes = Buffer.from(hash, 'base64')
    if (leaf !== undefined && !sha256(Buffer.of(0), jcs(leaf)).equals(bytes))
      throw new Error(`line ${String(i + 2)} is not what its hash is of`)
    return bytes
  })
  if (hashes.length !== to - from) throw new Error('leaves are missing')

  /** MTH of RFC 6962 §2.1 over the leaves from a to b; the subtrees outside are given as hashes. */
  const remaining = { before: [...before], after: [...after] }
  const MTH = (a: number, b: number): Buffer => {
    const known = b <= from ? remaining.before.shift() : a >= to ? remaining.after.shift() : undefined
    if (b <= from || a >= to) return Buffer.from(known ?? '', 'base64')
    if (b - a === 1) return hashes[a - from] ?? Buffer.alloc(0)
    let k = 1
    while (k * 2 < b - a) k *= 2
    const left = MTH(a, a + k)
    return sha256(Buffer.of(1), left, MTH(a + k, b))
  }
  const root = MTH(0, size).toString('base64')
  const head = openNote(key, header.note)
  if (head.origin !== header.origin || head.size !== size || head.hash !== root)
    throw new Error('the leaves do not match the signed head')
  const sealed = openNote(key, seal)
  const digest = sha256(lines.map((line) => `${line}\n`).join('')).toString('base64')
  if (
    last !== JSON.stringify({ seal }) ||
    sealed.origin !== `${header.origin}/bundle` ||
    sealed.size !== lines.length ||
    sealed.hash !== digest
  )
    throw new Error('the seal is of another bundle')
  return { from, to, size, note: header.note, leaves: hashes.length }
}
