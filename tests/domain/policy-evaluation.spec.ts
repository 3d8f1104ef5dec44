import { expect } from 'chai'
import fc from 'fast-check'
import {
  compilePolicy,
  conditionsOf,
  evaluatePolicies,
  groupsNamedBy,
  type Policy,
  type PolicyFacts,
  type PolicyOutcome,
} from '../../domain/policy/evaluate.ts'
import type { PolicyConditions } from '../../domain/policy/events.ts'
import { policyPresets } from '../../domain/policy/presets.ts'
import { id } from '../support/fixed.ts'
import { anyFacts, anyPolicies, facts, policy } from '../support/domain/policies.ts'

const decide = (policies: readonly Policy[], given: PolicyFacts) =>
  evaluatePolicies(policies.map(compilePolicy), given)

/** Each condition, facts for which it holds, and facts for which it does not. */
const conditions: readonly (readonly [
  what: string,
  Partial<PolicyConditions>,
  holds: readonly Partial<PolicyFacts>[],
  fails: readonly Partial<PolicyFacts>[],
])[] = [
  [
    'members of a group',
    { users: { include: ['a', 'b'], exclude: [], roles: [] } },
    [{ groupIds: ['b'] }, { groupIds: ['c', 'a'] }],
    [{ groupIds: [] }, { groupIds: ['c'] }],
  ],
  [
    'everyone but members of a group',
    { users: { include: 'all', exclude: ['a'], roles: [] } },
    [{ groupIds: [] }, { groupIds: ['b'] }],
    [{ groupIds: ['a'] }, { groupIds: ['b', 'a'] }],
  ],
  [
    'a group, without those who are also in another',
    { users: { include: ['a'], exclude: ['b'], roles: [] } },
    [{ groupIds: ['a'] }],
    [{ groupIds: ['a', 'b'] }, { groupIds: ['b'] }],
  ],
  [
    'members of a group who have a role',
    { users: { include: ['a'], exclude: [], roles: ['auditor', 'app_admin'] } },
    [{ groupIds: ['a'], roles: ['app_admin'] }],
    [
      { groupIds: ['a'], roles: [] },
      { groupIds: [], roles: ['auditor'] },
      { groupIds: ['a'], roles: ['user_admin'] },
    ],
  ],
  [
    'an application',
    { applications: { include: ['app'], exclude: [] } },
    [{ applicationId: 'app' }],
    [{ applicationId: 'other' }, { applicationId: null }],
  ],
  [
    'the account pages and the console',
    { applications: { include: ['portal'], exclude: [] } },
    [{ applicationId: null }],
    [{ applicationId: 'app' }],
  ],
  [
    'every application but the account pages',
    { applications: { include: 'all', exclude: ['portal'] } },
    [{ applicationId: 'app' }],
    [{ applicationId: null }],
  ],
  [
    'a network zone',
    { zones: { include: ['office'], exclude: [] } },
    [{ zoneIds: ['x', 'office'] }],
    [{ zoneIds: [] }, { zoneIds: ['x'] }],
  ],
  [
    'outside a network zone',
    { zones: { include: 'any', exclude: ['office'] } },
    [{ zoneIds: [] }, { zoneIds: ['x'] }],
    [{ zoneIds: ['office', 'x'] }],
  ],
  [
    'registered devices',
    { devices: 'registered' },
    [{ device: 'registered' }, { device: 'trusted' }],
    [{ device: 'unregistered' }],
  ],
  [
    'trusted devices',
    { devices: 'trusted' },
    [{ device: 'trusted' }],
    [{ device: 'registered' }, { device: 'unregistered' }],
  ],
  [
    'unregistered devices',
    { devices: 'unregistered' },
    [{ device: 'unregistered' }],
    [{ device: 'registered' }, { device: 'trusted' }],
  ],
  ['a platform', { platforms: ['ios', 'android'] }, [{ platform: 'ios' }], [{ platform: 'other' }]],
  [
    'a risk level and above',
    { riskAtLeast: 'medium' },
    [{ risk: 'medium' }, { risk: 'high' }],
    [{ risk: 'low' }, { risk: 'none' }],
  ],
  [
    'a sign-in method',
    { methods: ['magic_link', 'recovery_codes'] },
    [{ methods: ['magic_link'] }, { methods: ['passkey', 'recovery_code'] }],
    [{ methods: ['passkey'] }, { methods: ['development'] }],
  ],
]

/** What several actions together decide, for a session that meets some of their requirements. */
const combinations: readonly (readonly [
  actions: readonly (Policy['action'] | readonly [Policy['action'], minutes: number])[],
  session: Partial<PolicyFacts>,
  PolicyOutcome,
])[] = [
  [[], {}, 'allow'],
  [['allow'], {}, 'allow'],
  [['block'], {}, 'block'],
  [['allow', 'block', 'require_strong'], {}, 'block'],
  [['require_strong'], { methods: ['magic_link'] }, 'require_strong'],
  [['require_strong'], { methods: ['passkey'] }, 'allow'],
  [['require_strong'], { methods: ['authenticator_code', 'security_key'] }, 'allow'],
  [['require_strong'], { methods: ['identity_provider'] }, 'require_strong'],
  [['allow', 'require_strong'], { methods: ['magic_link'] }, 'require_strong'],
  [['require_reauth'], { authAge: 600 }, 'allow'],
  [['require_reauth'], { authAge: 601 }, 'require_reauth'],
  [[['require_reauth', 60]], { authAge: 3600 }, 'allow'],
  [[['require_reauth', 60]], { authAge: 3601 }, 'require_reauth'],
  [[['allow', 5]], { authAge: 301 }, 'require_reauth'],
  [
    [
      ['allow', 5],
      ['require_strong', 60],
    ],
    { authAge: 301 },
    'require_reauth',
  ],
  [['require_strong', 'require_reauth'], { methods: ['magic_link'], authAge: 9999 }, 'require_strong'],
  [['require_strong', 'require_reauth'], { methods: ['passkey'], authAge: 9999 }, 'require_reauth'],
]

describe('Policy evaluation', () => {
  for (const [what, wanted, holds, fails] of conditions)
    it(`SGN-06 a policy can be about ${what}`, () => {
      const one = policy({ conditions: wanted })
      for (const given of holds)
        expect(decide([one], facts(given)).outcome, JSON.stringify(given)).to.equal('block')
      for (const given of fails) {
        expect(decide([one], facts(given)), JSON.stringify(given)).to.deep.include({
          outcome: 'allow',
          matched: [],
        })
        expect(
          conditionsOf(compilePolicy(one), facts(given)).filter((each) => !each.holds),
        ).to.have.length.above(0)
      }
    })

  for (const [actions, session, outcome] of combinations)
    it(`SGN-06 ${actions.map(String).join(' + ') || 'no policy'} with ${JSON.stringify(session)}: ${outcome}`, () => {
      const policies = actions.map((each, n) => {
        const [action, sessionMaxAgeMinutes] = typeof each === 'string' ? [each] : each
        return policy({
          id: id('policy', n),
          action,
          ...(sessionMaxAgeMinutes === undefined ? {} : { sessionMaxAgeMinutes }),
        })
      })
      expect(decide(policies, facts(session)).outcome).to.equal(outcome)
    })

  it('SGN-06 the order of policies does not matter', () => {
    fc.assert(
      fc.property(
        anyPolicies.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length })),
        ),
        anyFacts,
        ([policies, shuffled], given) => {
          expect(decide(shuffled, given)).to.deep.equal(decide(policies, given))
        },
      ),
    )
  })

  it('SGN-06 report-only policies never change the outcome, and show what they would do', () => {
    fc.assert(
      fc.property(anyPolicies, anyFacts, (policies, given) => {
        const { outcome, wouldBe } = decide(policies, given)
        const without = policies.filter(({ status }) => status !== 'report_only')
        expect(outcome).to.equal(decide(without, given).outcome)
        const enabled = policies.map((each) =>
          each.status === 'report_only' ? { ...each, status: 'enabled' as const } : each,
        )
        expect(wouldBe).to.equal(decide(enabled, given).outcome)
      }),
    )
  })

  it('SGN-06 a further enabled policy never allows what was not allowed', () => {
    const rank = (outcome: PolicyOutcome): number => (outcome === 'allow' ? 0 : outcome === 'block' ? 2 : 1)
    fc.assert(
      fc.property(anyPolicies, anyFacts, (policies, given) => {
        const fewer = policies.slice(1)
        expect(rank(decide(policies, given).outcome)).to.be.at.least(rank(decide(fewer, given).outcome))
      }),
    )
  })

  it('SGN-06 a decision names exactly the enabled and report-only policies whose conditions all hold', () => {
    fc.assert(
      fc.property(anyPolicies, anyFacts, (policies, given) => {
        const matching = policies
          .filter(({ status }) => status !== 'disabled' && !given.isBreakGlass)
          .filter((each) => conditionsOf(compilePolicy(each), given).every(({ holds }) => holds))
        const { matched } = decide(policies, given)
        expect(matched.map(({ policyId }) => policyId)).to.have.members(matching.map((each) => each.id))
      }),
    )
  })

  it('SGN-06 no policy applies to the break-glass account, a blocked network does', () => {
    fc.assert(
      fc.property(anyPolicies, anyFacts, (policies, given) => {
        const outcome = given.isBlockedZone ? 'block' : 'allow'
        const decided = decide(policies, { ...given, isBreakGlass: true })
        expect(decided).to.deep.equal({ outcome, wouldBe: outcome, matched: [] })
      }),
    )
  })

  it('SGN-06 groups that no policy names do not matter', () => {
    fc.assert(
      fc.property(anyPolicies, anyFacts, (policies, given) => {
        const named = groupsNamedBy(policies)
        const fewer = { ...given, groupIds: given.groupIds.filter((group) => named.includes(group)) }
        expect(decide(policies, fewer)).to.deep.equal(decide(policies, given))
      }),
    )
  })

  it('SGN-06 presets have distinct keys, and conditions of their own', () => {
    expect(new Set(policyPresets.map(({ key }) => key)).size).to.equal(policyPresets.length)
    for (const { key, needsZone, conditions: wanted, sessionMaxAgeMinutes } of policyPresets)
      if (!needsZone && sessionMaxAgeMinutes === undefined)
        expect(
          conditionsOf(compilePolicy(policy({ conditions: wanted })), facts({ risk: 'none' })).every(
            ({ holds }) => holds,
          ),
          key,
        ).to.equal(false)
  })
})
