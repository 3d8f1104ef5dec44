/** Lines of a bundle: the hash of a leaf and, unless its event was deleted, the leaf itself. */
import type { Hash } from '../../../../domain/audit/merkle.ts'
import { nodeBytes } from '../bytes.ts'

const START = Buffer.from('{"hash":"')
const HASH_LENGTH = 44
const HASH_END = START.length + HASH_LENGTH
const BEFORE_LEAF = Buffer.from('","leaf":')
const LEAF_START = HASH_END + BEFORE_LEAF.length
const WITHOUT_LEAF = Buffer.from('"}')
const BRACE = 0x7d

export interface BundleLine {
  readonly hash: Hash
  /** The leaf without the 0x00 prefix that is hashed with it; null if only the hash remains. */
  readonly leaf: Buffer | null
}

/**
 * Returns a line of the bundle.
 * @param leaf canonical JSON, which contains no line feed
 */
export const lineOf = (hash: Hash, leaf: string | null): string =>
  leaf === null
    ? `{"hash":"${nodeBytes.toBase64(hash)}"}\n`
    : `{"hash":"${nodeBytes.toBase64(hash)}","leaf":${leaf}}\n`

/** Parses a line; returns null for any other form. */
export const parseLine = (line: Buffer): BundleLine | null => {
  if (!line.subarray(0, START.length).equals(START)) return null
  const hash = nodeBytes.fromBase64(line.toString('latin1', START.length, HASH_END))
  if (hash?.length !== 32) return null
  if (line.subarray(HASH_END).equals(WITHOUT_LEAF)) return { hash, leaf: null }
  const leads = line.subarray(HASH_END, LEAF_START).equals(BEFORE_LEAF) && line.at(-1) === BRACE
  return leads ? { hash, leaf: line.subarray(LEAF_START, -1) } : null
}

const LINE_FEED = 0x0a

/** Yields the bytes between line feeds; `ended` is true if a line feed followed. Keeps one line in memory at a time. */
export const linesIn = async function* (
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<{ readonly line: Buffer; readonly ended: boolean }> {
  let rest: Buffer[] = []
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      const end = chunk.subarray(from, at)
      yield { line: rest.length === 0 ? end : Buffer.concat([...rest, end]), ended: true }
      rest = []
      from = at + 1
    }
    if (from < chunk.length) rest.push(chunk.subarray(from))
  }
  if (rest.length > 0) yield { line: Buffer.concat(rest), ended: false }
}
