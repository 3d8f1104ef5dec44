/**
 * A TEST DOUBLE of EventStoreDB, not a database: one in-memory log behind the server's gRPC services. It uses the
 * service definitions that the client ships, so that the client's real code runs over a real connection. It follows
 * the server's documented behaviour as far as this project uses it, and fails on demand. It cannot show how the real
 * server differs from its documentation: SVC_TEST_EVENTSTORE_URL runs the same suite against a real one.
 */
import { Metadata, Server, ServerCredentials, status as grpc } from '@grpc/grpc-js'
import type { ServerDuplexStream, ServerReadableStream, sendUnaryData } from '@grpc/grpc-js'
import type { Server as NetServer } from 'node:net'
import { Any, ServerFeaturesService, StreamsService, features, shared, status, streams } from './generated.ts'
import type { StreamMessages } from './generated.ts'
import { answerRead, answerSubscription } from './reads.ts'
import type { ReadCall } from './reads.ts'
import { createStore } from './store.ts'
import type { Expected, Outcome, Proposed, Store } from './store.ts'

type BatchCall = ServerDuplexStream<StreamMessages.BatchAppendReq, StreamMessages.BatchAppendResp>
type AppendCall = ServerReadableStream<StreamMessages.AppendReq, StreamMessages.AppendResp>

export interface Faults {
  /** How many of the next appends lose their connection instead of getting a response, and whether they are stored. */
  cutAppends: { count: number; stored: boolean }
  /** How many of the next appends are redirected to the leader, which is the same store on the second port. */
  notLeader: number
  /** Every call fails. */
  unavailable: boolean
  /** Appends are neither stored nor acknowledged until this is false again; then the waiting ones are. */
  hung: boolean
  /** How many events are delivered a second time when the next subscription begins. */
  redeliver: number
}

export interface StandIn {
  readonly url: string
  readonly store: Store
  readonly faults: Faults
  /** Breaks the connection of every subscription. */
  readonly cutSubscriptions: () => void
  readonly subscriptions: () => number
  readonly stop: () => Promise<void>
}

const unavailable = { code: grpc.UNAVAILABLE, details: 'cut by the test' }

const nameOf = (message: { getStreamName_asU8: () => Uint8Array } | undefined): string =>
  Buffer.from(message?.getStreamName_asU8() ?? []).toString('utf8')

const proposedOf = (
  message: StreamMessages.BatchAppendReq.ProposedMessage | StreamMessages.AppendReq.ProposedMessage,
): Proposed => ({
  id: message.getId()?.getString() ?? '',
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? '',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
})

const batchExpectation = (options: StreamMessages.BatchAppendReq.Options): Expected => {
  if (options.hasAny()) return 'any'
  if (options.hasNoStream()) return 'no_stream'
  return options.hasStreamExists() ? 'stream_exists' : Number(options.getStreamPosition())
}

const batchAnswer = (
  request: StreamMessages.BatchAppendReq,
  options: StreamMessages.BatchAppendReq.Options,
  outcome: Outcome,
) => {
  const answer = new streams.BatchAppendResp()
  answer.setCorrelationId(request.getCorrelationId())
  answer.setStreamIdentifier(options.getStreamIdentifier())
  if ('wrong' in outcome) {
    const wrong = new shared.WrongExpectedVersion()
    if (outcome.current === undefined) wrong.setCurrentNoStream(options.getNoStream() ?? options.getAny())
    else wrong.setCurrentStreamRevision(String(outcome.current))
    if (options.hasStreamPosition()) wrong.setExpectedStreamPosition(options.getStreamPosition())
    const details = new Any()
    details.pack(wrong.serializeBinary(), 'event_store.client.WrongExpectedVersion')
    const error = new status.Status()
    error.setMessage('WrongExpectedVersion')
    error.setDetails(details as never)
    answer.setError(error)
    return answer
  }
  const success = new streams.BatchAppendResp.Success()
  success.setCurrentRevision(String(outcome.revision))
  const position = new shared.AllStreamPosition()
  position.setCommitPosition(String(outcome.position))
  position.setPreparePosition(String(outcome.position))
  success.setPosition(position)
  answer.setSuccess(success)
  return answer
}

const tooLarge = (
  request: StreamMessages.BatchAppendReq,
  options: StreamMessages.BatchAppendReq.Options,
  maxAppendSize: number,
) => {
  const limit = new shared.MaximumAppendSizeExceeded()
  limit.setMaxappendsize(maxAppendSize)
  const details = new Any()
  details.pack(limit.serializeBinary(), 'event_store.client.MaximumAppendSizeExceeded')
  const error = new status.Status()
  error.setMessage('Maximum Append Size Exceeded')
  error.setDetails(details as never)
  const answer = new streams.BatchAppendResp()
  answer.setCorrelationId(request.getCorrelationId())
  answer.setStreamIdentifier(options.getStreamIdentifier())
  answer.setError(error)
  return answer
}

/**
 * Starts it on free loopback ports.
 * @param maxAppendSize maximum bytes of one append; a real server allows 1 MiB by default
 */
export const startStandIn = async (
  options: { saysCaughtUp?: boolean; maxAppendSize?: number } = {},
): Promise<StandIn> => {
  const store = createStore()
  const faults: Faults = {
    cutAppends: { count: 0, stored: false },
    notLeader: 0,
    unavailable: false,
    hung: false,
    redeliver: 0,
  }
  const subscriptions = new Set<ReadCall>()
  let leaderPort = 0

  const notLeader = (): { code: number; details: string; metadata: Metadata } => {
    const metadata = new Metadata()
    metadata.set('exception', 'not-leader')
    metadata.set('leader-endpoint-host', '127.0.0.1')
    metadata.set('leader-endpoint-port', String(leaderPort))
    return { code: grpc.NOT_FOUND, details: 'Leader info available', metadata }
  }
  const released = async (): Promise<void> => {
    while (faults.hung) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  const batchAppend = (call: BatchCall): void => {
    const open = new Map<string, { options: StreamMessages.BatchAppendReq.Options; events: Proposed[] }>()
    if (faults.unavailable) return void call.emit('error', unavailable)
    const take = async (request: StreamMessages.BatchAppendReq): Promise<void> => {
      const id = request.getCorrelationId()?.getString() ?? ''
      const begun = request.getOptions()
      const one = open.get(id) ?? (begun === undefined ? undefined : { options: begun, events: [] })
      if (one === undefined) throw new Error('a batch append without options')
      open.set(id, one)
      one.events.push(...request.getProposedMessagesList().map(proposedOf))
      if (!request.getIsFinal()) return
      open.delete(id)
      const size = one.events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0)
      if (size > (options.maxAppendSize ?? Infinity)) {
        call.write(tooLarge(request, one.options, options.maxAppendSize ?? 0))
        return
      }
      await released()
      if (faults.unavailable) return void call.emit('error', unavailable)
      if (faults.notLeader > 0) {
        faults.notLeader--
        return void call.emit('error', notLeader())
      }
      const cut = faults.cutAppends.count > 0
      if (cut) faults.cutAppends.count--
      const name = nameOf(one.options.getStreamIdentifier())
      if (cut && !faults.cutAppends.stored) return void call.emit('error', unavailable)
      const outcome = store.append(name, batchExpectation(one.options), one.events)
      if (cut) return void call.emit('error', unavailable)
      if (!call.destroyed && !call.cancelled) call.write(batchAnswer(request, one.options, outcome))
    }
    call.on('data', (request: StreamMessages.BatchAppendReq) => void take(request))
    call.on('end', () => call.end())
    call.on('error', () => undefined)
  }

  /** The single append, which the client uses when a call has its own credentials. */
  const append = (call: AppendCall, answer: sendUnaryData<StreamMessages.AppendResp>): void => {
    const events: Proposed[] = []
    let header: StreamMessages.AppendReq.Options | undefined
    call.on('data', (request: StreamMessages.AppendReq) => {
      const proposed = request.getProposedMessage()
      if (proposed === undefined) header = request.getOptions()
      else events.push(proposedOf(proposed))
    })
    call.on('end', () => {
      if (faults.unavailable || header === undefined) return answer(unavailable)
      const expected: Expected = header.hasAny()
        ? 'any'
        : header.hasNoStream()
          ? 'no_stream'
          : header.hasStreamExists()
            ? 'stream_exists'
            : Number(header.getRevision())
      const outcome = store.append(nameOf(header.getStreamIdentifier()), expected, events)
      const response = new streams.AppendResp()
      if ('wrong' in outcome) {
        const wrong = new streams.AppendResp.WrongExpectedVersion()
        if (outcome.current === undefined) wrong.setCurrentNoStream(new shared.Empty())
        else wrong.setCurrentRevision(String(outcome.current))
        response.setWrongExpectedVersion(wrong)
      } else {
        const success = new streams.AppendResp.Success()
        const position = new streams.AppendResp.Position()
        position.setCommitPosition(String(outcome.position))
        position.setPreparePosition(String(outcome.position))
        success.setCurrentRevision(String(outcome.revision))
        success.setPosition(position)
        response.setSuccess(success)
      }
      answer(null, response)
    })
  }

  const read = (call: ReadCall): void => {
    call.on('error', () => undefined)
    if (faults.unavailable) return void call.emit('error', unavailable)
    if (call.request.getOptions()?.hasSubscription() !== true) return void answerRead(store, call)
    subscriptions.add(call)
    const redeliver = (): number => {
      const count = faults.redeliver
      faults.redeliver = 0
      return count
    }
    void answerSubscription(store, call, { redeliver, saysCaughtUp: options.saysCaughtUp ?? true }).finally(
      () => subscriptions.delete(call),
    )
  }

  const supported = (_: unknown, answer: sendUnaryData<unknown>): void => {
    if (faults.unavailable) return answer(unavailable)
    const methods = ['append', 'batchappend', 'read'].map((name) => {
      const method = new features.SupportedMethod()
      method.setMethodName(name)
      method.setServiceName('event_store.client.streams.streams')
      return method
    })
    const list = new features.SupportedMethods()
    list.setEventStoreServerVersion('23.10.8')
    list.setMethodsList(methods)
    answer(null, list)
  }

  const listen = async (): Promise<{ server: Server; port: number }> => {
    const server = new Server({ 'grpc.max_receive_message_length': 20_000_000 })
    server.addService(StreamsService, { read, append, batchAppend })
    server.addService(ServerFeaturesService, { getSupportedMethods: supported })
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      ),
    )
    // As in the real server; otherwise each response of several frames waits 40 ms for an acknowledgement.
    const { http2Servers } = server as unknown as { http2Servers: Map<NetServer, unknown> }
    for (const one of http2Servers.keys()) one.on('connection', (socket) => socket.setNoDelay(true))
    return { server, port }
  }
  const [first, leader] = [await listen(), await listen()]
  leaderPort = leader.port

  return {
    url: `esdb://127.0.0.1:${String(first.port)}?tls=false`,
    store,
    faults,
    cutSubscriptions: () => {
      for (const call of subscriptions) call.emit('error', unavailable)
    },
    subscriptions: () => subscriptions.size,
    stop: () => {
      first.server.forceShutdown()
      leader.server.forceShutdown()
      return Promise.resolve()
    },
  }
}
