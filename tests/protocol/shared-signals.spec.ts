import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { oidcWorld, type OidcWorld, type TestApplication } from '../support/oidc/oidc.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { sharedSignals } from '../support/ssf/set-up.ts'
import { CAEP, RISC, SSF, ssfReceiver, type ReceivedSet } from '../support/ssf/receiver.ts'
import { until } from '../support/until.ts'

const PUSH = 'urn:ietf:rfc:8935'
const POLL = 'urn:ietf:rfc:8936'
const everything = [
  ...['session-revoked', 'credential-change', 'assurance-level-change', 'device-compliance-change'].map(
    (name) => `${CAEP}/${name}`,
  ),
  ...['account-disabled', 'account-enabled', 'account-purged'].map((name) => `${RISC}/${name}`),
]

describe('Shared signals', function () {
  this.timeout(60_000)
  let service: TestService
  let oidc: OidcWorld
  let admin: TestPerson
  let newReceiver: Awaited<ReturnType<typeof sharedSignals>>

  before(async () => {
    service = await testService()
    oidc = oidcWorld(service)
    admin = await service.person({}, ['global_admin'])
    newReceiver = await sharedSignals(service, oidc, admin)
  })
  after(() => service.stop())

  /** An application with its receiver. */
  const receiver = async (options: { groups?: 'none' } = {}) => {
    const app = await newReceiver(options)
    return { app, ...(await ssfReceiver(service, oidc, app)) }
  }
  /** A user of the group that an application is assigned to. */
  const member = async ({ groupId }: TestApplication): Promise<TestPerson> => {
    const person = await service.person()
    await oidc.join(groupId, person.userId)
    return person
  }
  const suspend = async ({ userId }: TestPerson) => {
    const { status } = await service.api('POST', `/users/${userId}/suspend`, { as: admin, body: {} })
    expect(status).to.equal(204)
  }

  it('the transmitter describes itself, as the framework demands', async () => {
    const { metadata } = await receiver()
    expect(metadata).to.deep.include({
      spec_version: '1_0',
      issuer: service.publicUrl,
      default_subjects: 'ALL',
    })
    expect(metadata.delivery_methods_supported).to.have.members([PUSH, POLL])
    expect(metadata.authorization_schemes).to.deep.equal([{ spec_urn: 'urn:ietf:rfc:6749' }])
    for (const name of ['configuration', 'status', 'verification'])
      expect(new URL(metadata[`${name}_endpoint`]).origin).to.equal(service.publicUrl)
  })

  it('SGN-07 a receiver gets a verified event within a second after a user is suspended', async () => {
    const { app, metadata, call, endpoint } = await receiver()
    const target = await endpoint()
    const created = await call('POST', metadata.configuration_endpoint, {
      events_requested: everything,
      delivery: { method: PUSH, endpoint_url: target.url, authorization_header: 'Bearer receiver-secret' },
    })
    expect(created.status, JSON.stringify(created.body)).to.equal(201)
    expect(created.body).to.deep.include({ iss: service.publicUrl, aud: app.clientId })
    expect(created.body.events_delivered).to.have.members(everything)
    expect(JSON.stringify(created.body)).not.to.contain('receiver-secret')

    const [person, stranger] = [await member(app), await service.person()]
    await suspend(stranger)
    const began = performance.now()
    await suspend(person)
    const disabled = await target.about(`${RISC}/account-disabled`, person.userId)
    expect(disabled.at - began, 'milliseconds').to.be.below(process.env['CI'] === undefined ? 1000 : 5000)
    expect(disabled.authorization).to.equal('Bearer receiver-secret')
    const { set } = await target.about(`${CAEP}/session-revoked`, person.userId)
    expect(set.sub_id).to.deep.equal({ format: 'iss_sub', iss: service.publicUrl, sub: person.userId })
    expect(set.events[`${CAEP}/session-revoked`]).to.include({ initiating_entity: 'admin' })
    expect(set.events[`${CAEP}/session-revoked`].event_timestamp).to.be.closeTo(Date.now() / 1000, 60)

    await service.api('POST', `/users/${person.userId}/reactivate`, { as: admin })
    await target.about(`${RISC}/account-enabled`, person.userId)
    await service.api('POST', `/users/${person.userId}/reset-methods`, { as: admin })
    await target.about(`${CAEP}/credential-change`, person.userId, { change_type: 'revoke' })
    await service.api('DELETE', `/users/${person.userId}`, { as: admin })
    await target.about(`${RISC}/account-purged`, person.userId)
    expect(target.problems).to.deep.equal([])
    expect(JSON.stringify(target.received.map((one) => one.set)), 'nothing about others').not.to.contain(
      stranger.userId,
    )
    expect(JSON.stringify(target.received.map((one) => one.set)), 'no personal data').not.to.contain(
      person.email,
    )
    target.close()
  })

  it('SGN-07 a session that ends is named, to receivers of everybody and of its user', async () => {
    const all = await receiver({ groups: 'none' })
    const some = await receiver()
    const [person, stranger] = [await member(some.app), await service.person()]
    const streams = await Promise.all(
      [all, some].map(async ({ call, metadata }) => {
        const { body } = await call('POST', metadata.configuration_endpoint, { events_requested: everything })
        return async (): Promise<readonly ReceivedSet[]> => {
          const { sets } = (await call('POST', body.delivery.endpoint_url, { returnImmediately: true })).body
          return Object.values<string>(sets).map((set) => decodeJwt(set))
        }
      }),
    )
    for (const { sessionId } of [person, stranger])
      await service.api('DELETE', `/sessions/${sessionId}`, { as: admin })
    const revoked = async (poll: () => Promise<readonly ReceivedSet[]>) =>
      (await poll())
        .filter(({ events }) => `${CAEP}/session-revoked` in events)
        .map(({ sub_id: subject }) => subject)
    const [ofAll, ofSome] = streams
    if (ofAll === undefined || ofSome === undefined) return expect.fail('no streams')
    await until(async () => JSON.stringify(await revoked(ofAll)).includes(stranger.sessionId))
    const named = ({ userId, sessionId }: TestPerson) => ({
      format: 'complex',
      user: { format: 'iss_sub', iss: service.publicUrl, sub: userId },
      session: { format: 'opaque', id: sessionId },
    })
    expect(await revoked(ofAll)).to.deep.include.members([named(person), named(stranger)])
    expect(await revoked(ofSome)).to.deep.equal([named(person)])
  })

  it('events that wait are polled in order, acknowledged, and refused', async () => {
    const { app, metadata, call, verify } = await receiver()
    const person = await member(app)
    const { body } = await call('POST', metadata.configuration_endpoint, {
      events_requested: [
        `${RISC}/account-disabled`,
        `${RISC}/account-enabled`,
        'https://example.com/unknown',
      ],
      delivery: { method: POLL },
    })
    expect(body.events_delivered).to.have.members([`${RISC}/account-disabled`, `${RISC}/account-enabled`])
    const poll = async (request: object) => (await call('POST', body.delivery.endpoint_url, request)).body
    const waiting = poll({})
    await suspend(person)
    const { sets } = await waiting
    const [[jti, set] = ['', '']] = Object.entries<string>(sets)
    expect((await verify(set)).events).to.have.property(`${RISC}/account-disabled`)
    expect((await verify(set)).jti).to.equal(jti)
    await service.api('POST', `/users/${person.userId}/reactivate`, { as: admin })
    await until(async () => Object.keys((await poll({ returnImmediately: true })).sets).length === 2)
    const limited = await poll({ returnImmediately: true, maxEvents: 1 })
    expect([Object.keys(limited.sets), limited.moreAvailable]).to.deep.equal([[jti], true])
    const rest = await poll({ returnImmediately: true, ack: [jti] })
    const [next = ''] = Object.keys(rest.sets)
    expect([Object.keys(rest.sets).length, next === jti, rest.moreAvailable]).to.deep.equal([1, false, false])
    const refused = await poll({
      returnImmediately: true,
      setErrs: { [next]: { err: 'invalid_key', description: 'x' } },
    })
    expect(refused.sets).to.deep.equal({})
    const shown = await service.api('GET', `/shared-signals-streams/${String(body.stream_id)}`, { as: admin })
    expect(shown.body).to.include({ pending: 0, lastError: 'invalid_key', status: 'enabled' })
  })

  it('a receiver manages its own stream, and no other', async () => {
    const [one, two] = [await receiver(), await receiver()]
    const {
      configuration_endpoint: configuration,
      status_endpoint: status,
      verification_endpoint: verification,
    } = one.metadata
    const { body: stream } = await one.call('POST', configuration, {
      description: 'SIEM',
      events_requested: everything,
    })
    const id = stream.stream_id as string
    expect((await one.call('POST', configuration, {})).status, 'a second stream').to.equal(409)
    const at = (base: string) => `${base}?stream_id=${id}`
    for (const [method, url, body] of [
      ['GET', at(configuration), undefined],
      ['PATCH', configuration, { stream_id: id, description: 'mine' }],
      ['PUT', configuration, { stream_id: id }],
      ['DELETE', at(configuration), undefined],
      ['GET', at(status), undefined],
      ['POST', status, { stream_id: id, status: 'disabled' }],
      ['POST', verification, { stream_id: id }],
      ['POST', stream.delivery.endpoint_url, { returnImmediately: true }],
    ] as const)
      expect((await two.call(method, url, body)).status, `${method} ${url}`).to.equal(404)
    const nul = `${stream.delivery.endpoint_url}%00`
    expect((await one.call('POST', nul, { returnImmediately: true })).status, 'no id').to.equal(404)
    const readOnly = await one.token('ssf.read')
    const denied = await one.call('PATCH', configuration, { stream_id: id, description: 'x' }, readOnly)
    expect([denied.status, denied.body.err]).to.deep.equal([403, 'access_denied'])
    expect((await one.call('GET', at(configuration), undefined, readOnly)).status).to.equal(200)
    expect((await one.call('GET', at(configuration), undefined, 'nonsense')).status).to.equal(401)

    const changed = await one.call('PATCH', configuration, {
      stream_id: id,
      events_requested: [everything[0]],
    })
    expect(changed.body).to.deep.include({ description: 'SIEM', events_delivered: [everything[0]] })
    const replaced = await one.call('PUT', configuration, {
      stream_id: id,
      events_requested: [everything[1]],
    })
    expect(replaced.body)
      .to.deep.include({ events_delivered: [everything[1]] })
      .and.not.to.have.property('description')
    expect(
      (await one.call('GET', configuration)).body.map((each: { stream_id: string }) => each.stream_id),
    ).to.deep.equal([id])

    expect((await one.call('POST', verification, { stream_id: id, state: 'abc' })).status).to.equal(204)
    const { sets } = (await one.call('POST', stream.delivery.endpoint_url, { returnImmediately: true })).body
    const [set = ''] = Object.values<string>(sets)
    const verified = await one.verify(set)
    expect(verified.sub_id).to.deep.equal({ format: 'opaque', id })
    expect(verified.events).to.deep.equal({ [`${SSF}/verification`]: { state: 'abc' } })

    expect((await one.call('DELETE', at(configuration))).status).to.equal(204)
    expect((await one.call('GET', at(configuration))).status).to.equal(404)
    expect((await one.call('POST', configuration, {})).status, 'a new stream').to.equal(201)
  })

  it('a paused stream keeps its events, a disabled one loses them, and an administrator decides last', async () => {
    const { app, metadata, call } = await receiver()
    const person = await member(app)
    const { body: stream } = await call('POST', metadata.configuration_endpoint, {
      events_requested: everything,
    })
    const id = stream.stream_id as string
    const poll = async () =>
      Object.keys((await call('POST', stream.delivery.endpoint_url, { returnImmediately: true })).body.sets)
    const pending = async () =>
      (await service.api('GET', `/shared-signals-streams/${id}`, { as: admin })).body.pending
    const turn = (status: string) => call('POST', metadata.status_endpoint, { stream_id: id, status })
    expect((await turn('paused')).body).to.deep.equal({ stream_id: id, status: 'paused' })
    await suspend(person)
    await until(async () => (await pending()) >= 1)
    expect(await poll()).to.deep.equal([])
    await turn('enabled')
    expect((await poll()).length).to.be.at.least(1)

    const change = (status: string) =>
      service.api('PATCH', `/shared-signals-streams/${id}`, { as: admin, body: { status, reason: 'Leaked' } })
    expect((await change('disabled')).status).to.equal(200)
    expect((await turn('enabled')).status, 'the receiver').to.equal(403)
    const sets = (await call('POST', stream.delivery.endpoint_url, { returnImmediately: true })).body.sets
    expect(Object.keys(sets), 'only that it was stopped').to.have.length(1)
    await change('enabled')
    expect((await call('GET', `${metadata.status_endpoint}?stream_id=${id}`)).body.status).to.equal('enabled')
    await service.api('DELETE', `/shared-signals-streams/${id}`, { as: admin })
    expect((await call('GET', `${metadata.status_endpoint}?stream_id=${id}`)).status).to.equal(404)
  })

  it('pushed events are retried after failures, not after a refusal', async () => {
    const { app, metadata, call, endpoint } = await receiver()
    const person = await member(app)
    const answers: { status: number; body?: object }[] = [{ status: 503 }]
    let calls = 0
    const target = await endpoint(() => {
      calls += 1
      return answers.shift() ?? { status: 202 }
    })
    const { body: stream } = await call('POST', metadata.configuration_endpoint, {
      events_requested: [`${RISC}/account-disabled`, `${RISC}/account-enabled`],
      delivery: { method: PUSH, endpoint_url: target.url },
    })
    await suspend(person)
    await target.about(`${RISC}/account-disabled`, person.userId)
    expect(calls).to.equal(2)
    answers.push({ status: 400, body: { err: 'invalid_audience', description: 'not mine' } })
    await service.api('POST', `/users/${person.userId}/reactivate`, { as: admin })
    const shown = async () =>
      (await service.api('GET', `/shared-signals-streams/${String(stream.stream_id)}`, { as: admin })).body
    await until(async () => (await shown()).lastError === 'invalid_audience')
    expect([(await shown()).pending, calls]).to.deep.equal([0, 3])
    const resources = await service.api('GET', '/api-resources?q=Shared', { as: admin })
    const grant = `/api-resources/${String(resources.body[0].id)}/grants/${app.applicationId}`
    expect((await service.api('DELETE', grant, { as: admin })).status).to.equal(204)
    await suspend(person)
    await until(async () => {
      const { rows } = await service.core.workPool.query<{ n: number }>(
        `select count(*)::int as n from work.shared_signal where stream_id = $1 and outcome = 'unwanted'`,
        [stream.stream_id],
      )
      return rows[0]?.n === 1
    })
    expect(calls, 'after its scopes were revoked').to.equal(3)
    target.close()
  })

  it('malformed requests are refused with the member that is wrong', async () => {
    const { metadata, call } = await receiver()
    const push = (endpoint_url: unknown, more: object = {}) => ({
      delivery: { method: PUSH, endpoint_url, ...more },
    })
    for (const [body, expected] of [
      [[], /expected an object/],
      [{ events_requested: 'all' }, /^events_requested/],
      [{ delivery: { method: 'carrier pigeon' } }, /^delivery\.method/],
      [push(undefined), /endpoint_url: required/],
      [push('http://receiver.example.com/events'), /https/],
      [push('https://user:pass@receiver.example.com/'), /endpoint_url/],
      [push('https://receiver.example.com/', { authorization_header: 'a\r\nB: c' }), /authorization_header/],
      [{ description: 'x'.repeat(3000) }, /^description/],
    ] as const) {
      const answer = await call('POST', metadata.configuration_endpoint, body)
      expect(answer.status, JSON.stringify(body)).to.equal(400)
      expect(answer.body.description).to.match(expected)
    }
    expect(
      (await call('POST', metadata.status_endpoint, { stream_id: 'x', status: 'enabled' })).status,
    ).to.equal(404)
    expect((await call('POST', metadata.status_endpoint, { stream_id: 'x', status: 'on' })).status).to.equal(
      400,
    )
    const anonymous = await fetch(metadata.configuration_endpoint)
    expect([anonymous.status, anonymous.headers.get('www-authenticate')]).to.deep.equal([
      401,
      'Bearer realm="ssf"',
    ])
  })
})
