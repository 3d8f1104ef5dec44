import { expect } from 'chai'
import { eventSerializer } from '../../adapters/engines/event-log/serializer.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import type { SignInAttempt } from '../../domain/sign-in/events.ts'
import {
  hurryUp,
  mailPeer,
  mailPlace,
  tokenIn,
  triedInVain,
  type MailPeer,
  type Received,
} from '../support/mail/mail.ts'
import { verifiedDomain } from '../support/federation/place.ts'
import { oidcWorld, pkce } from '../support/oidc/oidc.ts'
import {
  system,
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'
import { until } from '../support/until.ts'

const SUBJECT = 'Sign in to Identity service'

describe('SGN-03 emailed sign-in links', function () {
  this.timeout(60_000)
  let peer: MailPeer
  let place: TestPlace
  let service: TestService
  before(async () => {
    peer = await mailPeer()
    place = await mailPlace(peer)
    service = await testService(place)
  })
  after(async () => {
    await service.stop()
    await place.drop()
    await peer.stop()
  })

  const ask = (email: string, more: object = {}, cookie = '') =>
    service.api('POST', '/auth/magic-link', {
      body: { email, ...more },
      ...(cookie === '' ? {} : { headers: { Cookie: cookie } }),
    })
  const emailsTo = (email: string): readonly Received[] =>
    peer.received.filter(({ to, mail }) => to.includes(email) && mail.subject === SUBJECT)
  /**
   * Requests an email and waits for it.
   * @returns its token, and the requesting browser's cookie
   */
  const link = async (email: string, more: object = {}, from = '') => {
    const before = emailsTo(email).length
    const answer = await ask(email, more, from)
    expect(answer.status).to.equal(204)
    await until(() => emailsTo(email).length > before, 10_000, `a link to ${email}`)
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    return { token: tokenIn(emailsTo(email).at(-1)!, '/magic-link/'), cookie }
  }
  const redeem = (token: string, cookie?: string) =>
    service.api('POST', '/auth/magic-link/redeem', {
      body: { token },
      ...(cookie === undefined ? {} : { headers: { Cookie: cookie } }),
    })
  const refused = async (token: string, status = 404, code = 'ERR_LINK_EXPIRED') => {
    const answer = await redeem(token)
    expect([answer.status, answer.body.error?.code]).to.deep.equal([status, code])
  }
  const resolved = () =>
    until(
      async () =>
        (await service.core.workPool.query('select from work.magic_link where user_id is null')).rowCount ===
        0,
      10_000,
      'processed requests',
    )
  const sessionsOf = async (userId: string): Promise<number> => {
    const { rows } = await service.core.services.pool.query<{ count: number }>(
      'select count(*)::int as count from sessions where user_id = $1',
      [userId],
    )
    return rows[0]?.count ?? 0
  }
  const attempts = async (test: (attempt: SignInAttempt) => boolean): Promise<readonly SignInAttempt[]> => {
    const { eventLog, services } = service.core
    const all = await eventLog.readAll('' as never, 100_000)
    const events = await eventSerializer(services.vault).open(
      all.filter(({ type }) => type === 'sign_in.recorded'),
    )
    return events.map(({ data }) => data as SignInAttempt).filter(test)
  }
  const fresh = async (profile = {}): Promise<TestPerson> => service.verified(await service.person(profile))

  it('SGN-03 SGN-04 go to nobody whose domain requires its provider, and to them again afterwards', async () => {
    const admin = await service.person({}, ['global_admin'])
    const send = async (method: string, path: string, body?: unknown) => {
      const answer = await service.api(method, path, { as: admin, body: body ?? {} })
      expect(answer.status, JSON.stringify(answer.body)).to.be.lessThan(300)
      return answer
    }
    await verifiedDomain({ service, send }, 'required.example')
    const { body: provider } = await send('POST', '/identity-providers', {
      ...{ type: 'oidc', name: 'Required', issuer: 'https://login.required.example', clientId: 'svc' },
      ...{ clientSecret: 'secret', domains: ['required.example'], requiredForDomains: true },
    })
    const employee = await service.verified(await service.person({ email: 'ada@required.example' }))
    expect((await ask(employee.email)).status).to.equal(204)
    await resolved()
    expect(emailsTo(employee.email)).to.have.length(0)
    await send('PATCH', `/identity-providers/${String(provider.id)}`, { requiredForDomains: false })
    await link(employee.email)
    expect(emailsTo(employee.email)).to.have.length(1)
  })

  it('OIDC-14 OIDC-19 sign a user in, once', async () => {
    const { userId, email } = await fresh()
    await ask(email.toUpperCase())
    await until(() => emailsTo(email).length === 1, 10_000, 'the email')
    const token = tokenIn(emailsTo(email)[0]!, '/magic-link/')
    const answer = await redeem(token)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    expect(answer.body).to.deep.include({ status: 'signed_in', redirectTo: '/account' })
    expect(answer.body.user).to.include({ id: userId, email })
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const me = await service.api('GET', '/me', { headers: { Cookie: cookie } })
    expect([me.status, me.body.emailVerified]).to.deep.equal([200, true])
    const { rows } = await service.core.services.pool.query(
      `select methods, amr, strength from sessions where user_id = $1 and 'magic_link' = any(methods)`,
      [userId],
    )
    expect(rows).to.deep.equal([{ methods: ['magic_link'], amr: ['otp'], strength: 'otp' }])
    await refused(token)
    const recorded = await attempts((attempt) => attempt.userId === userId)
    expect(recorded.map(({ method, result, reason }) => [method, result, reason])).to.deep.equal([
      ['magic_link', 'success', null],
      ['magic_link', 'failure', 'link_expired'],
    ])
  })

  it('arrive within about a second', async () => {
    const { email } = await fresh()
    await ask(email)
    await until(() => emailsTo(email).length === 1, 1900, 'the email')
  })

  it('are redeemed only by a POST, not by opening them', async () => {
    const { email } = await fresh()
    const { token } = await link(email)
    for (const method of ['GET', 'HEAD', 'GET'])
      await fetch(`${service.publicUrl}/magic-link/${token}`, { method })
    const got = await service.api('GET', '/auth/magic-link/redeem')
    expect([got.status, got.body.error.code]).to.deep.equal([404, 'ERR_NO_ROUTE'])
    expect((await redeem(token)).status).to.equal(200)
  })

  it('start one session, even with concurrent requests', async () => {
    const { userId, email } = await fresh()
    const { token } = await link(email)
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(token)))
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
    for (const { status, body } of answers)
      if (status !== 200) expect([status, body.error.code]).to.deep.equal([404, 'ERR_LINK_EXPIRED'])
    // The user's earlier session and the new one.
    expect(await sessionsOf(userId)).to.equal(2)
  })

  it('continue an existing session of the browser, once', async () => {
    const { userId, email, cookie } = await fresh()
    const { token } = await link(email)
    expect((await redeem(token, cookie)).status).to.equal(200)
    expect(await sessionsOf(userId)).to.equal(1)
    await refused(token)
  })

  it('OIDC-14 return the same response for all addresses; only active users with a verified address get an email', async () => {
    const active = await fresh()
    const unverified = await service.person()
    const moved = await fresh()
    const suspended = await fresh()
    const deleted = await fresh()
    const users = userCommands(service.core.services)
    await users.suspend(suspended.userId, undefined, 'system', system)
    await users.delete(deleted.userId, 'system', system)
    await users.update(moved.userId, { email: 'unread@example.com' }, 'system', system)
    await users.invite({ profile: { email: 'invited@example.com', name: 'I' }, source: 'local' }, system)
    await link(active.email)
    const shape = ({ status, headers, body }: Awaited<ReturnType<typeof ask>>) => [
      status,
      body,
      [...headers.keys()].filter((name) => name !== 'date').sort(),
      (headers.get('set-cookie') ?? '').replace(/=[\w-]{43}/, '').replace(/expires=[^;]*/i, ''),
    ]
    const known = shape(await ask(active.email))
    const odd = ['nobody@example.com', 'x', ' ', '\u0001', '%', "' or 1=1 --", 'a'.repeat(254)]
    const silent = [
      ...[suspended, deleted, unverified, moved].map(({ email }) => email),
      ...['invited@example.com', 'unread@example.com'],
    ]
    for (const email of [...silent, ...odd]) expect(shape(await ask(email)), email).to.deep.equal(known)
    await resolved()
    await until(() => emailsTo(active.email).length === 2)
    for (const email of silent) expect(emailsTo(email), email).to.deep.equal([])
    expect(service.log.lines.filter((line) => line.includes('emails are waiting to be sent'))).to.deep.equal(
      [],
    )
    expect((await ask('a'.repeat(255))).status).to.equal(422)
  })

  it('take as long for an address without an account', async () => {
    const { email } = await fresh()
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
    for (let i = 0; i < 40; i++)
      for (const kind of ['known', 'unknown'] as const) {
        const began = performance.now()
        await ask(kind === 'known' ? email : `nobody${String(i)}@example.com`)
        times[kind].push(performance.now() - began)
        await resolved()
      }
    const median = (of: number[]) => of.sort((a, b) => a - b)[of.length / 2] ?? 0
    const [known, unknown] = [median(times.known), median(times.unknown)]
    expect(Math.abs(known - unknown), `${String(known)} and ${String(unknown)} ms`).to.be.lessThan(
      Math.max(3, Math.min(known, unknown) / 2),
    )
  })

  it('only the newest of a browser is valid, and three can be requested in a quarter of an hour', async () => {
    const { email } = await fresh()
    const first = await link(email)
    const second = await link(email, {}, first.cookie)
    await refused(first.token)
    const third = await link(email, {}, second.cookie)
    for (let i = 0; i < 3; i++) await ask(email)
    await resolved()
    expect(emailsTo(email)).to.have.length(3)
    await refused(second.token)
    expect((await redeem(third.token)).status).to.equal(200)
    await service.core.workPool.query(
      `update work.magic_link set requested_at = now() - interval '16 minutes'`,
    )
    const later = await link(email)
    expect((await redeem(later.token)).status).to.equal(200)
  })

  it('expire after a quarter of an hour, or after the time in the settings', async () => {
    const { userId, email } = await fresh()
    const { token } = await link(email)
    expect(emailsTo(email)[0]?.mail.text).to.contain('for 15 minutes')
    const { rows } = await service.core.workPool.query<{ minutes: number }>(
      `select extract(epoch from expires_at - requested_at)::float / 60 as minutes from work.magic_link
       where user_id = $1`,
      [userId],
    )
    expect(rows[0]?.minutes).to.be.closeTo(15, 0.1)
    await service.core.workPool.query(
      `update work.magic_link set expires_at = now() - interval '1 minute' where user_id = $1`,
      [userId],
    )
    await refused(token)
    const [last] = await attempts((attempt) => attempt.userId === userId)
    expect([last?.reason, last?.email]).to.deep.equal(['link_expired', email])
    await refused('x'.repeat(43))
  })

  it('continue to an application only in the browser that requested them', async () => {
    const { email, userId } = await fresh()
    const world = oidcWorld(service)
    const app = await world.application()
    await world.join(app.groupId, userId)
    const waiting = async (): Promise<string> => {
      const { challenge } = pkce()
      const answer = await world.authorize(app, null, {
        code_challenge: challenge,
        code_challenge_method: 'S256',
      })
      return new URL(answer.location ?? '').searchParams.get('authRequest') ?? ''
    }
    const authRequestId = await waiting()
    const here = await link(email, { authRequestId })
    const done = await redeem(here.token, here.cookie)
    expect(done.body.redirectTo).to.equal(`/oauth2/authorize/resume?authRequest=${authRequestId}`)
    const [attempt] = await attempts((row) => row.userId === userId)
    expect(attempt?.appId).to.equal(app.applicationId)
    const elsewhere = await link(email, { authRequestId: await waiting() })
    expect((await redeem(elsewhere.token)).body.redirectTo).to.equal('/account')
    const over = await link(email, { authRequestId: 'x'.repeat(43) })
    expect((await redeem(over.token, over.cookie)).body.redirectTo).to.equal('/account')
  })

  it('are invalid for users who were suspended or whose address changed', async () => {
    const users = userCommands(service.core.services)
    const suspended = await fresh()
    const first = await link(suspended.email)
    await users.suspend(suspended.userId, undefined, 'system', system)
    await refused(first.token, 403, 'ERR_ACCOUNT_SUSPENDED')
    const moved = await fresh()
    const second = await link(moved.email)
    await users.update(moved.userId, { email: 'moved@example.com' }, 'system', system)
    await refused(second.token)
    await users.delete(moved.userId, 'system', system)
    await refused(second.token)
    expect(await sessionsOf(moved.userId)).to.equal(1)
  })

  it('SGN-03 are invalid after a role was granted; a new link works', async () => {
    const users = userCommands(service.core.services)
    const { userId, email } = await fresh()
    const { token } = await link(email)
    await users.setRoles(userId, ['auditor'], system)
    await refused(token)
    const { token: next } = await link(email)
    expect((await redeem(next)).status).to.equal(200)
  })

  it('SGN-03 are not sent if they are queued when a role is granted', async () => {
    const users = userCommands(service.core.services)
    const { userId, email } = await fresh()
    await peer.stop()
    await ask(email)
    await triedInVain(service, userId, 'magic_link')
    await users.setRoles(userId, ['auditor'], system)
    await peer.start()
    await hurryUp(service)
    await until(
      async () =>
        (
          await service.core.workPool.query(
            `select from work.mail where user_id = $1 and kind = 'magic_link' and outcome = 'unwanted'`,
            [userId],
          )
        ).rowCount === 1,
      10_000,
      'the email to be dropped',
    )
    expect(emailsTo(email)).to.deep.equal([])
  })

  it('do not work while they are disabled', async () => {
    const admin = await service.person({}, ['global_admin'])
    const setTo = async (enabled: boolean): Promise<void> => {
      const answer = await service.api('PATCH', '/methods/magic_link', { as: admin, body: { enabled } })
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    }
    const { userId, email } = await fresh()
    const { token } = await link(email)
    await setTo(false)
    try {
      const { body } = await service.api('GET', '/auth/methods')
      expect([body.magicLinkAvailable, body.methods.includes('magic_link')]).to.deep.equal([false, false])
      expect((await ask(email)).status).to.equal(204)
      await refused(token)
      const [attempt] = await attempts((row) => row.userId === userId)
      expect(attempt?.reason).to.equal('method_not_allowed')
      expect(emailsTo(email)).to.have.length(1)
    } finally {
      await setTo(true)
    }
    expect((await redeem(token)).status).to.equal(200)
  })

  it('are offered if the service sends emails', async () => {
    const answer = await service.api('GET', '/auth/methods')
    expect(answer.body).to.deep.include({ magicLinkAvailable: true })
    expect(answer.body.methods).to.include('magic_link')
    const without = await testService()
    try {
      const { body } = await without.api('GET', '/auth/methods')
      expect([body.magicLinkAvailable, body.methods.includes('magic_link')]).to.deep.equal([false, false])
      const response = await without.api('POST', '/auth/magic-link', { body: { email: 'a@example.com' } })
      expect(response.status).to.equal(204)
      expect((await without.core.workPool.query('select from work.magic_link')).rowCount).to.equal(0)
    } finally {
      await without.stop()
    }
  })
})
