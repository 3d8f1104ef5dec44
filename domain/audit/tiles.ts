/**
 * Stores a growing tree: hashes of every eighth level, in tiles of 256 that never change once they are full.
 * A tile at level n contains hashes of complete subtrees of 256^n leaves.
 */
import { hashOfRange, nodeHashOf, type Hash, type Sha256, type Subtree } from './merkle.ts'

export const TILE_SIZE = 256
const TILE_LEVELS = 8

/** A hash in a tile, with its index in the level. On the lowest level it has the position of its event. */
export interface TileHash {
  readonly level: number
  readonly index: number
  readonly hash: Hash
  readonly position: string | null
}

/** 256 hashes of a level, starting at index * 256. */
export interface FullTile {
  readonly level: number
  readonly index: number
  readonly hashes: readonly TileHash[]
}

export interface Growth {
  /** Hashes whose tiles are not full, including existing ones. */
  readonly open: readonly TileHash[]
  readonly full: readonly FullTile[]
}

/** @param hashes their number is a power of two */
const rootOfTile = (sha256: Sha256, hashes: readonly Hash[]): Hash => {
  const [first, second] = hashes
  if (first === undefined) throw new RangeError('an empty list of hashes has no root')
  if (second === undefined) return first
  const middle = hashes.length / 2
  return nodeHashOf(
    sha256,
    rootOfTile(sha256, hashes.slice(0, middle)),
    rootOfTile(sha256, hashes.slice(middle)),
  )
}

/**
 * Adds leaves to a tree.
 * @param open hashes whose tiles are not full, in order of level and index
 * @param size leaves that the tree has
 */
export const grow = (
  sha256: Sha256,
  open: readonly TileHash[],
  size: number,
  leaves: readonly Pick<TileHash, 'hash' | 'position'>[],
): Growth => {
  const levels = new Map<number, TileHash[]>()
  for (const each of open) levels.set(each.level, [...(levels.get(each.level) ?? []), each])
  const full: FullTile[] = []
  const add = (added: TileHash): void => {
    const { level, index } = added
    const hashes = levels.get(level) ?? []
    levels.set(level, hashes)
    hashes.push(added)
    if (hashes.length < TILE_SIZE) return
    const tile = Math.floor(index / TILE_SIZE)
    full.push({ level, index: tile, hashes })
    levels.set(level, [])
    const hash = rootOfTile(
      sha256,
      hashes.map((each) => each.hash),
    )
    add({ level: level + 1, index: tile, hash, position: null })
  }
  for (const [i, leaf] of leaves.entries()) add({ ...leaf, level: 0, index: size + i })
  return { open: [...levels.values()].flat(), full }
}

/** Locates the hashes from which the hash of a complete subtree is computed: neighbours in one tile. */
export const placeOf = ({ level, index }: Subtree) => {
  const tileLevel = Math.floor(level / TILE_LEVELS)
  const count = 2 ** (level % TILE_LEVELS)
  const first = index * count
  return {
    level: tileLevel,
    tile: Math.floor(first / TILE_SIZE),
    /** Index within the tile */
    from: first % TILE_SIZE,
    count,
  }
}

/** Returns the hash of a complete subtree from the tile that `placeOf` returns; an unfilled tile is shorter. */
export const subtreeHash = (sha256: Sha256, subtree: Subtree, tile: readonly Hash[]): Hash => {
  const { from, count } = placeOf(subtree)
  const hashes = tile.slice(from, from + count)
  if (hashes.length !== count) throw new RangeError('the tree is smaller than that')
  return rootOfTile(sha256, hashes)
}

/** Computes the hash over a range of leaves from the tiles. */
export const hashFromTiles = (
  sha256: Sha256,
  range: readonly [number, number],
  tileOf: (level: number, index: number) => readonly Hash[],
): Hash =>
  hashOfRange(sha256, range, (subtree) => {
    const { level, tile } = placeOf(subtree)
    return subtreeHash(sha256, subtree, tileOf(level, tile))
  })
