import { Type } from 'typebox'
import { eventFamilies } from '../../../domain/webhook/event-types.ts'
import { findWebhook, listWebhooks } from '../../../read-models/queries/webhooks.ts'
import type { Services } from '../../application/services/services.ts'
import { webhookCommands } from '../../outbound/webhooks/commands.ts'
import { listQuery, listPage, listReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { deliveryStore } from '../../outbound/webhooks/deliveries.ts'
import { actorOf } from '../http/actor.ts'
import {
  clearable,
  existing,
  withoutNulls,
  listPageOf,
  prose,
  proven,
  readBack,
  readers,
  sent,
  writers,
} from '../http/schemas.ts'
import {
  CreatedWebhook,
  Delivery,
  EventFamily,
  TestResult,
  Webhook,
  webhookEntries,
  webhookStatus,
  webhookUrl,
  webhookViews,
} from './webhook-schemas.ts'

const tag = 'Webhooks'
const params = fields({ id: idOf('webhook') })
const managers = writers('security_admin')
const description = clearable(prose(1000))

export const webhookRoutes = (
  services: Pick<
    Services,
    'handle' | 'pool' | 'locks' | 'vault' | 'clock' | 'random' | 'egress' | 'outbound'
  >,
): readonly Route[] => {
  const { pool } = services
  const webhooks = webhookCommands(services)
  const deliveries = deliveryStore(pool, () => null)
  const show = webhookViews(services)
  const read = (id: string) => findWebhook(pool, id)

  const turning = (type: 'pause' | 'resume', summary: string, details: string): Route =>
    route({
      method: 'POST',
      path: `/webhooks/{id}/${type}`,
      tag,
      summary,
      description: details,
      access: managers,
      params,
      result: Webhook,
      status: 200,
      errors: ['ERR_STALE'],
      audit: [`webhook.${type}`],
      handle: async (request) => {
        const { version } = await webhooks.turn(type, request.params.id, actorOf(request))
        return { body: show.webhook(await readBack(read(request.params.id), version)) }
      },
    })

  return [
    route({
      method: 'GET',
      path: '/webhooks',
      tag,
      summary: 'List webhook endpoints, oldest first',
      access: readers,
      query: listQuery({}),
      result: Type.Array(Webhook),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page, shown, toCursor } = listPageOf({ ...query, sort: 'createdAt' })
        const rows = await listWebhooks(pool, page)
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) =>
          show.webhook(row),
        )
      },
    }),
    route({
      method: 'POST',
      path: '/webhooks',
      tag,
      summary: 'Create a webhook endpoint',
      description: 'It receives events from now on. The signing secret appears only in this response.',
      access: proven(managers),
      body: fields({ url: webhookUrl, description, events: webhookEntries }),
      result: CreatedWebhook,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['webhook.create'],
      handle: async (request) => {
        const { webhookId, secret, version } = await webhooks.create(
          withoutNulls(request.body),
          actorOf(request),
        )
        const row = await readBack(read(webhookId), version)
        return created(`/api/v1/webhooks/${webhookId}`, { ...show.webhook(row), secret })
      },
    }),
    route({
      method: 'GET',
      path: '/webhooks/event-types',
      tag,
      summary: 'List event types by family',
      access: readers,
      result: Type.Array(EventFamily),
      status: 200,
      errors: [],
      handle: () => Promise.resolve({ body: eventFamilies }),
    }),
    route({
      method: 'GET',
      path: '/webhooks/{id}',
      tag,
      summary: 'Get a webhook endpoint',
      access: readers,
      params,
      result: Webhook,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: show.webhook(await existing(read(id))) }),
    }),
    route({
      method: 'PATCH',
      path: '/webhooks/{id}',
      tag,
      summary: 'Update a webhook endpoint',
      description:
        'The secret does not change. Pending deliveries go to the new address; a new event selection applies to future events.',
      access: proven(managers, 'url', 'events'),
      params,
      body: fields({
        url: Type.Optional(webhookUrl),
        description,
        events: Type.Optional(webhookEntries),
        status: Type.Optional(webhookStatus),
      }),
      result: Webhook,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['webhook.update', 'webhook.pause', 'webhook.resume'],
      handle: async (request) => {
        const { id } = request.params
        const { status, ...changes } = sent(request.body)
        const { version } = await webhooks.update(id, changes, status, actorOf(request))
        return { body: show.webhook(await readBack(read(id), version)) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/webhooks/{id}',
      tag,
      summary: 'Delete a webhook endpoint and its delivery log',
      access: managers,
      params,
      status: 204,
      errors: ['ERR_STALE'],
      audit: ['webhook.delete'],
      handle: async (request) => {
        await webhooks.delete(request.params.id, actorOf(request))
        return done
      },
    }),
    turning(
      'pause',
      'Pause a webhook endpoint',
      'Pauses all deliveries. Events during the pause are not sent later; pending deliveries stay pending.',
    ),
    turning('resume', 'Resume a webhook endpoint', 'Sends the pending deliveries.'),
    route({
      method: 'POST',
      path: '/webhooks/{id}/test',
      tag,
      summary: 'Send a test event',
      description:
        'Sent immediately, without retries, also to a paused endpoint. The response contains the result.',
      access: managers,
      params,
      result: TestResult,
      status: 200,
      errors: [],
      audit: ['webhook.test'],
      handle: async (request) => {
        const outcome = await webhooks.test(request.params.id, actorOf(request))
        return { body: { delivered: outcome.error === null, ...outcome } }
      },
    }),
    route({
      method: 'GET',
      path: '/webhooks/{id}/deliveries',
      tag,
      summary: 'List the 50 newest deliveries of a webhook endpoint',
      access: readers,
      params,
      result: Type.Array(Delivery),
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => {
        await existing(read(id))
        return { body: (await deliveries.newest(id)).map(show.delivery) }
      },
    }),
    route({
      method: 'POST',
      path: '/webhooks/{id}/deliveries/{deliveryId}/redeliver',
      tag,
      summary: 'Retry a failed delivery',
      description: 'Sends the same body with the same event id, with up to eight more attempts.',
      access: managers,
      params: fields({ id: idOf('webhook'), deliveryId: idOf('delivery') }),
      result: Delivery,
      status: 200,
      errors: ['ERR_CONFLICT'],
      audit: ['webhook.delivery.retry'],
      handle: async (request) => {
        const { id, deliveryId } = request.params
        return { body: show.delivery(await webhooks.redeliver(id, deliveryId, actorOf(request))) }
      },
    }),
  ]
}
