/**
 * The audit tree (RFC 6962): every event of the log is a leaf, in log order, whatever its type. The tree therefore
 * does not depend on which events a release treats as relevant, and no event can be omitted.
 */
import type pg from 'pg'
import type { Recorded } from '../../../domain/catalogue.ts'
import { retentionOf } from '../../../domain/retention.ts'
import { leafHashOf, subtreesOf, type Hash, type Range } from '../../../domain/audit/merkle.ts'
import { noPlaces, placesAfter, type Place } from '../../../domain/audit/places.ts'
import {
  grow,
  placeOf,
  hashFromTiles,
  TILE_SIZE,
  type FullTile,
  type TileHash,
} from '../../../domain/audit/tiles.ts'
import { categoryOf } from '../event-log/event-log.ts'
import { nodeBytes } from './bytes.ts'
import { keepCheckpoint, signHead } from './heads.ts'
import type { Signer } from './signer.ts'

/** The consumer that grows the tree. Its checkpoint is stored with the tree, and no rebuild changes either. */
export const AUDIT_TREE = 'audit-tree'

const { sha256 } = nodeBytes
const HASH_BYTES = 32

export interface TreeState {
  readonly size: number
  /** Position of the last event that is a leaf; '' if there is none */
  readonly position: string
  /** When that event was decided */
  readonly time: string
  /** The hash over the data stored with the leaves */
  readonly places: Hash
  /** The signed head; '' while the tree is empty */
  readonly note: string
  readonly placesNote: string
}

type Client = pg.ClientBase | pg.Pool

const stateOf = async (client: Client, lock = ''): Promise<TreeState> => {
  const { rows } = await client.query<Omit<TreeState, 'size'> & { size: string }>(
    `select size::text, position, time, places, note, places_note as "placesNote" from proof.tree ${lock}`,
  )
  const [row] = rows
  if (row === undefined) throw new Error('proof.tree is empty: restore schema proof from a backup')
  const size = Number(row.size)
  return { ...row, size, places: size === 0 ? noPlaces(sha256) : row.places }
}

export const treeState = (pool: Client): Promise<TreeState> => stateOf(pool)

export const openHashes = async (client: Client): Promise<readonly TileHash[]> => {
  const { rows } = await client.query<{
    level: number
    index: string
    hash: Buffer
    position: string | null
  }>('select level, h.index::text, hash, position from proof.open_hash h order by level, h.index')
  return rows.map((row) => ({ ...row, index: Number(row.index) }))
}

/** The root of a tree from its open hashes, which include all of its complete subtrees. */
export const rootOf = (open: readonly TileHash[], size: number): Hash =>
  hashFromTiles(sha256, [0, size], (level, tile) =>
    open
      .filter((each) => each.level === level && Math.floor(each.index / TILE_SIZE) === tile)
      .map(({ hash }) => hash),
  )

/** Returns the log position of an event and how long the log keeps it. */
export const placeOfEvent = ({
  position,
  recorded,
  stream,
}: Pick<Recorded, 'position' | 'recorded' | 'stream'>): Place => ({
  position,
  recorded: recorded ?? '0',
  kept: retentionOf(categoryOf(stream)),
})

const saveTile = async (client: pg.ClientBase, { level, index, hashes }: FullTile, places: PlaceOf) => {
  const of = hashes.map(places)
  const beside = <T>(values: readonly T[]): readonly T[] | null => (level === 0 ? values : null)
  await client.query(
    `insert into proof.tile (level, index, hashes, positions, first_position, recorded, kept)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      level,
      index,
      Buffer.concat(hashes.map(({ hash }) => hash)),
      beside(hashes.map(({ position }) => position)),
      hashes[0]?.position ?? null,
      beside(of.map((place) => place?.recorded)),
      beside(of.map((place) => place?.kept)),
    ],
  )
  await client.query('delete from proof.open_hash where level = $1 and index between $2 and $3', [
    level,
    index * TILE_SIZE,
    (index + 1) * TILE_SIZE - 1,
  ])
}

type PlaceOf = (hash: TileHash) => Place | undefined

/** Collects the places of the leaves in `proof.open_hash` and of new leaves. */
const placesOf = async (client: pg.ClientBase, added: readonly Place[]): Promise<PlaceOf> => {
  const { rows } = await client.query<Place>(
    'select position, recorded::text, kept from proof.open_hash where level = 0',
  )
  const known = new Map([...rows, ...added].map((place) => [place.position, place]))
  return ({ position }) => (position === null ? undefined : known.get(position))
}

/**
 * Adds events to the tree and signs its new head, in the client's current transaction. Skips events that the tree
 * already has. Keeps the first head of each hour.
 */
export const growTree =
  (signer: () => Promise<Signer>) =>
  async (client: pg.ClientBase, events: readonly Recorded[]): Promise<void> => {
    const { size, position, time, places } = await stateOf(client, 'for update')
    const added = events.filter((event) => event.position > position)
    const last = added.at(-1)
    if (last === undefined) return
    const before = await openHashes(client)
    const { open, full } = grow(
      sha256,
      before,
      size,
      added.map((event) => {
        if (event.leaf === undefined) throw new Error('a leaf needs the stored event')
        return { hash: leafHashOf(sha256, event.leaf), position: event.position }
      }),
    )
    const addedPlaces = added.map(placeOfEvent)
    const placeOf = await placesOf(client, addedPlaces)
    const had = new Set(before.map(({ level, index }) => `${String(level)}/${String(index)}`))
    const fresh = open.filter(({ level, index }) => !had.has(`${String(level)}/${String(index)}`))
    for (const tile of full) await saveTile(client, tile, placeOf)
    await client.query(
      `insert into proof.open_hash (level, index, hash, position, recorded, kept)
       select * from unnest($1::smallint[], $2::bigint[], $3::bytea[], $4::text[], $5::bigint[], $6::text[])`,
      [
        fresh.map(({ level }) => level),
        fresh.map(({ index }) => index),
        fresh.map(({ hash }) => hash),
        fresh.map((each) => each.position),
        fresh.map((each) => placeOf(each)?.recorded ?? null),
        fresh.map((each) => placeOf(each)?.kept ?? null),
      ],
    )
    const head = { size: size + added.length, root: rootOf(open, size + added.length) }
    const allPlaces = addedPlaces.reduce((hash, place) => placesAfter(sha256, hash, place), places)
    const { note, placesNote } = signHead(await signer(), head, allPlaces)
    await client.query(
      'update proof.tree set size = $1, position = $2, time = $3, places = $4, note = $5, places_note = $6',
      [head.size, last.position, last.metadata.time, allPlaces, note, placesNote],
    )
    if (hourOf(time) !== hourOf(last.metadata.time)) await keepCheckpoint(client, head, note)
  }

const hourOf = (time: string): string => time.slice(0, 'yyyy-mm-ddThh'.length)

/**
 * Hashes over ranges of existing leaves. Open hashes are read first: a hash can move into a full tile between
 * the two reads, but not out of it.
 */
export const hashesOf = async (pool: Client, ranges: readonly Range[]): Promise<readonly Hash[]> => {
  const places = ranges.flatMap((range) => subtreesOf(range)).map(placeOf)
  const tiles = new Map<string, readonly Hash[]>()
  const nameOf = (level: number, tile: number): string => `${String(level)}/${String(tile)}`
  for (const { level, index, hash } of await openHashes(pool)) {
    const name = nameOf(level, Math.floor(index / TILE_SIZE))
    tiles.set(name, [...(tiles.get(name) ?? []), hash])
  }
  const { rows } = await pool.query<{ level: number; index: string; hashes: Buffer }>(
    `select t.level, t.index::text, t.hashes from proof.tile t
     join (select distinct * from unnest($1::smallint[], $2::bigint[]) as k (level, index)) k
       on k.level = t.level and k.index = t.index`,
    [places.map(({ level }) => level), places.map(({ tile }) => tile)],
  )
  for (const { level, index, hashes } of rows)
    tiles.set(
      nameOf(level, Number(index)),
      Array.from({ length: TILE_SIZE }, (_, i) => hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES)),
    )
  return ranges.map((range) =>
    hashFromTiles(sha256, range, (level, tile) => tiles.get(nameOf(level, tile)) ?? []),
  )
}

/** The leaf index of the event at a log position; null if it is not in the tree (yet). */
export const leafIndexOf = async (pool: Client, position: string): Promise<number | null> => {
  const { rows } = await pool.query<{ index: string | null }>(
    `select index::text from proof.open_hash where level = 0 and position = $1
     union all
     (select (t.index * ${String(TILE_SIZE)} + array_position(t.positions, $1) - 1)::text from proof.tile t
      where t.level = 0 and t.first_position <= $1 order by t.first_position desc limit 1)`,
    [position],
  )
  const index = rows.map((row) => row.index).find((each) => each !== null)
  return index === undefined || index === null ? null : Number(index)
}

/** The leaf indexes of the events at log positions, without those that are not in the tree (yet). */
export const leafIndexesOf = async (
  pool: Client,
  positions: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await pool.query<{ position: string; index: string }>(
    `select position, index::text from proof.open_hash where level = 0 and position = any($1)
     union all
     select p.position, (t.index * ${String(TILE_SIZE)} + array_position(t.positions, p.position) - 1)::text
     from unnest($1::text[]) p (position) cross join lateral (
       select f.index, f.positions from proof.tile f where f.level = 0 and f.first_position <= p.position
       order by f.first_position desc limit 1) t
     where p.position = any(t.positions)`,
    [positions],
  )
  return new Map(rows.map(({ position, index }) => [position, Number(index)]))
}
