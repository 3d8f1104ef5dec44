/** Text signed with Ed25519 under a name (C2SP signed-note), and tree heads in that format (C2SP tlog-checkpoint). */
import { sameHash, type Sha256, type TreeHead } from './merkle.ts'

/** Byte functions that the note format needs from the platform. */
export interface Bytes {
  readonly sha256: Sha256
  /** RFC 4648 §4 */
  readonly toBase64: (bytes: Uint8Array) => string
  /** Returns null for anything but canonical encoding. */
  readonly fromBase64: (text: string) => Uint8Array | null
}

/** A public key and its name. */
export interface Verifier {
  readonly name: string
  /** Four bytes that distinguish the keys of one name. */
  readonly keyId: Uint8Array
  readonly publicKey: Uint8Array
}

/** Ed25519 over UTF-8 text. */
export type Verify = (publicKey: Uint8Array, text: string, signature: Uint8Array) => boolean

const ED25519 = Uint8Array.of(1)
const KEY_LENGTH = 32
const ID_LENGTH = 4
const MOST_SIGNATURES = 100
const NAME = /^[^\s+]+$/u
const VERIFIER = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/u
const SIGNATURE = /^— ([^\s+]+) ([A-Za-z0-9+/]+=*)$/u

/** @throws TypeError for a name that notes cannot contain, or a key of the wrong length */
export const verifierOf = ({ sha256 }: Bytes, name: string, publicKey: Uint8Array): Verifier => {
  if (!NAME.test(name)) throw new TypeError('a key name must not contain spaces or +')
  if (publicKey.length !== KEY_LENGTH) throw new TypeError('an Ed25519 public key must have 32 bytes')
  return { name, publicKey, keyId: sha256(name, '\n', ED25519, publicKey).slice(0, ID_LENGTH) }
}

const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

const joined = (...parts: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]))

/** A public key as one line of text: `<name>+<key id>+<algorithm and key>`. */
export const verifierText = ({ toBase64 }: Bytes, { name, keyId, publicKey }: Verifier): string =>
  `${name}+${hexOf(keyId)}+${toBase64(joined(ED25519, publicKey))}`

/** @returns null for text that is not an Ed25519 public key, or whose key id does not match name and key */
export const parseVerifier = (bytes: Bytes, text: string): Verifier | null => {
  const [, name = '', keyId = '', written = ''] = VERIFIER.exec(text) ?? []
  const key = bytes.fromBase64(written)
  if (key?.length !== 1 + KEY_LENGTH || key[0] !== ED25519[0]) return null
  const verifier = verifierOf(bytes, name, key.slice(1))
  return hexOf(verifier.keyId) === keyId ? verifier : null
}

/**
 * Returns text with a signature below it.
 * @param text lines, each with its line feed
 * @throws TypeError for text that does not end with a line feed
 */
export const signNote = (
  { toBase64 }: Bytes,
  text: string,
  { name, keyId }: Verifier,
  sign: (text: string) => Uint8Array,
): string => {
  if (!text.endsWith('\n')) throw new TypeError('a note must end with a line feed')
  return `${text}\n— ${name} ${toBase64(joined(keyId, sign(text)))}\n`
}

const hasControls = (text: string): boolean =>
  [...text].some((char) => (char < ' ' && char !== '\n') || char === '\uFFFD')

/**
 * Returns the text of a note that one of the verifiers signed. Ignores signatures of unknown keys.
 * @returns null if the note is malformed, no known key signed it, or a signature of a known key is wrong
 */
export const openNote = (
  bytes: Bytes,
  note: string,
  verifiers: readonly Verifier[],
  verify: Verify,
): string | null => {
  const end = note.lastIndexOf('\n\n')
  if (end === -1 || !note.endsWith('\n') || hasControls(note)) return null
  const text = note.slice(0, end + 1)
  const lines = note.slice(end + 2, -1).split('\n')
  if (lines.length > MOST_SIGNATURES) return null
  let signed = false
  for (const line of lines) {
    const [, name, written = ''] = SIGNATURE.exec(line) ?? []
    const signature = bytes.fromBase64(written)
    if (name === undefined || signature === null || signature.length <= ID_LENGTH) return null
    const known = verifiers.find(
      (verifier) => verifier.name === name && sameHash(verifier.keyId, signature.slice(0, ID_LENGTH)),
    )
    if (known === undefined) continue
    if (!verify(known.publicKey, text, signature.slice(ID_LENGTH))) return null
    signed = true
  }
  return signed ? text : null
}

/** The head of a tree and the name of the tree. */
export interface Checkpoint extends TreeHead {
  /** Identifies the log permanently. */
  readonly origin: string
}

export const checkpointText = ({ toBase64 }: Bytes, { origin, size, root }: Checkpoint): string =>
  `${origin}\n${String(size)}\n${toBase64(root)}\n`

/** @returns null for text that is not a checkpoint; ignores lines after the third */
export const parseCheckpoint = ({ fromBase64 }: Bytes, text: string): Checkpoint | null => {
  const [origin = '', size = '', written = '', end] = text.split('\n')
  const root = fromBase64(written)
  if (origin === '' || !/^(?:0|[1-9]\d{0,15})$/.test(size) || root?.length !== 32 || end === undefined)
    return null
  return { origin, size: Number(size), root }
}
