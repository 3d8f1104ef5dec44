/** Writes the evidence of a review: its events, each with the proof that the signed log contains it. */
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { EVIDENCE_FORMAT, type EvidenceHeader } from '../../../../domain/access-review/evidence.ts'
import { inclusionRanges } from '../../../../domain/audit/merkle.ts'
import { leafOf } from '../../event-log/leaf.ts'
import type { RecordedEvent } from '../../event-log/event-log.ts'
import { nodeBytes } from '../bytes.ts'
import { sealBundle } from '../heads.ts'
import type { Signer } from '../signer.ts'
import type { SignedCheckpoint } from '../checkpoints.ts'
import { hashesOf, leafIndexesOf } from '../tree.ts'

/** The tree does not have an event yet. */
export class NotInTree extends Error {
  override readonly name = 'NotInTree'
}

interface EvidenceOptions {
  readonly pool: pg.Pool
  readonly signer: Signer
  readonly checkpoint: SignedCheckpoint
  readonly reviewId: string
  /** The events in their order, some at a time */
  readonly batches: AsyncIterable<readonly RecordedEvent[]>
}

/**
 * Yields the lines of the file.
 * @throws NotInTree for an event that the checkpoint does not cover
 */
export const writeEvidence = async function* ({
  pool,
  signer,
  checkpoint: { origin, size, note },
  reviewId,
  batches,
}: EvidenceOptions): AsyncGenerator<string> {
  const digest = createHash('sha256')
  let lines = 0
  const counted = (piece: string, count: number): string => {
    lines += count
    digest.update(piece)
    return piece
  }
  const header: EvidenceHeader = { format: EVIDENCE_FORMAT, note, origin, reviewId, size }
  yield counted(`${JSON.stringify(header)}\n`, 1)
  for await (const events of batches) {
    const indexes = await leafIndexesOf(
      pool,
      events.map(({ position }) => position),
    )
    const proofs = events.map(({ position }) => {
      const index = indexes.get(position)
      if (index === undefined || index >= size) throw new NotInTree(position)
      return { index, ranges: inclusionRanges(index, [0, size]) }
    })
    const hashes = (
      await hashesOf(
        pool,
        proofs.flatMap(({ ranges }) => ranges),
      )
    ).map((hash) => nodeBytes.toBase64(hash))
    let from = 0
    const texts = events.map((event, at) => {
      const { index = 0, ranges = [] } = proofs[at] ?? {}
      const proof = hashes.slice(from, (from += ranges.length))
      return `{"index":${String(index)},"leaf":${leafOf(event)},"proof":${JSON.stringify(proof)}}\n`
    })
    if (texts.length > 0) yield counted(texts.join(''), texts.length)
  }
  yield `${JSON.stringify({ seal: sealBundle(signer, lines, digest.digest()) })}\n`
}
