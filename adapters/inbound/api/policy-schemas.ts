import { Type, type Static, type TSchema } from 'typebox'
import { idPattern, type Id } from '../../../domain/ids.ts'
import { REAUTH_MINUTES } from '../../../domain/policy/evaluate.ts'
import { noConditions } from '../../../domain/policy/decider.ts'
import type { Policy as PolicyVersionInForce } from '../../../domain/policy/evaluate.ts'
import { PORTAL, SSH, type PolicyConditions, type PolicyFields } from '../../../domain/policy/events.ts'
import { methodTypes } from '../../../domain/method-settings/decider.ts'
import { riskLevels } from '../../../domain/risk/events.ts'
import { roleKeys } from '../../../domain/roles.ts'
import { fields, idOf, oneOf } from '../http/route.ts'
import { clearable, line, nullable, prose, Time, Version } from '../http/schemas.ts'

/** Limits keep evaluation fast and errors readable. */
const MAX_IDS = 100

/** A condition on everything, or on some ids. */
const include = <const Word extends 'all' | 'any', Ids extends TSchema>(
  word: Word,
  everything: string,
  ids: Ids,
  title: string,
) =>
  oneOf([
    Type.Literal(word, { title: everything }),
    Type.Array(ids, { minItems: 1, maxItems: MAX_IDS, uniqueItems: true, title }),
  ])
const exclude = <Ids extends TSchema>(ids: Ids) => Type.Array(ids, { maxItems: MAX_IDS, uniqueItems: true })

const platforms = ['macos', 'windows', 'linux', 'ios', 'android', 'chromeos', 'other'] as const

const ApplicationOrOwn = Type.Unsafe<Id<'application'> | typeof PORTAL | typeof SSH>({
  type: 'string',
  pattern: `^(?:${PORTAL}|${SSH}|${idPattern('application').slice(1, -1)})$`,
  description: `The id of an application; ${PORTAL} for the account pages, the console and the API with a session; ${SSH} for SSH certificates`,
})

const devices = ['any', 'registered', 'trusted', 'unregistered'] as const

export const PolicyConditionsInput = fields(
  {
    users: Type.Optional(
      fields({
        include: Type.Optional(include('all', 'AllUsers', idOf('group'), 'GroupIds')),
        exclude: Type.Optional(exclude(idOf('group'))),
        roles: Type.Optional(
          Type.Array(Type.Enum([...roleKeys]), {
            maxItems: roleKeys.length,
            uniqueItems: true,
            description: 'Only users with one of these roles; if empty, with or without roles',
          }),
        ),
      }),
    ),
    applications: Type.Optional(
      fields({
        include: Type.Optional(include('all', 'AllApplications', ApplicationOrOwn, 'ApplicationIds')),
        exclude: Type.Optional(exclude(ApplicationOrOwn)),
      }),
    ),
    zones: Type.Optional(
      fields({
        include: Type.Optional(include('any', 'AnyZone', idOf('networkZone'), 'NetworkZoneIds')),
        exclude: Type.Optional(exclude(idOf('networkZone'))),
      }),
    ),
    devices: Type.Optional(
      Type.Enum([...devices], {
        description:
          'registered: known, trusted or not. unregistered: the user has not signed in with this browser before.',
      }),
    ),
    platforms: Type.Optional(
      Type.Array(Type.Enum([...platforms]), { maxItems: platforms.length, uniqueItems: true }),
    ),
    riskAtLeast: Type.Optional(nullable(Type.Enum([...riskLevels]))),
    methods: Type.Optional(
      Type.Array(Type.Enum([...methodTypes]), {
        maxItems: methodTypes.length,
        uniqueItems: true,
        description: 'The session was started with one of these methods; if empty, with any',
      }),
    ),
  },
  {
    title: 'PolicyConditionsInput',
    description:
      'All of them must hold. An omitted condition holds for every sign-in; a change replaces all conditions.',
  },
)

/** Returns conditions with the default for each omitted one. */
export const conditionsFrom = (sent: Static<typeof PolicyConditionsInput> | undefined): PolicyConditions => ({
  users: {
    include: sent?.users?.include ?? noConditions.users.include,
    exclude: sent?.users?.exclude ?? [],
    roles: sent?.users?.roles ?? [],
  },
  applications: {
    include: sent?.applications?.include ?? noConditions.applications.include,
    exclude: sent?.applications?.exclude ?? [],
  },
  zones: { include: sent?.zones?.include ?? noConditions.zones.include, exclude: sent?.zones?.exclude ?? [] },
  devices: sent?.devices ?? noConditions.devices,
  platforms: sent?.platforms ?? [],
  riskAtLeast: sent?.riskAtLeast ?? null,
  methods: sent?.methods ?? [],
})

export const PolicyStatus = Type.Enum(['enabled', 'disabled', 'report_only'], {
  description: 'report_only: its result is recorded with sign-ins and has no effect',
})
export const PolicyAction = Type.Enum(['allow', 'block', 'require_strong', 'require_reauth'], {
  description: 'require_strong: a passkey or security key. require_reauth: a recent sign-in.',
})
const maxAge = {
  minimum: 1,
  maximum: 525_600,
  description: `minutes since the last sign-in, whatever the action; default: ${String(REAUTH_MINUTES)} for require_reauth, else unlimited`,
}

/** The fields of a policy in requests. */
export const policyInput = {
  name: line(100, 'Administrators need a passkey'),
  description: clearable(prose(1000)),
  status: PolicyStatus,
  priority: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'for the order of lists only' }),
  conditions: PolicyConditionsInput,
  action: PolicyAction,
  sessionMaxAgeMinutes: clearable(Type.Integer(maxAge)),
  force: Type.Optional(
    Type.Boolean({
      description: 'Save even if every global administrator, or your own session, is blocked',
    }),
  ),
}

const Conditions = Type.Unsafe<PolicyConditions>(
  Type.Object(
    {
      users: Type.Object({
        include: include('all', 'AllUsers', idOf('group'), 'GroupIds'),
        exclude: Type.Array(idOf('group')),
        roles: Type.Array(Type.Enum([...roleKeys])),
      }),
      applications: Type.Object({
        include: include('all', 'AllApplications', ApplicationOrOwn, 'ApplicationIds'),
        exclude: Type.Array(ApplicationOrOwn),
      }),
      zones: Type.Object({
        include: include('any', 'AnyZone', idOf('networkZone'), 'NetworkZoneIds'),
        exclude: Type.Array(idOf('networkZone')),
      }),
      devices: Type.Enum([...devices]),
      platforms: Type.Array(Type.Enum([...platforms])),
      riskAtLeast: nullable(Type.Enum([...riskLevels])),
      methods: Type.Array(Type.Enum([...methodTypes])),
    },
    { title: 'PolicyConditions' },
  ),
)

const policyFields = {
  id: idOf('policy'),
  name: Type.String(),
  description: nullable(Type.String()),
  priority: Type.Integer(),
  conditions: Conditions,
  action: PolicyAction,
  sessionMaxAgeMinutes: nullable(Type.Integer()),
  createdAt: Time,
  createdBy: nullable(Type.String()),
  updatedAt: Time,
  version: Version,
}

export const Policy = Type.Object({ ...policyFields, status: PolicyStatus }, { title: 'Policy' })

export const PolicyVersion = Type.Object(
  {
    ...policyFields,
    status: Type.Enum(['enabled', 'disabled', 'report_only', 'deleted']),
    changedBy: nullable(Type.String()),
    changedByName: Type.String(),
    auditId: idOf('auditEvent'),
  },
  { title: 'PolicyVersion' },
)

export const PolicyPreset = Type.Object(
  {
    key: Type.String(),
    name: Type.String(),
    description: Type.String(),
    priority: Type.Integer(),
    conditions: Conditions,
    action: PolicyAction,
    sessionMaxAgeMinutes: Type.Optional(Type.Integer()),
    needsZone: Type.Boolean({ description: 'Add a network zone to its conditions first' }),
  },
  { title: 'PolicyPreset' },
)

/** A policy that is not saved. It is evaluated as if it were enabled. */
export const DraftPolicy = fields(
  {
    id: Type.Optional(idOf('policy', { description: 'the policy that it replaces' })),
    conditions: Type.Optional(policyInput.conditions),
    action: policyInput.action,
    sessionMaxAgeMinutes: policyInput.sessionMaxAgeMinutes,
  },
  {
    title: 'DraftPolicy',
    description: 'Evaluated together with the current policies, as if it were enabled',
  },
)

/** Stands for a draft that replaces no policy. */
export const DRAFT_ID = `pol_${'0'.repeat(26)}`

export const draftFrom = (draft: Static<typeof DraftPolicy>): PolicyVersionInForce => {
  const { id = DRAFT_ID, conditions, action, sessionMaxAgeMinutes } = draft
  const fieldsOfDraft: PolicyFields = {
    name: '',
    priority: 0,
    conditions: conditionsFrom(conditions),
    action,
    ...(sessionMaxAgeMinutes === undefined || sessionMaxAgeMinutes === null ? {} : { sessionMaxAgeMinutes }),
  }
  return { ...fieldsOfDraft, id, version: 0, status: 'enabled' }
}

/** The policies with a draft in place of the one that it replaces. */
export const withDraft = (
  policies: readonly PolicyVersionInForce[],
  draft: PolicyVersionInForce | null,
): readonly PolicyVersionInForce[] =>
  draft === null ? policies : [...policies.filter(({ id }) => id !== draft.id), draft]

const outcome = Type.Enum(['allow', 'block', 'require_strong', 'require_reauth'])
const counts = {
  evaluated: Type.Integer(),
  newlyBlocked: Type.Integer(),
  newlyStepUp: Type.Integer({ description: 'a stronger or another sign-in would be required' }),
  newlyAllowed: Type.Integer(),
}

export const PolicyDryRun = Type.Object(
  {
    id: idOf('policyDryRun'),
    status: Type.Enum(['running', 'done', 'failed', 'cancelled']),
    startedAt: Time,
    finishedAt: nullable(Time),
    from: Time,
    to: Time,
    total: Type.Integer({ description: 'sign-ins of the period on which policies were evaluated' }),
    ...counts,
    changed: Type.Integer(),
    withoutNetwork: Type.Integer({
      description:
        'Sign-ins of erased users, evaluated as in none of the network zones that were created after them',
    }),
    withoutFacts: Type.Integer({
      description: 'sign-ins of earlier versions, which recorded no facts: not evaluated',
    }),
    mismatches: Type.Integer({
      description: 'sign-ins that the policies of their time, without this one, would decide differently: 0',
    }),
    usersChanged: Type.Integer({ description: 'users with changed sign-ins' }),
    days: Type.Array(Type.Object({ day: Type.String({ format: 'date' }), ...counts })),
    users: Type.Array(
      Type.Object({ userId: idOf('user'), name: nullable(Type.String()), changed: Type.Integer() }),
      { description: 'at most 100, those with the most changes first' },
    ),
    applications: Type.Array(
      Type.Object({
        appId: nullable(idOf('application')),
        name: nullable(Type.String()),
        changed: Type.Integer(),
      }),
    ),
    samples: Type.Array(
      Type.Object({
        signInId: idOf('signInEvent'),
        time: Time,
        userId: nullable(idOf('user')),
        userName: nullable(Type.String()),
        appId: nullable(idOf('application')),
        was: outcome,
        now: outcome,
      }),
      { description: 'the first 100 changed sign-ins' },
    ),
  },
  { title: 'PolicyDryRun' },
)
