/**
 * Endpoints that behave in different ways, for a run in which the service is killed. What each receives is checked on
 * arrival.
 */
import Stripe from 'stripe'
import { envelope, webhookReceiver, type ReceivedWebhook } from './webhook-receiver.ts'
import { isFromTheService } from './webhook-verify.ts'

/** How an endpoint responds: always 200, 500 to the first request of each event, 302, or never. */
export const tempers = ['good', 'shaky', 'moved', 'hanging', 'paused'] as const
export type Temper = (typeof tempers)[number]

/** An event as an endpoint received it, and how many times. */
interface Got {
  readonly body: string
  times: number
  /** How many of these got the response 200. */
  taken: number
}

export const webhookRun = async () => {
  const got = new Map<string, Map<string, Got>>(tempers.map((temper) => [temper, new Map()]))
  const secrets = new Map<string, string>()
  const wrong: string[] = []
  const { webhooks } = new Stripe('sk_test_unused')

  const isGenuine = ({ body, headers }: ReceivedWebhook, secret: string): boolean => {
    const header = String(headers['svc-signature'])
    try {
      return (
        webhooks.signature?.verifyHeader(body, header, secret, 300) === true &&
        isFromTheService(body, header, secret)
      )
    } catch {
      return false
    }
  }

  const statusOf = (temper: string, times: number): number =>
    temper === 'moved' ? 302 : temper === 'shaky' && times === 1 ? 500 : 200

  const receiver = await webhookReceiver((request) => {
    const temper = request.path.slice(1)
    const events = got.get(temper)
    if (events === undefined || !isGenuine(request, secrets.get(temper) ?? '')) {
      wrong.push(`${request.path} ${request.body}`)
      return 400
    }
    const { id } = envelope(request)
    const event = events.get(id) ?? { body: request.body, times: 0, taken: 0 }
    events.set(id, event)
    event.times++
    if (event.body !== request.body) wrong.push(`${request.path} another body of ${id}`)
    if (temper === 'hanging') return 'hang'
    const status = statusOf(temper, event.times)
    if (status === 200) event.taken++
    return status
  })

  const of = (temper: Temper): ReadonlyMap<string, Got> => got.get(temper) ?? new Map()
  return {
    url: (temper: Temper): string => receiver.url(`/${temper}`),
    /** The secret of an endpoint, once it has one. */
    knows: (temper: Temper, secret: string): void => {
      secrets.set(temper, secret)
    },
    /** Ids of events in the order in which they first arrived. */
    ids: (temper: Temper): readonly string[] => [...of(temper).keys()],
    count: (temper: Temper): number => of(temper).size,
    /** Requests answered with 200 although an earlier one of the same event was too. */
    repeated: (temper: Temper): number =>
      [...of(temper).values()].reduce((sum, { taken }) => sum + Math.max(0, taken - 1), 0),
    requests: (): number => receiver.received.length,
    /** Requests without a valid signature, for an unknown endpoint, or with a different body than before. */
    wrong,
    close: receiver.close,
  }
}

export type WebhookRun = Awaited<ReturnType<typeof webhookRun>>
