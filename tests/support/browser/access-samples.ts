import type { AccessReviewItemRow, AccessReviewRow } from '../../../read-models/queries/access-reviews.ts'
import { reviewsPage } from '../../../adapters/inbound/web/account/reviews-page.ts'
import { accessPage } from '../../../adapters/inbound/web/account/access-page.ts'
import { approvalsPage } from '../../../adapters/inbound/web/account/approvals-page.ts'
import type { AccountFrame } from '../../../adapters/inbound/web/account/frame.ts'
import type { RequestablePackage } from '../../../read-models/queries/access-packages.ts'
import type { AccessRequestRow } from '../../../read-models/queries/access-requests.ts'
import { id } from '../fixed.ts'

type Context = Pick<AccountFrame, 'asset' | 'language' | 'organization' | 'person'>

const ada = { id: id('user', 1), name: 'Ada Lovelace' }
const mary = { id: id('user', 2), name: 'Mary Somerville, who has a very long name for a narrow screen' }

const vault: RequestablePackage = {
  id: id('accessPackage', 1),
  name: 'Reports of the treasury and its subsidiaries',
  description: 'Monthly and yearly reports, for whoever prepares the audit',
  groups: [{ id: id('group', 1), name: 'Treasury readers' }],
  approvalRequired: true,
  requesterJustificationRequired: true,
  duration: { default: 'P90D', max: 'P1Y', requesterMayChoose: true },
  questions: [
    { id: 'centre', label: 'Cost centre', type: 'choice', choices: ['Sales', 'Law'], required: true },
    { id: 'why', label: 'Anything else?', type: 'text', required: false },
    { id: 'remote', label: 'From home', type: 'boolean', required: false },
  ],
  requestable: true,
  assignment: null,
  pendingRequestId: null,
}

const held: RequestablePackage = {
  ...vault,
  id: id('accessPackage', 2),
  name: 'Travel',
  assignment: {
    id: id('packageAssignment'),
    status: 'active',
    startsAt: '2026-11-01T08:00:00.000000Z',
    expiresAt: '2026-12-01T08:00:00.000000Z',
  },
}

const request: AccessRequestRow = {
  id: id('accessRequest'),
  packageId: vault.id,
  packageName: vault.name,
  requester: mary,
  forUser: ada,
  type: 'grant',
  status: 'pending',
  justification: 'The audit starts on Monday',
  answers: { centre: 'Law' },
  requestedDuration: 'P30D',
  startsAt: '2026-11-30T08:00:00.000000Z',
  stages: [1, 2].map(() => ({
    approvers: { type: 'manager', ids: [] },
    ...{ mode: 'any', timeoutHours: 24, justificationRequired: true },
  })),
  stage: 2,
  eligibleApprovers: [mary],
  approverOrigin: 'stage',
  decisions: [
    {
      approverId: mary.id,
      approverName: mary.name,
      decision: 'approve',
      comment: 'As agreed',
      at: '2026-11-21T08:00:00.000000Z',
      stage: 1,
    },
  ],
  expiresAt: '2026-12-01T08:00:00.000000Z',
  decidedAt: null,
  assignmentId: null,
  error: null,
  createdAt: '2026-11-20T08:00:00.000000Z',
  updatedAt: '2026-11-21T08:00:00.000000Z',
  version: 3,
  position: '1',
}

const review: AccessReviewRow = {
  id: id('accessReview'),
  name: 'Quarterly review of the Treasury',
  description: 'Confirm who still needs it.',
  scope: { type: 'group', ids: [id('group')] },
  stages: [{ type: 'manager', ids: [], fallbackIds: [] }],
  schedule: { startsAt: '2026-11-20T08:00:00.000000Z', durationDays: 14, repeat: 'quarterly' },
  settings: {
    ...{ justificationRequired: 'on_revoke', selfReview: false, bulkDecisions: true, reminders: [7] },
    ...{ recommendationInactiveDays: 30, onNoResponse: 'keep', autoApply: true },
  },
  status: 'active',
  ...{ snapshotAt: '1', startedAt: '2026-11-20T08:00:00.000000Z', endsAt: '2026-12-04T08:00:00.000000Z' },
  ...{ openedAt: '2026-11-20T08:00:02.000000Z', closedAt: null, completedAt: null, reminded: [] },
  ...{ previousReviewId: null, seriesStartsAt: null, authorId: null },
  counts: {
    ...{ total: 300, pending: 300, approved: 0, revoked: 0, abstained: 0 },
    ...{ applied: 0, failed: 0, manual: 0 },
  },
  names: { [id('group')]: 'Treasury readers' },
  ...{ createdAt: '2026-11-19T08:00:00.000000Z', updatedAt: '2026-11-20T08:00:02.000000Z' },
  ...{ version: 3, position: '1' },
}

const reviewItem: AccessReviewItemRow = {
  ...{ id: id('accessReviewItem'), reviewId: review.id, number: 0, userId: ada.id, userName: ada.name },
  userEmail: 'ada.lovelace.countess@northwind.example',
  resource: { type: 'group', id: id('group'), name: 'Treasury readers' },
  accessVia: [
    { via: 'assigned', groupId: id('group'), groupName: 'Treasury readers', since: review.createdAt },
    { via: 'package', groupId: id('group'), groupName: 'Treasury readers', since: review.createdAt },
  ],
  ...{ lastUsedAt: null, recommendation: 'revoke', recommendationReason: 'not_used' },
  ...{ recordedReviewers: [[mary.id]], stage: 1, reviewers: [mary], decision: 'pending', decisions: [] },
  ...{ decidedAt: null, applyStatus: 'none', applyError: null, version: 0 },
}

export const accessSamples: Readonly<Record<string, (context: Context) => string>> = {
  '/account/access': (context) =>
    accessPage({
      ...context,
      userId: ada.id,
      reports: [{ ...mary, email: 'mary.somerville@northwind.example' }],
      report: null,
      packages: [vault, held, { ...vault, id: id('accessPackage', 3), pendingRequestId: request.id }],
      requests: [
        request,
        { ...request, id: id('accessRequest', 2), status: 'failed', forUser: mary, error: 'It is gone.' },
      ],
    }),
  '/account/access/report': (context) =>
    accessPage({
      ...context,
      userId: ada.id,
      reports: [],
      report: { ...mary, email: 'mary.somerville@northwind.example' },
      packages: [held],
      requests: [],
    }),
  '/account/approvals': (context) =>
    approvalsPage({
      ...context,
      toDecide: [{ request, groups: ['Treasury readers'], answers: [['Cost centre', 'Law']] }],
    }),
  '/account/reviews': (context) =>
    reviewsPage({ ...context, reviews: [{ review, items: [reviewItem], open: 300 }] }),
  '/account/reviews/none': (context) => reviewsPage({ ...context, reviews: [] }),
}
