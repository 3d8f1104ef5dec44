import { expect } from 'chai'
import {
  matchesRule,
  ruleAttributes,
  ruleProblem,
  type GroupRule,
  type RuleCondition,
  type RuleSubject,
} from '../../domain/group/rule.ts'

const ada: RuleSubject = {
  kind: 'person',
  email: 'Ada@Example.com',
  department: 'Analytical Engines',
  title: 'Programmer',
  location: 'Zürich',
  custom: { badge: 'blue' },
}
const rule = (...conditions: RuleCondition[]): GroupRule => ({ match: 'all', conditions })
const one = (attribute: string, operator: RuleCondition['operator'], value?: string | string[]): GroupRule =>
  rule({ attribute, operator, ...(value === undefined ? {} : { value }) })

const verdicts: readonly (readonly [
  string,
  RuleCondition['operator'],
  string | string[] | undefined,
  boolean,
])[] = [
  ['department', 'eq', 'analytical engines', true],
  ['department', 'eq', 'Engines', false],
  ['department', 'ne', 'Sales', true],
  ['department', 'ne', 'ANALYTICAL ENGINES', false],
  ['employeeId', 'ne', 'E-1', true],
  ['department', 'in', ['Sales', 'Analytical Engines'], true],
  ['department', 'in', ['Sales'], false],
  ['employeeId', 'in', ['E-1'], false],
  ['title', 'starts_with', 'prog', true],
  ['title', 'starts_with', 'ammer', false],
  ['title', 'ends_with', 'AMMER', true],
  ['title', 'ends_with', 'prog', false],
  ['title', 'contains', 'gram', true],
  ['title', 'contains', 'gramm.r', false],
  ['employeeId', 'contains', 'E', false],
  ['employeeId', 'starts_with', 'E', false],
  ['employeeId', 'ends_with', 'E', false],
  ['title', 'present', undefined, true],
  ['employeeId', 'present', undefined, false],
  ['managerId', 'present', undefined, false],
  ['kind', 'eq', 'person', true],
  ['kind', 'eq', 'service_account', false],
  ['email', 'eq', 'ada@example.com', true],
  ['emailDomain', 'eq', 'EXAMPLE.COM', true],
  ['emailDomain', 'eq', 'ample.com', false],
  ['location', 'eq', 'Zu\u0308rich', true],
  ['custom.badge', 'eq', 'Blue', true],
  ['custom.hat', 'present', undefined, false],
  ['custom.toString', 'present', undefined, false],
  ['custom.__proto__', 'present', undefined, false],
  ['toString', 'present', undefined, false],
]

describe('A group rule', () => {
  for (const [attribute, operator, value, expected] of verdicts)
    it(`OIDC-18 ${attribute} ${operator} ${JSON.stringify(value) ?? ''} ${expected ? 'matches' : 'does not match'}`, () => {
      expect(matchesRule(one(attribute, operator, value), ada)).to.equal(expected)
    })

  it('OIDC-18 requires all conditions or any', () => {
    const yes: RuleCondition = { attribute: 'title', operator: 'present' }
    const no: RuleCondition = { attribute: 'employeeId', operator: 'present' }
    expect(matchesRule({ match: 'all', conditions: [yes, no] }, ada)).to.equal(false)
    expect(matchesRule({ match: 'any', conditions: [no, yes] }, ada)).to.equal(true)
    expect(matchesRule({ match: 'any', conditions: [no, no] }, ada)).to.equal(false)
    expect(matchesRule({ match: 'all', conditions: [yes, yes] }, ada)).to.equal(true)
  })

  it('OIDC-18 reads nothing from a user without attributes', () => {
    for (const attribute of [...ruleAttributes, 'custom.x'].filter((name) => name !== 'kind'))
      expect(matchesRule(one(attribute, 'present'), { kind: 'person' }), attribute).to.equal(false)
  })

  const problems: readonly (readonly [string, GroupRule, RegExp, string])[] = [
    ['no conditions', rule(), /at least one/, '/rule/conditions'],
    [
      'an unknown attribute',
      one('shoeSize', 'eq', '42'),
      /^attribute: expected one of department/,
      '/rule/conditions/0/attribute',
    ],
    [
      'a custom attribute without a key',
      one('custom.', 'eq', 'x'),
      /^attribute/,
      '/rule/conditions/0/attribute',
    ],
    [
      'a custom attribute with a nested key',
      one('custom.a.b', 'eq', 'x'),
      /^attribute/,
      '/rule/conditions/0/attribute',
    ],
    ['in without a list', one('title', 'in', 'x'), /^value: expected a list/, '/rule/conditions/0/value'],
    ['in with an empty list', one('title', 'in', []), /^value: expected a list/, '/rule/conditions/0/value'],
    ['eq with a list', one('title', 'eq', ['x']), /operator eq/, '/rule/conditions/0/value'],
    ['eq without a value', one('title', 'eq'), /operator eq/, '/rule/conditions/0/value'],
    [
      'contains with an empty value',
      one('title', 'contains', ''),
      /operator contains/,
      '/rule/conditions/0/value',
    ],
    [
      'a second condition that is invalid',
      rule({ attribute: 'title', operator: 'present' }, { attribute: 'x', operator: 'present' }),
      /^attribute/,
      '/rule/conditions/1/attribute',
    ],
  ]
  for (const [what, wrong, message, field] of problems)
    it(`API-05 is refused for ${what}`, () => {
      const problem = ruleProblem(wrong)
      expect(problem?.message).to.match(message)
      expect(problem?.field).to.equal(field)
    })

  it('OIDC-18 can use every attribute with every operator', () => {
    for (const attribute of [...ruleAttributes, 'custom.costCentre']) {
      expect(ruleProblem(one(attribute, 'present'))).to.equal(null)
      expect(ruleProblem(one(attribute, 'in', ['a']))).to.equal(null)
      for (const operator of ['eq', 'ne', 'starts_with', 'ends_with', 'contains'] as const)
        expect(ruleProblem(one(attribute, operator, 'a'))).to.equal(null)
    }
  })
})
