import fc, { type Arbitrary } from 'fast-check'
import { noConditions, type PolicyCommand } from '../../../domain/policy/decider.ts'
import type { Policy, PolicyFacts } from '../../../domain/policy/evaluate.ts'
import type { PolicyConditions } from '../../../domain/policy/events.ts'
import { roleKeys } from '../../../domain/roles.ts'
import { id } from '../fixed.ts'
import { command, fields, maybe, text } from './commands.ts'
import { usualFacts } from '../sign-in/decisions.ts'

/** A policy that matches every sign-in, with differences. */
export const policy = ({
  conditions,
  ...differences
}: Partial<Omit<Policy, 'conditions'>> & { readonly conditions?: Partial<PolicyConditions> }): Policy => ({
  id: id('policy'),
  version: 1,
  status: 'enabled',
  name: 'A policy',
  priority: 0,
  action: 'block',
  ...differences,
  conditions: { ...noConditions, ...conditions },
})

export const facts = (differences: Partial<PolicyFacts>): PolicyFacts => ({ ...usualFacts, ...differences })

// Few values, so that policies and facts often meet.
const groups = ['group-1', 'group-2', 'group-3']
const applications = ['app-1', 'app-2', 'portal']
const zones = ['zone-1', 'zone-2']
const platforms = ['macos', 'windows', 'ios'] as const
const methods = ['passkey', 'magic_link', 'authenticator_code'] as const

const selection = <All extends string>(all: All, values: readonly string[]) =>
  fc.record({
    include: fc.oneof(fc.constant(all), fc.subarray([...values], { minLength: 1 })),
    exclude: fc.oneof(fc.constant<string[]>([]), fc.subarray([...values])),
  })

const conditions: Arbitrary<PolicyConditions> = fc.record({
  users: fc
    .tuple(selection('all', groups), fc.oneof(fc.constant([]), fc.subarray([...roleKeys])))
    .map(([users, roles]) => ({ ...users, roles })),
  applications: selection('all', applications),
  zones: selection('any', zones),
  devices: fc.constantFrom('any', 'registered', 'trusted', 'unregistered'),
  platforms: fc.subarray([...platforms], { maxLength: 1 }),
  riskAtLeast: fc.constantFrom(null, null, 'low', 'medium', 'high'),
  methods: fc.subarray([...methods], { maxLength: 1 }),
})

export const anyPolicies: Arbitrary<readonly Policy[]> = fc
  .array(
    fc.record({
      conditions,
      status: fc.constantFrom('enabled', 'disabled', 'report_only'),
      action: fc.constantFrom('allow', 'block', 'require_strong', 'require_reauth'),
      sessionMaxAgeMinutes: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
    }),
    { maxLength: 6 },
  )
  .map((all) =>
    all.map(({ sessionMaxAgeMinutes, ...rest }, n) =>
      policy({
        ...rest,
        ...(sessionMaxAgeMinutes === undefined ? {} : { sessionMaxAgeMinutes }),
        id: id('policy', n),
      }),
    ),
  )

export const anyFacts: Arbitrary<PolicyFacts> = fc.record({
  applicationId: fc.constantFrom(null, 'app-1', 'app-2', 'app-3'),
  groupIds: fc.subarray(groups),
  roles: fc.subarray([...roleKeys]),
  zoneIds: fc.subarray(zones),
  isBlockedZone: fc.constantFrom(false, false, false, true),
  isBreakGlass: fc.constantFrom(false, false, false, true),
  device: fc.constantFrom('registered', 'trusted', 'unregistered'),
  platform: fc.constantFrom(...platforms),
  risk: fc.constantFrom('none', 'low', 'medium', 'high'),
  methods: fc.subarray([...methods], { minLength: 1, maxLength: 2 }),
  authAge: fc.integer({ min: 0, max: 4000 }),
})

const policyId = fc.constant(id('policy'))
const policyStatus = fc.constantFrom('enabled', 'disabled', 'report_only')
/** Whether anyone is locked out has its own tests. */
const unguarded = fc.constant({ others: [], administrators: [], here: null, force: true })

export const policyCommands: Arbitrary<PolicyCommand> = fc.oneof(
  command<PolicyCommand>('create', {
    policyId,
    status: policyStatus,
    guard: unguarded,
    fields: fc.record({
      name: text,
      priority: fc.nat(3),
      conditions: fc.constant(noConditions),
      action: fc.constantFrom('allow', 'block', 'require_strong', 'require_reauth'),
    }),
  }),
  command<PolicyCommand>('update', { policyId, fields, status: maybe(policyStatus), guard: unguarded }),
  command<PolicyCommand>('delete', { policyId }),
)
