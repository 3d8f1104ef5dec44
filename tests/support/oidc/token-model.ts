/**
 * The rules of tokens in their simplest form. A grant is the result of one authorization: a code, then generations of
 * refresh tokens, and access tokens. It is permanently invalid once it was revoked, or once its user or application
 * lost all grants. While the user is outside the application's group, it is only suspended.
 */
import fc, { type Arbitrary } from 'fast-check'
import type { TestApi, TestApplication } from './oidc.ts'
import type { TestPerson } from '../service/service.ts'

export interface ModelSession {
  readonly as: TestPerson
  isEnded: boolean
  isExpired: boolean
}

export interface ModelPerson {
  readonly userId: string
  isActive: boolean
  /** The current one in the user's browser; a later sign-in leaves earlier ones unchanged. */
  session: ModelSession
  readonly sessions: ModelSession[]
}

export interface ModelApplication {
  readonly app: TestApplication
  isActive: boolean
  /** Whether its group of users is assigned to it. */
  isAssigned: boolean
  readonly members: Set<ModelPerson>
  rotates: boolean
  /** How many scopes of each API it is granted. */
  readonly levels: Map<TestApi, number>
}

export interface ModelAccessToken {
  readonly text: string
  readonly scopes: readonly string[]
  readonly apis: readonly TestApi[]
}

export interface ModelGrant {
  readonly person: ModelPerson
  readonly application: ModelApplication
  readonly session: ModelSession
  readonly scopes: readonly string[]
  readonly apis: readonly TestApi[]
  readonly code: { readonly code: string; readonly verifier: string }
  /** When the code was issued, in milliseconds; codes expire. */
  readonly codeAt: number
  isVoid: boolean
  /** Whether the code was redeemed. */
  isIssued: boolean
  /** Generation of the current refresh token. */
  generation: number
  readonly refreshTokens: { readonly text: string; readonly generation: number }[]
  readonly accessTokens: ModelAccessToken[]
}

export interface Model {
  readonly people: readonly ModelPerson[]
  readonly applications: readonly ModelApplication[]
  readonly grants: ModelGrant[]
}

export type TokenOutcome = 'good' | 'invalid_grant' | 'invalid_client' | 'invalid_scope'

export const isOffline = ({ scopes }: ModelGrant): boolean => scopes.includes('offline_access')

const isMember = (person: ModelPerson, { isAssigned, members }: ModelApplication): boolean =>
  isAssigned && members.has(person)

export const hasAccess = (person: ModelPerson, application: ModelApplication): boolean =>
  person.isActive && application.isActive && isMember(person, application)

/** Whether the tokens of the grant are valid. */
export const isGood = (grant: ModelGrant): boolean => {
  const { person, application, session, isVoid } = grant
  const holds = !session.isEnded && (!session.isExpired || isOffline(grant))
  return !isVoid && holds && hasAccess(person, application)
}

/** The scopes that the application is granted on the API. */
export const grantedOn = ({ levels }: ModelApplication, api: TestApi): readonly string[] =>
  api.scopes.slice(0, levels.get(api) ?? 0)

/** The authorization endpoint's response to the user's browser, for these APIs. */
export const authorized = (
  person: ModelPerson,
  application: ModelApplication,
  apis: readonly TestApi[],
): 'code' | 'sign_in' | 'not_assigned' | 'no_application' | 'invalid_target' => {
  const { isEnded, isExpired } = person.session
  if (!application.isActive) return 'no_application'
  if (apis.some((api) => grantedOn(application, api).length === 0)) return 'invalid_target'
  if (!person.isActive || isEnded || isExpired) return 'sign_in'
  return isMember(person, application) ? 'code' : 'not_assigned'
}

/** The scopes and APIs that are still granted. */
export const stillGranted = (
  application: ModelApplication,
  { scopes, apis }: Pick<ModelGrant, 'scopes' | 'apis'>,
) => ({
  scopes: scopes.filter(
    (name) =>
      !name.includes(':') ||
      [...application.levels.keys()].some((api) => grantedOn(application, api).includes(name)),
  ),
  apis: apis.filter((api) => grantedOn(application, api).length > 0),
})

/** The scopes and audience of an access token of the grant now; null if too much is requested. */
export const tokenOf = (grant: ModelGrant, scope?: string): Omit<ModelAccessToken, 'text'> | null => {
  const { scopes, apis } = stillGranted(grant.application, grant)
  if (scope === undefined) return { scopes, apis }
  const requested = apis.filter((api) => api.scopes.includes(scope))
  return scopes.includes(scope) ? { scopes: [scope], apis: requested } : null
}

export const isSigned = ({ levels }: ModelApplication): boolean =>
  [...levels.values()].some((level) => level > 0)

/** Redeems the code. */
export const redeem = (grant: ModelGrant): TokenOutcome => {
  if (!grant.application.isActive) return 'invalid_client'
  if (!isGood(grant)) return 'invalid_grant'
  if (grant.isIssued) {
    grant.isVoid = true
    return 'invalid_grant'
  }
  grant.isIssued = true
  return 'good'
}

/** Uses the refresh token of that generation. */
export const refresh = (grant: ModelGrant, generation: number, scope?: string): TokenOutcome => {
  if (!grant.application.isActive) return 'invalid_client'
  if (!isGood(grant)) return 'invalid_grant'
  if (tokenOf(grant, scope) === null) return 'invalid_scope'
  if (generation !== grant.generation) {
    grant.isVoid = true
    return 'invalid_grant'
  }
  if (grant.application.rotates) grant.generation++
  return 'good'
}

const withdrawalKinds = [
  'suspend',
  'revoke_sessions',
  'end_session',
  'expire_session',
  'leave',
  'unassign',
  'disable',
  'take_back',
] as const

export type WithdrawalKind = (typeof withdrawalKinds)[number]

export const isWithdrawal = (kind: string): kind is WithdrawalKind =>
  (withdrawalKinds as readonly string[]).includes(kind)

/** Whether there is anything to withdraw. */
export const canWithdraw = (
  kind: WithdrawalKind,
  person: ModelPerson,
  application: ModelApplication,
): boolean => {
  switch (kind) {
    case 'suspend':
      return person.isActive
    case 'end_session':
    case 'expire_session':
      return !person.session.isEnded
    case 'leave':
      return application.members.has(person)
    case 'unassign':
      return application.isAssigned
    case 'disable':
      return application.isActive
    case 'revoke_sessions':
    case 'take_back':
      return true
  }
}

export const withdraw = (
  { grants }: Model,
  kind: WithdrawalKind,
  person: ModelPerson,
  application: ModelApplication,
): void => {
  const voids = (is: (grant: ModelGrant) => boolean): void => {
    for (const grant of grants) if (is(grant)) grant.isVoid = true
  }
  switch (kind) {
    case 'suspend':
      person.isActive = false
      for (const session of person.sessions) session.isEnded = true
      return voids((grant) => grant.person === person)
    case 'revoke_sessions':
      for (const session of person.sessions) session.isEnded = true
      return voids((grant) => grant.person === person)
    case 'end_session':
      person.session.isEnded = true
      return
    case 'expire_session':
      person.session.isExpired = true
      return
    case 'leave':
      application.members.delete(person)
      return
    case 'unassign':
      application.isAssigned = false
      return
    case 'disable':
      application.isActive = false
      return voids((grant) => grant.application === application)
    case 'take_back':
      return voids((grant) => grant.person === person && grant.application === application)
  }
}

const grantKinds = [
  'redeem',
  'redeem_twice',
  'refresh',
  'refresh_old',
  'refresh_narrowed',
  'refresh_twice',
  'revoke',
  'revoke_by_another',
  'race',
] as const

export type GrantKind = (typeof grantKinds)[number]

export const isOfGrant = (kind: string): kind is GrantKind => (grantKinds as readonly string[]).includes(kind)

const kinds = [
  'authorize',
  ...grantKinds,
  ...withdrawalKinds,
  'reactivate',
  'sign_in',
  'join',
  'assign',
  'enable',
  'set_rotation',
  'grant_apis',
] as const

export interface Step {
  readonly kind: (typeof kinds)[number]
  readonly person: number
  readonly application: number
  /** Which of the possible grants, counted from the latest. */
  readonly grant: number
  readonly withdrawal: WithdrawalKind
  /** Which scopes are requested, or which token is used. */
  readonly choice: number
  /** Which instance gets which request, as bits. */
  readonly instances: number
}

export const PEOPLE = 2
export const APPLICATIONS = 3
/** How many of the latest grants are used. */
export const GRANTS = 8

/** Codes older than this, in milliseconds, are not used: they are about to expire. */
const CODE_MS = 40_000

export const currentRefreshToken = ({ refreshTokens, generation: current }: ModelGrant) =>
  refreshTokens.findLast(({ generation }) => generation === current)

export const oldRefreshTokens = ({ refreshTokens, generation: current }: ModelGrant) =>
  refreshTokens.filter(({ generation }) => generation !== current)

/** Usually picks a grant that is still valid: nearly all requests with the others are rejected in the same way. */
const mostly = <T>(all: readonly T[], matters: (each: T) => boolean, { instances }: Step): readonly T[] => {
  const some = (instances & 192) === 0 ? [] : all.filter(matters)
  return some.length > 0 ? some : all
}

const suits = (kind: GrantKind, grant: ModelGrant, now: number): boolean => {
  const isFresh = now - grant.codeAt < CODE_MS
  switch (kind) {
    case 'redeem':
    case 'redeem_twice':
      return isFresh
    case 'refresh_old':
      return oldRefreshTokens(grant).length > 0
    case 'revoke':
    case 'revoke_by_another':
      return grant.accessTokens.length > 0
    case 'race':
      return isGood(grant) && (currentRefreshToken(grant) !== undefined || (isFresh && !grant.isIssued))
    case 'refresh':
    case 'refresh_narrowed':
    case 'refresh_twice':
      return currentRefreshToken(grant) !== undefined
  }
}

/** The grant that a step uses. @param now milliseconds */
export const grantFor = (
  { grants }: Model,
  step: Step & { readonly kind: GrantKind },
  now: number,
): ModelGrant | undefined => {
  const suited = grants.filter((grant) => suits(step.kind, grant, now))
  const good = mostly(suited, isGood, step)
  const codes = step.kind === 'redeem' ? mostly(good, ({ isIssued }) => !isIssued, step) : good
  return codes.at(-1 - (step.grant % Math.max(1, codes.length)))
}

/** The user and application of a step. */
export const pairFor = (
  { people, applications }: Model,
  step: Step,
): readonly [ModelPerson, ModelApplication] => {
  const all = people.flatMap((person) => applications.map((application) => [person, application] as const))
  const open = mostly(all, ([person, application]) => authorized(person, application, []) === 'code', step)
  return open[(step.person * APPLICATIONS + step.application) % open.length]!
}

/** These steps are more frequent, because otherwise hardly anything would stay valid long enough to be revoked. */
const weights: Partial<Record<Step['kind'], number>> = {
  authorize: 14,
  redeem: 14,
  redeem_twice: 2,
  refresh: 12,
  refresh_old: 5,
  refresh_narrowed: 7,
  refresh_twice: 2,
  revoke: 2,
  expire_session: 4,
  race: 4,
  reactivate: 4,
  sign_in: 4,
  join: 3,
  assign: 3,
  enable: 4,
  set_rotation: 2,
  grant_apis: 2,
}

export const steps = (atMost: number): Arbitrary<Step[]> =>
  fc.noBias(
    fc.array(
      fc.record({
        kind: fc.constantFrom(
          ...kinds.flatMap((kind) => Array.from({ length: weights[kind] ?? 1 }, () => kind)),
        ),
        person: fc.nat(PEOPLE - 1),
        application: fc.nat(APPLICATIONS - 1),
        grant: fc.nat(3),
        withdrawal: fc.constantFrom(...withdrawalKinds),
        choice: fc.nat(15),
        instances: fc.nat(255),
      }),
      { minLength: Math.ceil(atMost / 2), maxLength: atMost, size: 'max' },
    ),
  )
