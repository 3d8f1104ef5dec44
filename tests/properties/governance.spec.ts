/**
 * Access packages, requests, reviews and leavers, after any sequence of steps on two instances: what the service says is what
 * a model written apart says. The workers run only when a step says so, so whatever ends by itself ends without them.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { accessDeadlines } from '../../adapters/application/reactions/access-deadlines.ts'
import { accessReviewDuty } from '../../adapters/application/reactions/access-reviews.ts'
import { systemClock } from '../../adapters/kernel/clock.ts'
import { rebuildReadModels } from '../../cli/server/rebuild.ts'
import { lawsBrokenIn } from '../support/api/governance-laws.ts'
import type { ModelPackage, ModelRequest, ModelUser } from '../support/api/governance-model.ts'
import {
  governanceWorld,
  GROUPS,
  REFRESH_HOURS,
  USERS,
  type GovernanceWorld,
} from '../support/api/governance-world.ts'
import { oidcWorld, pkce } from '../support/oidc/oidc.ts'
import { fromEnvironment } from '../support/random.ts'
import { movableClock } from '../support/service/movable-clock.ts'
import {
  freePort,
  recordingLog,
  system,
  testPlace,
  testService,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'
import { until } from '../support/until.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

const RUNS = fromEnvironment('SVC_CAMPAIGN_RUNS', 4)
const STEPS = 26

const kinds = [
  ...['request', 'request', 'request', 'request_later', 'approve', 'approve', 'approve', 'approve', 'deny'],
  ...['cancel', 'assign', 'assign', 'end', 'join', 'leave', 'suspend', 'reactivate', 'delete'],
  ...['archive', 'publish'],
  ...['forward', 'forward', 'forward', 'work', 'work', 'review', 'restart'],
] as const

const step = fc.record({
  kind: fc.constantFrom(...kinds),
  user: fc.nat(USERS - 1),
  by: fc.nat(USERS),
  of: fc.nat(2),
  group: fc.nat(GROUPS - 1),
  hours: fc.constantFrom(1, 13, 24, 30, 72),
  /** Which request, and which users lose their access in a review */
  pick: fc.nat(15),
  instance: fc.nat(1),
})
type Wanted = typeof step extends fc.Arbitrary<infer T> ? T : never

const nothing: Omit<Wanted, 'kind'> = { user: 0, by: 0, of: 0, group: 0, hours: 24, pick: 0, instance: 0 }
/** Some have access at the beginning, and one wants to approve their own request. */
const beginning: readonly Wanted[] = [
  { ...nothing, kind: 'assign', user: 1, pick: 1 },
  { ...nothing, kind: 'request', user: 2, of: 1, instance: 1 },
  { ...nothing, kind: 'approve', by: 2 },
  { ...nothing, kind: 'approve', by: 0, instance: 1 },
  { ...nothing, kind: 'request', user: 3, of: 2 },
]

describe('GOV-01 GOV-02 governance', function () {
  this.timeout(180_000 + RUNS * 30_000)
  let place: TestPlace
  /** The time of both instances */
  const clock = movableClock(systemClock())
  let instances: TestService[]
  let admin: ModelUser
  let worlds = 0
  const seen = new Map<string, number>()
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)

  const start = async (n: number): Promise<TestService> => {
    const port = n === 0 ? place.config.listen.port : await freePort()
    const config = { ...place.config, listen: { host: '127.0.0.1', port } }
    const service = await testService({ ...place, config }, { clock, duties: false })
    return { ...service, publicUrl: `http://localhost:${String(port)}` }
  }
  before(async () => {
    place = await testPlace()
    instances = [await start(0), await start(1)]
    const { userId, email } = await instances[0]!.person({}, ['global_admin'])
    admin = { name: 'admin', userId, email, manager: null, status: 'active' }
  })
  after(async () => {
    for (const one of instances) await one.stop()
    const report = await rebuildReadModels(place.config, recordingLog(), true)
    expect(report.differences, 'replay').to.deep.equal([])
    await place.drop()
  })

  /** With a session of now, however long ago the last one was. */
  const send = async (
    at: TestService,
    as: ModelUser,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Json> => {
    const signedIn = await at.signIn(as.userId, as.email)
    const response = await fetch(`${at.publicUrl}/api/v1${path}`, {
      method,
      headers: {
        Cookie: signedIn.cookie,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
  const ok = async (at: TestService, method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await send(at, admin, method, path, body)
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.within(200, 299)
    return answer.body
  }

  const work = async ({ core: { services } }: TestService): Promise<void> => {
    for (const duty of [accessDeadlines, accessReviewDuty]) await duty(services, () => system)()
  }

  const requestStep = async (
    { model }: GovernanceWorld,
    at: TestService,
    user: ModelUser,
    of: ModelPackage,
    isLater: boolean,
  ): Promise<void> => {
    const startsAt = isLater ? { startsAt: clock.in(24 * 3600) } : {}
    const expected = model.answerToRequest(user, of)
    const body = { packageId: of.packageId, ...startsAt }
    const answer = await send(at, user, 'POST', '/me/access-requests', body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(expected)
    if (expected === 201) model.request(user, of, answer.body.id, isLater ? model.hour + 24 : null)
  }

  const decisionStep = async (
    { model }: GovernanceWorld,
    at: TestService,
    request: ModelRequest,
    by: ModelUser,
    isApproval: boolean,
  ): Promise<void> => {
    const expected = model.answerToDecision(request, by, isApproval)
    const path = `/access-requests/${request.requestId}/${isApproval ? 'approve' : 'deny'}`
    const answer = await send(at, by, 'POST', path, isApproval ? {} : { comment: 'No' })
    expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([...expected])
    if (answer.status !== 204) count(`refused: ${String(answer.body.error.code)}`)
    else if (isApproval) model.approve(request, by)
    else request.status = 'denied'
  }

  /** Reviews everybody who has the package, from the start to the end. */
  const reviewStep = async (
    { model }: GovernanceWorld,
    at: TestService,
    of: ModelPackage,
    revoked: (user: ModelUser) => boolean,
  ): Promise<void> => {
    const { id } = await ok(at, 'POST', '/access-reviews', {
      name: of.name,
      scope: { type: 'package', ids: [of.packageId] },
      stages: [{ type: 'users', ids: [model.owner.userId], fallbackIds: [] }],
      schedule: { startsAt: clock.in(3600) },
      settings: { justificationRequired: 'never' },
    })
    const path = `/access-reviews/${String(id)}`
    await ok(at, 'POST', `${path}/start`)
    await work(at)
    model.work()
    const items = await ok(at, 'GET', `${path}/items`)
    const holders = model.holdersOf(of)
    expect(items.map(({ userId }: Json) => userId)).to.have.members(holders.map(({ userId }) => userId))
    for (const { id: itemId, userId } of items) {
      const decision = revoked(holders.find((one) => one.userId === userId)!) ? 'revoked' : 'approved'
      const decided = await send(at, model.owner, 'POST', `${path}/items/${String(itemId)}/decide`, {
        decision,
      })
      expect(decided.status).to.equal(204)
    }
    await ok(at, 'POST', `${path}/complete`)
    await work(at)
    const { status, counts } = await ok(at, 'GET', path)
    const lost = holders.filter(revoked)
    expect([status, counts.applied]).to.deep.equal(['completed', lost.length])
    for (const user of lost) {
      const held = model.assignmentOf(user, of)
      if (held !== null) model.end(held)
      count('revoked')
    }
  }

  /** Returns false if there was nothing to do. */
  const take = async (world: GovernanceWorld, wanted: Wanted): Promise<boolean> => {
    const { model, groupIds, refreshTokens } = world
    const at = instances[wanted.instance]!
    const user = model.users[wanted.user]!
    const by = model.users[wanted.by] ?? model.owner
    const of = model.packages[wanted.of]!
    const request = model.requests[model.requests.length - 1 - (wanted.pick % 4)]
    const member = `/groups/${groupIds[wanted.group]!}/members/${user.userId}`
    const members = model.byHand[wanted.group]!
    const setStatus = async (method: string, path: string, status: ModelUser['status']): Promise<boolean> => {
      if (user.status === 'deleted' || user.status === status) return false
      if (status === 'active' && user.status !== 'suspended') return false
      await ok(at, method, `/users/${user.userId}${path}`)
      refreshTokens.delete(user)
      model.setStatus(user, status)
      return true
    }
    switch (wanted.kind) {
      case 'request':
      case 'request_later':
        if (user.status !== 'active') return false
        await requestStep(world, at, user, of, wanted.kind === 'request_later')
        return true
      case 'approve':
      case 'deny': {
        if (request === undefined) return false
        // Often by somebody who may, because few would otherwise be approved.
        const approver = wanted.group > 0 ? (request.approvers[0] ?? by) : by
        if (approver.status !== 'active') return false
        await decisionStep(world, at, request, approver, wanted.kind === 'approve')
        return true
      }
      case 'cancel': {
        if (request?.status !== 'pending' || request.user.status !== 'active') return false
        const path = `/me/access-requests/${request.requestId}/cancel`
        expect((await send(at, request.user, 'POST', path)).status).to.be.within(200, 299)
        request.status = 'cancelled'
        return true
      }
      case 'assign': {
        const hours = wanted.pick % 2 === 0 ? null : wanted.hours
        const end = hours === null ? {} : { expiresAt: clock.in(hours * 3600) }
        const body = { userId: user.userId, ...end }
        const answer = await send(at, admin, 'POST', `/access-packages/${of.packageId}/assignments`, body)
        const isFree = model.assignmentOf(user, of) === null && !model.isExcluded(user, of)
        expect(answer.status).to.equal(user.status === 'deleted' ? 422 : isFree ? 201 : 409)
        if (answer.status === 201) model.give(user, of, null, hours)
        return true
      }
      case 'end': {
        const held = model.assignmentOf(user, of)
        if (held === null) return false
        const path = `/access-packages/${of.packageId}/assignments`
        const [open] = await ok(at, 'GET', `${path}?userId=${user.userId}&state=open`)
        await ok(at, 'DELETE', `${path}/${String(open.id)}`)
        model.end(held)
        return true
      }
      case 'join':
        if (user.status === 'deleted') return false
        await ok(at, 'PUT', member, {})
        members.add(user)
        return true
      case 'leave':
        if (!members.delete(user)) return false
        await ok(at, 'DELETE', member)
        return true
      case 'suspend':
        return setStatus('POST', '/suspend', 'suspended')
      case 'reactivate':
        return setStatus('POST', '/reactivate', 'active')
      case 'delete':
        return wanted.pick < 8 ? setStatus('DELETE', '', 'deleted') : false
      case 'archive':
      case 'publish':
        await ok(at, 'POST', `/access-packages/${of.packageId}/${wanted.kind}`)
        of.status = wanted.kind === 'archive' ? 'archived' : 'published'
        return true
      case 'forward':
        clock.forward(wanted.hours / 24)
        model.hour += wanted.hours
        return true
      case 'work':
        await work(at)
        model.work()
        return true
      case 'review':
        await reviewStep(world, at, of, (one) => ((wanted.pick >> model.users.indexOf(one)) & 1) === 1)
        return true
      case 'restart':
        await at.stop()
        instances[wanted.instance] = await start(wanted.instance)
        return true
    }
  }

  /** What the application gets from the authorization endpoint and for its refresh token. */
  const checkTokens = async (world: GovernanceWorld, at: TestService, user: ModelUser): Promise<void> => {
    const { model, app, refreshTokens } = world
    const oidc = oidcWorld(at)
    const hasAccess = user.status === 'active' && model.isMember(user, 0)
    const held = refreshTokens.get(user)
    if (held !== undefined && model.hour - held.hour < REFRESH_HOURS) {
      const { status, body } = await oidc.refresh(app, held.token)
      count(`refresh: ${hasAccess ? 'good' : 'refused'}`)
      expect(status, `refresh of ${user.name} ${JSON.stringify(body)}`).to.equal(hasAccess ? 200 : 400)
      if (status === 200) refreshTokens.set(user, { token: body.refresh_token, hour: model.hour })
    }
    if (user.status !== 'active') return
    const signedIn = await at.signIn(user.userId, user.email)
    if (hasAccess) {
      if (refreshTokens.has(user)) return
      const { refresh_token: token } = await oidc.tokens(app, signedIn, 'openid offline_access')
      refreshTokens.set(user, { token, hour: model.hour })
    } else {
      const { challenge } = pkce()
      const pkceParameters = { code_challenge: challenge, code_challenge_method: 'S256' }
      const { status, query } = await oidc.authorize(app, signedIn, pkceParameters)
      expect([status, query['code']], `authorize for ${user.name}`).to.deep.equal([403, undefined])
    }
  }

  const check = async (world: GovernanceWorld, at: TestService): Promise<void> => {
    const { model, groupIds } = world
    for (const user of model.users) {
      expect(model.holdsIncompatible(user), `separation of duties of ${user.name}`).to.equal(false)
      if (user.status === 'deleted') continue
      const groups = await ok(at, 'GET', `/users/${user.userId}/groups?limit=200`)
      const shown = groups.map(({ id }: Json) => groupIds.indexOf(id)).filter((n: number) => n !== -1)
      expect(shown, `groups of ${user.name}`).to.have.members([...model.groupsOf(user)])
    }
    for (const request of model.requests.slice(-5)) {
      const shown = await ok(at, 'GET', `/access-requests/${request.requestId}`)
      expect(shown.status, `status of the request of ${request.user.name} (${request.of.name})`).to.equal(
        request.status,
      )
      count(`request: ${request.status}`)
      if (request.status !== 'pending' || request.deadline <= model.hour) continue
      const ids = shown.eligibleApprovers.map(({ id }: Json) => id)
      expect(ids, 'approvers').to.have.members(request.approvers.map(({ userId }) => userId))
    }
    for (const user of model.users) await checkTokens(world, at, user)
  }

  /** Work that was started shows within seconds; everything else is true when it is acknowledged. */
  const checked = async (world: GovernanceWorld, wanted: Wanted): Promise<void> => {
    const at = instances[1 - wanted.instance]!
    const isLate = wanted.kind === 'work' || wanted.kind === 'review'
    let failure: unknown
    const holds = (): Promise<boolean> =>
      check(world, at).then(
        () => true,
        (error: unknown) => {
          failure = error
          return false
        },
      )
    await until(holds, isLate ? 5000 : 0, 'a check').catch(() => {
      throw failure
    })
  }

  it('GOV-01 GOV-02 ASG-03 on each instance, users have what the model says, until when it says', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.noBias(fc.array(step, { minLength: STEPS / 2, maxLength: STEPS, size: 'max' })),
        async (sequence) => {
          const prefix = `World ${String(++worlds)}`
          const world = await governanceWorld(instances[0]!, ok, prefix)
          for (const [index, wanted] of [...beginning, ...sequence].entries())
            try {
              if (!(await take(world, wanted))) continue
              count(wanted.kind)
              await checked(world, wanted)
            } catch (error) {
              if (error instanceof Error)
                error.message = `step ${String(index)} ${JSON.stringify(wanted)}: ${error.message}`
              throw error
            }
        },
      ),
      { numRuns: RUNS, plugins: [fc.interruptAfterTimeLimit(120_000 + RUNS * 20_000)] },
    )
    expect(await lawsBrokenIn(instances[0]!), 'laws at each position').to.deep.equal([])
    // The property would also hold for steps that never give or take anything.
    for (const what of ['refresh: refused', 'request: delivered', 'refused: ERR_SELF_APPROVAL'])
      expect(seen.get(what) ?? 0, what).to.be.greaterThan(0)
  })
})
