import { low, medium, userAccess } from '../audit/ocsf-classes.ts'
import { noConsequences, type Rows } from '../catalogue-row.ts'
import type { LifecycleRunEvent } from './events.ts'

const rule = (data: { ruleId: string }) => ({ type: 'lifecycle_rule', id: data.ruleId })
const person = (data: { userId: string }) => data.userId

const plain = {
  schema: 1,
  target: rule,
  personal: [],
  subject: person,
  consequences: noConsequences,
} as const

const words = (text: string): string => text.replaceAll('_', ' ')

export const lifecycleRunEvents = {
  'lifecycle_run.created': {
    ...plain,
    audit: 'lifecycle_rule.run',
    ocsf: userAccess('Other'),
    // It has dates of the profile. After the user's erasure, it is missing.
    personal: ['trigger'],
    summary: ({ trigger }, { target, other }) =>
      `The lifecycle rule ${target} applies to ${other} (${words((trigger as typeof trigger | undefined)?.type ?? 'unknown')})`,
  },
  'lifecycle_run.skipped': {
    ...plain,
    audit: 'lifecycle_rule.run.skip',
    ocsf: userAccess('Other', low),
    summary: ({ reason }, { target, other }) =>
      `Skipped a run of the lifecycle rule ${target} for ${other} (${words(reason)})`,
  },
  'lifecycle_run.email_sent': {
    ...plain,
    audit: 'lifecycle_rule.email.send',
    ocsf: userAccess('Other'),
    summary: ({ recipientIds }, { target, other }) =>
      `The lifecycle rule ${target} sends ${String(recipientIds.length)} ${recipientIds.length === 1 ? 'email' : 'emails'} about ${other}`,
    consequences: { ...noConsequences, emails: ['lifecycle_message'] },
  },
  'lifecycle_run.step_ended': {
    ...plain,
    audit: ({ status }) => (status === 'failed' ? 'lifecycle_rule.action.fail' : null),
    actions: { 'lifecycle_rule.action.fail': userAccess('Other', { ...medium, failed: true }) },
    outcome: ({ status }) => (status === 'failed' ? 'denied' : 'success'),
    summary: ({ action, error }, { target, other }) =>
      `The action ${words(action)} of the lifecycle rule ${target} failed for ${other}: ${(error?.message ?? 'unknown').replace(/\.$/, '')}`,
  },
  'lifecycle_run.finished': {
    ...plain,
    audit: null,
    summary: ({ status }, { target, other }) =>
      `A run of the lifecycle rule ${target} for ${other} ended (${words(status)})`,
  },
} as const satisfies Rows<LifecycleRunEvent>
