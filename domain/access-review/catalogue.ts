import { entityManagement, failed, low, userAccess } from '../audit/ocsf-classes.ts'
import { nobody, noConsequences, type Rows } from '../catalogue-row.ts'
import type { AccessReviewEvent } from './events.ts'

const review = (data: { reviewId: string }) => ({ type: 'access_review', id: data.reviewId })
const reviewed = (data: { userId: string }) => data.userId

const plain = {
  schema: 1,
  target: review,
  personal: [],
  subject: nobody,
  consequences: noConsequences,
} as const

const item = { ...plain, subject: reviewed } as const

const times = (count: number, one: string): string => `${String(count)} ${one}${count === 1 ? '' : 's'}`

export const accessReviewEvents = {
  'access_review.created': {
    ...plain,
    audit: 'access_review.create',
    ocsf: entityManagement('Create'),
    summary: ({ name }) => `Created the access review ${name}`,
  },
  'access_review.updated': {
    ...plain,
    audit: 'access_review.update',
    ocsf: entityManagement('Update'),
    summary: (_, { target }) => `Updated the access review ${target}`,
  },
  'access_review.deleted': {
    ...plain,
    audit: 'access_review.delete',
    ocsf: entityManagement('Delete'),
    summary: (_, { target }) => `Deleted the access review ${target}`,
  },
  'access_review.started': {
    ...plain,
    audit: 'access_review.start',
    ocsf: entityManagement('Enable'),
    summary: (_, { target }) => `Started the access review ${target}`,
  },
  'access_review.items_recorded': {
    ...plain,
    audit: null,
    summary: ({ items }, { target }) =>
      `Recorded ${times(items.length, 'item')} of the access review ${target}`,
  },
  'access_review.opened': {
    ...plain,
    audit: 'access_review.open',
    ocsf: entityManagement('Activate'),
    summary: ({ items }, { target }) => `Opened the access review ${target} with ${times(items, 'item')}`,
    consequences: { ...noConsequences, emails: ['access_review_opened'] },
  },
  'access_review.reminded': {
    ...plain,
    audit: 'access_review.remind',
    ocsf: entityManagement('Other', low),
    summary: ({ daysLeft }, { target }) =>
      `Reminded the reviewers of the access review ${target}, ${times(daysLeft, 'day')} before its end`,
    consequences: { ...noConsequences, emails: ['access_review_opened'] },
  },
  'access_review.item_decided': {
    ...item,
    audit: 'access_review.decide',
    ocsf: userAccess('Other'),
    summary: ({ decision, reviewerId, resource }, { target, other }) =>
      reviewerId === null
        ? `Nobody decided in time about the access of ${other} to ${resource.name} in the access review ${target}: ${decision}`
        : `Decided about the access of ${other} to ${resource.name} in the access review ${target}: ${decision}`,
    personal: ['justification'],
  },
  'access_review.item_reassigned': {
    ...item,
    audit: 'access_review.reassign',
    ocsf: entityManagement('Update'),
    summary: ({ resource }, { target, other }) =>
      `Changed who reviews the access of ${other} to ${resource.name} in the access review ${target}`,
  },
  'access_review.item_applied': {
    ...item,
    audit: ({ status }) => (status === 'failed' ? 'access_review.item.fail' : 'access_review.item.apply'),
    actions: {
      'access_review.item.apply': userAccess('Revoke Privileges'),
      'access_review.item.fail': userAccess('Revoke Privileges', failed),
    },
    summary: ({ status, resource, error }, { target, other }) =>
      status === 'applied'
        ? `Removed the access of ${other} to ${resource.name}, as the access review ${target} decided`
        : `Did not remove the access of ${other} to ${resource.name}, which the access review ${target} decided: ${(error ?? status).replace(/\.$/, '')}`,
  },
  'access_review.closed': {
    ...plain,
    audit: 'access_review.complete',
    ocsf: entityManagement('Deactivate'),
    summary: ({ reason }, { target }) =>
      reason === 'ended'
        ? `The access review ${target} ended`
        : `Ended the access review ${target} before its time`,
  },
  'access_review.applying': {
    ...plain,
    audit: 'access_review.apply',
    ocsf: entityManagement('Update'),
    summary: (_, { target }) => `Started to apply the decisions of the access review ${target}`,
  },
  'access_review.completed': {
    ...plain,
    audit: 'access_review.finish',
    ocsf: entityManagement('Disable'),
    summary: ({ counts }, { target }) =>
      `Finished the access review ${target}: ${String(counts.approved)} approved, ${String(counts.revoked)} revoked`,
  },
  'access_review.cancelled': {
    ...plain,
    audit: 'access_review.cancel',
    ocsf: entityManagement('Delete'),
    summary: (_, { target }) => `Cancelled the access review ${target}`,
  },
} as const satisfies Rows<AccessReviewEvent>
