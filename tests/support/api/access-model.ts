/**
 * The rules of access in their simplest form: a user can use an application while both are active and the user is in
 * one of its groups, manually, by rule or by an access package. Removing a user's sign-in or the application also invalidates earlier tokens
 * permanently; removing the assignment does so only until it is restored.
 */
import fc, { type Arbitrary } from 'fast-check'
import { packageAct } from './access-model-packages.ts'
import type {
  Act,
  Model,
  ModelApplication,
  ModelGrant,
  ModelGroup,
  ModelPerson,
} from './access-model-types.ts'

const kinds = [
  'enrol',
  'suspend',
  'reactivate',
  'delete',
  'reset_methods',
  'revoke_sessions',
  'end_session',
  'sign_in',
  'move',
  'join',
  'join_until',
  'join_briefly',
  'join_in_the_past',
  'leave',
  'assign',
  'unassign',
  'set_rule',
  'clear_rule',
  'rename_group',
  'give_package',
  'give_package_briefly',
  'take_package',
  'change_package',
  'disable',
  'enable',
] as const

export interface Step {
  readonly kind: (typeof kinds)[number]
  readonly person: number
  readonly group: number
  readonly application: number
  readonly department: number
  /** The other user and application to check afterwards */
  readonly other: readonly [number, number]
  /** Which instance gets which request, as bits */
  readonly instances: number
}

const DEPARTMENTS = 2
export const PEOPLE = 3
export const GROUPS = 3
export const APPLICATIONS = 2

/** These steps are more frequent, because otherwise most users would have no access. */
const common = [
  'join',
  'join',
  'assign',
  'assign',
  'set_rule',
  'sign_in',
  'sign_in',
  'enable',
  'reactivate',
  'give_package',
] as const
/** These steps are rarer, for the same reason. */
const rare = new Set<Step['kind']>(['delete', 'join_in_the_past', 'rename_group'])

/** Returns sequences of steps. Shrunk steps mostly have no effect, so the sequences need not become shorter. */
export const steps = (atMost: number): Arbitrary<Step[]> =>
  fc.noBias(
    fc.array(
      fc.record({
        kind: fc.constantFrom(
          ...kinds.flatMap((kind) => (rare.has(kind) ? [kind] : [kind, kind])),
          ...common.flatMap((kind) => [kind, kind]),
        ),
        person: fc.nat(PEOPLE - 1),
        group: fc.nat(GROUPS - 1),
        application: fc.nat(APPLICATIONS - 1),
        department: fc.nat(DEPARTMENTS - 1),
        other: fc.tuple(fc.nat(PEOPLE - 1), fc.nat(APPLICATIONS - 1)),
        instances: fc.nat(63),
      }),
      { minLength: Math.ceil(atMost / 2), maxLength: atMost, size: 'max' },
    ),
  )

export const departmentOf = ({ prefix }: Model, step: Step): string =>
  `${prefix} Department ${String(step.department)}`

const hasByRule = ({ rule }: ModelGroup, { status, department }: ModelPerson): boolean =>
  status === 'active' && rule !== null && rule === department

const hasByPackage = (group: ModelGroup, person: ModelPerson): boolean =>
  group.packages.some(({ groups, holders }) => groups.has(group) && holders.has(person))

const has = (group: ModelGroup, person: ModelPerson): boolean =>
  group.byHand.has(person) || hasByRule(group, person) || hasByPackage(group, person)

/** Returns the user's `groups` claim. */
export const groupNames = ({ groups }: Model, person: ModelPerson): readonly string[] =>
  groups
    .filter((group) => has(group, person))
    .map(({ name }) => name)
    .sort()

export const hasAccess = (person: ModelPerson, { active, groups }: ModelApplication): boolean =>
  person.status === 'active' && active && [...groups].some((group) => has(group, person))

/** Returns the expected response of the authorization endpoint to the user's browser. */
export const answerTo = (
  person: ModelPerson,
  application: ModelApplication,
): 'code' | 'sign_in' | 'not_assigned' | 'no_application' => {
  if (!application.active) return 'no_application'
  if (person.status !== 'active' || person.session.ended) return 'sign_in'
  return hasAccess(person, application) ? 'code' : 'not_assigned'
}

/** Whether a code can be redeemed, or a token used. */
export const isGood = ({ person, application, isVoid }: ModelGrant): boolean =>
  !isVoid && hasAccess(person, application)

/** Usually long enough to be recorded in time; a late request is rejected. */
const BRIEFLY_MS = 250

const nothing = (): void => undefined

/**
 * Returns the request of a step. Null for `enrol` and `sign_in`, and for steps without an object, such as ending an
 * ended session.
 */
export const actOf = (model: Model, step: Step, now: () => Date): Act | null => {
  const person = model.people[step.person]
  const group = model.groups[step.group]
  const application = model.applications[step.application]
  const accessPackage = model.packages[step.application]
  if (person === undefined || group === undefined || application === undefined) return null
  if (accessPackage === undefined) return null
  const gone = person.status === 'deleted'
  const isHeld = group.byHand.has(person)

  const voids = (is: (grant: ModelGrant) => boolean): void => {
    for (const grant of model.grants) if (is(grant)) grant.isVoid = true
  }
  const endAll = (): void => {
    for (const session of person.sessions) session.ended = true
    voids((grant) => grant.person === person)
  }
  const ofUser = (
    method: string,
    path: string,
    statuses: readonly number[],
    apply: () => void,
    body?: unknown,
  ): Act => ({
    method,
    path: `/users/${person.userId}${path}`,
    statuses: gone ? [404] : statuses,
    apply,
    ...(body === undefined ? {} : { body }),
  })
  const membership = (method: string, rest: Pick<Act, 'statuses' | 'apply' | 'body' | 'until'>): Act => ({
    method,
    path: `/groups/${group.id}/members/${person.userId}`,
    ...rest,
  })
  const join = (expiresAt: Date | null): Act =>
    membership('PUT', {
      body: expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() },
      statuses: gone ? [404] : [204],
      apply: () => {
        group.byHand.add(person)
        group.lapsed.delete(person)
      },
    })
  const ofGroup = (body: unknown, apply: () => void): Act => ({
    method: 'PATCH',
    path: `/groups/${group.id}`,
    body,
    statuses: [200],
    apply,
  })
  const ofApplication = (
    method: string,
    path: string,
    statuses: readonly number[],
    apply: () => void,
  ): Act => ({
    method,
    path: `/applications/${application.app.applicationId}${path}`,
    statuses,
    apply,
  })

  const briefly = new Date(now().getTime() + BRIEFLY_MS)
  switch (step.kind) {
    case 'enrol':
    case 'sign_in':
      return null
    case 'give_package':
    case 'give_package_briefly':
    case 'take_package':
    case 'change_package':
      return packageAct(step.kind, { person, group, accessPackage, until: briefly })
    case 'suspend':
      return ofUser('POST', '/suspend', person.status === 'active' ? [204] : [409], () => {
        person.status = 'suspended'
        endAll()
      })
    case 'reactivate':
      return ofUser('POST', '/reactivate', person.status === 'suspended' ? [204] : [409], () => {
        person.status = 'active'
      })
    case 'delete':
      return ofUser('DELETE', '', [204], () => {
        person.status = 'deleted'
        endAll()
      })
    case 'reset_methods':
      return ofUser('POST', '/reset-methods', [200], endAll)
    case 'revoke_sessions':
      return ofUser('POST', '/sessions/revoke', [204], endAll)
    case 'end_session': {
      const { session } = person
      if (session.ended) return null
      return {
        method: 'DELETE',
        path: `/sessions/${session.as.sessionId}`,
        statuses: [204],
        apply: () => {
          session.ended = true
          voids((grant) => grant.session === session)
        },
      }
    }
    case 'move': {
      const department = departmentOf(model, step)
      return ofUser('PATCH', '', [200], () => (person.department = department), { department })
    }
    case 'join':
      return join(null)
    case 'join_until':
      return join(new Date(now().getTime() + 3_600_000))
    case 'join_briefly': {
      return {
        ...join(briefly),
        statuses: gone ? [404] : [204, 422],
        until: briefly.toISOString(),
        apply: () => {
          group.byHand.delete(person)
          group.lapsed.add(person)
        },
      }
    }
    case 'join_in_the_past':
      return { ...join(new Date(now().getTime() - 1000)), statuses: gone ? [404] : [422], apply: nothing }
    case 'leave': {
      const otherwise = hasByRule(group, person) || hasByPackage(group, person) ? 409 : 404
      const mayLinger = group.packages.some(({ lapsed }) => lapsed.has(person))
      // The deletion has ended the memberships; ending them again may have any of these results.
      const statuses = gone ? [204, 404, 409] : isHeld ? [204] : mayLinger ? [404, 409] : [otherwise]
      return membership('DELETE', {
        statuses: group.lapsed.has(person) ? [204, ...statuses] : statuses,
        apply: () => {
          group.byHand.delete(person)
          group.lapsed.delete(person)
        },
      })
    }
    case 'assign':
      return ofApplication('PUT', `/groups/${group.id}`, [204], () => application.groups.add(group))
    case 'unassign':
      return ofApplication(
        'DELETE',
        `/groups/${group.id}`,
        application.groups.has(group) ? [204] : [404],
        () => application.groups.delete(group),
      )
    case 'set_rule': {
      const department = departmentOf(model, step)
      const condition = { attribute: 'department', operator: 'eq', value: department.toUpperCase() }
      return ofGroup({ rule: { match: 'all', conditions: [condition] } }, () => (group.rule = department))
    }
    case 'clear_rule':
      return ofGroup({ rule: null }, () => (group.rule = null))
    case 'rename_group': {
      const name = group.name.endsWith('again')
        ? group.name.slice(0, -' again'.length)
        : `${group.name} again`
      return ofGroup({ name }, () => (group.name = name))
    }
    case 'disable':
      return ofApplication('POST', '/disable', application.active ? [204] : [409], () => {
        application.active = false
        voids((grant) => grant.application === application)
      })
    case 'enable':
      return ofApplication('POST', '/enable', application.active ? [409] : [204], () => {
        application.active = true
      })
  }
}
