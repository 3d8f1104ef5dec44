import { expect } from 'chai'
import { catalogue, rowOf, type EventType } from '../../domain/catalogue.ts'
import { webhookDecider, webhookStream, type WebhookCommand } from '../../domain/webhook/decider.ts'
import { eventFamilies, eventTypes, isKnownEntry, wantsType } from '../../domain/webhook/event-types.ts'
import type { WebhookEvent } from '../../domain/webhook/events.ts'
import { webhookUrlProblem } from '../../domain/webhook/url.ts'
import { auditActions } from '../support/audit/audit-actions.ts'
import { corpus } from '../support/domain/corpus.ts'
import { id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const webhookId = id('webhook')
const fields = { url: 'https://hooks.example.com/identity', events: ['user.*'] }
const create: WebhookCommand = { type: 'create', webhookId, fields, sealedSecret: 'sealed', others: 0 }
const created: WebhookEvent = {
  type: 'webhook.created',
  data: { webhookId, ...fields, sealedSecret: 'sealed' },
}
const paused: WebhookEvent = { type: 'webhook.paused', data: { webhookId } }
const resumed: WebhookEvent = { type: 'webhook.resumed', data: { webhookId } }
const deleted: WebhookEvent = { type: 'webhook.deleted', data: { webhookId } }
const delivery = { deliveryId: id('delivery'), eventId: id('auditEvent'), eventType: 'user.invite' }
const webhook = (...past: readonly WebhookEvent[]) => given(webhookDecider, ...past)
const update = (
  changed: Readonly<Record<string, unknown>>,
  status?: 'active' | 'paused',
): WebhookCommand => ({
  type: 'update',
  webhookId,
  fields: changed,
  ...(status === undefined ? {} : { status }),
})

describe('A webhook endpoint', () => {
  it('WHK-01 has its own stream, and is created active', () => {
    expect(webhookStream(webhookId)).to.equal(`webhook-${webhookId}`)
    webhook().when(create).then(created)
    webhook(created).when({ type: 'resume', webhookId }).changesNothing()
    webhook(created).when(create).refuses('ERR_CONFLICT')
  })

  for (const url of [
    'https://hooks.example.com',
    'https://hooks.example.com:8443/a/b?c=d',
    'https://192.0.2.1/',
    'https://[2001:db8::1]/',
    'HTTPS://HOOKS.EXAMPLE.COM/',
    'http://localhost',
    'http://localhost:8080/x',
    'http://hooks.localhost/x',
    'http://127.0.0.1:9000',
    'http://127.8.8.8',
    'http://[::1]:9000/x',
  ])
    it(`WHK-01 sends to ${url}`, () => {
      expect(webhookUrlProblem(url)).to.equal(null)
    })

  for (const url of [
    'http://hooks.example.com',
    'http://localhost.example.com',
    'http://notlocalhost',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'http://128.0.0.1',
    'http://[::2]',
    'http://169.254.169.254',
    'ftp://hooks.example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'hooks.example.com',
    '//hooks.example.com',
    'https://',
    'https://ada:secret@hooks.example.com',
    'https://hooks.example.com/#here',
    'https://hooks.example.com/a b',
    ' https://hooks.example.com',
    'https:\\\\hooks.example.com',
    '',
  ])
    it(`WHK-01 does not send to ${url === '' ? 'an empty address' : url}`, () => {
      webhook()
        .when({ ...create, fields: { ...fields, url } })
        .refuses('ERR_INVALID', /^url: expected/, '/url')
      webhook(created)
        .when(update({ url }))
        .refuses('ERR_INVALID', /^url: expected/, '/url')
    })

  it('WHK-01 selects 1 to 50 entries, each known and once', () => {
    const asks = (events: readonly string[]) => webhook().when({ ...create, fields: { ...fields, events } })
    for (const events of [['*'], ['user.*', 'user.invite'], ['group.member.*'], eventTypes.slice(0, 50)])
      asks(events).then({
        type: 'webhook.created',
        data: { webhookId, url: fields.url, events, sealedSecret: 'sealed' },
      })
    asks([]).refuses('ERR_INVALID', /1 to 50/, '/events')
    asks(eventTypes.slice(0, 51)).refuses('ERR_INVALID', /1 to 50/, '/events')
    asks(['*', 'user.invite', '*']).refuses('ERR_INVALID', /\* twice/, '/events')
    for (const entry of [
      'user',
      'user.',
      '.*',
      '*.*',
      'us*',
      'user.inv*',
      'shoe.*',
      'user.fly',
      'User.*',
      '**',
    ])
      asks(['user.*', entry]).refuses('ERR_INVALID', /event-types/, '/events/1')
    webhook(created)
      .when(update({ events: ['nothing.*'] }))
      .refuses('ERR_INVALID', null, '/events/0')
  })

  it('WHK-01 is limited to 20 per organization', () => {
    webhook()
      .when({ ...create, others: 19 })
      .then(created)
    webhook()
      .when({ ...create, others: 20 })
      .refuses('ERR_CONFLICT', /20 webhook endpoints/)
  })

  it('WHK-09 is changed, paused and resumed, each once', () => {
    const changes = [{ field: 'description', from: null, to: 'Tickets' }]
    webhook(created)
      .when(update({ description: 'Tickets' }, 'paused'))
      .then({ type: 'webhook.updated', data: { webhookId, changes } }, paused)
    webhook(created).when(update(fields, 'active')).changesNothing()
    webhook(created).when({ type: 'pause', webhookId }).then(paused)
    webhook(created, paused).when({ type: 'pause', webhookId }).changesNothing()
    webhook(created, paused).when({ type: 'resume', webhookId }).then(resumed)
  })

  it('WHK-10 is tested, also while paused', () => {
    const tested: WebhookEvent = { type: 'webhook.tested', data: { webhookId } }
    webhook(created).when({ type: 'test', webhookId }).then(tested)
    webhook(created, paused, tested).when({ type: 'test', webhookId }).then(tested)
  })

  it('WHK-06 reports the outcome of deliveries', () => {
    webhook(created)
      .when({ type: 'fail_delivery', webhookId, delivery, attempts: 8, error: 'timeout' })
      .then({
        type: 'webhook.delivery_failed',
        data: { webhookId, ...delivery, attempts: 8, error: 'timeout' },
      })
    webhook(created)
      .when({ type: 'retry_delivery', webhookId, delivery })
      .then({ type: 'webhook.delivery_retried', data: { webhookId, ...delivery } })
  })

  it('WHK-11 does not exist after deletion, nor before it was created', () => {
    webhook(created).when({ type: 'delete', webhookId }).then(deleted)
    for (const type of ['pause', 'resume', 'delete', 'test'] as const)
      for (const past of [[], [created, deleted]])
        webhook(...past)
          .when({ type, webhookId })
          .refuses('ERR_NOT_FOUND')
    webhook(created, deleted).when(update({})).refuses('ERR_NOT_FOUND')
    webhook(created, deleted).when({ type: 'retry_delivery', webhookId, delivery }).refuses('ERR_NOT_FOUND')
  })
})

describe('Types of outbound events', () => {
  it('WHK-10 are the audit actions that at least one event has, and the sign-in types', () => {
    for (const type of ['user.invite', 'group.member.expire', 'token.revoke', 'webhook.test'])
      expect(eventTypes).to.include(type)
    expect(eventTypes.filter((type) => type.startsWith('sign_in.'))).to.deep.equal([
      'sign_in.failure',
      'sign_in.interrupted',
      'sign_in.success',
    ])
    for (const type of eventTypes) if (!type.startsWith('sign_in.')) expect(auditActions).to.include(type)
  })

  it('AUD-01 include every action that an event can have', () => {
    const variants = [{}, { resent: true }, { resent: false }, { rotation: true }, { rotation: false }]
    const reasons = ['expired', 'revoked', 'admin_revoked', 'sign_out', 'code_reused', 'removed']
    for (const type of Object.keys(catalogue) as EventType[]) {
      const row = rowOf(type)
      expect('actions' in row, type).to.equal(typeof row.audit === 'function')
      if (!('actions' in row)) continue
      const data = corpus.get(`${type}.v${String(row.schema)}.json`)?.data
      for (const some of [...variants, ...reasons.map((reason) => ({ reason }))]) {
        const action = row.audit({ ...data, ...some })
        if (action !== null) expect(Object.keys(row.actions), type).to.include(action)
      }
    }
  })

  it('WHK-10 come in families, every type in one', () => {
    expect(eventFamilies.flatMap(({ types }) => types)).to.have.members([...eventTypes])
    for (const { family, description, types } of eventFamilies) {
      expect(family).to.match(/^[a-z_]+\.\*$/)
      expect(description, family).to.match(/^[A-Z]/)
      for (const type of types) expect(wantsType([family], type)).to.equal(true)
      expect(isKnownEntry(family)).to.equal(true)
    }
  })

  it('WHK-01 can be selected exactly, by family, or all together', () => {
    expect(wantsType(['*'], 'user.invite')).to.equal(true)
    expect(wantsType(['user.*'], 'user.roles.update')).to.equal(true)
    expect(wantsType(['group.member.*'], 'group.member.add')).to.equal(true)
    expect(wantsType(['group.member.*'], 'group.create')).to.equal(false)
    expect(wantsType(['user.invite'], 'user.invite.resend')).to.equal(false)
    expect(wantsType(['user.*'], 'user')).to.equal(false)
    expect(wantsType(['api.*'], 'api_resource.create')).to.equal(false)
    expect(wantsType(['group.*', 'sign_in.failure'], 'sign_in.success')).to.equal(false)
  })
})
