/**
 * OpenID Shared Signals Framework 1.0: queues security events for the streams of applications that know the user. Another
 * task sends them from the queue, so a restart loses none.
 */
import type pg from 'pg'
import { isEventType, type Recorded } from '../../../domain/catalogue.ts'
import { endsSessions } from '../../../domain/consequences.ts'
import { signalTypes } from '../../../domain/shared-signals/event-types.ts'
import {
  initiatorOf,
  isSignalling,
  signallingTypes,
  signalsOf,
  type Signal,
  type Signalling,
} from '../../../domain/shared-signals/signals.ts'
import { endedSessions } from '../../../read-models/queries/logout-notices.ts'
import {
  usersKnown,
  receivingStreams,
  type ReceivingStream,
} from '../../../read-models/queries/shared-signals.ts'
import type { WaitFor } from '../../engines/postgres/checkpoint-watch.ts'
import type { Clock } from '../../kernel/clock.ts'
import { sharedSignalQueue, type NewSignal } from '../services/shared-signal-queue.ts'
import { endedBy } from './logout-notices.ts'

export const SHARED_SIGNALS = 'shared-signals'

/** Seconds until a signal is obsolete: a replay of the log must not send old ones again. */
const STALE_SECONDS = 86_400

/** The event types that this subscriber handles. */
export const sharedSignalTypes = (type: string): boolean =>
  isEventType(type) && (signallingTypes.some((one) => one === type) || endsSessions(type))

const opaque = (id: string) => ({ format: 'opaque', id })

/** RFC 9493 §3.2: the user alone, or a complex subject that names the session or device as well (SSF §2.3). */
const subjectOf = (
  { userId, sessionId, deviceId }: Omit<Signal, 'type' | 'claims'>,
  issuer: string,
): object => {
  const user = { format: 'iss_sub', iss: issuer, sub: userId }
  if (sessionId === null && deviceId === null) return user
  return {
    ...{ format: 'complex', user },
    ...(sessionId === null ? {} : { session: opaque(sessionId) }),
    ...(deviceId === null ? {} : { device: opaque(deviceId) }),
  }
}

export const queueSignals = (deps: {
  readonly pool: pg.Pool
  readonly waitFor: WaitFor
  readonly clock: Clock
  readonly publicUrl: string
}) => {
  const { pool, waitFor, clock, publicUrl } = deps
  const queue = sharedSignalQueue(pool, clock)

  const signalFor = (stream: ReceivingStream, signal: Signal, event: Signalling): readonly NewSignal[] => {
    const { type, claims, userId, sessionId, deviceId } = signal
    if (!stream.eventsRequested.includes(type) || event.position <= stream.createdPosition) return []
    const parts = [event.id, stream.id, type, sessionId ?? '', deviceId ?? '']
    const common = {
      event_timestamp: Math.floor(Date.parse(event.metadata.time) / 1000),
      initiating_entity: initiatorOf(event),
    }
    return [
      {
        cause: parts.join('|'),
        streamId: stream.id,
        claims: {
          txn: event.metadata.correlationId,
          sub_id: subjectOf({ userId, sessionId, deviceId }, publicUrl),
          events: { [type]: { ...common, ...claims } },
        },
      },
    ]
  }

  /** All sessions of a user, or the single ones that end. */
  const sessionSignals = async (event: Signalling): Promise<readonly Signal[]> => {
    if (!endsSessions(event.type)) return []
    const ended = endedBy([event])
    const signal = { type: signalTypes.sessionRevoked, deviceId: null, claims: {} }
    const sessions =
      ended.people.length > 0 && event.type !== 'user.method_removed'
        ? ended.people.map(({ userId }) => ({ userId, sessionId: null }))
        : await endedSessions(pool, ended)
    return sessions.map(({ userId, sessionId }) => ({ ...signal, userId, sessionId }))
  }

  return async (batch: {
    readonly events: readonly Recorded[]
    readonly position: string
  }): Promise<void> => {
    const since = clock.in(-STALE_SECONDS)
    const events = batch.events.filter(isSignalling).filter(({ metadata }) => metadata.time > since)
    if (events.length === 0) return
    if (!(await waitFor('core', batch.position))) throw new Error('the read models lag behind')
    const streams = await receivingStreams(pool)
    if (streams.length === 0) return
    const signals: (readonly [Signal, Signalling])[] = []
    for (const event of events)
      for (const signal of [...signalsOf(event), ...(await sessionSignals(event))])
        signals.push([signal, event])
    const known = await usersKnown(
      pool,
      streams.map(({ applicationId }) => applicationId),
      [...new Set(signals.map(([{ userId }]) => userId))],
    )
    await queue.add(
      signals.flatMap(([signal, event]) =>
        streams
          .filter(({ applicationId }) => known.has(`${applicationId} ${signal.userId}`))
          .flatMap((stream) => signalFor(stream, signal, event)),
      ),
    )
  }
}
