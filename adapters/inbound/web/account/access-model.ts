/** Reads what the account pages show about access packages, requests and reviews. */
import { findAccessPackage, packagesFor } from '../../../../read-models/queries/access-packages.ts'
import {
  listAccessRequests,
  reportsOf,
  type AccessRequestRow,
} from '../../../../read-models/queries/access-requests.ts'
import {
  countItemsToDecide,
  listAccessReviews,
  listReviewItems,
  type AccessReviewRow,
} from '../../../../read-models/queries/access-reviews.ts'
import type { Services } from '../../../application/services/services.ts'
import type { RequestToDecide } from './approvals-page.ts'

/** Longer lists are available over the API. */
const SHOWN = 50
const MOST_REPORTS = 200
const MOST_ITEMS = 200

export const accessFacts = ({ pool, clock }: Pick<Services, 'pool' | 'clock'>) => {
  const toDecide = async (request: AccessRequestRow): Promise<RequestToDecide> => {
    const found = await findAccessPackage(pool, request.packageId, clock.now())
    return {
      request,
      groups: (found?.groups ?? []).flatMap(({ name }) => name ?? []),
      answers: Object.entries(request.answers).map(([id, answer]) => [
        found?.questions.find((question) => question.id === id)?.label ?? id,
        typeof answer === 'string' ? answer : answer ? '✓' : '✗',
      ]),
    }
  }

  return {
    /** @param of one of the user's reports; any other user is ignored */
    access: async (userId: string, of?: string) => {
      const reports = await reportsOf(pool, userId, MOST_REPORTS)
      const report = reports.find(({ id }) => id === of) ?? null
      const [packages, requests] = await Promise.all([
        packagesFor(pool, report?.id ?? userId, clock.now()),
        listAccessRequests(pool, report === null ? { userId } : { forUserId: report.id }, SHOWN),
      ])
      return { userId, reports, report, packages, requests }
    },
    reviews: async (reviewerId: string) => {
      const found = await listAccessReviews(pool, { reviewerId }, SHOWN)
      const own = { reviewerId, decision: 'pending' } as const
      const toReview = async (review: AccessReviewRow) => ({
        review,
        items: await listReviewItems(pool, review.id, own, MOST_ITEMS),
        open: await countItemsToDecide(pool, review.id, reviewerId),
      })
      return { reviews: await Promise.all(found.map(toReview)) }
    },
    approvals: async (approverId: string) => {
      const requests = await listAccessRequests(pool, { approverId }, SHOWN)
      return { toDecide: await Promise.all(requests.map(toDecide)) }
    },
  }
}
