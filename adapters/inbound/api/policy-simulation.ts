import { Type } from 'typebox'
import {
  compilePolicy,
  conditionNames,
  conditionsOf,
  evaluatePolicies,
  groupsNamedBy,
  type PolicyFacts,
} from '../../../domain/policy/evaluate.ts'
import type { SignInMethod } from '../../../domain/session/events.ts'
import { missingApplications } from '../../../read-models/queries/existence.ts'
import { policyStateOf } from '../../../read-models/queries/policy-state.ts'
import { SSH } from '../../../domain/policy/events.ts'
import { accessPolicies } from '../../application/sign-in/access-policies.ts'
import { DomainError } from '../../../domain/errors.ts'
import { riskLevels } from '../../../domain/risk/events.ts'
import type { Services } from '../../application/services/services.ts'
import { fields, idOf, route, type Route } from '../http/route.ts'
import { nullable, printable, readers } from '../http/schemas.ts'
import { DraftPolicy, draftFrom, PolicyStatus, withDraft } from './policy-schemas.ts'
import { policyDecision, PolicyFactsShown } from './sign-in-schemas.ts'

const methods = [
  'passkey',
  'security_key',
  'authenticator_code',
  'recovery_code',
  'magic_link',
  'identity_provider',
] as const satisfies SignInMethod[]

export const PolicySimulation = Type.Object(
  {
    ...policyDecision,
    trace: Type.Array(
      Type.Object({
        policyId: idOf('policy'),
        name: Type.String(),
        status: PolicyStatus,
        matches: Type.Boolean(),
        conditions: Type.Array(
          Type.Object({ condition: Type.Enum([...conditionNames]), holds: Type.Boolean() }),
        ),
      }),
      { description: 'Every policy, and which of its conditions hold' },
    ),
    facts: Type.Unsafe<PolicyFacts>(PolicyFactsShown),
  },
  { title: 'PolicySimulation' },
)

/** The route that shows what policies would decide. */
export const policySimulationRoutes = (
  services: Pick<Services, 'pool' | 'clock' | 'configuration'>,
): readonly Route[] => {
  const { pool, clock, configuration: cache } = services
  const { factsOf } = accessPolicies(services)

  return [
    route({
      method: 'POST',
      path: '/policies/simulate',
      tag: 'Policies',
      summary: 'Show what access policies would decide about a sign-in',
      description: 'Changes and records nothing. Uses the current roles, groups and risk of the user.',
      access: readers,
      body: fields({
        userId: idOf('user'),
        appId: Type.Optional(
          nullable(
            Type.Union([idOf('application'), Type.Literal(SSH)], {
              description: 'null: the account pages, the console or the API; ssh: an SSH certificate',
            }),
          ),
        ),
        ip: Type.Optional(printable(64, 'the address of the user; omitted: in no network zone')),
        deviceId: Type.Optional(
          nullable(idOf('device', { description: 'a device of the user; null: an unregistered device' })),
        ),
        userAgent: Type.Optional(printable(500, 'tells the platform')),
        method: Type.Optional(Type.Enum([...methods], { default: 'passkey' })),
        risk: Type.Optional(
          Type.Enum(['none', ...riskLevels], { description: 'omitted: the current risk of the user' }),
        ),
        authAgeMinutes: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 525_600,
            default: 0,
            description: 'minutes since the last sign-in',
          }),
        ),
        policy: Type.Optional(DraftPolicy),
      }),
      result: PolicySimulation,
      status: 200,
      errors: [],
      handle: async ({ body }) => {
        const { userId, appId = null, ip = null, deviceId = null, userAgent = null } = body
        const { method = 'passkey', authAgeMinutes = 0 } = body
        const configuration = await cache.fresh()
        const draft = body.policy === undefined ? null : draftFrom(body.policy)
        const policies = withDraft(
          configuration.policies.map(({ policy }) => policy),
          draft,
        )
        if (appId !== null && appId !== SSH && (await missingApplications(pool, [appId])).length > 0)
          throw new DomainError('ERR_INVALID', 'appId: expected the id of an existing application', '/appId')
        const now = clock.now()
        const policyGroups = new Set(groupsNamedBy(policies))
        const state = await policyStateOf(pool, userId, deviceId, [...policyGroups], now)
        if (state === null)
          throw new DomainError('ERR_INVALID', 'userId: expected the id of an existing user', '/userId')
        const { risk = state.userRisk } = body
        const subject = { ...state, userRisk: 'none', methods: [method], authTime: now, risk } as const
        const facts: PolicyFacts = {
          ...factsOf({ ...configuration, policyGroups }, subject, appId, { ip, userAgent }),
          authAge: authAgeMinutes * 60,
        }
        const compiled = policies.map(compilePolicy)
        return {
          body: {
            ...evaluatePolicies(compiled, facts),
            trace: compiled.map((each) => {
              const conditions = conditionsOf(each, facts)
              const { id, name, status } = each.policy
              const matches = conditions.every(({ holds }) => holds)
              return { policyId: id as `pol_${string}`, name, status, matches, conditions }
            }),
            facts,
          },
        }
      },
    }),
  ]
}
