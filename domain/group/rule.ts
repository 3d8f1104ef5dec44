/** Rules that define group membership by attributes. Evaluated for active and invited users. */
export const ruleAttributes = [
  'department',
  'title',
  'email',
  'emailDomain',
  'location',
  'managerId',
  'employeeId',
  'kind',
] as const
/** Operators with one value. */
export const comparisons = ['eq', 'ne', 'starts_with', 'ends_with', 'contains'] as const
export const ruleOperators = [...comparisons, 'in', 'present'] as const

export interface RuleCondition {
  /** One of {@link ruleAttributes}, or `custom.<key>`. */
  readonly attribute: string
  readonly operator: (typeof ruleOperators)[number]
  /** A list for `in`, unused for `present`. */
  readonly value?: string | readonly string[]
}

export interface GroupRule {
  readonly match: 'all' | 'any'
  readonly conditions: readonly RuleCondition[]
}

/** The fields of a user that rules can use. */
export interface RuleSubject {
  readonly kind: 'person' | 'service_account'
  readonly email?: string
  readonly department?: string
  readonly title?: string
  readonly location?: string
  readonly managerId?: string
  readonly employeeId?: string
  readonly custom?: Readonly<Record<string, string>>
}

const attributeOf = (subject: RuleSubject, attribute: string): string => {
  if (attribute === 'emailDomain') return subject.email?.split('@').at(-1) ?? ''
  if (attribute.startsWith('custom.')) {
    const key = attribute.slice('custom.'.length)
    return subject.custom !== undefined && Object.hasOwn(subject.custom, key)
      ? (subject.custom[key] ?? '')
      : ''
  }
  switch (attribute) {
    case 'kind':
    case 'email':
    case 'department':
    case 'title':
    case 'location':
    case 'managerId':
    case 'employeeId':
      return subject[attribute] ?? ''
    default:
      return ''
  }
}

const fold = (text: string): string => text.normalize('NFC').toLowerCase()

const holds = (condition: RuleCondition, subject: RuleSubject): boolean => {
  const actual = fold(attributeOf(subject, condition.attribute))
  const values = (Array.isArray(condition.value) ? condition.value : [condition.value ?? '']).map((v) =>
    fold(String(v)),
  )
  const [value = ''] = values
  switch (condition.operator) {
    case 'eq':
      return actual === value
    case 'ne':
      return actual !== value
    case 'in':
      return values.includes(actual)
    case 'starts_with':
      return actual !== '' && actual.startsWith(value)
    case 'ends_with':
      return actual !== '' && actual.endsWith(value)
    case 'contains':
      return actual !== '' && actual.includes(value)
    case 'present':
      return actual !== ''
  }
}

/** Whether the rule matches the user. Comparison is not case-sensitive; a missing attribute counts as empty. */
export const matchesRule = (rule: GroupRule, subject: RuleSubject): boolean =>
  rule.match === 'all'
    ? rule.conditions.every((condition) => holds(condition, subject))
    : rule.conditions.some((condition) => holds(condition, subject))

/** What is wrong with a rule beyond its JSON shape; null if it is valid. */
export const ruleProblem = (rule: GroupRule): { readonly message: string; readonly field: string } | null => {
  if (rule.conditions.length === 0)
    return { message: 'A rule needs at least one condition.', field: '/rule/conditions' }
  for (const [index, { attribute, operator, value }] of rule.conditions.entries()) {
    const field = `/rule/conditions/${String(index)}`
    const known =
      (ruleAttributes as readonly string[]).includes(attribute) || /^custom\.[^.]{1,64}$/.test(attribute)
    if (!known)
      return {
        message: `attribute: expected one of ${ruleAttributes.join(', ')} or custom.<key>`,
        field: `${field}/attribute`,
      }
    if (operator === 'in' && !(Array.isArray(value) && value.length > 0))
      return { message: 'value: expected a list of strings for the operator in', field: `${field}/value` }
    if (operator !== 'in' && operator !== 'present' && (typeof value !== 'string' || value === ''))
      return {
        message: `value: expected a non-empty string for the operator ${operator}`,
        field: `${field}/value`,
      }
  }
  return null
}
