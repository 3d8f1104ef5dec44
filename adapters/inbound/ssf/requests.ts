/** The bodies of requests of receivers: Shared Signals Framework 1.0 §8.1, RFC 8936 §2.2. Unknown members are ignored. */
import { emptyStream } from '../../../domain/shared-signals/decider.ts'
import {
  deliveryMethods,
  type DeliveryMethod,
  type StreamFields,
  type StreamStatus,
} from '../../../domain/shared-signals/events.ts'
import { SsfError } from './receiver.ts'

const MAX_TEXT = 2000
const MAX_LIST = 100

type Body = Readonly<Record<string, unknown>>

const invalid = (description: string): SsfError => new SsfError(400, 'invalid_request', description)

const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const objectIn = (value: unknown, name: string): Body => {
  if (!isObject(value)) throw invalid(`${name}: expected an object`)
  return value
}

const textIn = (body: Body, name: string): string | undefined => {
  const value = body[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value.length > MAX_TEXT)
    throw invalid(`${name}: expected text of at most ${String(MAX_TEXT)} characters`)
  return value
}

const listIn = (body: Body, name: string): readonly string[] | undefined => {
  const value = body[name]
  if (value === undefined) return undefined
  if (!Array.isArray(value) || value.length > MAX_LIST || !value.every((one) => typeof one === 'string'))
    throw invalid(`${name}: expected a list of at most ${String(MAX_LIST)} texts`)
  return value
}

const streamIdIn = (body: Body): string => {
  const id = textIn(body, 'stream_id')
  if (id === undefined) throw invalid('stream_id is required')
  return id
}

interface DeliveryInput {
  readonly fields: Pick<StreamFields, 'method' | 'endpointUrl'>
  readonly authorization: string | null | undefined
}

/** A header value of visible characters: nothing else can be sent (RFC 9110 §5.5). */
const HEADER = /^[\x21-\x7e](?:[\x20-\x7e]{0,1998}[\x21-\x7e])?$/

const deliveryIn = (body: Body): DeliveryInput | undefined => {
  if (body['delivery'] === undefined) return undefined
  const delivery = objectIn(body['delivery'], 'delivery')
  const method = deliveryMethods.find((one): one is DeliveryMethod => one === delivery['method'])
  if (method === undefined) throw invalid(`delivery.method: expected ${deliveryMethods.join(' or ')}`)
  const authorization = textIn(delivery, 'authorization_header')
  if (authorization !== undefined && !HEADER.test(authorization))
    throw invalid('delivery.authorization_header: expected visible ASCII characters')
  return {
    fields: { method, endpointUrl: textIn(delivery, 'endpoint_url') ?? null },
    authorization: authorization ?? (method === 'urn:ietf:rfc:8936' ? null : undefined),
  }
}

interface Input<Fields> {
  readonly fields: Fields
  /** Undefined: as before */
  readonly authorization: string | null | undefined
}

const fieldsIn = (body: Body): Input<Partial<StreamFields>> => {
  const description = textIn(body, 'description')
  const eventsRequested = listIn(body, 'events_requested')
  const delivery = deliveryIn(body)
  return {
    fields: {
      ...(description === undefined ? {} : { description }),
      ...(eventsRequested === undefined ? {} : { eventsRequested }),
      ...delivery?.fields,
    },
    authorization: delivery?.authorization,
  }
}

/** §8.1.1.1: without a delivery, the receiver polls. */
export const readCreation = (value: unknown): Input<StreamFields> => {
  const { fields, authorization } = fieldsIn(objectIn(value, 'body'))
  return { fields: { ...emptyStream, ...fields }, authorization }
}

/** §8.1.1.3: members that are missing stay as they are. */
export const readUpdate = (value: unknown): Input<Partial<StreamFields>> & { readonly streamId: string } => {
  const body = objectIn(value, 'body')
  return { streamId: streamIdIn(body), ...fieldsIn(body) }
}

/** §8.1.1.4: members that are missing are reset. */
export const readReplacement = (value: unknown): ReturnType<typeof readUpdate> => {
  const { streamId, fields, authorization } = readUpdate(value)
  return { streamId, fields: { ...emptyStream, ...fields }, authorization: authorization ?? null }
}

export const readStatus = (
  value: unknown,
  statuses: readonly StreamStatus[],
): { readonly streamId: string; readonly status: StreamStatus; readonly reason: string | null } => {
  const body = objectIn(value, 'body')
  const status = statuses.find((one) => one === body['status'])
  if (status === undefined) throw invalid(`status: expected ${statuses.join(', ')}`)
  return { streamId: streamIdIn(body), status, reason: textIn(body, 'reason') ?? null }
}

export const readVerification = (
  value: unknown,
): { readonly streamId: string; readonly state: string | null } => {
  const body = objectIn(value, 'body')
  return { streamId: streamIdIn(body), state: textIn(body, 'state') ?? null }
}

export interface PollRequest {
  readonly maxEvents: number
  readonly returnImmediately: boolean
  /** `jti` of events that the receiver has */
  readonly ack: readonly string[]
  /** `jti` of events that it cannot use, and its error code */
  readonly setErrs: readonly (readonly [jti: string, err: string])[]
}

export const readPoll = (value: unknown, most: number): PollRequest => {
  const body = objectIn(value, 'body')
  const { maxEvents = most, returnImmediately = false, setErrs = {} } = body
  if (typeof maxEvents !== 'number' || !Number.isInteger(maxEvents) || maxEvents < 0)
    throw invalid('maxEvents: expected a whole number')
  if (typeof returnImmediately !== 'boolean') throw invalid('returnImmediately: expected true or false')
  const refused = Object.entries(objectIn(setErrs, 'setErrs'))
  if (refused.length > MAX_LIST) throw invalid(`setErrs: expected at most ${String(MAX_LIST)} members`)
  return {
    maxEvents: Math.min(maxEvents, most),
    returnImmediately,
    ack: listIn(body, 'ack') ?? [],
    setErrs: refused.map(([jti, error]) => [
      jti,
      textIn(objectIn(error, `setErrs.${jti.slice(0, 50)}`), 'err') ?? 'unknown',
    ]),
  }
}
