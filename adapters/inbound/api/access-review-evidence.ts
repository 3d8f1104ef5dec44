import { Readable } from 'node:stream'
import { accessReviewStream } from '../../../domain/access-review/decider.ts'
import { reviewItemStream } from '../../../domain/access-review/item.ts'
import { populationStream } from '../../../domain/access-review/population.ts'
import { DomainError } from '../../../domain/errors.ts'
import { findAccessReview, listReviewItems } from '../../../read-models/queries/access-reviews.ts'
import type { Services } from '../../application/services/services.ts'
import { checkpoints } from '../../engines/audit/checkpoints.ts'
import { writeEvidence } from '../../engines/audit/evidence/write.ts'
import { auditSigner } from '../../engines/audit/signer.ts'
import { leafIndexOf } from '../../engines/audit/tree.ts'
import { someAtATime } from '../../kernel/some-at-a-time.ts'
import { fields, idOf, route, type Route } from '../http/route.ts'
import { existing, readers } from '../http/schemas.ts'
import { NDJSON } from './event-formats.ts'

const tag = 'Access reviews'

/** Items of one read of the evidence, and streams that are read at once. */
const ITEMS_AT_ONCE = 200
const STREAMS_AT_ONCE = 16

/** The route for the evidence of access reviews. */
export const accessReviewEvidenceRoutes = (
  services: Pick<Services, 'pool' | 'storedStream' | 'vault' | 'publicUrl'>,
): readonly Route[] => {
  const { pool, storedStream } = services
  const signer = auditSigner(services)
  const currentCheckpoint = checkpoints(pool, signer)

  /** The events of a review: its own, its population, and those of each item. */
  const eventsOf = async function* (reviewId: string) {
    yield await storedStream(accessReviewStream(reviewId))
    // One part at a time, because parts are large.
    for (const part of await storedStream(populationStream(reviewId))) yield [part]
    for (let after: number | undefined; ;) {
      const items = await listReviewItems(pool, reviewId, {}, ITEMS_AT_ONCE, after)
      const streams = await someAtATime(items, STREAMS_AT_ONCE, ({ id }) =>
        storedStream(reviewItemStream(id)),
      )
      yield streams.flat()
      const last = items.at(-1)
      if (last === undefined || items.length < ITEMS_AT_ONCE) return
      after = last.number
    }
  }

  return [
    route({
      method: 'GET',
      path: '/access-reviews/{id}/evidence',
      tag,
      summary: 'Download the evidence of a completed access review',
      description:
        'Its population, each decision, who made it and when, and what was applied: the stored events, each with the proof that the signed log contains it. "svc audit verify --bundle" verifies the file with only the public key of the log.',
      access: readers,
      params: fields({ id: idOf('accessReview') }),
      produces: [NDJSON],
      status: 200,
      errors: ['ERR_CONFLICT'],
      handle: async ({ params: { id }, http }) => {
        const { status } = await existing(findAccessReview(pool, id))
        if (status !== 'completed')
          throw new DomainError('ERR_CONFLICT', 'The evidence is available once the review is completed.')
        const checkpoint = await currentCheckpoint()
        const last = (await storedStream(accessReviewStream(id))).at(-1)
        const index = last === undefined ? null : await leafIndexOf(pool, last.position)
        // Its completion is the last of all its events.
        if (index === null || index >= checkpoint.size)
          throw new DomainError(
            'ERR_UNAVAILABLE',
            'The review is not in the audit tree yet. Retry in a moment.',
          )
        const options = { pool, signer: await signer(), checkpoint, reviewId: id, batches: eventsOf(id) }
        const lines = http.method === 'HEAD' ? [] : writeEvidence(options)
        return {
          content: { type: NDJSON, data: Readable.from(lines, { objectMode: false }) },
          headers: { 'Content-Disposition': `attachment; filename="access-review-${id}.ndjson"` },
        }
      },
    }),
  ]
}
