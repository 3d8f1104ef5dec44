import { Type } from 'typebox'
import { MAX_ENTRIES } from '../../../domain/webhook/decider.ts'
import type { WebhookRow } from '../../../read-models/queries/webhooks.ts'
import { webhookSecret } from '../../outbound/webhooks/commands.ts'
import { EndpointUrl } from '../http/address-schemas.ts'
import { idOf } from '../http/route.ts'
import type { Services } from '../../application/services/services.ts'
import type { DeliveryRow } from '../../outbound/webhooks/deliveries.ts'
import { BODY_PURPOSE } from '../../outbound/webhooks/deliveries.ts'
import { nullable, Time, Version } from '../http/schemas.ts'

export const webhookUrl = EndpointUrl('https://hooks.example.com/identity')

export const webhookEntries = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^(?:[a-z0-9_]+\\.)*(?:[a-z0-9_]+|\\*)$',
    description: 'a type, a family of types (user.*), or * for all',
    examples: ['user.invite', 'sign_in.*'],
  }),
  { minItems: 1, maxItems: MAX_ENTRIES, uniqueItems: true },
)

export const webhookStatus = Type.Enum(['active', 'paused'])

const deliveryStatus = Type.Enum(['queued', 'retrying', 'delivered', 'failed'])
const deliveryError = Type.Enum([
  'timeout',
  'dns',
  'tls',
  'connection',
  'redirect',
  'non_2xx',
  'secret_unreadable',
])
const errorText = Type.String({ maxLength: 500, description: 'human-readable cause' })

const webhookFields = {
  id: idOf('webhook'),
  url: Type.String(),
  description: nullable(Type.String()),
  events: Type.Array(Type.String()),
  status: webhookStatus,
  createdAt: Time,
  createdBy: nullable(Type.String()),
  updatedAt: Time,
  lastDeliveryAt: nullable(Time),
  lastDeliveryStatus: nullable(deliveryStatus),
  failingSince: nullable({
    ...Time,
    description: 'the first failed attempt since the last success',
  }),
  secretReadable: Type.Boolean({
    description:
      'false: the service cannot sign events for this endpoint any more; create a new endpoint and delete this one',
  }),
  version: Version,
}

export const Webhook = Type.Object(webhookFields, { title: 'Webhook' })

export const CreatedWebhook = Type.Object(
  {
    ...webhookFields,
    secret: Type.String({
      pattern: '^whsec_[A-Za-z0-9_-]{43}$',
      description: 'signing key, shown only once; it never changes',
    }),
  },
  { title: 'CreatedWebhook' },
)

export const Delivery = Type.Object(
  {
    id: idOf('delivery'),
    eventId: Type.String({ description: 'aud_ or evt_ id; the same in every attempt' }),
    eventType: Type.String({ examples: ['user.invite'] }),
    status: deliveryStatus,
    attempts: Type.Integer({ minimum: 0, maximum: 8 }),
    nextAttemptAt: nullable(Time),
    httpStatus: nullable(Type.Integer()),
    error: nullable(deliveryError),
    errorText: nullable(errorText),
    durationMs: nullable(Type.Integer()),
    firstAttemptAt: nullable(Time),
    lastAttemptAt: nullable(Time),
    body: nullable(
      Type.String({ description: 'the exact body; null once a user whom it concerns was erased' }),
    ),
    createdAt: Time,
  },
  { title: 'WebhookDelivery' },
)

export const TestResult = Type.Object(
  {
    delivered: Type.Boolean(),
    httpStatus: nullable(Type.Integer()),
    durationMs: Type.Integer(),
    error: nullable(deliveryError),
    errorText: nullable(errorText),
  },
  { title: 'WebhookTestResult' },
)

export const EventFamily = Type.Object(
  {
    family: Type.String({ examples: ['user.*'] }),
    description: Type.String(),
    types: Type.Array(Type.String()),
  },
  { title: 'EventFamily' },
)

/** Endpoints and deliveries as responses show them: without secrets, with decrypted bodies. */
export const webhookViews = ({ vault }: Pick<Services, 'vault'>) => ({
  webhook: ({ sealedSecret, ...row }: WebhookRow) => ({
    ...row,
    secretReadable: webhookSecret(vault, { id: row.id, sealedSecret }) !== null,
  }),
  delivery: ({ webhookId: _, body, ...row }: DeliveryRow) => {
    let opened: string | null = null
    try {
      opened = body === null ? null : vault.open(BODY_PURPOSE, body, row.id).toString()
    } catch {
      // The body is encrypted under a key that no longer exists.
    }
    return { ...row, body: opened }
  },
})
