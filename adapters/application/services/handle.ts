/**
 * Handles a command the same way for every part of the domain: loads the stream, folds it, decides, appends at the
 * revision that was read, decides again after a conflict, and returns once readers can see the change.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { DomainEvent, EventMetadata, Recorded } from '../../../domain/catalogue.ts'
import { isEventType, rowOf } from '../../../domain/catalogue.ts'
import { deliversAccess, forgetsNames, movesRuleMembers, takesAway } from '../../../domain/consequences.ts'
import type { Decider } from '../../../domain/decider.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Instant } from '../../../domain/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { WaitedFor, WaitFor } from '../../engines/postgres/checkpoint-watch.ts'
import type { Serializer } from '../../engines/event-log/serializer.ts'
import { idsFor } from '../../kernel/ids.ts'
import {
  EventLogUnavailable,
  WrongExpectedRevision,
  type EventLog,
  type JsonObject,
  type NewEvent,
  type RecordedEvent,
} from '../../engines/event-log/event-log.ts'

/** Who caused a command, and how. */
export interface Actor {
  readonly actorId: string | null
  readonly actorType: EventMetadata['actorType']
  readonly credential: EventMetadata['credential']
  readonly ip: string | null
  /** As returned by `keptUserAgent`. */
  readonly userAgent?: string | null
  readonly correlationId: string
  readonly causationId?: string
  /** Identifies a repeated command: its events get the same ids, so the log recognizes them. */
  readonly idempotencyKey?: string
  /** The version of the record that the caller has seen (`If-Match`). If it has changed: ERR_STALE. */
  readonly ifVersion?: number
}

/**
 * Events that the result of a command depends on, each with its log position or that of the last event of its append.
 */
export type Change = readonly { readonly type: DomainEvent['type']; readonly position: string }[]

export interface Handled<State> {
  readonly state: State
  /** Number of events in the stream, which is the `version` of the record; 0 for an empty stream. */
  readonly version: number
  /** Types of the events recorded now; empty if nothing had to change. */
  readonly recorded: readonly DomainEvent['type'][]
  /**
   * Log position of the last event recorded now, or by the earlier attempt of a repeated command; null if there is
   * none.
   */
  readonly position: string | null
  /** The events that `InForce` waits for, recorded now or before. */
  readonly change: Change
}

/**
 * When a command returns:
 * - `in_force`: once readers see the change;
 * - `recorded`: once the log has it; if it removes access, once readers see it;
 * - `left_to_caller`: once the log has it. The caller passes the `change` of all its commands to `InForce`, once.
 */
export type Waiting = 'in_force' | 'recorded' | 'left_to_caller'

export interface HandleOptions<State> {
  /** Default: `in_force`. */
  readonly wait?: Waiting
  /**
   * The expected state of the stream. The first decision uses it without reading the stream. If it is wrong, the
   * append at that revision fails and the stream is read.
   */
  readonly presumed?: { readonly state: State; /** -1 for no stream */ readonly revision: number }
  /** The time of the events, for a command whose data depends on it; default: the time of the append. */
  readonly time?: Instant
}

export interface Handle {
  /**
   *
   * @throws DomainError for rejected commands; ERR_CONFLICT if others keep changing the stream;
   * ERR_UNAVAILABLE if the log is unavailable, or if a change that removes access is recorded but not yet in
   * effect
   */
  <State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    stream: string,
    command: Command,
    actor: Actor,
    options?: HandleOptions<State>,
  ): Promise<Handled<State>>
}

const ATTEMPTS = 4

const NOT_IN_FORCE = 'The change is recorded but not in effect on all instances yet. Do not send it again.'

/**
 * Waits until a change is in effect: after an append, for a repeated command, and for a command that changes nothing.
 * @param rounds multiple of the usual wait, for large changes
 * @throws DomainError ERR_UNAVAILABLE if a change that removes access is recorded but not yet in effect
 */
export type InForce = (change: Change, rounds?: number) => Promise<void>

/**
 * A consumer may not advance its checkpoint for events that do not concern it, so this waits only for those that do.
 */
const waitedFor: readonly (readonly [WaitedFor, (type: DomainEvent['type']) => boolean])[] = [
  ['core', () => true],
  ['rule-memberships', movesRuleMembers],
  ['package-delivery', deliversAccess],
  ['audit', forgetsNames],
]

const lastOf = (change: Change): string | null =>
  change.reduce<string | null>(
    (last, { position }) => (last === null || position > last ? position : last),
    null,
  )

export const inForceBy =
  (waitFor: WaitFor): InForce =>
  async (change, rounds = 1) => {
    const places = waitedFor.flatMap(([consumer, concerns]) => {
      const position = lastOf(change.filter(({ type }) => concerns(type)))
      return position === null ? [] : [{ consumer, position }]
    })
    for (let round = 1; round <= rounds; round++) {
      const passed = await Promise.all(places.map(({ consumer, position }) => waitFor(consumer, position)))
      if (!passed.includes(false)) return
    }
    if (change.some(({ type }) => takesAway(type))) throw new DomainError('ERR_UNAVAILABLE', NOT_IN_FORCE)
  }

/** Converts an outage of the log; returns other errors unchanged. */
export const logUnavailable = (error: unknown): unknown =>
  error instanceof EventLogUnavailable
    ? new DomainError('ERR_UNAVAILABLE', 'The event log is unavailable. Try again.')
    : error

/** Events for the log, before encryption. */
export const newEvents = (
  events: readonly DomainEvent[],
  stream: string,
  actor: Actor,
  time: string,
  eventId: (index: number) => string,
): readonly (NewEvent & { readonly stream: string })[] =>
  events.map((event, index) => {
    const metadata: EventMetadata = {
      schema: rowOf(event.type).schema,
      time,
      actorId: actor.actorId,
      actorType: actor.actorType,
      credential: actor.credential,
      ip: actor.ip,
      ...(typeof actor.userAgent === 'string' ? { userAgent: actor.userAgent } : {}),
      correlationId: actor.correlationId,
      causationId: actor.causationId ?? null,
    }
    return {
      id: eventId(index),
      type: event.type,
      stream,
      data: event.data as unknown as JsonObject,
      metadata: metadata as unknown as JsonObject,
    }
  })

interface Loaded<State> {
  readonly state: State
  /** Revision of the last event; -1 for no stream */
  readonly last: number
  readonly stored: readonly StoredEvent[]
}

type StoredEvent = Pick<RecordedEvent, 'id' | 'type' | 'position'>

const changeBy = (stored: readonly StoredEvent[]): Change =>
  stored.flatMap(({ type, position }) => (isEventType(type) ? [{ type, position }] : []))

export const commandHandler = (deps: {
  readonly log: EventLog
  readonly serializer: Serializer
  readonly clock: Clock
  readonly waitFor: WaitFor
}): Handle => {
  const { log, serializer, clock, waitFor } = deps

  const load = async <State, Event extends DomainEvent>(
    decider: Decider<State, never, Event>,
    stream: string,
  ): Promise<Loaded<State>> => {
    const stored = await log.readStream(stream)
    const events = (await serializer.open(stored, { withOrigin: false })) as readonly Recorded<Event>[]
    const state = events.reduce<State>((folded, event) => decider.evolve(folded, event), decider.initial)
    return { state, last: stored.at(-1)?.revision ?? -1, stored }
  }

  const inForce = inForceBy(waitFor)

  const answered = async <State>(handled: Handled<State>, wait: Waiting): Promise<Handled<State>> => {
    const { change } = handled
    if (wait === 'in_force' || (wait === 'recorded' && change.some(({ type }) => takesAway(type))))
      await inForce(change)
    return handled
  }

  return async (decider, stream, command, actor, { wait = 'in_force', presumed, time } = {}) => {
    const { eventId } = idsFor(
      actor.idempotencyKey === undefined ? undefined : `${actor.idempotencyKey}|${stream}`,
    )
    for (let attempt = 1; ; attempt++) {
      const { state, last, stored }: Loaded<typeof decider.initial> =
        presumed !== undefined && attempt === 1
          ? { state: presumed.state, last: presumed.revision, stored: [] }
          : await load(decider, stream)
      if (actor.idempotencyKey !== undefined && stored.some(({ id }) => id === eventId('0'))) {
        // An earlier attempt recorded it, and may have crashed before the change was in effect.
        const change = changeBy(stored)
        return answered({ state, version: last + 1, recorded: [], position: lastOf(change), change }, wait)
      }
      const decision = decider.decide(command, state)
      const missing = 'refusal' in decision && decision.refusal.code === 'ERR_NOT_FOUND'
      if (actor.ifVersion !== undefined && actor.ifVersion !== last + 1 && !missing)
        throw new DomainError('ERR_STALE')
      if ('refusal' in decision) {
        const { code, message, field } = decision.refusal
        throw new DomainError(code, message, field)
      }
      const { events } = decision
      if (events.length === 0) {
        // Another request may have recorded the same change a moment ago and still be waiting for it to take effect.
        const change = changeBy(stored)
        return answered({ state, version: last + 1, recorded: [], position: null, change }, wait)
      }
      const sealed = await serializer.seal(
        newEvents(events, stream, actor, time ?? clock.now(), (index) => eventId(String(index))),
      )
      const appended = await log
        .append(stream, last === -1 ? 'no_stream' : last, sealed)
        .catch((error: unknown) => {
          if (!(error instanceof WrongExpectedRevision)) throw logUnavailable(error)
          return null
        })
      if (appended !== null) {
        const recorded = events.map(({ type }) => type)
        return answered(
          {
            state: events.reduce((folded, event) => decider.evolve(folded, event), state),
            version: appended.revision + 1,
            recorded,
            position: appended.position,
            change: recorded.map((type) => ({ type, position: appended.position })),
          },
          wait,
        )
      }
      if (attempt === ATTEMPTS)
        throw new DomainError('ERR_CONFLICT', 'This record is being changed by another request. Try again.')
      await delay(Math.random() * 10 * attempt)
    }
  }
}
