import { entityManagement, failed, low } from '../audit/ocsf-classes.ts'
import { nobody, noConsequences, type Rows } from '../catalogue-row.ts'
import type { WebhookEvent } from './events.ts'

const target = ({ webhookId }: { webhookId: string }) => ({ type: 'webhook', id: webhookId })
const common = { schema: 1, target, personal: [], subject: nobody } as const

export const webhookEvents = {
  'webhook.created': {
    ...common,
    audit: 'webhook.create',
    ocsf: entityManagement('Create'),
    summary: ({ url }) => `Created the webhook endpoint ${url}`,
    consequences: noConsequences,
  },
  'webhook.updated': {
    ...common,
    audit: 'webhook.update',
    ocsf: entityManagement('Update'),
    summary: (_, { target: name }) => `Updated the webhook endpoint ${name}`,
    consequences: {
      takesAway: true,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
  'webhook.paused': {
    ...common,
    audit: 'webhook.pause',
    ocsf: entityManagement('Suspend'),
    summary: (_, { target: name }) => `Paused the webhook endpoint ${name}`,
    consequences: {
      takesAway: true,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
  'webhook.resumed': {
    ...common,
    audit: 'webhook.resume',
    ocsf: entityManagement('Resume'),
    summary: (_, { target: name }) => `Resumed the webhook endpoint ${name}`,
    consequences: noConsequences,
  },
  'webhook.deleted': {
    ...common,
    audit: 'webhook.delete',
    ocsf: entityManagement('Delete', low),
    summary: (_, { target: name }) => `Deleted the webhook endpoint ${name} and its delivery log`,
    consequences: {
      takesAway: true,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
  'webhook.tested': {
    ...common,
    audit: 'webhook.test',
    ocsf: entityManagement('Other'),
    summary: (_, { target: name }) => `Sent a test event to the webhook endpoint ${name}`,
    consequences: noConsequences,
  },
  'webhook.delivery_failed': {
    ...common,
    audit: 'webhook.delivery.fail',
    ocsf: entityManagement('Other', failed),
    summary: ({ eventType, attempts, error }, { target: name }) =>
      `Stopped retrying the delivery of ${eventType} to the webhook endpoint ${name} after ${String(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'} (${error.replaceAll('_', ' ')})`,
    consequences: noConsequences,
  },
  'webhook.delivery_retried': {
    ...common,
    audit: 'webhook.delivery.retry',
    ocsf: entityManagement('Other'),
    summary: ({ eventType }, { target: name }) =>
      `Retried the delivery of ${eventType} to the webhook endpoint ${name}`,
    consequences: noConsequences,
  },
} as const satisfies Rows<WebhookEvent>
