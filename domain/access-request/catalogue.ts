import { entityManagement, failed, low, userAccess } from '../audit/ocsf-classes.ts'
import { noConsequences, type Rows } from '../catalogue-row.ts'
import type { AccessRequestEvent } from './events.ts'

const request = (data: { requestId: string }) => ({ type: 'access_request', id: data.requestId })
const receiver = (data: { userId: string }) => data.userId

const plain = {
  schema: 1,
  target: request,
  personal: [],
  subject: receiver,
  consequences: noConsequences,
} as const

const asks = { ...noConsequences, emails: ['approval_requested'] } as const
const tells = { ...noConsequences, emails: ['access_request_decided'] } as const

export const accessRequestEvents = {
  'access_request.created': {
    ...plain,
    audit: 'access_request.create',
    ocsf: entityManagement('Create'),
    summary: ({ requestType }, { target, other }) =>
      requestType === 'grant'
        ? `Requested the access package ${target} for ${other}`
        : requestType === 'extend'
          ? `Requested to keep the access package ${target} longer for ${other}`
          : `Requested to remove the access package ${target} from ${other}`,
    personal: ['justification', 'answers'],
  },
  'access_request.stage_opened': {
    ...plain,
    audit: 'access_request.stage.open',
    ocsf: entityManagement('Update'),
    summary: ({ stage, approverIds }, { target, other }) =>
      `Asked ${String(approverIds.length)} ${approverIds.length === 1 ? 'approver' : 'approvers'} in stage ${String(stage)} about the access package ${target} for ${other}`,
    consequences: asks,
  },
  'access_request.approvers_changed': {
    ...plain,
    audit: 'access_request.reassign',
    ocsf: entityManagement('Update'),
    summary: ({ origin }, { target, other }) =>
      `Changed who decides about the access package ${target} for ${other} (${origin})`,
    consequences: asks,
  },
  'access_request.reminded': {
    ...plain,
    audit: 'access_request.remind',
    ocsf: entityManagement('Update'),
    summary: ({ approverIds }, { target, other }) =>
      `Reminded ${String(approverIds.length)} ${approverIds.length === 1 ? 'approver' : 'approvers'} of the request of the access package ${target} for ${other}`,
    consequences: { ...noConsequences, emails: ['approval_reminder'] },
  },
  'access_request.approved': {
    ...plain,
    audit: 'access_request.approve',
    ocsf: userAccess('Assign Privileges'),
    summary: ({ approverId, final }, { target, other }) =>
      approverId === null
        ? `Approved the access package ${target} for ${other} without a decision`
        : `Approved the access package ${target} for ${other}${final ? '' : ', one of several approvals'}`,
    personal: ['comment'],
    consequences: { ...noConsequences, movesPackageAccess: 'delivery' },
  },
  'access_request.denied': {
    ...plain,
    audit: 'access_request.deny',
    ocsf: userAccess('Other'),
    summary: (_, { target, other }) => `Denied the access package ${target} for ${other}`,
    personal: ['comment'],
    consequences: tells,
  },
  'access_request.cancelled': {
    ...plain,
    audit: 'access_request.cancel',
    ocsf: entityManagement('Delete'),
    summary: ({ reason }, { target, other }) =>
      `Cancelled the request of the access package ${target} for ${other} (${reason.replaceAll('_', ' ')})`,
  },
  'access_request.expired': {
    ...plain,
    audit: 'access_request.expire',
    ocsf: entityManagement('Disable', low),
    summary: (_, { target, other }) =>
      `Nobody decided in time about the access package ${target} for ${other}`,
    consequences: tells,
  },
  'access_request.scheduled': {
    ...plain,
    audit: 'access_request.schedule',
    ocsf: entityManagement('Update'),
    summary: (_, { target, other }) => `Scheduled the access package ${target} for ${other}`,
    consequences: tells,
  },
  'access_request.delivered': {
    ...plain,
    audit: 'access_request.deliver',
    ocsf: userAccess('Assign Privileges'),
    summary: (_, { target, other }) => `Delivered the access package ${target} for ${other}`,
    consequences: tells,
  },
  'access_request.failed': {
    ...plain,
    audit: 'access_request.fail',
    ocsf: userAccess('Assign Privileges', failed),
    summary: ({ error }, { target, other }) =>
      `Could not deliver the access package ${target} for ${other}: ${error.replace(/\.$/, '')}`,
    consequences: tells,
  },
  'access_request.retried': {
    ...plain,
    audit: 'access_request.retry',
    ocsf: entityManagement('Update'),
    summary: (_, { target, other }) => `Tried again to deliver the access package ${target} for ${other}`,
    consequences: { ...noConsequences, movesPackageAccess: 'delivery' },
  },
} as const satisfies Rows<AccessRequestEvent>
