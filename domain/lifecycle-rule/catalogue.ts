import { entityManagement, low, medium } from '../audit/ocsf-classes.ts'
import { nobody, noConsequences, type Rows } from '../catalogue-row.ts'
import type { LifecycleRuleEvent } from './events.ts'

const rule = (data: { ruleId: string }) => ({ type: 'lifecycle_rule', id: data.ruleId })

const plain = {
  schema: 1,
  target: rule,
  personal: [],
  subject: nobody,
  consequences: noConsequences,
} as const

export const lifecycleRuleEvents = {
  'lifecycle_rule.created': {
    ...plain,
    audit: 'lifecycle_rule.create',
    ocsf: entityManagement('Create'),
    summary: ({ name }) => `Created the lifecycle rule ${name}`,
  },
  'lifecycle_rule.updated': {
    ...plain,
    audit: 'lifecycle_rule.update',
    ocsf: entityManagement('Update', low),
    summary: (_, { target }) => `Updated the lifecycle rule ${target}`,
  },
  'lifecycle_rule.enabled': {
    ...plain,
    audit: 'lifecycle_rule.enable',
    ocsf: entityManagement('Enable'),
    summary: (_, { target }) => `Enabled the lifecycle rule ${target}`,
  },
  'lifecycle_rule.disabled': {
    ...plain,
    audit: 'lifecycle_rule.disable',
    ocsf: entityManagement('Disable', low),
    summary: (_, { target }) => `Disabled the lifecycle rule ${target}`,
  },
  'lifecycle_rule.paused': {
    ...plain,
    audit: 'lifecycle_rule.pause',
    ocsf: entityManagement('Disable', medium),
    summary: ({ users, limit }, { target }) =>
      `Paused the lifecycle rule ${target}: ${String(users)} users are due, and at most ${String(limit)} may be`,
    consequences: { ...noConsequences, emails: ['lifecycle_rule_paused'] },
  },
  'lifecycle_rule.deleted': {
    ...plain,
    audit: 'lifecycle_rule.delete',
    ocsf: entityManagement('Delete', low),
    summary: (_, { target }) => `Deleted the lifecycle rule ${target}`,
  },
} as const satisfies Rows<LifecycleRuleEvent>
