/** The stand-in's responses to reads and subscriptions. */
import type { ServerWritableStream } from '@grpc/grpc-js'
import { shared, streams } from './generated.ts'
import type { StreamMessages } from './generated.ts'
import type { Store, Stored } from './store.ts'

export type ReadCall = ServerWritableStream<StreamMessages.ReadReq, StreamMessages.ReadResp>
type Options = StreamMessages.ReadReq.Options

export interface SubscriptionSettings {
  /** Takes the number of events to deliver a second time when the next subscription begins. */
  readonly redeliver: () => number
  /** Whether it reports that it has reached the end; servers before 23.10 do not. */
  readonly saysCaughtUp: boolean
}

const identifier = (name: string) => {
  const message = new shared.StreamIdentifier()
  message.setStreamName(Buffer.from(name))
  return message
}

const answerOf = (stored: Stored): StreamMessages.ReadResp => {
  const event = new streams.ReadResp.ReadEvent.RecordedEvent()
  const id = new shared.UUID()
  id.setString(stored.id)
  event.setId(id)
  event.setStreamIdentifier(identifier(stored.stream))
  event.setStreamRevision(String(stored.revision))
  event.setPreparePosition(String(stored.position))
  event.setCommitPosition(String(stored.position))
  event.getMetadataMap().set('type', stored.type)
  event.getMetadataMap().set('content-type', stored.contentType)
  event.getMetadataMap().set('created', String(BigInt(stored.created) * 10_000n))
  event.setData(stored.data)
  event.setCustomMetadata(stored.metadata)
  const read = new streams.ReadResp.ReadEvent()
  read.setEvent(event)
  read.setCommitPosition(String(stored.position))
  const answer = new streams.ReadResp()
  answer.setEvent(read)
  return answer
}

/** Resolves false when the call has ended. */
const send = async (call: ReadCall, answer: StreamMessages.ReadResp): Promise<boolean> => {
  if (call.cancelled || call.destroyed || call.writableEnded) return false
  if (call.write(answer)) return true
  await new Promise<void>((resolve) => {
    const done = (): void => {
      for (const name of ['drain', 'cancelled', 'close', 'error']) call.removeListener(name, done)
      resolve()
    }
    for (const name of ['drain', 'cancelled', 'close', 'error']) call.once(name, done)
  })
  return !call.cancelled && !call.destroyed
}

const passes = (options: Options): ((event: Stored) => boolean) => {
  const filter = options.getFilter()
  if (filter === undefined) return () => true
  const byType = filter.getEventType()
  const expression = byType ?? filter.getStreamIdentifier()
  const regex = expression?.getRegex() ?? ''
  const prefixes = expression?.getPrefixList() ?? []
  const pattern = new RegExp(regex)
  return (event) => {
    const text = byType === undefined ? event.stream : event.type
    return prefixes.length > 0 ? prefixes.some((prefix) => text.startsWith(prefix)) : pattern.test(text)
  }
}

export const answerRead = async (store: Store, call: ReadCall): Promise<void> => {
  const options = call.request.getOptions()
  if (options === undefined) throw new Error('a read without options')
  const count = Number(options.getCount())
  const backwards = [1].includes(options.getReadDirection())
  const stream = options.getStream()
  let events: readonly Stored[]
  if (stream !== undefined) {
    const name = Buffer.from(stream.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8')
    const streamEvents = store.stream(name)
    if (streamEvents === undefined) {
      const missing = new streams.ReadResp.StreamNotFound()
      missing.setStreamIdentifier(identifier(name))
      const answer = new streams.ReadResp()
      answer.setStreamNotFound(missing)
      await send(call, answer)
      call.end()
      return
    }
    const from = stream.hasRevision() ? Number(stream.getRevision()) : undefined
    events = backwards
      ? streamEvents.filter(({ revision }) => from === undefined || revision <= from).reverse()
      : streamEvents.filter(({ revision }) => revision >= (from ?? 0))
  } else {
    const position = options.getAll()?.getPosition()
    const at = position === undefined ? undefined : store.indexOf(BigInt(position.getCommitPosition()))
    events = backwards ? store.all.slice(0, at).reverse() : store.all.slice(at ?? 0)
  }
  for (const event of events.slice(0, Math.min(count, events.length))) {
    if (!(await send(call, answerOf(event)))) return
  }
  call.end()
}

const CHECKPOINT_WINDOW = 32

export const answerSubscription = async (
  store: Store,
  call: ReadCall,
  settings: SubscriptionSettings,
): Promise<void> => {
  const options = call.request.getOptions()
  const all = options?.getAll()
  if (options === undefined || all === undefined) throw new Error('only subscriptions to $all are known here')
  const isWanted = passes(options)
  const interval = (options.getFilter()?.getCheckpointintervalmultiplier() ?? 1) * CHECKPOINT_WINDOW
  const position = all.getPosition()
  // If there is no event at the position, takes the next one, as the real server does.
  let next = position === undefined ? 0 : store.indexOf(BigInt(position.getCommitPosition())) + 1
  next = Math.max(0, next - settings.redeliver())

  const confirmation = new streams.ReadResp.SubscriptionConfirmation()
  confirmation.setSubscriptionId('stand-in')
  const confirmed = new streams.ReadResp()
  confirmed.setConfirmation(confirmation)
  if (!(await send(call, confirmed))) return

  let wake: (() => void) | undefined
  const stop = store.onAppended(() => wake?.())
  const ended = (): void => wake?.()
  for (const name of ['cancelled', 'close', 'error']) call.once(name, ended)
  try {
    for (let searched = 0, live = false; ;) {
      const event = store.all[next]
      if (event === undefined) {
        if (!live && settings.saysCaughtUp) {
          const answer = new streams.ReadResp()
          answer.setCaughtUp(new streams.ReadResp.CaughtUp())
          if (!(await send(call, answer))) return
        }
        live = true
        if (call.cancelled || call.destroyed || call.writableEnded) return
        if (store.all[next] === undefined) await new Promise<void>((resolve) => (wake = resolve))
        wake = undefined
        if (call.cancelled || call.destroyed || call.writableEnded) return
        continue
      }
      next++
      if (isWanted(event) && !(await send(call, answerOf(event)))) return
      if (++searched % interval === 0) {
        const checkpoint = new streams.ReadResp.Checkpoint()
        checkpoint.setCommitPosition(String(event.position))
        checkpoint.setPreparePosition(String(event.position))
        const answer = new streams.ReadResp()
        answer.setCheckpoint(checkpoint)
        if (!(await send(call, answer))) return
      }
    }
  } finally {
    stop()
  }
}
