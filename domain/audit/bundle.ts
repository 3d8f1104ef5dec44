/**
 * A self-verifying export of part of the log: leaves in order, with the hashes of all surrounding leaves, and
 * a signed head.
 */
import {
  hashOfRange,
  isConsistent,
  nodeHashOf,
  subtreesOf,
  type Hash,
  type Range,
  type Sha256,
  type TreeHead,
} from './merkle.ts'

export const BUNDLE_FORMAT = 'svc-audit-bundle/1'

/** The first line. Hashes are base64. */
export interface BundleHeader {
  readonly format: typeof BUNDLE_FORMAT
  /** Identifies the log; the name of the key. */
  readonly origin: string
  /** The range of leaves that follow: from (inclusive), to (exclusive) */
  readonly from: number
  readonly to: number
  /** Size of the whole tree, as in the note */
  readonly size: number
  /** Signed head of the tree (C2SP tlog-checkpoint). */
  readonly note: string
  /** Hashes of the ranges before and after the leaves, from left to right: see `rangesBefore` and `rangesAfter`. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** Proof that the tree extends an earlier one (RFC 6962 §2.1.2). */
  readonly consistency?: { readonly size: number; readonly hashes: readonly string[] }
}

/** Splits a node of RFC 6962 §2.1: the largest power of two below its length. */
const middleOf = ([from, to]: Range): number => {
  let half = 1
  while (half * 2 < to - from) half *= 2
  return from + half
}

/** The complete subtrees before a leaf, from left to right. */
export const rangesBefore = (from: number): readonly Range[] =>
  subtreesOf([0, from]).map(({ level, index }) => [index * 2 ** level, (index + 1) * 2 ** level])

/** The largest nodes of a tree of this size that start at or after a leaf, from left to right. */
export const rangesAfter = (to: number, size: number): readonly Range[] => {
  const within = (node: Range): readonly Range[] => {
    if (node[0] >= to) return [node]
    if (node[1] <= to) return []
    const middle = middleOf(node)
    return [...within([node[0], middle]), ...within([middle, node[1]])]
  }
  return size === 0 ? [] : within([0, size])
}

/** A tree in which only some leaves are known individually. */
export interface PartialTree {
  readonly add: (leafHash: Hash) => void
  /** Returns the number of leaves so far, including those before the first known one. */
  readonly size: () => number
  /** Returns the root over these leaves. */
  readonly root: () => Hash
  /** Returns the root over all leaves, with the hashes over `rangesAfter`. */
  readonly whole: (size: number, after: readonly Hash[]) => Hash | null
}

/** @param before hashes over `rangesBefore(from)` */
export const partialTree = (sha256: Sha256, from: number, before: readonly Hash[]): PartialTree => {
  const stack = rangesBefore(from).map((range, i) => ({ range, hash: before[i] ?? new Uint8Array() }))
  let size = from
  return {
    add: (leafHash) => {
      let [range, hash]: [Range, Hash] = [[size, size + 1], leafHash]
      size++
      for (let last = stack.at(-1); last !== undefined; last = stack.at(-1)) {
        const length = range[1] - range[0]
        const joins = last.range[1] - last.range[0] === length && last.range[0] % (2 * length) === 0
        if (!joins) break
        stack.pop()
        range = [last.range[0], range[1]]
        hash = nodeHashOf(sha256, last.hash, hash)
      }
      stack.push({ range, hash })
    },
    size: () => size,
    root: () =>
      hashOfRange(sha256, [0, size], ({ level, index }) => {
        const known = stack.find(({ range }) => range[0] === index * 2 ** level)
        return known?.hash ?? new Uint8Array()
      }),
    whole: (all, after) => {
      const known = new Map(stack.map(({ range, hash }) => [range.join(), hash]))
      for (const [i, range] of rangesAfter(size, all).entries()) {
        const hash = after[i]
        if (hash !== undefined) known.set(range.join(), hash)
      }
      const hashOf = (node: Range): Hash | null => {
        const hash = known.get(node.join())
        if (hash !== undefined) return hash
        if (node[1] - node[0] < 2) return null
        const middle = middleOf(node)
        const [left, right] = [hashOf([node[0], middle]), hashOf([middle, node[1]])]
        return left === null || right === null ? null : nodeHashOf(sha256, left, right)
      }
      return all === 0 ? sha256() : hashOf([0, all])
    },
  }
}

const BASE64_HASH = /^[A-Za-z0-9+/]{43}=$/
const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const areHashes = (value: unknown, count?: number): value is readonly string[] =>
  Array.isArray(value) &&
  (count === undefined || value.length === count) &&
  value.every((each) => typeof each === 'string' && BASE64_HASH.test(each))

/** Parses the first line; returns an error message if it is invalid. */
export const parseHeader = (value: unknown): BundleHeader | string => {
  const header = (typeof value === 'object' && value !== null ? value : {}) as Partial<BundleHeader>
  const { format, origin, note, from, to, size, before, after, consistency } = header
  if (format !== BUNDLE_FORMAT) return `format: expected ${BUNDLE_FORMAT}`
  if (typeof origin !== 'string' || typeof note !== 'string') return 'origin and note: expected text'
  if (!isSize(from) || !isSize(to) || !isSize(size) || from > to || to > size)
    return 'from, to and size: expected whole numbers in ascending order'
  if (!areHashes(before, rangesBefore(from).length))
    return 'before: the number of hashes does not match the number of subtrees'
  if (!areHashes(after, rangesAfter(to, size).length))
    return 'after: the number of hashes does not match the number of nodes'
  if (consistency !== undefined && (!isSize(consistency.size) || !areHashes(consistency.hashes)))
    return 'consistency: expected a size and hashes'
  return header as BundleHeader
}

/** Whether the header proves that its tree extends an earlier one. */
export const provesEarlier = (
  sha256: Sha256,
  { consistency }: Pick<BundleHeader, 'consistency'>,
  earlier: TreeHead,
  head: TreeHead,
  fromBase64: (text: string) => Hash | null,
): boolean | null =>
  consistency?.size !== earlier.size
    ? null
    : isConsistent(
        sha256,
        earlier,
        head,
        consistency.hashes.map((text) => fromBase64(text) ?? new Uint8Array()),
      )
