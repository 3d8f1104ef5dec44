/** The file of an export in the database: encrypted pieces under a key of its own, so that any instance can send it. */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type pg from 'pg'
import { boxKey, newNonce, openBox, sealBox, SealBroken } from '../../engines/vault/aead.ts'
import type { Vault } from '../../engines/vault/vault.ts'

const PURPOSE = 'export'
const KEY_BYTES = 32
const PIECE_BYTES = 1 << 20
/** A megabyte each */
const DELETED_AT_ONCE = 16
const MOST_ATTEMPTS = 2 ** 31 - 1

const place = (exportId: string, number: number): string => `${exportId} ${String(number)}`

interface StoreServices {
  readonly pool: pg.Pool
  readonly vault: Pick<Vault, 'seal' | 'open'>
  readonly random: (bytes: number) => Buffer
}

/** Returns a key for a new file: its bytes, and how the database keeps it. */
export const newFileKey = ({ vault, random }: Omit<StoreServices, 'pool'>, exportId: string) => {
  const key = random(KEY_BYTES)
  return { key, sealedKey: vault.seal(PURPOSE, key, exportId) }
}

/**
 * Stores a file as it arrives.
 * @param store inserts a piece; called one after the other
 */
export const storeFile = async (
  { random }: Pick<StoreServices, 'random'>,
  exportId: string,
  raw: Buffer,
  bytes: Readable,
  store: (number: number, piece: Buffer, size: number) => Promise<void>,
): Promise<{ readonly size: number; readonly sha256: string }> => {
  const key = boxKey(raw)
  const digest = createHash('sha256')
  let [size, number] = [0, 0]
  let waiting: Buffer[] = []
  let waitingBytes = 0
  const flush = async (): Promise<void> => {
    const piece = Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
    digest.update(piece)
    size += piece.length
    await store(number, sealBox(key, newNonce(random), piece, place(exportId, number)), piece.length)
    number++
  }
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    waiting.push(chunk)
    waitingBytes += chunk.length
    if (waitingBytes >= PIECE_BYTES) await flush()
  }
  if (waitingBytes > 0) await flush()
  return { size, sha256: digest.digest('hex') }
}

/**
 * Deletes pieces of an export in parts: at once, the pieces of a large file would take longer than a statement may.
 * @param before only those of earlier attempts; default: all
 */
export const deletePieces = async (
  { pool }: Pick<StoreServices, 'pool'>,
  exportId: string,
  before = MOST_ATTEMPTS,
): Promise<void> => {
  for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE;) {
    const { rowCount } = await pool.query(
      `delete from work.export_piece where (export_id, attempt, number) in (
         select export_id, attempt, number from work.export_piece
         where export_id = $1 and attempt < $2 order by attempt, number limit $3)`,
      [exportId, before, DELETED_AT_ONCE],
    )
    deleted = rowCount ?? 0
  }
}

/** Yields the bytes of a stored file. @throws SealBroken if a piece is missing or was changed */
export const readFile = async function* (
  { pool, vault }: Pick<StoreServices, 'pool' | 'vault'>,
  file: { readonly id: string; readonly attempt: number; readonly bytes: number; readonly sealedKey: string },
): AsyncGenerator<Buffer> {
  const key = boxKey(vault.open(PURPOSE, file.sealedKey, file.id))
  for (let [number, left] = [0, file.bytes]; left > 0; number++) {
    const { rows } = await pool.query<{ content: Buffer }>(
      'select content from work.export_piece where export_id = $1 and attempt = $2 and number = $3',
      [file.id, file.attempt, number],
    )
    const [row] = rows
    if (row === undefined) throw new SealBroken('a piece of the export is missing')
    const piece = openBox(key, row.content, place(file.id, number))
    left -= piece.length
    yield piece
  }
}
