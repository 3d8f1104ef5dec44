import { expect } from 'chai'
import { roleKeys } from '../../../domain/roles.ts'
import { until } from '../../support/until.ts'
import { envelope, webhookReceiver, type WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts'
import { webhookPlace, type WebhookPlace } from '../../support/webhooks/webhooks.ts'
import { refusal, success } from '../api/support.ts'

const HOOK = 'https://hooks.example.com/identity'

describe('/webhooks', function () {
  this.timeout(120_000)
  let place: WebhookPlace
  let receiver: WebhookReceiver
  before(async () => {
    receiver = await webhookReceiver((got) => (got.path === '/busy' ? 503 : 200))
    place = await webhookPlace({ lookEvery: 3600 })
  })
  after(async () => {
    await place.service.stop()
    receiver.close()
  })

  afterEach(async () => {
    for (const { id } of (await place.send('GET', '/webhooks')).body as { id: string }[])
      await place.send('DELETE', `/webhooks/${id}`)
  })

  it('WHK-01 WHK-11 an endpoint is created, with its secret shown once, changed and deleted', async () => {
    const { send } = place
    const made = await send('POST', '/webhooks', { url: HOOK, events: ['user.*', 'sign_in.failure'] })
    const { secret, ...record } = success(made as never, 201)
    expect(secret).to.match(/^whsec_[A-Za-z0-9_-]{43}$/)
    expect(record).to.deep.include({
      url: HOOK,
      description: null,
      events: ['user.*', 'sign_in.failure'],
      status: 'active',
      createdBy: place.admin.userId,
      lastDeliveryAt: null,
      lastDeliveryStatus: null,
      failingSince: null,
      secretReadable: true,
      version: 1,
    })
    const path = `/webhooks/${String(record.id)}`
    expect(success((await send('GET', path)) as never)).to.deep.equal(record)
    expect((await send('GET', '/webhooks')).body).to.deep.equal([record])
    const changed = success(
      (await send('PATCH', path, { description: 'Tickets', events: ['*'], status: 'paused' })) as never,
    )
    expect(changed).to.deep.include({ description: 'Tickets', events: ['*'], status: 'paused' })
    expect(success((await send('POST', `${path}/resume`)) as never).status).to.equal('active')
    expect(success((await send('POST', `${path}/pause`)) as never).status).to.equal('paused')
    expect((await send('PATCH', path, { secret: 'whsec_mine' })).status).to.equal(400)
    const auditRows = async () =>
      (
        (await send('GET', `/audit?targetId=${String(record.id)}`)).body as readonly {
          readonly action: string
        }[]
      ).map(({ action }) => action)
    // The audit trail follows later.
    await until(async () => (await auditRows()).length === 5)
    for (const text of [
      JSON.stringify((await send('GET', '/audit?limit=200')).body),
      JSON.stringify(changed),
    ])
      expect(text).not.to.include(secret)
    expect(await auditRows()).to.deep.equal([
      'webhook.pause',
      'webhook.resume',
      'webhook.pause',
      'webhook.update',
      'webhook.create',
    ])
    expect((await send('DELETE', path)).status).to.equal(204)
    for (const [method, at] of [
      ['GET', path],
      ['GET', `${path}/deliveries`],
      ['POST', `${path}/test`],
      ['POST', `${path}/pause`],
      ['DELETE', path],
    ] as const)
      refusal((await send(method, at)) as never, 404, 'ERR_NOT_FOUND')
    expect((await send('GET', '/webhooks')).body).to.deep.equal([])
  })

  it('WHK-01 rejects invalid addresses and entries, and a twenty-first endpoint', async () => {
    const { send } = place
    const bad: [object, string][] = [
      [{ events: ['*'] }, '/url'],
      [{ url: HOOK }, '/events'],
      [{ url: 'http://hooks.example.com', events: ['*'] }, '/url'],
      [{ url: HOOK, events: [] }, '/events'],
      [{ url: HOOK, events: ['shoe.*'] }, '/events/0'],
      [{ url: HOOK, events: ['*', '*'] }, '/events'],
      [{ url: HOOK, events: Array.from({ length: 51 }, (_, n) => `user.${String(n)}`) }, '/events'],
      [{ url: `${HOOK}/${'x'.repeat(2048)}`, events: ['*'] }, '/url'],
    ]
    for (const [body, field] of bad)
      refusal((await send('POST', '/webhooks', body)) as never, 422, 'ERR_INVALID', field)
    const many = await Promise.all(
      Array.from({ length: 22 }, () => send('POST', '/webhooks', { url: HOOK, events: ['*'] })),
    )
    expect(many.filter(({ status }) => status === 201)).to.have.length(20)
    for (const refused of many.filter(({ status }) => status !== 201))
      refusal(refused as never, 409, 'ERR_CONFLICT')
  })

  it('WHK-12 security administrators manage endpoints, every administrator can read them', async () => {
    const { service } = place
    const { id } = await place.endpoint(receiver.url('/roles'))
    for (const role of roleKeys) {
      const person = await service.person({}, [role])
      const may = role === 'global_admin' || role === 'security_admin'
      for (const path of [
        '/webhooks',
        `/webhooks/${id}`,
        `/webhooks/${id}/deliveries`,
        '/webhooks/event-types',
      ])
        expect((await service.api('GET', path, { as: person })).status, role).to.equal(200)
      const body = { description: role }
      const changed = await service.api('PATCH', `/webhooks/${id}`, { as: person, body })
      expect(changed.status, role).to.equal(may ? 200 : 403)
      const tested = await service.api('POST', `/webhooks/${id}/test`, { as: person })
      expect(tested.status, role).to.equal(may ? 200 : 403)
    }
    const nobody = await service.person()
    refusal(await service.api('GET', '/webhooks', { as: nobody }), 403, 'ERR_FORBIDDEN')
  })

  it('WHK-10 lists families of types', async () => {
    const families = (await place.send('GET', '/webhooks/event-types')).body as {
      family: string
      description: string
      types: string[]
    }[]
    const signIns = families.find(({ family }) => family === 'sign_in.*')
    expect(signIns?.types).to.deep.equal(['sign_in.failure', 'sign_in.interrupted', 'sign_in.success'])
    expect(families.map(({ family }) => family)).to.include.members(['user.*', 'group.*', 'webhook.*'])
  })

  it('WHK-10 a test event is sent immediately and once, even while paused, and its outcome is returned', async () => {
    const { send } = place
    const { id } = await place.endpoint(receiver.url('/tested'), ['*'])
    const other = await place.endpoint(receiver.url('/other'), ['*'])
    const first = success((await send('POST', `/webhooks/${id}/test`)) as never)
    expect(first).to.deep.include({ delivered: true, httpStatus: 200, error: null })
    expect(first.durationMs).to.be.a('number')
    await send('POST', `/webhooks/${id}/pause`)
    expect(success((await send('POST', `/webhooks/${id}/test`)) as never).delivered).to.equal(true)
    const got = receiver.at('/tested').map(envelope)
    expect(got).to.have.length(2)
    for (const each of got) {
      const { body: entry } = await send('GET', `/audit/${each.id}`)
      expect(each).to.deep.include({ id: each.data['id'], type: 'webhook.test' })
      expect(each.data).to.deep.equal(
        Object.fromEntries(Object.keys(each.data).map((name) => [name, (entry as never)[name]])),
      )
      expect(each.data).to.deep.include({ action: 'webhook.test', targetType: 'webhook', targetId: id })
    }
    const busy = await place.endpoint(receiver.url('/busy'))
    const refused = success((await send('POST', `/webhooks/${busy.id}/test`)) as never)
    expect(refused).to.deep.include({ delivered: false, httpStatus: 503, error: 'non_2xx' })
    const [logged] = await place.deliveries(busy.id)
    expect(logged).to.deep.include({ status: 'failed', attempts: 1, httpStatus: 503, nextAttemptAt: null })
    refusal(
      (await send('POST', `/webhooks/${busy.id}/deliveries/${String(logged.id)}/redeliver`)) as never,
      409,
      'ERR_CONFLICT',
    )
    expect(receiver.at('/busy')).to.have.length(1)
    expect(receiver.at('/other')).to.have.length(0)
    expect(await place.deliveries(other.id)).to.deep.equal([])
  })

  it('WHK-11 an endpoint whose secret cannot be decrypted is reported, and nothing is sent to it', async () => {
    const { service, send } = place
    const { id } = await place.endpoint(receiver.url('/unreadable'))
    const stranger = service.core.services.vault.seal('webhook-secret', 'whsec_x', 'whk_other')
    await service.core.services.pool.query('update webhooks set sealed_secret = $2 where id = $1', [
      id,
      stranger,
    ])
    expect((await send('GET', `/webhooks/${id}`)).body).to.include({ secretReadable: false })
    const result = success((await send('POST', `/webhooks/${id}/test`)) as never)
    expect(result).to.deep.include({ delivered: false, error: 'secret_unreadable', httpStatus: null })
    expect(receiver.at('/unreadable')).to.have.length(0)
    await until(async () => (await place.deliveries(id)).length === 1)
  })
})
