/** Pairs the leaves of the tree with the events of the log, in order. */
import type pg from 'pg'
import { own } from '../../../../domain/own.ts'
import { goneBefore, type RetentionPeriod } from '../../../../domain/retention.ts'
import type { Place } from '../../../../domain/audit/places.ts'
import { sameHash, type Hash } from '../../../../domain/audit/merkle.ts'
import { TILE_SIZE } from '../../../../domain/audit/tiles.ts'
import type { EventLog, Position, RecordedEvent } from '../../event-log/event-log.ts'
import { leafOf } from '../../event-log/leaf.ts'
import { readPeriods } from '../../event-log/retention.ts'
import { readEventRows, readStreamRows, type EventRow } from '../../event-log/postgres/reads.ts'
import { padPosition } from '../../event-log/postgres/writer.ts'
import { leafHash } from '../entries.ts'

/** A leaf whose hash the tree has */
export interface LeafRecord extends Place {
  readonly index: number
  readonly hash: Hash
  /** The table that stores it */
  readonly table: 'proof.tile' | 'proof.open_hash'
  /** What is wrong with its storage; null if nothing is. */
  readonly fault: string | null
}

export type LeafEvent = RecordedEvent & { readonly leaf: string }

/** An event in the log */
export interface StoredEvent {
  readonly position: string
  readonly stream: string
  readonly id: string
  readonly recorded: string
  /** Null if the stored text is not valid JSON; then the hash is null, too. */
  readonly event: LeafEvent | null
  readonly hash: Hash | null
  readonly fault: string | null
}

/** One log position: the leaf in the tree and the event in the log */
export interface Joined {
  readonly record: LeafRecord | null
  readonly stored: StoredEvent | null
}

/** The log as the verification reads it. */
export interface LogRows {
  /** Returns the events after a position; none at the end. */
  readonly page: (after: string) => Promise<readonly StoredEvent[]>
  /** Returns the retention settings that were ever in force. */
  readonly periods: () => Promise<readonly RetentionPeriod[]>
}

const HASH_BYTES = 32
const PAGE = 1000
const BESIDE = 'recorded::text[], kept'

interface TileRow {
  readonly index: string
  readonly hashes: Buffer
  readonly positions: readonly string[] | null
  readonly recorded: readonly string[] | null
  readonly kept: readonly string[] | null
  readonly first_position: string | null
}

const ofTile = ({ index, hashes, positions, recorded, kept, first_position }: TileRow): LeafRecord[] => {
  const lengths = [hashes.length / HASH_BYTES, positions?.length, recorded?.length, kept?.length]
  const fault = lengths.some((length) => length !== TILE_SIZE)
    ? 'the tile does not have 256 leaves'
    : first_position === positions?.[0]
      ? null
      : 'first_position differs from the position of the first leaf'
  return Array.from({ length: TILE_SIZE }, (_, i) => ({
    index: Number(index) * TILE_SIZE + i,
    hash: hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
    position: positions?.[i] ?? '',
    recorded: recorded?.[i] ?? '',
    kept: (kept?.[i] ?? '') as Place['kept'],
    table: 'proof.tile',
    fault: i === 0 ? fault : null,
  }))
}

/** Yields every leaf of the tree in order, starting at a tile. */
const leafRecords = async function* (
  client: pg.ClientBase,
  firstTile: number,
): AsyncGenerator<readonly LeafRecord[]> {
  for (let after = String(firstTile - 1); ;) {
    const { rows } = await client.query<TileRow>(
      `select index::text, hashes, positions, ${BESIDE}, first_position from proof.tile t
       where level = 0 and t.index > $1 order by t.index limit 8`,
      [after],
    )
    const last = rows.at(-1)
    if (last === undefined) break
    yield rows.flatMap(ofTile)
    after = last.index
  }
  const { rows } = await client.query<Omit<LeafRecord, 'index' | 'table' | 'fault'> & { index: string }>(
    `select index::text, hash, coalesce(position, '') as position, coalesce(recorded::text, '') as recorded,
       coalesce(kept, '') as kept from proof.open_hash h where level = 0 order by h.index`,
  )
  yield rows.map((row) => ({ ...row, index: Number(row.index), table: 'proof.open_hash', fault: null }))
}

const storedOf = (event: RecordedEvent, fault: string | null = null): StoredEvent => {
  const { position, stream, id, recorded } = event
  const leaf = leafOf(event)
  return { position, stream, id, recorded, event: { ...event, leaf }, hash: leafHash(leaf), fault }
}

/** Undefined for text that is not a JSON object */
const parsed = (text: string): RecordedEvent['data'] | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as RecordedEvent['data']) : undefined
  } catch {
    return undefined
  }
}

const ofRow = (row: EventRow): StoredEvent => {
  const position = padPosition(row.position)
  const { stream, id, recorded, type } = row
  const [data, metadata] = [parsed(row.data), parsed(row.metadata)]
  if (data === undefined || metadata === undefined)
    return { position, stream, id, recorded, event: null, hash: null, fault: null }
  // Different texts of the same JSON make the same leaf, but the log writes only one of them.
  const rewritten = [
    ...(JSON.stringify(data) === row.data ? [] : ['data']),
    ...(JSON.stringify(metadata) === row.metadata ? [] : ['metadata']),
  ]
  return storedOf(
    { position, stream, id, type, recorded, revision: Number(row.revision), data, metadata },
    rewritten.length === 0 ? null : `${rewritten.join(' and ')} was not written in the format of the log`,
  )
}

/** Reads the rows of the log in Postgres as stored. */
export const postgresRows = (client: pg.ClientBase, prefix: string): LogRows => ({
  page: async (after) => {
    for (let from = after; ;) {
      const rows = await readEventRows(client, from as Position, PAGE)
      const last = rows.at(-1)
      if (last === undefined) return []
      const ours = rows
        .filter(({ stream }) => stream.startsWith(prefix))
        .map((row) => ofRow({ ...row, stream: row.stream.slice(prefix.length) }))
      if (ours.length > 0) return ours
      from = padPosition(last.position)
    }
  },
  periods: () =>
    readPeriods({
      readStream: async (stream) =>
        (await readStreamRows(client, prefix + stream)).flatMap((row) => ofRow(row).event ?? []),
    }),
})

/** Reads the log of any other engine through its interface. */
export const engineRows = (log: EventLog): LogRows => ({
  page: async (after) => (await log.readAll(after as Position, PAGE)).map((event) => storedOf(event)),
  periods: () => readPeriods(log),
})

const same = (record: LeafRecord, stored: StoredEvent): boolean =>
  record.position === stored.position || (stored.hash !== null && sameHash(record.hash, stored.hash))

/** Returns the position of the last leaf before a tile; '' for the first tile. */
const positionBefore = async (client: pg.ClientBase, tile: number): Promise<string> => {
  const { rows } = await client.query<{ position: string | null }>(
    `select positions[${String(TILE_SIZE)}] as position from proof.tile t where level = 0 and t.index = $1`,
    [tile - 1],
  )
  return rows[0]?.position ?? ''
}

/**
 * Yields leaves with their events in order. Pairs them by position or, if a position was changed, by hash.
 * @param from first leaf; earlier ones may be included
 */
export const joinLeaves = async function* (
  client: pg.ClientBase,
  rows: LogRows,
  from = 0,
): AsyncGenerator<readonly Joined[]> {
  const firstTile = Math.floor(from / TILE_SIZE)
  let position = await positionBefore(client, firstTile)
  let events: readonly StoredEvent[] = []
  let at = 0
  let ended = false
  const fill = async (): Promise<void> => {
    if (at < events.length || ended) return
    events = await rows.page(position)
    position = events.at(-1)?.position ?? position
    at = 0
    ended = events.length === 0
  }
  for await (const records of leafRecords(client, firstTile)) {
    const joined: Joined[] = []
    for (let i = 0; i < records.length;) {
      await fill()
      const [record, stored] = [records[i] ?? null, events[at] ?? null]
      if (record === null) break
      if (stored !== null && same(record, stored)) {
        joined.push({ record, stored })
        i++
        at++
      } else if (stored === null || record.position < stored.position) {
        joined.push({ record, stored: null })
        i++
      } else {
        joined.push({ record: null, stored })
        at++
      }
    }
    yield joined
  }
  for (;;) {
    await fill()
    if (ended) return
    yield events.slice(at).map((stored) => ({ record: null, stored }))
    at = events.length
  }
}

/**
 * Returns whether the log may have deleted events of this age and class.
 * @param periods the settings that were ever in force
 * @param now microseconds since 1970
 */
export const deletable = (
  periods: readonly RetentionPeriod[],
  now: number,
): ((place: Pick<Place, 'recorded' | 'kept'>) => boolean) => {
  const before = {
    permanent: goneBefore('permanent', periods, now),
    sign_in: goneBefore('sign_in', periods, now),
    token: goneBefore('token', periods, now),
  }
  return ({ recorded, kept }) => {
    const limit = own(before, kept) ?? null
    return limit !== null && /^\d+$/.test(recorded) && Number(recorded) < limit
  }
}
