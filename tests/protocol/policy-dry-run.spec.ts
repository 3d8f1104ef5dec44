import { expect } from 'chai'
import fc from 'fast-check'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { compilePolicy, evaluatePolicies, type Policy } from '../../domain/policy/evaluate.ts'
import type { SignInAttempt } from '../../domain/sign-in/events.ts'
import { attempts } from '../support/sign-in/authenticator.ts'
import { policyWorld } from '../support/sign-in/policies.ts'
import { CALLBACK, oidcWorld, pkce, type OidcWorld, type TestApplication } from '../support/oidc/oidc.ts'
import { system, testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { SEED } from '../support/random.ts'
import { until } from '../support/until.ts'
import { policyHistory } from '../../read-models/queries/policy-dry-runs.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1'
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'

describe('SGN-06 dry runs of policies', function () {
  this.timeout(60_000)
  let service: TestService
  let oidc: OidcWorld
  let apps: readonly TestApplication[]
  let groups: readonly string[]
  let people: readonly TestPerson[]
  let admin: TestPerson
  let policies: ReturnType<typeof policyWorld>

  before(async () => {
    service = await testService()
    oidc = oidcWorld(service)
    policies = policyWorld(service)
    apps = [await oidc.application('web'), await oidc.application('web')]
    groups = [await oidc.group(), await oidc.group()]
    admin = await service.person({}, ['auditor'])
    people = await Promise.all([1, 2, 3].map(() => service.person()))
    for (const [n, { userId }] of people.entries()) {
      for (const { groupId } of apps) await oidc.join(groupId, userId)
      if (n > 0) await oidc.join(groups[0] ?? '', userId)
    }
  })
  after(() => service.stop())

  const recorded = async (): Promise<readonly SignInAttempt[]> =>
    (await attempts(service)) as readonly unknown[] as readonly SignInAttempt[]

  /** Opens an application, and waits until the sign-in is recorded. */
  const visit = async (person: TestPerson, app: TestApplication, headers: Record<string, string>) => {
    const query = {
      ...{
        client_id: app.clientId,
        redirect_uri: CALLBACK,
        response_type: 'code',
        scope: 'openid',
        state: 's',
      },
      ...{ code_challenge: pkce().challenge, code_challenge_method: 'S256' },
    }
    const of = (all: readonly SignInAttempt[]) =>
      all.filter(({ sessionId }) => sessionId === person.sessionId)
    await oidc.browse(`/oauth2/authorize?${new URLSearchParams(query).toString()}`, person, { headers })
    await until(async () => of(await recorded()).length > 0)
  }

  const dryRun = async (policy: object): Promise<Json> => {
    const body = { policy, from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
    const started = await service.api('POST', '/policies/dry-run', { as: admin, body })
    expect(started.status, JSON.stringify(started.body)).to.equal(202)
    const read = () => service.api('GET', `/policy-dry-runs/${String(started.body.id)}`, { as: admin })
    await until(async () => (await read()).body.status !== 'running', 20_000)
    return (await read()).body
  }

  it('SGN-06 reproduce every recorded decision of random histories, and count what a draft changes', async () => {
    const groupOrAll = fc.constantFrom('all' as const, ...groups.map((group) => [group]))
    const moves = fc.array(
      fc.oneof(
        fc.record({
          what: fc.constant('policy' as const),
          slot: fc.nat(2),
          status: fc.constantFrom('enabled', 'disabled', 'report_only'),
          action: fc.constantFrom('allow', 'block', 'require_strong', 'require_reauth'),
          include: groupOrAll,
          app: fc.option(fc.nat(1)),
          platforms: fc.constantFrom([], ['ios'] as const),
        }),
        fc.record({
          what: fc.constant('visit' as const),
          person: fc.nat(2),
          app: fc.nat(1),
          phone: fc.boolean(),
          method: fc.constantFrom('passkey', 'authenticator_code'),
          age: fc.constantFrom(0, 3600),
        }),
      ),
      { minLength: 40, maxLength: 40 },
    )
    const slots = new Map<number, string>()
    for (const move of fc.sample(moves, { numRuns: 1, seed: SEED })[0] ?? [])
      if (move.what === 'policy') {
        const { slot, status, action, include, app, platforms } = move
        const conditions = {
          users: { include, exclude: [], roles: [] },
          applications: {
            include: app === null ? ('all' as const) : [apps[app]?.applicationId ?? ''],
            exclude: [],
          },
          platforms: [...platforms],
        }
        const before = slots.get(slot)
        const { id: _, ...wanted } = { id: slot, status, action, conditions }
        if (before === undefined) slots.set(slot, await policies.create(wanted))
        else await policies.change(before, wanted)
      } else {
        const { userId, email } = people[move.person] ?? expect.fail()
        const as = await service.signIn(userId, email, { methods: [move.method], age: move.age })
        await visit(as, apps[move.app] ?? expect.fail(), { 'User-Agent': move.phone ? IPHONE : LINUX })
      }

    const decided = (await recorded()).filter(({ decision }) => decision !== null)
    expect(decided.length).to.be.above(10)
    expect(new Set(decided.map(({ decision }) => decision?.outcome)).size).to.be.above(1)

    const draft = {
      action: 'block',
      conditions: { users: { include: [groups[0]] }, platforms: ['ios'] },
    } as const
    const report = await dryRun(draft)
    expect(report).to.include({
      status: 'done',
      mismatches: 0,
      evaluated: decided.length,
      total: decided.length,
    })

    // The same, without the code of the dry run.
    const history = await policyHistory(service.core.services.pool)
    const inGroup = new Set(people.slice(1).map(({ userId }) => userId))
    const changed = decided.filter(({ userId, decision }) => {
      if (decision === null) return false
      const then = history.filter(
        ({ fromPosition, toPosition }) =>
          fromPosition <= decision.position && (toPosition === null || toPosition > decision.position),
      )
      const compiled = then.map(({ policy }: { policy: Policy }) => compilePolicy(policy))
      expect(evaluatePolicies(compiled, decision.facts), 'the recorded decision').to.deep.equal({
        ...{ outcome: decision.outcome, wouldBe: decision.wouldBe, matched: decision.matched },
      })
      return inGroup.has(userId ?? '') && decision.facts.platform === 'ios' && decision.outcome !== 'block'
    })
    expect(report).to.include({ newlyBlocked: changed.length, newlyStepUp: 0, newlyAllowed: 0 })
    expect(
      report.days.map(({ newlyBlocked }: Json) => newlyBlocked).reduce((a: number, b: number) => a + b, 0),
    ).to.equal(changed.length)
    expect(report.samples.map(({ signInId }: Json) => signInId)).to.have.members(
      changed.map(({ signInId }) => signInId),
    )
    expect(report.usersChanged).to.equal(new Set(changed.map(({ userId }) => userId)).size)

    // A draft that allows replaces a policy: what only that policy blocked is newly allowed.
    for (const id of slots.values()) {
      const freed = await dryRun({ id, action: 'allow' })
      expect(freed.mismatches).to.equal(0)
      const expected = decided.filter(({ decision }) => {
        const others = (decision?.matched ?? []).filter(
          (each) => each.status === 'enabled' && each.policyId !== id,
        )
        return decision?.outcome === 'block' && !others.some(({ action }) => action === 'block')
      })
      expect(freed.newlyAllowed + freed.newlyStepUp).to.be.at.least(expected.length)
    }
  })

  it('SGN-06 count erased users without naming them', async () => {
    const gone = await service.person({ name: 'Erased Person' })
    const app = apps[0] ?? expect.fail()
    await oidc.join(app.groupId, gone.userId)
    await visit(gone, app, { 'User-Agent': IPHONE })
    const users = userCommands(service.core.services)
    await users.delete(gone.userId, 'system', system)
    await users.erase(gone.userId, system)
    const report = await dryRun({ action: 'block', conditions: { platforms: ['ios'] } })
    const row = report.users.find(({ userId }: Json) => userId === gone.userId)
    expect(row).to.deep.equal({ userId: gone.userId, name: 'Erased user', changed: 1 })
    expect(JSON.stringify(report)).not.to.contain('Erased Person')
  })

  it('SGN-06 SGN-07 know a network zone that was created after the sign-ins, as it is now', async () => {
    const app = apps[0] ?? expect.fail('no application')
    const person = await service.person()
    await oidc.join(app.groupId, person.userId)
    await visit(person, app, { 'User-Agent': LINUX })
    const zone = await service.api('POST', '/network-zones', {
      as: await service.person({}, ['global_admin']),
      body: { name: 'Created later', type: 'ip', cidrs: ['127.0.0.0/8', '::1/128'] },
    })
    expect(zone.status, JSON.stringify(zone.body)).to.equal(201)
    const { id } = zone.body as { id: string }
    const inside = await dryRun({ action: 'block', conditions: { zones: { include: [id] } } })
    expect(inside.samples.map(({ userId }: Json) => userId)).to.include(person.userId)
    const outside = await dryRun({ action: 'block', conditions: { zones: { exclude: [id] } } })
    expect(outside.samples.map(({ userId }: Json) => userId)).not.to.include(person.userId)
    const withAddress = outside.evaluated - outside.withoutNetwork
    expect([inside.newlyBlocked, inside.withoutNetwork]).to.deep.equal([withAddress, outside.withoutNetwork])
  })

  it('SGN-06 are limited in number, and can be cancelled', async () => {
    await service.core.workPool.query(
      `insert into work.policy_dry_run (id, started_at, status, from_at, to_at, draft, total, tally, leased_until)
       select 'pdr_01JZ000000000000000000000' || n, now(), 'running', now(), now(), '{}', 0, '{"users":{},"applications":{},"samples":[],"days":{},"evaluated":0,"newlyBlocked":0,"newlyStepUp":0,"newlyAllowed":0,"mismatches":0,"withoutNetwork":0,"withoutFacts":0}', now() + interval '1 hour'
       from generate_series(1, 3) n`,
    )
    const body = { policy: { action: 'block' }, from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
    const refused = await service.api('POST', '/policies/dry-run', { as: admin, body })
    expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'ERR_CONFLICT'])
    for (const n of [1, 2, 3]) {
      const path = `/policy-dry-runs/pdr_01JZ000000000000000000000${String(n)}`
      expect((await service.api('DELETE', path, { as: admin })).status).to.equal(204)
      expect((await service.api('GET', path, { as: admin })).body.status).to.equal('cancelled')
    }
    const wrong = { ...body, to: '2019-01-01T00:00:00Z' }
    const answer = await service.api('POST', '/policies/dry-run', { as: admin, body: wrong })
    expect([answer.status, answer.body.error.field]).to.deep.equal([422, '/from'])
  })
})
