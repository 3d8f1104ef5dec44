import { expect } from 'chai'
import { deviceCommands } from '../../adapters/application/commands/devices.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import { deviceName, deviceTraits } from '../../adapters/kernel/device-name.ts'
import type { PolicyOutcome } from '../../domain/policy/evaluate.ts'
import type { PolicyConditions } from '../../domain/policy/events.ts'
import type { SignInAttempt } from '../../domain/sign-in/events.ts'
import { deviceWorld } from '../support/sign-in/device-authorization.ts'
import { attempts } from '../support/sign-in/authenticator.ts'
import { policyWorld } from '../support/sign-in/policies.ts'
import { CALLBACK, oidcWorld, pkce, type TestApplication } from '../support/oidc/oidc.ts'
import { authnRequestXml, redirectQuery, samlWorld, type TestServiceProvider } from '../support/saml/saml.ts'
import { servicePair } from '../support/service/service-pair.ts'
import { system, testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { until } from '../support/until.ts'

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1'
const headers = { 'User-Agent': IPHONE }

/** A token endpoint does not say which requirement the user lacks. */
type Seen = PolicyOutcome | 'refused'

const outcomes: Readonly<Record<string, PolicyOutcome>> = {
  ERR_BLOCKED_BY_POLICY: 'block',
  ERR_STRONGER_AUTH_REQUIRED: 'require_strong',
  ERR_REAUTH_REQUIRED: 'require_reauth',
}
const outcomeOf = (code: string | undefined): PolicyOutcome =>
  outcomes[code ?? ''] ?? expect.fail(`got ${String(code)}`)

describe('SGN-06 policies at every entrance', function () {
  this.timeout(60_000)
  let service: TestService
  let oidc: ReturnType<typeof oidcWorld>
  let app: TestApplication
  let native: TestApplication
  let sp: TestServiceProvider
  let policies: ReturnType<typeof policyWorld>
  let devices: ReturnType<typeof deviceWorld>
  let person: TestPerson
  let deviceId: string
  let groupId: string

  before(async () => {
    service = await testService()
    oidc = oidcWorld(service)
    const saml = samlWorld(service, oidc)
    policies = policyWorld(service)
    devices = deviceWorld(service)
    app = await oidc.application('web')
    native = await oidc.application('native', { redirectUris: [CALLBACK] })
    sp = await saml.provider()
    person = await service.person({}, ['auditor'])
    groupId = await oidc.group()
    for (const each of [app.groupId, native.groupId, sp.groupId, groupId])
      await oidc.join(each, person.userId)
    deviceId = newId('device')
    await deviceCommands(service.core.services).register(
      {
        ...{ deviceId, userId: person.userId, kind: 'browser', cookieHash: 'hash' },
        ...{ name: deviceName(IPHONE), ...deviceTraits(IPHONE), userAgent: IPHONE, ip: null, location: null },
      },
      system,
    )
  })
  after(() => service.stop())

  /** A session of a code sign-in. */
  const session = (age = 0): Promise<TestPerson> =>
    service.signIn(person.userId, person.email, { methods: ['authenticator_code'], age, deviceId })

  /** The page that asks for another sign-in says why. */
  const reasonOn = async (location: string, as: TestPerson): Promise<PolicyOutcome> => {
    const page = await oidc.browse(location.replace(service.publicUrl, ''), as)
    return outcomeOf(/data-code="([A-Z_]+)"/.exec(page.text)?.[1])
  }
  const browsed = async (path: string, as: TestPerson): Promise<Seen> => {
    const { status, location, text, query } = await oidc.browse(path, as, { headers })
    if (query['code'] !== undefined || status === 200) return 'allow'
    return status === 403 ? outcomeOf(/ERR_[A-Z_]+/.exec(text)?.[0]) : reasonOn(location ?? '', as)
  }
  const answered = ({ status, body }: { status: number; body: { error?: { code?: string } } }): Seen =>
    status < 300 ? 'allow' : outcomeOf(body.error?.code)

  const parameters = (client: TestApplication) => {
    const { verifier, challenge } = pkce()
    const query = {
      ...{ client_id: client.clientId, redirect_uri: CALLBACK, response_type: 'code', state: 's' },
      ...{ scope: 'openid offline_access', code_challenge: challenge, code_challenge_method: 'S256' },
    }
    return { verifier, path: `/oauth2/authorize?${new URLSearchParams(query).toString()}` }
  }

  /** Each entrance, what it opens, and a visit with a session: first what needs no policy, then the visit. */
  const entrances: Readonly<
    Record<
      string,
      { readonly opens: () => string; readonly visit: (as: TestPerson) => Promise<() => Promise<Seen>> }
    >
  > = {
    'OpenID Connect': {
      opens: () => app.applicationId,
      visit: async (as) => () => browsed(parameters(app).path, as),
    },
    SAML: {
      opens: () => sp.applicationId,
      visit: async (as) => () =>
        browsed(`/saml/sso${redirectQuery(authnRequestXml({ issuer: sp.entityId }))}`, as),
    },
    'SAML launched from here': {
      opens: () => sp.applicationId,
      visit: async (as) => () => browsed(`/saml/launch/${sp.applicationId}`, as),
    },
    'refresh token': {
      opens: () => native.applicationId,
      visit: async (as) => {
        const { verifier, path } = parameters(native)
        const { query } = await oidc.browse(path, as, { headers })
        const { body } = await oidc.redeem(native, { code: query['code'] ?? '', verifier })
        return async () => {
          const form = {
            grant_type: 'refresh_token',
            refresh_token: body.refresh_token,
            client_id: native.clientId,
          }
          const answer = await oidc.post('/oauth2/token', form, headers)
          if (answer.status === 200) return 'allow'
          expect([answer.status, answer.body.error]).to.deep.equal([400, 'invalid_grant'])
          return 'refused'
        }
      },
    },
    'sign-in on another device': {
      opens: () => cliId,
      visit: async (as) => {
        const { body } = await devices.begin()
        return async () => answered(await devices.tryApprove(body.user_code, as, headers))
      },
    },
    'account page': { opens: () => 'portal', visit: async (as) => () => browsed('/account', as) },
    console: { opens: () => 'portal', visit: async (as) => () => browsed('/console', as) },
    'API from a terminal': {
      opens: () => 'portal',
      visit: async (as) => {
        const { body } = await devices.signIn(as)
        const bearer = { ...headers, Authorization: `Bearer ${String(body.access_token)}` }
        return async () => answered(await service.api('GET', '/me/sessions', { headers: bearer }))
      },
    },
    API: {
      opens: () => 'portal',
      visit: async (as) => async () => answered(await service.api('GET', '/me', { as, headers })),
    },
  }
  let cliId: string
  before(async () => {
    cliId = (await devices.application(person)).id
  })

  const visitUnder = async (
    name: string,
    differences: Parameters<typeof policies.create>[0],
    age = 0,
  ): Promise<Seen> => {
    const entrance = entrances[name] ?? expect.fail(name)
    const enter = await entrance.visit(await session(age))
    return policies.under(differences, enter)
  }
  const seenAt = (name: string, outcome: PolicyOutcome): Seen =>
    name === 'refresh token' && outcome !== 'allow' ? 'refused' : outcome

  /** Conditions that the session meets, and that it does not. */
  const conditions = (
    opens: string,
  ): Readonly<Record<string, readonly [Partial<PolicyConditions>, Partial<PolicyConditions>]>> => ({
    group: [
      { users: { include: [groupId], exclude: [], roles: [] } },
      { users: { include: 'all', exclude: [groupId], roles: [] } },
    ],
    role: [
      { users: { include: 'all', exclude: [], roles: ['auditor'] } },
      { users: { include: 'all', exclude: [], roles: ['global_admin'] } },
    ],
    application: [
      { applications: { include: [opens], exclude: [] } },
      { applications: { include: 'all', exclude: [opens, 'portal'] } },
    ],
    device: [{ devices: 'registered' }, { devices: 'trusted' }],
    platform: [{ platforms: ['ios'] }, { platforms: ['windows'] }],
    method: [{ methods: ['authenticator_code'] }, { methods: ['passkey'] }],
    risk: [{ riskAtLeast: null }, { riskAtLeast: 'low' }],
  })

  for (const name of Object.keys(entrances)) {
    it(`SGN-06 ${name}: every action`, async () => {
      const enter = await (entrances[name] ?? expect.fail()).visit(await session())
      expect(await enter()).to.equal('allow')
      for (const [action, age, outcome] of [
        ['allow', 0, 'allow'],
        ['block', 0, 'block'],
        ['require_strong', 0, 'require_strong'],
        ['require_reauth', 0, 'allow'],
        ['require_reauth', 3600, 'require_reauth'],
      ] as const)
        expect(await visitUnder(name, { action }, age), `${action} after ${String(age)} s`).to.equal(
          seenAt(name, outcome),
        )
      for (const status of ['disabled', 'report_only'] as const)
        expect(await visitUnder(name, { action: 'block', status }), status).to.equal('allow')
    })

    it(`SGN-06 ${name}: every condition`, async () => {
      const { opens } = entrances[name] ?? expect.fail()
      for (const [what, [met, unmet]] of Object.entries(conditions(opens()))) {
        const blocked = await visitUnder(name, { action: 'block', conditions: met })
        expect(blocked, `${what}, met`).to.equal(seenAt(name, 'block'))
        expect(await visitUnder(name, { action: 'block', conditions: unmet }), `${what}, not met`).to.equal(
          'allow',
        )
      }
    })
  }

  it('SGN-06 prompt=none never shows a page: the application gets an error', async () => {
    for (const [action, error] of [
      ['block', 'access_denied'],
      ['require_strong', 'login_required'],
    ] as const) {
      const answer = await policies.under({ action }, async () =>
        oidc.browse(`${parameters(app).path}&prompt=none`, await session()),
      )
      expect(answer.query['error']).to.equal(error)
    }
  })

  it('SGN-06 a confidential client refreshes from a server: the platform is that of the sign-in', async () => {
    const as = await session()
    const { verifier, path } = parameters(app)
    const { query } = await oidc.browse(path, as, { headers })
    const { body } = await oidc.redeem(app, { code: query['code'] ?? '', verifier })
    // Test sessions are started by a program of an unknown platform.
    await policies.under({ action: 'block', conditions: { platforms: ['ios'] } }, async () => {
      expect((await oidc.refresh(app, body.refresh_token)).status).to.equal(200)
    })
  })

  it('SGN-06 the sign-in event records the outcome, the policies that matched and the facts', async () => {
    const as = await session()
    const decision = async (reason: string) => {
      const all = (await attempts(service)) as readonly SignInAttempt[]
      return all.find((each) => each.sessionId === as.sessionId && (each.reason ?? 'none') === reason)
        ?.decision
    }
    const blocking = { users: { include: [groupId], exclude: [], roles: [] } }
    const reportOnly = await policies.create({ action: 'require_reauth', status: 'report_only' })
    await policies.under({ action: 'block', conditions: blocking }, () => browsed(parameters(app).path, as))
    await until(async () => (await decision('blocked_by_policy')) !== undefined)
    const { matched, facts, position: __, ...rest } = (await decision('blocked_by_policy')) ?? expect.fail()
    expect(rest).to.deep.equal({ outcome: 'block', wouldBe: 'block' })
    expect(matched).to.have.length(2)
    expect(matched).to.deep.include({
      ...{ policyId: reportOnly, version: 1, status: 'report_only', action: 'require_reauth' },
    })
    const { authAge: _, ...known } = facts
    expect(known).to.deep.equal({
      applicationId: app.applicationId,
      groupIds: [groupId],
      roles: ['auditor'],
      zoneIds: [],
      isBlockedZone: false,
      isBreakGlass: false,
      device: 'registered',
      platform: 'ios',
      risk: 'none',
      methods: ['authenticator_code'],
    })
    expect(await browsed(parameters(app).path, as)).to.equal('allow')
    await until(async () => (await decision('none')) !== undefined)
    expect(await decision('none')).to.deep.include({ outcome: 'allow' })
    const mine = (await service.api('GET', '/me/sign-ins', { as })).body
    expect(mine.map((each: { decision: unknown }) => each.decision)).to.deep.equal(mine.map(() => null))
  })

  it('SGN-06 two instances agree at once when a policy changes', async () => {
    const pair = await servicePair()
    try {
      const [one, two] = pair.worlds
      const shared = await one.application('web')
      const member = await one.member(shared)
      const there = policyWorld(pair.one)
      const open = async () => {
        const { query } = await two.browse(parameters(shared).path, member)
        return query['code'] !== undefined
      }
      expect(await open()).to.equal(true)
      const users = { include: [shared.groupId], exclude: [], roles: [] }
      for (let round = 0; round < 5; round++) {
        await there.under({ action: 'block', conditions: { users } }, async () => {
          expect(await open(), 'blocked').to.equal(false)
          const api = await pair.two.api('GET', '/me', { as: member })
          expect(api.status, 'the API').to.equal(403)
        })
        expect(await open(), 'allowed again').to.equal(true)
      }
    } finally {
      await pair.stop()
    }
  })
})
