/** Access of users to applications, after any sequence of changes, checked on two instances with one database. */
import { expect } from 'chai'
import fc from 'fast-check'
import {
  actOf,
  answerTo,
  APPLICATIONS,
  departmentOf,
  groupNames,
  GROUPS,
  hasAccess,
  isGood,
  PEOPLE,
  steps,
  type Step,
} from '../support/api/access-model.ts'
import type {
  Model,
  ModelApplication,
  ModelGrant,
  ModelPackage,
  ModelPerson,
} from '../support/api/access-model-types.ts'
import { fromEnvironment } from '../support/random.ts'
import { oidcWorld, pkce, type OidcWorld } from '../support/oidc/oidc.ts'
import {
  freePort,
  testPlace,
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'
import { until } from '../support/until.ts'

type Pair = readonly [ModelPerson, ModelApplication]
interface Code extends ModelGrant {
  readonly code: string
  readonly verifier: string
}
interface Token extends ModelGrant {
  readonly token: string
}

const RUNS = fromEnvironment('SVC_CAMPAIGN_RUNS', 14)
/** Maximum number of steps; the minimum is half of it. */
const STEPS = 28

const nobody: Omit<Step, 'kind'> = {
  person: 0,
  group: 0,
  application: 0,
  department: 0,
  other: [0, 0],
  instances: 0,
}
/** One application has members by rule and manual members; the other is assigned to no group. */
const start: readonly (Pick<Step, 'kind'> & Partial<Step>)[] = [
  { kind: 'set_rule', group: 0 },
  { kind: 'join', group: 1, person: 1 },
  { kind: 'assign', group: 0 },
  { kind: 'assign', group: 1 },
]

describe('access to applications', function () {
  this.timeout(120_000 + RUNS * 5000)
  let place: TestPlace
  let one: TestService
  let two: TestService
  let worlds: readonly OidcWorld[]
  let admin: TestPerson
  let made = 0
  const seen = new Map<string, number>()

  before(async () => {
    place = await testPlace()
    one = await testService(place)
    const port = await freePort()
    two = await testService({ ...place, config: { ...place.config, listen: { host: '127.0.0.1', port } } })
    two = { ...two, publicUrl: `http://localhost:${String(port)}` }
    worlds = [oidcWorld(one), oidcWorld(two)]
    admin = await one.person({}, ['global_admin'])
  })
  after(async () => {
    await two.stop()
    await one.stop()
    await place.drop()
  })

  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)

  const enrol = async (model: Model, slot: number, department: string): Promise<void> => {
    const as = await one.person({ department })
    const session = { as, ended: false }
    model.people[slot] = { userId: as.userId, status: 'active', department, session, sessions: [session] }
  }

  const packageOf = async (name: string, groups: Model['groups']): Promise<string> => {
    const grants = groups.map(({ id }) => ({ type: 'group', groupId: id }))
    const { body } = await one.api('POST', '/access-packages', { as: admin, body: { name, grants } })
    const { status } = await one.api('POST', `/access-packages/${String(body.id)}/publish`, { as: admin })
    expect(status).to.equal(200)
    return String(body.id)
  }

  const emptyModel = async (): Promise<Model> => {
    const prefix = `World ${String(++made)}`
    const [world] = worlds as [OidcWorld]
    const packages: ModelPackage[] = []
    const groups: Model['groups'][number][] = []
    for (let n = 0; n < GROUPS; n++) {
      const name = `${prefix} Group ${String(n)}`
      const id = await world.group(name)
      const people = { byHand: new Set<ModelPerson>(), lapsed: new Set<ModelPerson>() }
      groups.push({ id, name, rule: null, ...people, packages })
    }
    // They overlap in a group.
    for (const some of [groups.slice(0, 2), groups.slice(1)])
      packages.push({
        id: await packageOf(`${prefix} Package ${String(packages.length)}`, some),
        groups: new Set(some),
        holders: new Map(),
        lapsed: new Set(),
      })
    const applications = []
    for (let n = 0; n < APPLICATIONS; n++) {
      const app = await world.application(n === 0 ? 'spa' : 'web', {}, { groups: 'none' })
      applications.push({ app, active: true, groups: new Set<Model['groups'][number]>() })
    }
    const model: Model = { prefix, people: [], groups, applications, packages, grants: [] }
    for (let n = 0; n < PEOPLE - 1; n++) await enrol(model, n, `${prefix} Department ${String(n)}`)
    for (const act of start) await take(model, { ...nobody, ...act }, one, admin)
    return model
  }

  /** Runs the step at one of the instances; returns false if there was nothing to do. */
  const take = async (model: Model, step: Step, at: TestService, by: TestPerson): Promise<boolean> => {
    const person = model.people[step.person]
    if (step.kind === 'enrol') {
      if (person !== undefined && person.status !== 'deleted') return false
      await enrol(model, step.person, departmentOf(model, step))
      return true
    }
    if (step.kind === 'sign_in') {
      if (person?.status !== 'active') return false
      person.session = { as: await one.signIn(person.userId, ''), ended: false }
      person.sessions.push(person.session)
      return true
    }
    const act = actOf(model, step, () => new Date())
    if (act === null) return false
    const response = await fetch(`${at.publicUrl}/api/v1${act.path}`, {
      method: act.method,
      headers: {
        Cookie: by.cookie,
        ...(act.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(act.body === undefined ? {} : { body: JSON.stringify(act.body) }),
    })
    const answer = await response.text()
    expect(response.status, `${act.method} ${act.path}`).to.be.oneOf([...act.statuses])
    if (!response.ok) return true
    if (act.until !== undefined) {
      const end = act.until
      await until(() => new Date().toISOString() > end)
    }
    act.apply(answer === '' ? null : JSON.parse(answer))
    return true
  }

  /** Requests a code; the result must match the rules. */
  const authorize = async (
    model: Model,
    [person, application]: Pair,
    at: OidcWorld,
  ): Promise<Code | null> => {
    const { verifier, challenge } = pkce()
    const { session } = person
    const expected = answerTo(person, application)
    const { status, location, query, text } = await at.authorize(application.app, session.as, {
      scope: 'openid groups',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    const answer =
      query['code'] !== undefined
        ? 'code'
        : location?.includes('/sign-in?authRequest=') === true
          ? 'sign_in'
          : status === 403 && text.includes('ERR_NOT_ASSIGNED')
            ? 'not_assigned'
            : status === 400 && text.includes('ERR_INVALID_CLIENT')
              ? 'no_application'
              : `${String(status)} ${location ?? text}`
    expect(answer, 'authorize').to.equal(expected)
    count(`authorize: ${expected}`)
    if (query['code'] === undefined) return null
    const code: Code = { person, application, session, isVoid: false, code: query['code'], verifier }
    model.grants.push(code)
    return code
  }

  const redeem = async (model: Model, code: Code, at: OidcWorld, what: string): Promise<Token | null> => {
    const { person, application, session } = code
    const { status, body } = await at.redeem(application.app, code)
    count(`${what}: ${isGood(code) ? 'good' : 'refused'}`)
    if (!isGood(code)) {
      expect(status, what).to.equal(application.active ? 400 : 401)
      expect(body.error, what).to.equal(application.active ? 'invalid_grant' : 'invalid_client')
      return null
    }
    expect(status, `${what}: ${String(body.error_description)}`).to.equal(200)
    expect(at.claimsIn(body.id_token).groups, 'groups of the ID token').to.eql(groupNames(model, person))
    const token: Token = { person, application, session, isVoid: false, token: body.access_token as string }
    model.grants.push(token)
    return token
  }

  const use = async (model: Model, token: Token, at: OidcWorld): Promise<void> => {
    const { status, body } = await at.userinfo(token.token)
    const voidly =
      token.isVoid && hasAccess(token.person, token.application) ? ', although there is access' : ''
    count(`userinfo: ${isGood(token) ? 'good' : 'refused'}${voidly}`)
    expect(status, 'userinfo').to.equal(isGood(token) ? 200 : 401)
    if (status === 200) expect(body.groups, 'groups of userinfo').to.eql(groupNames(model, token.person))
  }

  const pairOf = ({ people, applications }: Model, person: number, application: number): readonly Pair[] => {
    const [who, what] = [people[person], applications[application]]
    return who === undefined || what === undefined ? [] : [[who, what]]
  }

  const allPairs = (model: Model): readonly Pair[] =>
    model.people.flatMap((person) => model.applications.map((application): Pair => [person, application]))

  /** Returns the last invalid and the last valid token of a user and application. */
  const latest = (tokens: readonly Token[], [person, application]: Pair): readonly Token[] => {
    const held = tokens.filter((token) => token.person === person && token.application === application)
    return [held.findLast(({ isVoid }) => isVoid), held.findLast(({ isVoid }) => !isVoid)].filter(
      (token) => token !== undefined,
    )
  }

  it('ASG-01 ASG-02 ASG-03 OIDC-18 GOV-01 after every change authorize, token and userinfo of each instance match the rules', async () => {
    await fc.assert(
      fc.asyncProperty(steps(STEPS), async (sequence) => {
        const model = await emptyModel()
        const by = await one.signIn(admin.userId, admin.email)
        const tokens: Token[] = []
        for (const [index, step] of sequence.entries()) {
          const at = (bit: number): OidcWorld => worlds[(step.instances >> bit) & 1]!
          try {
            const before = pairOf(model, step.person, step.application).filter(
              (pair) => answerTo(...pair) === 'code',
            )
            const waiting = await Promise.all(before.map((pair) => authorize(model, pair, at(0))))
            if (!(await take(model, step, step.instances & 2 ? one : two, by))) continue
            count(step.kind)
            for (const code of waiting)
              if (code !== null) {
                const token = await redeem(model, code, at(2), 'earlier code')
                if (token !== null) tokens.push(token)
              }
            const pairs = [
              ...pairOf(model, step.person, step.application),
              ...pairOf(model, ...step.other),
            ].filter((pair, n, all) => all.findIndex((p) => p[0] === pair[0] && p[1] === pair[1]) === n)
            for (const [n, pair] of pairs.entries()) {
              const code = await authorize(model, pair, at(3 + n))
              const token = code === null ? null : await redeem(model, code, at(4 - n), 'code')
              if (token !== null) tokens.push(token)
            }
            const held = allPairs(model).flatMap((pair) => latest(tokens, pair))
            await Promise.all(held.map((token, n) => use(model, token, at(n % 6))))
          } catch (error) {
            if (error instanceof Error) error.message = `step ${String(index)} ${step.kind}: ${error.message}`
            throw error
          }
        }
      }),
      // Shrinks a failure as long as there is time left to report it.
      { numRuns: RUNS, plugins: [fc.interruptAfterTimeLimit(60_000 + RUNS * 4000)] },
    )
    // The property would also be true for steps that never grant or remove anything.
    for (const what of ['earlier code: refused', 'userinfo: refused, although there is access'])
      expect(seen.get(what) ?? 0, what).to.be.greaterThan(0)
  })
})
