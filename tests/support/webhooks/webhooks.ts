import { expect } from 'chai'
import type { WebhookTiming } from '../../../adapters/outbound/webhooks/run.ts'
import { testService, type TestPerson, type TestPlace, type TestService } from '../service/service.ts'

/** As fast as possible: every poll sees all events. Meanwhile no audit checkpoints are sent. */
export const quick: Partial<WebhookTiming> = {
  lookEvery: 0.05,
  minimumAge: 0,
  deliverEvery: 0.02,
  checkpointEvery: Number.POSITIVE_INFINITY,
}

export interface Endpoint {
  readonly id: string
  readonly secret: string
}

export interface WebhookPlace {
  readonly service: TestService
  readonly admin: TestPerson
  readonly endpoint: (url: string, events?: readonly string[]) => Promise<Endpoint>
  // oxlint-disable-next-line typescript/no-explicit-any -- tests check what they expect
  readonly send: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: any }>
  // oxlint-disable-next-line typescript/no-explicit-any -- tests check what they expect
  readonly deliveries: (id: string) => Promise<any[]>
  /** Causes an event: creates a group. */
  readonly happen: (name?: string) => Promise<string>
}

let made = 0

export const webhookPlace = async (
  timing: Partial<WebhookTiming> = {},
  place?: TestPlace,
): Promise<WebhookPlace> => {
  const service = await testService(place, { webhooks: { ...quick, ...timing } })
  const admin = await service.person({}, ['global_admin'])
  return webhookPlaceOf(service, admin)
}

export const webhookPlaceOf = (service: TestService, admin: TestPerson): WebhookPlace => {
  const send: WebhookPlace['send'] = (method, path, body) =>
    service.api(method, path, { as: admin, ...(body === undefined ? {} : { body }) })
  return {
    service,
    admin,
    send,
    endpoint: async (url, events = ['group.create']) => {
      const { status, body } = await send('POST', '/webhooks', { url, events })
      expect(status, JSON.stringify(body)).to.equal(201)
      return body as Endpoint
    },
    deliveries: async (id) => (await send('GET', `/webhooks/${id}/deliveries`)).body as never,
    happen: async (name = `Group ${String(++made)}`) => {
      const { status, body } = await send('POST', '/groups', { name })
      expect(status, JSON.stringify(body)).to.equal(201)
      return (body as { id: string }).id
    },
  }
}
