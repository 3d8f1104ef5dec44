/**
 * Merkle trees over a growing list of leaves (RFC 6962 §2.1). The caller supplies the hashes of complete
 * subtrees. Verification follows RFC 9162 §2.1.3.2 and §2.1.4.2, which prove the same trees.
 */
export type Hash = Uint8Array

/** SHA-256 over the concatenated parts; text as UTF-8. */
export type Sha256 = (...parts: readonly (Uint8Array | string)[]) => Hash

/** A complete subtree: the index-th, from the left, of those with 2^level leaves. */
export interface Subtree {
  readonly level: number
  readonly index: number
}

/** A range of leaves: from (inclusive), to (exclusive). */
export type Range = readonly [from: number, to: number]

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

export const leafHashOf = (sha256: Sha256, leaf: Uint8Array | string): Hash => sha256(LEAF, leaf)
export const nodeHashOf = (sha256: Sha256, left: Hash, right: Hash): Hash => sha256(NODE, left, right)

/** The largest power of two below n, for n of at least 2. */
const splitOf = (n: number): number => {
  let half = 1
  while (half * 2 < n) half *= 2
  return half
}

/** The complete subtrees that form a range of a proof, from left to right, largest first. */
export const subtreesOf = ([from, to]: Range): readonly Subtree[] => {
  const subtrees: Subtree[] = []
  for (let at = from; at < to;) {
    let level = 0
    while (2 ** (level + 1) <= to - at) level++
    subtrees.push({ level, index: at / 2 ** level })
    at += 2 ** level
  }
  return subtrees
}

/** The hash over a range from those of its complete subtrees; the empty range has the hash of the empty string. */
export const hashOfRange = (sha256: Sha256, range: Range, hashOf: (subtree: Subtree) => Hash): Hash => {
  const hashes = subtreesOf(range).map(hashOf)
  const last = hashes.pop()
  if (last === undefined) return sha256()
  return hashes.reduceRight((right, left) => nodeHashOf(sha256, left, right), last)
}

/** PATH(index, D[size]) of RFC 6962 §2.1.1: the inclusion proof, from the leaf up. */
export const inclusionRanges = (index: number, [from, to]: Range): readonly Range[] => {
  if (to - from === 1) return []
  const middle = from + splitOf(to - from)
  return index < middle
    ? [...inclusionRanges(index, [from, middle]), [middle, to]]
    : [...inclusionRanges(index, [middle, to]), [from, middle]]
}

const subproof = (size: number, [from, to]: Range, known: boolean): readonly Range[] => {
  if (size === to) return known ? [] : [[from, to]]
  const middle = from + splitOf(to - from)
  return size <= middle
    ? [...subproof(size, [from, middle], known), [middle, to]]
    : [...subproof(size, [middle, to], false), [from, middle]]
}

/** PROOF(from, D[to]) of RFC 6962 §2.1.2: the consistency proof. */
export const consistencyRanges = (from: number, to: number): readonly Range[] => subproof(from, [0, to], true)

const isOdd = (n: number): boolean => n % 2 === 1
const half = (n: number): number => Math.floor(n / 2)

const isSize = (n: number): boolean => Number.isSafeInteger(n) && n > 0

/** Computes the root from an inclusion proof; null if the proof has the wrong length. */
export const rootOfInclusion = (
  sha256: Sha256,
  index: number,
  size: number,
  leafHash: Hash,
  proof: readonly Hash[],
): Hash | null => {
  if (!isSize(size) || !Number.isSafeInteger(index) || index < 0 || index >= size) return null
  let [at, last, hash] = [index, size - 1, leafHash]
  for (const sibling of proof) {
    if (last === 0) return null
    if (isOdd(at) || at === last) {
      hash = nodeHashOf(sha256, sibling, hash)
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)]
    } else hash = nodeHashOf(sha256, hash, sibling)
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 ? hash : null
}

/** Whether two hashes are equal. */
export const sameHash = (a: Hash, b: Hash): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])

/** A tree at one moment: its size and root hash. */
export interface TreeHead {
  readonly size: number
  readonly root: Hash
}

/** Whether the proof shows that the later tree starts with all leaves of the earlier one, unchanged and in order. */
export const isConsistent = (
  sha256: Sha256,
  earlier: TreeHead,
  later: TreeHead,
  proof: readonly Hash[],
): boolean => {
  if (!isSize(earlier.size) || !isSize(later.size) || earlier.size > later.size) return false
  if (earlier.size === later.size) return proof.length === 0 && sameHash(earlier.root, later.root)
  let [at, last] = [earlier.size - 1, later.size - 1]
  while (isOdd(at)) [at, last] = [half(at), half(last)]
  // A complete subtree is the earlier tree itself, whose hash the verifier knows.
  const path = at === 0 ? [earlier.root, ...proof] : [...proof]
  const [first, ...rest] = path
  if (first === undefined) return false
  let [was, is] = [first, first]
  for (const sibling of rest) {
    if (last === 0) return false
    if (isOdd(at) || at === last) {
      was = nodeHashOf(sha256, sibling, was)
      is = nodeHashOf(sha256, sibling, is)
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)]
    } else is = nodeHashOf(sha256, is, sibling)
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && sameHash(was, earlier.root) && sameHash(is, later.root)
}
