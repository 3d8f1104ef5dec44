import { Type } from 'typebox'
import { comparisons, ruleAttributes, ruleOperators } from '../../../domain/group/rule.ts'
import { fields, idOf, oneOf } from '../http/route.ts'
import { via } from './access-schemas.ts'
import { CONTROLS } from '../http/character-classes.ts'
import { clearable, line, nullable, printable, prose, Time, Version } from '../http/schemas.ts'

/** The fields of every group that administrators write. */
export const groupFields = { name: line(100, 'Engineering'), description: clearable(prose(1000)) }

const value = printable(500)
const values = Type.Array(value, { minItems: 1, maxItems: 200 })

const attribute = Type.String({
  maxLength: 80,
  pattern: `^(?:${ruleAttributes.join('|')}|custom\\.[^.${CONTROLS}]{1,64})$`,
  title: `one of ${ruleAttributes.join(', ')} or custom.<key>`,
  examples: ['department'],
})

/** A rule in requests; the operator determines the type of the value. */
export const RuleInput = fields(
  {
    match: Type.Enum(['all', 'any']),
    conditions: Type.Array(
      oneOf([
        fields(
          { attribute, operator: Type.Enum([...comparisons]), value },
          { title: 'ComparisonConditionInput' },
        ),
        fields({ attribute, operator: Type.Literal('in'), value: values }, { title: 'ListConditionInput' }),
        fields(
          {
            attribute,
            operator: Type.Literal('present'),
            value: Type.Optional(Type.Union([value, values], { description: 'not used' })),
          },
          { title: 'PresenceConditionInput' },
        ),
      ]),
      { minItems: 1, maxItems: 50 },
    ),
  },
  { title: 'GroupRuleInput' },
)

/** A rule in responses. */
export const Rule = Type.Object(
  {
    match: Type.Enum(['all', 'any']),
    conditions: Type.Array(
      Type.Object({
        attribute: Type.String(),
        operator: Type.Enum([...ruleOperators]),
        value: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
      }),
    ),
  },
  { title: 'GroupRule' },
)

export const Group = Type.Object(
  {
    id: idOf('group'),
    name: Type.String(),
    description: nullable(Type.String()),
    rule: nullable(Rule),
    externalId: nullable(Type.String()),
    ownerIds: Type.Array(idOf('user')),
    memberCount: Type.Integer(),
    applicationCount: Type.Integer(),
    source: Type.Enum(['local', 'scim']),
    createdAt: Time,
    updatedAt: Time,
    version: Version,
  },
  { title: 'Group' },
)

export const Member = Type.Object(
  {
    userId: idOf('user'),
    name: Type.String(),
    email: Type.String(),
    status: Type.Enum(['invited', 'active', 'suspended', 'deleted']),
    via,
    sourceId: nullable(Type.String()),
    addedAt: Time,
    addedBy: nullable(Type.String()),
    addedByName: nullable(Type.String({ description: 'name at that time' })),
    eventId: nullable(idOf('auditEvent', { description: 'audit entry of the membership' })),
    expiresAt: nullable(Time),
  },
  { title: 'GroupMember' },
)

const Person = Type.Object({ userId: idOf('user'), name: Type.String(), email: Type.String() })

/** The effects of a rule. The lists show the first 200 users each; the counts cover all. */
export const RulePreview = Type.Object(
  {
    added: Type.Array(Person),
    removed: Type.Array(Person),
    addedCount: Type.Integer(),
    removedCount: Type.Integer(),
    total: Type.Integer({ description: 'users who match the rule' }),
  },
  { title: 'RulePreview' },
)
