import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import { sessionCommands } from '../../../adapters/application/commands/sessions.ts'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { openEgress, type Egress } from '../../../adapters/engines/egress/client.ts'
import { newId } from '../../../adapters/kernel/ids.ts'
import { backchannelLogout } from '../../../adapters/inbound/oidc/backchannel-logout.ts'
import { noteLogouts } from '../../../adapters/application/reactions/logout-notices.ts'
import { hashSecret } from '../../../adapters/engines/vault/hash.ts'
import type { Recorded } from '../../../domain/catalogue.ts'
import { sessionDecider, sessionStream } from '../../../domain/session/decider.ts'
import {
  logoutReceiver,
  verifyLogoutToken,
  type Answers,
  type LogoutReceiver,
} from '../../support/oidc/logout-receiver.ts'
import { oidcWorld, type OidcWorld, type TestApplication } from '../../support/oidc/oidc.ts'
import {
  recordingLog,
  system,
  testPlace,
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import { methodsOf } from '../../../read-models/queries/account.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

interface Notice {
  readonly attempts: number
  readonly outcome: string | null
  /** Seconds from now until the retry. */
  readonly dueIn: number
}

describe('OIDC-13 applications are notified over the back channel that a session has ended', function () {
  this.timeout(60_000)
  let place: TestPlace
  let service: TestService
  let world: OidcWorld
  let receiver: LogoutReceiver
  let egress: Egress
  const answers = new Map<string, Answers>()
  before(async () => {
    place = await testPlace()
    service = await testService(place)
    world = oidcWorld(service)
    receiver = await logoutReceiver((path, nth) => answers.get(path)?.(path, nth) ?? 200)
    egress = openEgress([])
  })
  after(async () => {
    await egress.close()
    receiver.close()
    await service.stop()
    await place.drop()
  })

  let made = 0
  /** Creates an application with these responses, and a user who is signed in to it. */
  const used = async (answer: Answers = () => 200) => {
    const path = `/out/${String(++made)}`
    answers.set(path, answer)
    const app = await world.application('web', { backchannelLogoutUri: receiver.url(path) })
    const person = await world.member(app)
    await use(app, person)
    return { app, person, path }
  }
  const use = async (app: TestApplication, person: TestPerson): Promise<void> => {
    expect((await world.redeem(app, await world.code(app, person))).status).to.equal(200)
  }
  const end = (sessionId: string, reason: 'sign_out' | 'admin_revoked' = 'sign_out') =>
    sessionCommands(service.core.services).end(sessionId, reason, system)
  const notified = (path: string, times = 1): Promise<unknown> =>
    until(() => receiver.at(path).length >= times, 10_000, `${path} is notified ${String(times)} times`)
  const notices = async (sessionId: string): Promise<readonly Notice[]> =>
    (
      await service.core.workPool.query<Notice>(
        `select attempts, outcome, extract(epoch from next_attempt_at - now())::float as "dueIn"
         from work.logout_notice where session_id = $1`,
        [sessionId],
      )
    ).rows
  const noticeWith = (sessionId: string, outcome: string): Promise<unknown> =>
    until(
      async () => (await notices(sessionId)).some((notice) => notice.outcome === outcome),
      10_000,
      `the notice is ${outcome}`,
    )
  /** Sends the notices that are due in that many seconds. */
  const worker = (seconds: number, log = recordingLog()) => {
    const { services, workPool } = service.core
    const clock = {
      now: () => services.clock.in(seconds),
      in: (more: number) => services.clock.in(seconds + more),
    }
    return backchannelLogout({ ...services, clock }, workPool, egress, log)
  }

  it('with a valid token that contains user, issuer and session', async () => {
    const { app, person, path } = await used()
    await end(person.sessionId)
    await notified(path)
    const [request] = receiver.at(path)
    expect(request?.headers).to.include({
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'Svc-Logout',
    })
    expect([...new URLSearchParams(request?.body).keys()]).to.deep.equal(['logout_token'])
    const { payload, protectedHeader } = await verifyLogoutToken(
      request?.token ?? '',
      service.publicUrl,
      app.clientId,
    )
    expect(protectedHeader).to.have.all.keys('alg', 'typ', 'kid')
    expect(payload).to.have.all.keys('iss', 'aud', 'iat', 'exp', 'jti', 'events', 'sub', 'sid')
    expect(payload).to.include({ sub: person.userId, sid: person.sessionId, aud: app.clientId })
    expect(payload['events']).to.deep.equal({ [EVENT]: {} })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).to.equal(120)
    await noticeWith(person.sessionId, 'delivered')
    // The token sent to an application is not an ID token: it cannot sign a user out here.
    const replay = await world.browse(`/oauth2/logout?id_token_hint=${request?.token ?? ''}`, null)
    expect(replay.status).to.equal(400)
  })

  const users = () => userCommands(service.core.services)
  const causes: readonly (readonly [string, (person: TestPerson) => Promise<unknown>])[] = [
    ['a sign-out', ({ sessionId }) => end(sessionId)],
    ['an administrator', ({ sessionId }) => end(sessionId, 'admin_revoked')],
    ['suspension', ({ userId }) => users().suspend(userId, undefined, 'system', system)],
    ['deletion', ({ userId }) => users().delete(userId, 'system', system)],
    ['a reset of their methods', ({ userId }) => users().resetMethods(userId, 'system', system)],
    [
      'the removal of the passkey that it was started with',
      async ({ userId }) => {
        const [first] = await methodsOf(service.core.services.pool, userId)
        const method = {
          methodId: newId('method'),
          methodType: 'authenticator_code',
          name: 'App',
          sealedSecret: 'sealed',
        } as const
        await users().addMethod(userId, method, system)
        await users().removeMethod(userId, first?.id ?? '', 'system', system)
      },
    ],
    ['revocation of their sessions', ({ userId }) => users().revokeSessions(userId, 'system', system)],
  ]
  for (const [what, change] of causes)
    it(`by ${what}: notifies every application that was used in it, once`, async () => {
      const { app, person, path } = await used()
      const other = await used()
      await world.join(other.app.groupId, person.userId)
      await use(other.app, person)
      await use(app, person)
      const [bystander] = [await world.member(app)]
      await use(app, bystander)
      await change(person)
      await Promise.all([notified(path), notified(other.path)])
      await noticeWith(person.sessionId, 'delivered')
      expect(await notices(person.sessionId)).to.have.length(2)
      expect(await notices(bystander.sessionId)).to.have.length(0)
      for (const [at, to] of [
        [path, app],
        [other.path, other.app],
      ] as const) {
        expect(receiver.at(at)).to.have.length(1)
        const token = receiver.at(at)[0]?.token ?? ''
        const { payload } = await verifyLogoutToken(token, service.publicUrl, to.clientId)
        expect(payload).to.include({ sub: person.userId, sid: person.sessionId })
      }
    })

  it('by sign-out through one application: notifies the others too', async () => {
    const { app, person, path } = await used()
    const other = await used()
    await world.join(other.app.groupId, person.userId)
    await use(other.app, person)
    const { body } = await world.redeem(app, await world.code(app, person))
    await world.browse(`/oauth2/logout?id_token_hint=${String(body.id_token)}`, person)
    await Promise.all([notified(path), notified(other.path)])
  })

  it('does not notify applications without an address, deleted ones, and those not used in it', async () => {
    const { app, person, path } = await used()
    const silent = await world.application('web')
    const gone = await used()
    for (const each of [silent, gone.app]) await world.join(each.groupId, person.userId)
    await use(silent, person)
    await use(gone.app, person)
    await world.change({ type: 'delete', applicationId: gone.app.applicationId })
    const unused = await used()
    await world.join(unused.app.groupId, person.userId)
    await end(person.sessionId)
    await notified(path)
    expect(await notices(person.sessionId)).to.have.length(1)
    expect(receiver.at(unused.path)).to.deep.equal([])
    expect(app.applicationId).not.to.equal(unused.app.applicationId)
  })

  it('does not notify about an expired session, even if its user is suspended later', async () => {
    const { app, person, path } = await used()
    const { services } = service.core
    const token = randomBytes(32).toString('base64url')
    const sessionId = newId('session')
    const expiresAt = services.clock.in(4)
    await services.handle(
      sessionDecider,
      sessionStream(sessionId),
      {
        type: 'start',
        session: {
          sessionId,
          userId: person.userId,
          tokenHash: hashSecret(token),
          methods: ['passkey'],
          methodIds: [],
          amr: ['hwk', 'user'],
          authTime: services.clock.now(),
          expiresAt,
          strength: 'phishing_resistant',
          ip: null,
          userAgent: null,
          deviceId: null,
          location: null,
          risk: 'none',
        },
      },
      system,
    )
    await use(app, { ...person, sessionId, cookie: `svc_session=${token}` })
    await until(() => services.clock.now() > expiresAt, 10_000, 'the session has expired')
    await users().suspend(person.userId, undefined, 'system', system)
    await notified(path)
    await noticeWith(person.sessionId, 'delivered')
    expect(await notices(sessionId)).to.have.length(0)
  })

  it('retries after an error response at growing intervals, until a success', async () => {
    const { person, path } = await used((_, nth) => (nth === 1 ? 500 : 200))
    await end(person.sessionId)
    await notified(path)
    await until(async () => ((await notices(person.sessionId))[0]?.dueIn ?? 99) < 11, 5000, 'it is postponed')
    await worker(5).deliver()
    expect(receiver.at(path)).to.have.length(1)
    await worker(11).deliver()
    expect(receiver.at(path)).to.have.length(2)
    const [first, second] = receiver.at(path)
    expect(first?.token).not.to.equal(second?.token)
    expect((await notices(person.sessionId))[0]).to.include({ attempts: 2, outcome: 'delivered' })
    await worker(4000).deliver()
    expect(receiver.at(path)).to.have.length(2)
  })

  it('follows no redirect, and drops a notice after five attempts within an hour', async () => {
    const { app, person, path } = await used(() => 302)
    await end(person.sessionId)
    await notified(path)
    const log = recordingLog()
    let passed = 0
    for (const [index, seconds] of [10, 60, 300, 1800].entries()) {
      await until(
        async () => {
          const [notice] = await notices(person.sessionId)
          return notice?.attempts === index + 1 && notice.dueIn <= passed + seconds + 1
        },
        5000,
        `attempt ${String(index + 1)} is postponed`,
      )
      passed += seconds + 1
      await worker(passed, log).deliver()
      expect(receiver.at(path)).to.have.length(index + 2)
    }
    expect(passed).to.be.below(3600)
    expect((await notices(person.sessionId))[0]).to.include({ attempts: 5, outcome: 'failed' })
    expect(receiver.at('/elsewhere')).to.deep.equal([])
    expect(log.lines.join()).to.include(app.applicationId).and.to.include('status 302')
    expect(log.lines.join()).not.to.include('eyJ')
    await worker(100_000).deliver()
    expect(receiver.at(path)).to.have.length(5)
  })

  it('an application that never responds delays others for at most five seconds', async () => {
    const hanging = await used(() => 'hang')
    const quick = await used()
    await world.join(quick.app.groupId, hanging.person.userId)
    await use(quick.app, hanging.person)
    const began = Date.now()
    await end(hanging.person.sessionId)
    await notified(quick.path)
    await notified(hanging.path)
    const pending = async () =>
      (await notices(hanging.person.sessionId)).find(({ outcome }) => outcome === null)
    await until(async () => ((await pending())?.dueIn ?? 99) < 10.5, 9000, 'the hanging one is postponed')
    expect(Date.now() - began).to.be.below(12_000)
    expect((await pending())?.attempts).to.equal(1)
  })

  it('sends each notice once, with any number of instances', async () => {
    const { person, path } = await used((_, nth) => (nth === 1 ? 503 : 200))
    await end(person.sessionId)
    await notified(path)
    await until(async () => ((await notices(person.sessionId))[0]?.dueIn ?? 99) < 11, 5000, 'it is postponed')
    await Promise.all([1, 2, 3, 4].map(() => worker(12).deliver()))
    expect(receiver.at(path)).to.have.length(2)
  })

  it('never connects to a denied address', async () => {
    const path = '/never'
    const app = await world.application('web', { backchannelLogoutUri: receiver.url(path) })
    const person = await world.member(app)
    await use(app, person)
    const { services, workPool } = service.core
    const guarded = openEgress(['127.0.0.0/8'])
    const log = recordingLog()
    try {
      const elsewhere = backchannelLogout(
        {
          ...services,
          clock: { now: () => services.clock.in(5000), in: (n) => services.clock.in(5000 + n) },
        },
        workPool,
        guarded,
        log,
      )
      // Inserts a notice as if recorded now, because the service itself may reach the address.
      await workPool.query(
        `insert into work.logout_notice (session_id, application_id, user_id, noted_at, attempts, next_attempt_at)
         values ($1, $2, $3, now(), 4, now() + interval '80 minutes')`,
        [person.sessionId, app.applicationId, person.userId],
      )
      await elsewhere.deliver()
      expect((await notices(person.sessionId))[0]?.outcome).to.equal('failed')
      expect(receiver.at(path)).to.deep.equal([])
      expect(log.lines.join()).to.include('refused')
    } finally {
      await guarded.close()
    }
  })

  it('sends nothing for old events when the log is replayed from its beginning', async () => {
    const { person } = await used()
    const { services, workPool } = service.core
    const event = {
      id: 'x',
      stream: sessionStream(person.sessionId),
      revision: 1,
      position: '',
      type: 'session.ended',
      data: { sessionId: person.sessionId, userId: person.userId, reason: 'sign_out' },
      metadata: { time: services.clock.in(-86_401) },
    } as unknown as Recorded
    const note = noteLogouts({
      pool: services.pool,
      waitFor: () => Promise.resolve(true),
      clock: services.clock,
    })
    await note({ events: [event], position: '' })
    expect(await notices(person.sessionId)).to.have.length(0)
    expect(workPool).to.be.an('object')
  })

  it('loses no notice if the service stops right afterwards, and sends none twice', async () => {
    const { person, path } = await used()
    const other = await used(() => 500)
    await world.join(other.app.groupId, person.userId)
    await use(other.app, person)
    await end(person.sessionId)
    await service.stop()
    service = await testService(place)
    world = oidcWorld(service)
    await notified(path)
    await notified(other.path)
    await noticeWith(person.sessionId, 'delivered')
    // The subscriber starts from the beginning again, as after a crash before its checkpoint.
    await service.core.workPool.query(`delete from work.checkpoint where name = 'logout-notices'`)
    const before = await notices(person.sessionId)
    await service.stop()
    service = await testService(place)
    world = oidcWorld(service)
    const next = await used()
    await end(next.person.sessionId)
    await notified(next.path)
    expect(await notices(person.sessionId)).to.have.length(before.length)
    expect(receiver.at(path)).to.have.length(1)
  })

  it('discovery declares it', async () => {
    const response = await fetch(`${service.publicUrl}/.well-known/openid-configuration`)
    expect(await response.json()).to.include({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    })
  })
})
