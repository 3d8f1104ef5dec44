/** Commands of one kind on thousands of streams: decided, encrypted and appended in batches. */
import type { DomainEvent, EventType } from '../../../domain/catalogue.ts'
import type { Decider } from '../../../domain/decider.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import { idsFor } from '../../kernel/ids.ts'
import {
  EventLogUnavailable,
  WrongExpectedRevision,
  type Append,
  type AppendResult,
  type EventLog,
} from '../../engines/event-log/event-log.ts'
import { logUnavailable, newEvents, type Actor, type Change, type Handle, type InForce } from './handle.ts'
import type { Serializer } from '../../engines/event-log/serializer.ts'

/** Number of streams per batch. */
const AT_ONCE = 500
/** Number of attempts per batch: a partly appended batch is completed even while the log often fails. */
const ATTEMPTS = 6

export interface ManyCommand<State, Command> {
  /** The streams, each with one command. */
  readonly stream: string
  readonly command: Command
  /** The expected state of the stream. If it is wrong, the stream is read and the command is decided again. */
  readonly presumed: { readonly state: State; /** -1 for no stream */ readonly revision: number }
}

/**
 * Appends nothing if the rules reject one of the commands in its presumed state. Waits once for all of them.
 * @param rounds multiple of the usual wait
 * @throws DomainError as `Handle` does; events that were already appended remain
 */
export type HandleMany = <State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  commands: readonly ManyCommand<State, Command>[],
  actor: Actor,
  rounds: number,
) => Promise<void>

export const manyHandler =
  (deps: {
    readonly log: EventLog
    readonly serializer: Serializer
    readonly clock: Clock
    readonly handle: Handle
    readonly inForce: InForce
  }): HandleMany =>
  async (decider, commands, actor, rounds) => {
    const { log, serializer, clock, handle, inForce } = deps
    const decided = commands.flatMap((pending) => {
      const decision = decider.decide(pending.command, pending.presumed.state)
      if ('refusal' in decision) {
        const { code, message, field } = decision.refusal
        throw new DomainError(code, message, field)
      }
      return decision.events.length === 0 ? [] : [{ ...pending, events: decision.events }]
    })
    const places = new Map<EventType, string>()
    const note = (change: Change): void => {
      for (const { type, position } of change)
        if (position > (places.get(type) ?? '')) places.set(type, position)
    }

    /** Repeats appends with an unknown outcome. The ids are the same, so nothing is appended twice. */
    const appended = async (appends: readonly Append[]): Promise<readonly AppendResult[]> => {
      const results = [...(await log.appendMany(appends))]
      for (let attempt = 2; attempt <= ATTEMPTS; attempt++) {
        const open = [...results.keys()].filter((at) => results[at] instanceof EventLogUnavailable)
        if (open.length === 0) break
        const again = await log.appendMany(
          appends.filter((_, at) => results[at] instanceof EventLogUnavailable),
        )
        for (const [n, result] of again.entries()) results[open[n] ?? -1] = result
      }
      return results
    }

    const append = async (some: typeof decided): Promise<void> => {
      const sealed = await serializer.seal(
        some.flatMap(({ stream, events }) => {
          const key = actor.idempotencyKey
          const { eventId } = idsFor(key === undefined ? undefined : `${key}|${stream}`)
          return newEvents(events, stream, actor, clock.now(), (index) => eventId(String(index)))
        }),
      )
      let from = 0
      const appends = some.map(({ stream, presumed: { revision }, events }): Append => ({
        stream,
        expected: revision === -1 ? 'no_stream' : revision,
        events: sealed.slice(from, (from += events.length)),
      }))
      const results = await appended(appends)
      for (const [at, result] of results.entries())
        if (!(result instanceof Error))
          note((some[at]?.events ?? []).map(({ type }) => ({ type, position: result.position })))
      for (const [at, result] of results.entries()) {
        const one = some[at]
        if (one === undefined || !(result instanceof Error)) continue
        if (!(result instanceof WrongExpectedRevision)) throw logUnavailable(result)
        const handled = await handle(decider, one.stream, one.command, actor, { wait: 'left_to_caller' })
        note(handled.change)
      }
    }

    try {
      for (let from = 0; from < decided.length; from += AT_ONCE)
        await append(decided.slice(from, from + AT_ONCE))
    } finally {
      await inForce(
        [...places].map(([type, position]) => ({ type, position })),
        rounds,
      )
    }
  }
