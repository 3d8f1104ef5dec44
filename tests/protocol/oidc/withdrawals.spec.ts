import { accessPackageCommands } from '../../../adapters/application/commands/access-packages.ts'
import { plainPackage } from '../../../domain/access-package/decider.ts'
import { expect } from 'chai'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { groupDecider, groupStream } from '../../../domain/group/decider.ts'
import {
  pkce,
  type ClientAnswer,
  type OidcWorld,
  type TestApi,
  type TestApplication,
} from '../../support/oidc/oidc.ts'
import { system, type TestPerson, type TestService } from '../../support/service/service.ts'
import { servicePair, type ServicePair } from '../../support/service/service-pair.ts'
import {
  departmentRule,
  withdrawals,
  type Expected,
  type HeldTokens,
  type Scene,
  type Withdrawal,
} from '../../support/api/withdrawal-cases.ts'

/** One use of each token and code of a user and an application, at one of the instances. */
interface Trial extends HeldTokens {
  readonly at: OidcWorld
  readonly where: string
  readonly isSigned: boolean
  readonly waiting: { code: string; verifier: string }
}

const SCOPE = 'openid offline_access'

const ofToken = ({ status, body }: ClientAnswer): string =>
  status === 200 ? 'good' : status === 401 && body.error === 'invalid_client' ? 'client' : body.error
const ofIntrospection = ({ status, body }: ClientAnswer): string =>
  status === 200
    ? body.active === true
      ? 'active'
      : JSON.stringify(body) === '{"active":false}'
        ? 'inactive'
        : JSON.stringify(body)
    : ofToken({ status, body, headers: new Headers() })

describe('ASG-03 removed access no longer works anywhere once the removal is acknowledged', function () {
  this.timeout(60_000)
  let pair: ServicePair
  let service: TestService
  let world: OidcWorld
  let elsewhere: OidcWorld
  let api: TestApi
  let owner: TestApplication
  before(async () => {
    pair = await servicePair()
    service = pair.one
    ;[world, elsewhere] = pair.worlds
    owner = await world.application('service', { redirectUris: [] }, { groups: 'none' })
    api = await world.api(['read'], { ownerApplicationIds: [owner.applicationId] })
  })
  after(() => pair.stop())

  let made = 0
  const tokensFor = async (app: TestApplication, person: TestPerson, isSigned: boolean) => {
    const raw = isSigned ? `&resource=${encodeURIComponent(api.identifier)}` : ''
    const spent = await world.code(app, person, { scope: SCOPE }, raw)
    const { access_token, refresh_token } = (await world.redeem(app, spent)).body
    return { app, spent, accessToken: access_token as string, refreshToken: refresh_token as string }
  }

  /** Creates two applications and their users, with tokens to try at each instance. */
  const prepare = async ({ via }: Withdrawal) => {
    const department = `Department ${String(++made)}`
    const apps = [await world.application('web'), await world.application('web')] as const
    const [{ groupId }, signed] = apps
    await world.grantApis(signed, api)
    await world.change({ type: 'assign_group', applicationId: signed.applicationId, groupId })
    const [person, other] = await Promise.all([
      service.person({ department }),
      service.person({ department }),
    ])
    const second = await service.signIn(person.userId, person.email)
    const packages = accessPackageCommands(service.core.services)
    const { packageId } = await packages.create(
      { ...plainPackage, name: department, grants: [{ type: 'group', groupId }] },
      system,
    )
    if (via === 'package') {
      await packages.publish(packageId, system)
      for (const { userId } of [person, other]) await packages.assign(packageId, userId, undefined, system)
    } else if (via === 'hand') for (const { userId } of [person, other]) await world.join(groupId, userId)
    else
      await service.core.services.handle(
        groupDecider,
        groupStream(groupId),
        { type: 'update', groupId, fields: {}, rule: departmentRule(department) },
        system,
      )
    const trials = await Promise.all(
      apps.flatMap((app, index) =>
        pair.worlds.map(async (at, instance): Promise<Trial> => ({
          ...(await tokensFor(app, person, index === 1)),
          at,
          where: `${index === 1 ? 'JWT' : 'opaque'}, ${instance === 0 ? 'here' : 'elsewhere'}`,
          isSigned: index === 1,
          waiting: await world.code(app, person, { scope: SCOPE }),
        })),
      ),
    )
    const bystanders = await Promise.all(
      [second, other].map((someone) => Promise.all(apps.map((app, n) => tokensFor(app, someone, n === 1)))),
    )
    const scene: Scene = { service, world, person, apps, groupId, department, packageId, held: trials }
    return { scene, trials, bystanders }
  }

  const authorization = async ({ app, at }: Trial, person: TestPerson): Promise<string> => {
    const { challenge } = pkce()
    const { status, location, query, text } = await at.authorize(app, person, {
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    if (query['code'] !== undefined) return 'code'
    if (location?.includes('/sign-in?authRequest=') === true) return 'sign_in'
    if (status === 403 && text.includes('ERR_NOT_ASSIGNED')) return 'not_assigned'
    return status === 400 && location === null ? 'no_application' : `${String(status)} ${location ?? text}`
  }

  const information = async (at: OidcWorld, accessToken: string): Promise<string> => {
    const { status, body } = await at.userinfo(accessToken)
    return status === 200 ? 'good' : status === 401 ? body.error : String(status)
  }

  /** Returns the current response of every endpoint, by the name of the check. */
  const answersTo = async (trial: Trial, person: TestPerson): Promise<Readonly<Record<string, string>>> => {
    const { at, app, accessToken, refreshToken, waiting, isSigned } = trial
    const introspected = async (by: TestApplication, token: string) =>
      ofIntrospection(await at.introspect(by, token))
    // A refresh would make the introspected token an old one.
    const ofRefreshToken = introspected(app, refreshToken)
    const all = {
      authorize: authorization(trial, person),
      code: at.redeem(app, waiting).then(ofToken),
      userinfo: information(at, accessToken),
      introspection: introspected(app, accessToken),
      'introspection of the refresh token': ofRefreshToken,
      refresh: ofRefreshToken.then(async () => ofToken(await at.refresh(app, refreshToken))),
      ...(isSigned ? { byOwner: introspected(owner, accessToken) } : {}),
    }
    return Object.fromEntries(
      await Promise.all(Object.entries(all).map(async ([name, answer]) => [name, await answer] as const)),
    )
  }

  const expectedOf = ({ isSigned }: Trial, expected: Expected): Readonly<Record<string, string>> => {
    const { authorize, code, userinfo, introspection, refresh, byOwner } = expected
    return {
      authorize,
      code,
      userinfo,
      introspection,
      'introspection of the refresh token': introspection,
      refresh,
      ...(isSigned ? { byOwner } : {}),
    }
  }

  for (const withdrawal of withdrawals)
    it(`${withdrawal.what}: at every endpoint of each instance`, async () => {
      const { change, expected } = withdrawal
      const { scene, trials, bystanders } = await prepare(withdrawal)
      for (const { at, app, accessToken, where } of trials) {
        expect(await information(at, accessToken), `${where}: before`).to.equal('good')
        expect((await at.introspect(app, accessToken)).body.active, `${where}: before`).to.equal(true)
      }
      await change(scene)
      const answers = await Promise.all(
        trials.map(async (trial) => [trial.where, await answersTo(trial, scene.person)]),
      )
      const others = await Promise.all(
        bystanders.map((held) =>
          Promise.all(
            held.flatMap(({ accessToken }) => pair.worlds.map((at) => information(at, accessToken))),
          ),
        ),
      )
      expect(Object.fromEntries(answers)).to.deep.equal(
        Object.fromEntries(trials.map((trial) => [trial.where, expectedOf(trial, expected)])),
      )
      expect(others, 'another session, another user').to.deep.equal(
        [expected.otherSession, expected.otherPerson].map((each) => [each, each, each, each]),
      )
    })

  it('an expired session revokes grants without offline_access', async () => {
    const { scene, trials } = await prepare(withdrawals[0]!)
    const bound = await Promise.all(
      trials.map(async (trial) => ({
        ...trial,
        accessToken: (await world.tokens(trial.app, scene.person, 'openid')).access_token as string,
        waiting: await world.code(trial.app, scene.person, { scope: 'openid' }),
      })),
    )
    await withdrawals.find(({ what }) => what.startsWith('the session expires'))!.change(scene)
    for (const trial of bound) {
      expect(await information(trial.at, trial.accessToken), trial.where).to.equal('invalid_token')
      expect(ofIntrospection(await trial.at.introspect(trial.app, trial.accessToken))).to.equal('inactive')
      expect(ofToken(await trial.at.redeem(trial.app, trial.waiting)), trial.where).to.equal('invalid_grant')
    }
  })

  it('a session that is ended after it expired revokes offline_access too', async () => {
    const { scene, trials } = await prepare(withdrawals[0]!)
    for (const what of ['the session expires', 'the session is ended by an administrator'])
      await withdrawals.find((each) => each.what.startsWith(what))!.change(scene)
    for (const { at, app, accessToken, refreshToken, where } of trials) {
      expect(await information(at, accessToken), where).to.equal('invalid_token')
      expect(ofToken(await at.refresh(app, refreshToken)), where).to.equal('invalid_grant')
    }
  })

  const standing: readonly { what: string; undo: (scene: Scene) => Promise<unknown>; after: string }[] = [
    {
      what: 'the application is disabled',
      undo: async ({ apps }) => {
        for (const { applicationId } of apps) await world.change({ type: 'enable', applicationId })
      },
      after: 'invalid',
    },
    {
      what: 'the user is suspended',
      undo: ({ person: { userId } }) =>
        userCommands(service.core.services).reactivate(userId, 'system', system),
      after: 'invalid',
    },
    {
      what: 'the user leaves the group',
      undo: ({ groupId, person: { userId } }) => world.join(groupId, userId),
      after: 'good',
    },
    {
      what: 'the group is unassigned from the application',
      undo: async ({ apps, groupId }) => {
        for (const { applicationId } of apps)
          await world.change({ type: 'assign_group', applicationId, groupId })
      },
      after: 'good',
    },
  ]
  for (const { what, undo, after } of standing)
    it(`${what}, and this is undone: earlier tokens are ${after}`, async () => {
      const withdrawal = withdrawals.find((each) => each.what === what)!
      const { scene, trials } = await prepare(withdrawal)
      await withdrawal.change(scene)
      await undo(scene)
      const isGood = after === 'good'
      for (const { at, app, accessToken, refreshToken, waiting, where } of trials) {
        expect(await information(at, accessToken), where).to.equal(isGood ? 'good' : 'invalid_token')
        for (const answer of [await at.redeem(app, waiting), await at.refresh(app, refreshToken)])
          expect(ofToken(answer), where).to.equal(isGood ? 'good' : 'invalid_grant')
      }
      const anew = await service.signIn(scene.person.userId, scene.person.email)
      for (const app of scene.apps) {
        const { access_token } = await world.tokens(app, anew)
        expect(await information(elsewhere, access_token), 'a new one').to.equal('good')
      }
    })

  it('OIDC-17 instances that start together create one signing key, and one next key', async () => {
    const response = await fetch(`${pair.two.publicUrl}/oauth2/keys`)
    expect(((await response.json()) as { keys: unknown[] }).keys).to.have.length(2)
  })
})
