import { expect } from 'chai'
import { userCommands } from '../../../adapters/commands/users.ts'
import { sessionDecider, sessionStream } from '../../../domain/session/decider.ts'
import { oidcWorld, pkce, type OidcWorld, type TestApplication } from '../../support/oidc.ts'
import {
  system,
  testPlace,
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../../support/service.ts'

interface Case {
  readonly what: string
  readonly change: (app: TestApplication, person: TestPerson) => Promise<unknown>
  /** What the authorization endpoint answers afterwards. */
  readonly authorize: 'sign_in' | 'not_assigned' | 'no_application'
}

describe('ASG-03 what is taken away is gone everywhere from the moment that is acknowledged', () => {
  let place: TestPlace
  let service: TestService
  let world: OidcWorld
  /** Another instance on the same database, which hears of changes from there alone. */
  let elsewhere: OidcWorld
  let second: TestService
  before(async () => {
    place = await testPlace()
    service = await testService(place)
    const other = await testPlace()
    second = await testService({
      ...place,
      config: { ...place.config, listen: other.config.listen },
    })
    await other.drop()
    second = { ...second, publicUrl: `http://localhost:${String(second.port)}` }
    world = oidcWorld(service)
    elsewhere = oidcWorld(second)
  })
  after(async () => {
    await second.stop()
    await service.stop()
    await place.drop()
  })

  const users = () => userCommands(service.core.services)
  const cases: readonly Case[] = [
    {
      what: 'suspending the person',
      change: (_, { userId }) => users().suspend(userId, undefined, 'system', system),
      authorize: 'sign_in',
    },
    {
      what: 'deleting the person',
      change: (_, { userId }) => users().delete(userId, 'system', system),
      authorize: 'sign_in',
    },
    {
      what: 'revoking their sessions',
      change: (_, { userId }) => users().revokeSessions(userId, 'system', system),
      authorize: 'sign_in',
    },
    {
      what: 'resetting their methods',
      change: (_, { userId }) => users().resetMethods(userId, 'system', system),
      authorize: 'sign_in',
    },
    {
      what: 'ending the session',
      change: (_, { sessionId }) =>
        service.core.services.handle(
          sessionDecider,
          sessionStream(sessionId),
          { type: 'end', sessionId, reason: 'sign_out' },
          system,
        ),
      authorize: 'sign_in',
    },
    {
      what: 'leaving the group',
      change: (app, { userId }) => world.leave(app.groupId, userId),
      authorize: 'not_assigned',
    },
    {
      what: 'unassigning the group',
      change: ({ applicationId, groupId }) =>
        world.change({ type: 'unassign_group', applicationId, groupId }),
      authorize: 'not_assigned',
    },
    {
      what: 'disabling the application',
      change: ({ applicationId }) => world.change({ type: 'disable', applicationId }),
      authorize: 'no_application',
    },
    {
      what: 'deleting the application',
      change: ({ applicationId }) => world.change({ type: 'delete', applicationId }),
      authorize: 'no_application',
    },
  ]

  for (const { what, change, authorize } of cases)
    it(`${what}: authorize, token and userinfo, on each instance`, async () => {
      const app = await world.application('spa')
      const person = await world.member(app)
      const redeemed = await world.redeem(app, await world.code(app, person))
      expect(redeemed.status).to.equal(200)
      const token = redeemed.body.access_token as string
      expect((await elsewhere.userinfo(token)).status).to.equal(200)
      const codes = [await world.code(app, person), await world.code(app, person)] as const
      await change(app, person)
      for (const [index, at] of [elsewhere, world].entries()) {
        expect((await at.userinfo(token)).status, 'userinfo').to.equal(401)
        const tried = await at.redeem(app, codes[index]!)
        expect(tried.status, 'token').to.be.within(400, 401)
        expect(tried.body.error, 'token').to.be.oneOf(['invalid_grant', 'invalid_client'])
        const { challenge } = pkce()
        const answer = await at.authorize(app, person, {
          code_challenge: challenge,
          code_challenge_method: 'S256',
        })
        expect(answer.query['code'], 'authorize').to.equal(undefined)
        if (authorize === 'sign_in') expect(answer.location).to.include('/sign-in?authRequest=')
        else expect(answer.status).to.equal(authorize === 'not_assigned' ? 403 : 400)
      }
    })

  it('a token stays void when the application is enabled again', async () => {
    const app = await world.application('spa')
    const person = await world.member(app)
    const { body } = await world.redeem(app, await world.code(app, person))
    const waiting = await world.code(app, person)
    await world.change({ type: 'disable', applicationId: app.applicationId })
    await world.change({ type: 'enable', applicationId: app.applicationId })
    expect((await world.userinfo(body.access_token)).status).to.equal(401)
    expect((await world.redeem(app, waiting)).body.error).to.equal('invalid_grant')
    const anew = await world.redeem(app, await world.code(app, person))
    expect((await elsewhere.userinfo(anew.body.access_token)).status).to.equal(200)
  })

  it('OIDC-17 instances that start at once make one signing key, and one next', async () => {
    const response = await fetch(`${second.publicUrl}/oauth2/keys`)
    expect(((await response.json()) as { keys: unknown[] }).keys).to.have.length(2)
  })
})
