/** Recomputes the tree from the log and compares it with the stored and the signed one. */
import type pg from 'pg'
import { sameHash, type Hash } from '../../../../domain/audit/merkle.ts'
import { noPlaces, placesAfter, type Place } from '../../../../domain/audit/places.ts'
import type { Verifier } from '../../../../domain/audit/signed-note.ts'
import { grow, TILE_SIZE, type FullTile, type TileHash } from '../../../../domain/audit/tiles.ts'
import { nodeBytes } from '../bytes.ts'
import { headOfNote, headOfPlacesNote } from '../heads.ts'
import { rootOf, type TreeState } from '../tree.ts'
import type { Findings } from './findings.ts'

const { sha256 } = nodeBytes

/** The hash of a leaf from the log and from the tree; if one is missing, the other is used for both. */
export interface BothHashes {
  readonly fromLog: Hash | null
  readonly kept: Hash | null
  readonly place: Place | null
}

/** A signed head that was stored elsewhere. */
export interface KeptCheckpoint {
  readonly size: number
  readonly root: Hash
  /** Its name in findings */
  readonly what: string
}

interface Growing {
  open: readonly TileHash[]
  /** Full tiles above the leaf level, by level and index */
  readonly upper: Map<string, FullTile>
}

const nameOf = (level: number, index: number): string => `level ${String(level)} index ${String(index)}`

const growBy = (tree: Growing, size: number, hashes: readonly Hash[]): void => {
  const { open, full } = grow(
    sha256,
    tree.open,
    size,
    hashes.map((hash) => ({ hash, position: null })),
  )
  tree.open = open
  for (const tile of full) if (tile.level > 0) tree.upper.set(nameOf(tile.level, tile.index), tile)
}

export interface TreeCheck {
  readonly add: (leaves: readonly BothHashes[]) => void
  readonly size: () => number
  /**
   * Compares the remaining stored hashes.
   * @returns which of the two trees was signed; null for neither
   */
  readonly end: (client: pg.ClientBase, state: TreeState, verifier: Verifier | null) => Promise<SignedTree>
}

export type SignedTree = 'log' | 'kept' | 'both' | null

/** @param checkpoints ordered by size */
export const treeCheck = (checkpoints: readonly KeptCheckpoint[], findings: Findings): TreeCheck => {
  const log: Growing = { open: [], upper: new Map() }
  /** Kept separately only from where the two differ. */
  let kept: Growing | null = null
  let places = noPlaces(sha256)
  let size = 0
  let nextCheckpoint = 0

  const roots = (): readonly Hash[] =>
    [log, ...(kept === null ? [] : [kept])].map(({ open }) => rootOf(open, size))

  const meetCheckpoints = (): void => {
    for (const { size: at, root, what } of checkpoints.slice(nextCheckpoint)) {
      if (at !== size) return
      nextCheckpoint++
      if (!roots().some((each) => sameHash(each, root)))
        findings.add('integrity', 'proof.checkpoint', `${what} covers different events`)
    }
  }

  const addPart = (leaves: readonly BothHashes[]): void => {
    const parts = leaves.some(
      ({ fromLog, kept: had }) => fromLog !== null && had !== null && !sameHash(fromLog, had),
    )
    if (parts) kept ??= { open: log.open, upper: new Map(log.upper) }
    const pick = (first: 'fromLog' | 'kept', second: 'fromLog' | 'kept') =>
      leaves.map((leaf) => leaf[first] ?? leaf[second] ?? new Uint8Array())
    growBy(log, size, pick('fromLog', 'kept'))
    if (kept !== null) growBy(kept, size, pick('kept', 'fromLog'))
    for (const { place } of leaves) if (place !== null) places = placesAfter(sha256, places, place)
    size += leaves.length
  }

  const add = (leaves: readonly BothHashes[]): void => {
    for (let from = 0; from < leaves.length;) {
      const until = checkpoints[nextCheckpoint]?.size ?? Infinity
      const part = leaves.slice(from, from + Math.min(TILE_SIZE * 8, Math.max(1, until - size)))
      addPart(part)
      from += part.length
      meetCheckpoints()
    }
  }

  const compareUpper = async (client: pg.ClientBase): Promise<void> => {
    const trees = [log, ...(kept === null ? [] : [kept])]
    const { rows: tiles } = await client.query<{
      level: number
      index: string
      hashes: Buffer
      empty: boolean
    }>(
      `select level, t.index::text, hashes, coalesce(positions::text, first_position, recorded::text, kept::text) is null
         as empty from proof.tile t where level <> 0`,
    )
    const seen = new Set(tiles.map(({ level, index }) => nameOf(level, Number(index))))
    for (const { level, index, hashes, empty } of tiles) {
      const name = nameOf(level, Number(index))
      const fits = trees.some(({ upper }) => {
        const tile = upper.get(name)
        return tile !== undefined && sameHash(Buffer.concat(tile.hashes.map(({ hash }) => hash)), hashes)
      })
      if (!fits || !empty)
        findings.add('integrity', 'proof.tile', `the tile at ${name} does not match the leaves`)
    }
    for (const name of log.upper.keys())
      if (!seen.has(name)) findings.add('completeness', 'proof.tile', `the tile at ${name} is missing`)
    const { rows } = await client.query<{
      level: number
      index: string
      hash: Buffer
      empty: boolean
    }>(
      `select level, h.index::text, hash, coalesce(position, recorded::text, kept) is null as empty
       from proof.open_hash h where level <> 0`,
    )
    const known = new Map(rows.map((row) => [nameOf(row.level, Number(row.index)), row]))
    for (const [name, { hash, empty }] of known) {
      const fits = trees.some(({ open }) =>
        open.some((each) => nameOf(each.level, each.index) === name && sameHash(each.hash, hash)),
      )
      if (!fits || !empty)
        findings.add('integrity', 'proof.open_hash', `the hash at ${name} does not match the leaves`)
    }
    for (const { level, index } of log.open)
      if (level > 0 && !known.has(nameOf(level, index)))
        findings.add('completeness', 'proof.open_hash', `the hash at ${nameOf(level, index)} is missing`)
  }

  const cutTail = (what: string, signed: number): void => {
    findings.add(
      'completeness',
      'proof.tree',
      `${what} covers ${String(signed)} events, but there are ${String(size)}: the last ${String(signed - size)} are missing`,
    )
  }

  /** The trees that match the stored head */
  const signedTree = (state: TreeState, verifier: Verifier | null): SignedTree => {
    if (state.note === '' && state.placesNote === '' && size === 0) return 'both'
    const head = verifier === null ? null : headOfNote(verifier, state.note)
    const placesHead = verifier === null ? null : headOfPlacesNote(verifier, state.placesNote)
    if (placesHead === null)
      findings.add('integrity', 'proof.tree', 'places_note has no valid signature of the key')
    else if (placesHead.size !== size || !sameHash(placesHead.root, places))
      findings.add(
        'integrity',
        'proof.tree',
        'places_note covers different positions, times or classes of events',
      )
    if (head === null) {
      findings.add('integrity', 'proof.tree', 'note has no valid signature of the key')
      return null
    }
    if (head.size > size) cutTail('the signed head', head.size)
    else if (head.size < size)
      findings.add(
        'integrity',
        'proof.tree',
        `the signed head covers ${String(head.size)} events, but there are ${String(size)}`,
      )
    if (head.size !== size) return null
    const [fromLog, fromKept] = roots().map((root) => sameHash(root, head.root))
    if (fromLog === true) return fromKept === undefined ? 'both' : 'log'
    if (fromKept === true) return 'kept'
    findings.add('integrity', 'proof.tree', 'the signed head covers different events')
    return null
  }

  return {
    add,
    size: () => size,
    end: async (client, state, verifier) => {
      await compareUpper(client)
      if (state.size !== size)
        findings.add(
          'integrity',
          'proof.tree',
          `size is ${String(state.size)}, but there are ${String(size)} leaves`,
        )
      if (!sameHash(state.places, places))
        findings.add(
          'integrity',
          'proof.tree',
          'places does not match the hash over the data beside the leaves',
        )
      for (const { size: signed, what } of checkpoints.slice(nextCheckpoint)) cutTail(what, signed)
      return signedTree(state, verifier)
    },
  }
}
