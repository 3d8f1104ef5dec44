/** Whether codes and tokens are valid after any history, checked on two instances. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { ClientAnswer, OidcWorld, TestApi, TestApplication } from '../support/oidc/oidc.ts'
import { fromEnvironment } from '../support/random.ts'
import { servicePair, type ServicePair } from '../support/service/service-pair.ts'
import {
  APPLICATIONS,
  GRANTS,
  hasAccess,
  isGood,
  steps,
  stillGranted,
  type Model,
  type ModelAccessToken,
  type ModelApplication,
  type ModelGrant,
  type Step,
} from '../support/oidc/token-model.ts'
import { outcomeOf, sorted, tokenMoves } from '../support/oidc/token-moves.ts'

const RUNS = fromEnvironment('SVC_CAMPAIGN_RUNS', 12)
/** Maximum number of steps; the minimum is half of it. */
const STEPS = 48

/** Initial grants, so that there is something to lose. */
const start = Array.from({ length: APPLICATIONS }, (_, application): readonly Step[] => {
  const step = { person: 0, application, grant: 0, withdrawal: 'leave', choice: 3, instances: 0 } as const
  return [
    { ...step, kind: 'authorize' },
    { ...step, kind: 'redeem' },
  ]
}).flat()

type Probe = (at: OidcWorld) => Promise<void>

describe('the validity of tokens', function () {
  this.timeout(120_000 + RUNS * 5000)
  let pair: ServicePair
  let owner: TestApplication
  let apis: readonly [TestApi, TestApi]
  const seen = new Map<string, number>()
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)

  before(async () => {
    pair = await servicePair()
    const [world] = pair.worlds
    owner = await world.application('service', { redirectUris: [] }, { groups: 'none' })
    apis = [
      await world.api(['read', 'write'], { ownerApplicationIds: [owner.applicationId] }),
      await world.api(['read', 'write']),
    ]
  })
  after(() => pair.stop())

  const userinfo =
    (grant: ModelGrant, token: ModelAccessToken): Probe =>
    async (at) => {
      const { status, body } = await at.userinfo(token.text)
      const expected = !isGood(grant) ? 401 : token.scopes.includes('openid') ? 200 : 403
      const rests = !isGood(grant) && hasAccess(grant.person, grant.application)
      count(`userinfo: ${String(expected)}${rests ? ', although there is access' : ''}`)
      expect(status, 'userinfo').to.equal(expected)
      if (status === 200) expect(body.sub).to.equal(grant.person.userId)
    }

  const expectStatus = (
    answer: ClientAnswer,
    isClient: boolean,
    expected: object | null,
    what: string,
  ): void => {
    if (!isClient) {
      expect(outcomeOf(answer), what).to.equal('invalid_client')
      return
    }
    count(`${what}: ${expected === null ? 'inactive' : 'active'}`)
    expect(answer.status, what).to.equal(200)
    if (expected === null) expect(answer.body, what).to.deep.equal({ active: false })
    else expect(answer.body, what).to.deep.include({ active: true, ...expected })
  }

  /** Introspection by an application, or by the owner of the first API. */
  const introspection =
    (grant: ModelGrant, token: ModelAccessToken, by: ModelApplication | 'owner'): Probe =>
    async (at) => {
      const { person, application } = grant
      const left = stillGranted(application, token)
      const may = by === 'owner' ? left.apis.includes(apis[0]) : by === application
      const answer = await at.introspect(by === 'owner' ? owner : by.app, token.text)
      if (answer.status === 200 && answer.body.active === true) {
        const { scope, aud } = answer.body
        const audience =
          token.apis.length === 0 ? [pair.one.publicUrl] : left.apis.map(({ identifier }) => identifier)
        expect(sorted(scope.split(' ')), 'scope').to.deep.equal(sorted(left.scopes))
        expect(sorted(aud), 'aud').to.deep.equal(sorted(audience))
      }
      expectStatus(
        answer,
        by === 'owner' || by.isActive,
        may && isGood(grant) ? { sub: person.userId, client_id: application.app.clientId } : null,
        `introspection by ${by === 'owner' ? 'the owner' : by === application ? 'the client' : 'another'}`,
      )
    }

  const introspectionOfRefresh =
    (grant: ModelGrant, { text, generation }: ModelGrant['refreshTokens'][number]): Probe =>
    async (at) => {
      const { person, application, session } = grant
      const isCurrent = isGood(grant) && generation === grant.generation
      const expected = isCurrent ? { sub: person.userId, sid: session.as.sessionId } : null
      expectStatus(
        await at.introspect(application.app, text),
        application.isActive,
        expected,
        'refresh token',
      )
    }

  /** Returns all checks of the tokens of a grant. */
  const probesOf = ({ applications }: Model, grant: ModelGrant): readonly Probe[] => {
    const { application, accessTokens, refreshTokens } = grant
    const asking = applications.filter(({ app }) => app.secret !== '')
    return [
      ...[accessTokens.at(-1), accessTokens[0]]
        .filter((token) => token !== undefined)
        .flatMap((token) => [
          userinfo(grant, token),
          introspection(grant, token, 'owner'),
          ...asking.map((by) => introspection(grant, token, by)),
        ]),
      ...[refreshTokens.at(-1), refreshTokens[0]]
        .filter((token) => token !== undefined && application.app.secret !== '')
        .map((token) => introspectionOfRefresh(grant, token!)),
    ]
  }

  it('ASG-03 OIDC-06 OIDC-07 OIDC-12 after every step each instance returns what the rules require', async () => {
    const { newModel, take } = tokenMoves(pair, apis, count)
    await fc.assert(
      fc.asyncProperty(steps(STEPS), async (sequence) => {
        count('run')
        const model = await newModel()
        for (const step of start) await take(model, step)
        const taken: string[] = []
        for (const [index, step] of sequence.entries())
          try {
            if (!(await take(model, step))) continue
            taken.push(step.kind)
            count(step.kind)
            await Promise.all(
              model.grants.slice(-GRANTS).flatMap((grant, n) => {
                const probes = probesOf(model, grant)
                const [first, ...more] = probes
                const some = isGood(grant) ? more : [more[(index + n) % Math.max(1, more.length)]]
                const at = pair.worlds[((step.instances >> 4) + n) & 1]!
                const other = pair.worlds[((step.instances >> 4) + n + 1) & 1]!
                return [first, ...some].flatMap((probe, m) => probe?.(m % 2 === 0 ? at : other) ?? [])
              }),
            )
          } catch (error) {
            if (error instanceof Error)
              error.message = `step ${String(index)} (${taken.join(', ')}) ${step.kind}: ${error.message}`
            throw error
          }
      }),
      // Shrinks a failure as long as there is time left to report it.
      { numRuns: RUNS, plugins: [fc.interruptAfterTimeLimit(60_000 + RUNS * 4000)] },
    )
    // The property would also be true for steps that never grant or remove anything.
    if (seen.get('run') === RUNS)
      for (const what of [
        'refresh: good',
        'refresh_narrowed: invalid_scope',
        'reuse detected',
        'race: good',
        'userinfo: 401, although there is access',
        'introspection by the owner: active',
        'introspection by the owner: inactive',
        'refresh token: active',
      ])
        expect(seen.get(what) ?? 0, what).to.be.greaterThan(0)
  })
})
