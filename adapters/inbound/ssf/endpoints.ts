/**
 * OpenID Shared Signals Framework 1.0: the transmitter's metadata (§7), the management of a stream by its receiver (§8),
 * and delivery to receivers that poll (RFC 8936). Each application has at most one stream.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isId } from '../../../domain/ids.ts'
import { DomainError, errors } from '../../../domain/errors.ts'
import { supportedSignals } from '../../../domain/shared-signals/event-types.ts'
import { deliveryMethods, streamStatuses } from '../../../domain/shared-signals/events.ts'
import { isStorableValue } from '../../../domain/text.ts'
import type { OidcApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import {
  findSharedSignalsStream,
  sharedSignalsStreams,
  type SharedSignalsStreamRow,
} from '../../../read-models/queries/shared-signals.ts'
import { sharedSignalsStreamCommands } from '../../application/commands/shared-signals-streams.ts'
import type { Actor } from '../../application/services/handle.ts'
import { sharedSignalQueue, type QueuedSignal } from '../../application/services/shared-signal-queue.ts'
import { BodyProblem, readBody } from '../http/body.ts'
import { isUnavailable } from '../http/errors.ts'
import { queryOf } from '../http/form-body.ts'
import { JsonProblem, parseJson } from '../http/json.ts'
import { actingApplication } from '../http/request-origin.ts'
import { neverStored, sendDocument, sendEmpty, sendJson, setHeaders } from '../http/respond.ts'
import type { Endpoint, Handler, Params } from '../http/table.ts'
import { keptUserAgent } from '../http/user-agent.ts'
import type { OidcContext } from '../oidc/context.ts'
import { openToEveryone } from '../oidc/cross-origin.ts'
import { receivers, SsfError, type SsfScope } from './receiver.ts'
import { securityEventToken } from './security-event-token.ts'
import {
  readCreation,
  readPoll,
  readReplacement,
  readStatus,
  readUpdate,
  readVerification,
} from './requests.ts'
import { requestIdOf } from '../http/request-id.ts'

const MAX_BYTES = 64 * 1024
const BODY_MS = 10_000
const LIMITS = { tokens: 2000 }

/** A long poll (RFC 8936 §2.2) looks for events this often, for this long. */
const POLL_EVERY_MS = 250
const POLL_MS = 25_000
const MAX_SETS = 100
/** Long polls of one stream at the same time, on each instance. */
const MAX_WAITING = 2

/** RFC 8935 and RFC 8936 name errors; the rest of the description says what to do. */
const errOf: Readonly<Record<number, string>> = {
  403: 'access_denied',
  404: 'not_found',
  409: 'conflict',
  429: 'too_many_requests',
}

const refusalOf = (error: unknown): SsfError => {
  if (error instanceof SsfError) return error
  if (error instanceof JsonProblem) return new SsfError(400, 'invalid_request', error.message)
  if (error instanceof BodyProblem)
    return error.reason === 'too_large'
      ? new SsfError(413, 'invalid_request', `the body is larger than ${String(MAX_BYTES)} bytes`)
      : new SsfError(400, 'invalid_request', 'the body could not be read')
  if (error instanceof DomainError) {
    const { status } = errors[error.code]
    // The framework knows 400 for every invalid request.
    return new SsfError(status === 422 ? 400 : status, errOf[status] ?? 'invalid_request', error.message)
  }
  return isUnavailable(error)
    ? new SsfError(503, 'temporarily_unavailable', 'try again', { 'Retry-After': '1' })
    : new SsfError(500, 'server_error', 'the request could not be completed')
}

/** §7.1: what a receiver needs to know about this transmitter. */
export const transmitterMetadata = (issuer: string) => ({
  spec_version: '1_0',
  issuer,
  jwks_uri: `${issuer}/oauth2/keys`,
  delivery_methods_supported: deliveryMethods,
  configuration_endpoint: `${issuer}/ssf/stream`,
  status_endpoint: `${issuer}/ssf/status`,
  verification_endpoint: `${issuer}/ssf/verify`,
  authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
  default_subjects: 'ALL',
})

interface Answer {
  readonly status: number
  readonly body?: unknown
}

interface Call {
  readonly application: OidcApplicationConfiguration
  readonly actor: Actor
  readonly request: IncomingMessage
  readonly params: Params
  readonly body: () => Promise<unknown>
}

export const ssfEndpoints = (context: OidcContext): readonly Endpoint[] => {
  const { services, clientIp, onError } = context
  const { pool, clock, configuration: cache, publicUrl } = services
  const receiverOf = receivers(context)
  const commands = sharedSignalsStreamCommands(services)
  const queue = sharedSignalQueue(pool, clock)

  const shown = (
    { id, description, eventsRequested, method, endpointUrl }: SharedSignalsStreamRow,
    { clientId }: OidcApplicationConfiguration,
  ) => ({
    stream_id: id,
    iss: publicUrl,
    aud: clientId,
    events_supported: supportedSignals,
    events_requested: eventsRequested,
    events_delivered: eventsRequested,
    // The Authorization header is never shown again.
    delivery: { method, endpoint_url: endpointUrl ?? `${publicUrl}/ssf/poll/${id}` },
    ...(description === null ? {} : { description }),
  })

  /** @throws SsfError 404 for a stream of another client */
  const own = async (
    id: string | undefined,
    { id: applicationId }: OidcApplicationConfiguration,
  ): Promise<SharedSignalsStreamRow> => {
    if (id === undefined) throw new SsfError(400, 'invalid_request', 'stream_id is required')
    const stream = isId('sharedSignalsStream', id) ? await findSharedSignalsStream(pool, id) : null
    if (stream?.applicationId !== applicationId)
      throw new SsfError(404, 'not_found', 'this client has no such stream')
    return stream
  }

  const readJson = async (request: IncomingMessage): Promise<unknown> => {
    const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
    if (type !== 'application/json')
      throw new SsfError(400, 'invalid_request', 'Content-Type: expected application/json')
    const value = parseJson(await readBody(request, MAX_BYTES, BODY_MS), LIMITS)
    if (!isStorableValue(value))
      throw new SsfError(400, 'invalid_request', 'text must not contain U+0000 or unpaired surrogates')
    return value
  }

  const answering =
    (work: (call: Call) => Promise<Answer>, ...scopes: readonly SsfScope[]): Handler =>
    async (request, response: ServerResponse, params) => {
      const requestId = requestIdOf(request)
      neverStored(response, requestId)
      try {
        const application = await receiverOf(request, ...scopes)
        const ip = clientIp(request)
        const userAgent = keptUserAgent(request.headers['user-agent'])
        const actor = actingApplication(application.id, { ip, userAgent, requestId })
        const { status, body } = await work({
          application,
          actor,
          request,
          params,
          body: () => readJson(request),
        })
        if (body === undefined) sendEmpty(response, status)
        else sendJson(response, status, body)
      } catch (error) {
        const refusal = refusalOf(error)
        if (refusal.status === 500) onError(error, requestId)
        setHeaders(response, refusal.headers)
        sendJson(response, refusal.status, { err: refusal.err, description: refusal.message })
      }
    }

  const read = async ({ request, application }: Call): Promise<Answer> => {
    const id = queryOf(request).get('stream_id')
    if (id !== undefined) return { status: 200, body: shown(await own(id, application), application) }
    const streams = await sharedSignalsStreams(pool, application.id)
    return { status: 200, body: streams.map((stream) => shown(stream, application)) }
  }

  const create = async ({ application, actor, body }: Call): Promise<Answer> => {
    const { fields, authorization = null } = readCreation(await body())
    const id = await commands.create(application.id, fields, authorization, actor)
    return { status: 201, body: shown(await own(id, application), application) }
  }

  const change =
    (reading: typeof readUpdate) =>
    async ({ application, actor, body }: Call): Promise<Answer> => {
      const { streamId, fields, authorization } = reading(await body())
      const { id } = await own(streamId, application)
      await commands.update(id, fields, authorization, actor)
      return { status: 200, body: shown(await own(id, application), application) }
    }

  const remove = async ({ request, application, actor }: Call): Promise<Answer> => {
    const { id } = await own(queryOf(request).get('stream_id'), application)
    await commands.delete(id, actor)
    return { status: 204 }
  }

  const statusOf = ({ id, status, statusReason }: SharedSignalsStreamRow) => ({
    ...{ stream_id: id, status },
    ...(statusReason === null ? {} : { reason: statusReason }),
  })

  const readStatusOf = async ({ request, application }: Call): Promise<Answer> => ({
    status: 200,
    body: statusOf(await own(queryOf(request).get('stream_id'), application)),
  })

  const changeStatus = async ({ application, actor, body }: Call): Promise<Answer> => {
    const { streamId, status, reason } = readStatus(await body(), streamStatuses)
    const { id } = await own(streamId, application)
    await commands.changeStatus(id, { status, reason, by: 'receiver' }, actor)
    return { status: 200, body: statusOf(await own(id, application)) }
  }

  const verify = async ({ application, body }: Call): Promise<Answer> => {
    const { streamId, state } = readVerification(await body())
    const { id } = await own(streamId, application)
    await commands.verify(id, state)
    return { status: 204 }
  }

  /** Number of long polls by stream. Further ones are answered at once. */
  const waiting = new Map<string, number>()

  const waitedFor = async (
    id: string,
    next: () => Promise<readonly QueuedSignal[]>,
    { socket }: IncomingMessage,
  ): Promise<readonly QueuedSignal[]> => {
    waiting.set(id, (waiting.get(id) ?? 0) + 1)
    try {
      const end = performance.now() + POLL_MS
      let found = await next()
      while (found.length === 0 && performance.now() < end && !socket.destroyed) {
        await delay(POLL_EVERY_MS)
        found = await next()
      }
      return found
    } finally {
      const others = (waiting.get(id) ?? 1) - 1
      if (others === 0) waiting.delete(id)
      else waiting.set(id, others)
    }
  }

  /** RFC 8936 §2.4: acknowledges what the receiver got, and returns what it did not. */
  const poll = async ({ application, params, request, body }: Call): Promise<Answer> => {
    const { id, method } = await own(params['id'], application)
    if (method !== 'urn:ietf:rfc:8936')
      throw new SsfError(400, 'invalid_request', 'events of this stream are pushed')
    const { maxEvents, returnImmediately, ack, setErrs } = readPoll(await body(), MAX_SETS)
    await queue.finish(id, ack, 'delivered')
    for (const [jti, err] of setErrs) await queue.finish(id, [jti], 'rejected', err)
    const next = () => queue.next(id, maxEvents + 1)
    const waits = !returnImmediately && maxEvents > 0 && (waiting.get(id) ?? 0) < MAX_WAITING
    const found = waits ? await waitedFor(id, next, request) : await next()
    const { activeKey } = await cache.fresh()
    if (activeKey === null) throw new SsfError(503, 'temporarily_unavailable', 'no signing key')
    const sets: readonly (readonly [string, string])[] = await Promise.all(
      found
        .slice(0, maxEvents)
        .map(async (signal): Promise<readonly [string, string]> => [
          signal.id,
          await securityEventToken(signal, { issuer: publicUrl, audience: application.clientId }, activeKey),
        ]),
    )
    return {
      status: 200,
      body: { sets: Object.fromEntries<string>(sets), moreAvailable: found.length > maxEvents },
    }
  }

  const metadata = JSON.stringify(transmitterMetadata(publicUrl))
  return [
    openToEveryone('/.well-known/ssf-configuration', (_, response) => {
      sendDocument(response, metadata, {
        ...{ type: 'application/json; charset=utf-8', cache: 'public, max-age=300' },
      })
    }),
    {
      path: '/ssf/stream',
      handlers: {
        GET: answering(read, 'ssf.read', 'ssf.manage'),
        POST: answering(create, 'ssf.manage'),
        PATCH: answering(change(readUpdate), 'ssf.manage'),
        PUT: answering(change(readReplacement), 'ssf.manage'),
        DELETE: answering(remove, 'ssf.manage'),
      },
    },
    {
      path: '/ssf/status',
      handlers: {
        GET: answering(readStatusOf, 'ssf.read', 'ssf.manage'),
        POST: answering(changeStatus, 'ssf.manage'),
      },
    },
    { path: '/ssf/verify', handlers: { POST: answering(verify, 'ssf.manage') } },
    { path: '/ssf/poll/{id}', handlers: { POST: answering(poll, 'ssf.read', 'ssf.manage') } },
  ]
}
