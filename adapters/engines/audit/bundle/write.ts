import { createHash } from 'node:crypto'
import type pg from 'pg'
import {
  BUNDLE_FORMAT,
  rangesAfter,
  rangesBefore,
  type BundleHeader,
} from '../../../../domain/audit/bundle.ts'
import { consistencyRanges, sameHash } from '../../../../domain/audit/merkle.ts'
import { microsecondsOf } from '../../event-log/retention.ts'
import { nodeBytes } from '../bytes.ts'
import { headOfNote, sealBundle } from '../heads.ts'
import type { Signer } from '../signer.ts'
import { hashesOf, treeState } from '../tree.ts'
import { deletable, joinLeaves, type Joined, type LogRows } from '../verify/leaves.ts'
import { lineOf } from './lines.ts'

/** The stored data is inconsistent, so no bundle could be verified. */
export class DoesNotHold extends Error {
  constructor(what: string) {
    super(`${what}. Run "svc audit verify"`)
    this.name = 'DoesNotHold'
  }
}

export interface BundleOptions {
  /** In a transaction with one snapshot */
  readonly client: pg.ClientBase
  readonly logRows: LogRows
  readonly signer: Signer
  /** First leaf, and the leaf after the last; all leaves if omitted */
  readonly from?: number
  readonly to?: number
  /** Size of an earlier tree; the bundle proves that this tree extends it. */
  readonly earlier?: number
  readonly now: Date
}

export interface WrittenBundle {
  readonly from: number
  readonly to: number
  readonly size: number
  /** The text of the file, in chunks. @throws DoesNotHold */
  readonly text: AsyncIterable<string>
}

const lineOfLeaf = ({ record, stored }: Joined, mayBeGone: ReturnType<typeof deletable>): string => {
  if (record === null) throw new DoesNotHold(`the event at ${stored?.position ?? ''} has no leaf`)
  const event = stored?.event ?? null
  if (stored === null || event === null) {
    if (stored !== null || !mayBeGone(record))
      throw new DoesNotHold(`the event at ${record.position} is missing`)
    return lineOf(record.hash, null)
  }
  if (stored.hash === null || !sameHash(stored.hash, record.hash))
    throw new DoesNotHold(`the event at ${record.position} differs from the recorded event`)
  return lineOf(record.hash, event.leaf)
}

/**
 * Writes part of the log as a file that can be verified with only a public key.
 * @throws DoesNotHold
 * @throws RangeError for leaves that do not exist
 */
export const writeBundle = async (options: BundleOptions): Promise<WrittenBundle> => {
  const { client, logRows, signer, earlier, now } = options
  const { size, note } = await treeState(client)
  const { from = 0, to = size } = options
  if (from > to || to > size)
    throw new RangeError(
      `expected leaves within the ${String(size)} of the tree, got ${String(from)} to ${String(to)}`,
    )
  if (earlier !== undefined && (earlier < 1 || earlier > size))
    throw new RangeError(
      `the given checkpoint covers ${String(earlier)} events, but the tree has ${String(size)}`,
    )
  if (size === 0) throw new RangeError('the log is empty')
  if (headOfNote(signer, note)?.size !== size) throw new DoesNotHold('the head of the tree is not signed')
  const ofRanges = async (ranges: Parameters<typeof hashesOf>[1]): Promise<readonly string[]> =>
    (await hashesOf(client, ranges)).map((hash) => nodeBytes.toBase64(hash))
  const header: BundleHeader = {
    after: await ofRanges(rangesAfter(to, size)),
    before: await ofRanges(rangesBefore(from)),
    ...(earlier === undefined
      ? {}
      : { consistency: { hashes: await ofRanges(consistencyRanges(earlier, size)), size: earlier } }),
    format: BUNDLE_FORMAT,
    from,
    note,
    origin: signer.name,
    size,
    to,
  }
  const mayBeGone = deletable(await logRows.periods(), microsecondsOf(now))
  const digest = createHash('sha256')
  const text = async function* (): AsyncGenerator<string> {
    let lines = 1
    const counted = (piece: string): string => {
      digest.update(piece)
      return piece
    }
    yield counted(`${JSON.stringify(header)}\n`)
    if (to > from)
      for await (const batch of joinLeaves(client, logRows, from)) {
        const wanted = batch.filter(
          ({ record }) => record === null || (record.index >= from && record.index < to),
        )
        if (wanted[0]?.record === null && lines > to - from) break
        lines += wanted.length
        if (wanted.length > 0) yield counted(wanted.map((joined) => lineOfLeaf(joined, mayBeGone)).join(''))
        if (lines > to - from) break
      }
    if (lines !== 1 + to - from) throw new DoesNotHold('leaves are missing')
    yield `${JSON.stringify({ seal: sealBundle(signer, lines, digest.digest()) })}\n`
  }
  return { from, to, size, text: text() }
}
