import { expect } from 'chai'
import type { Decider, Decision } from '../../../domain/decider.ts'
import { errors, type ErrorCode } from '../../../domain/errors.ts'

/** The value as it is read back from a log: JSON, without absent fields. */
export const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

export const fold = <State, Event>(
  { initial, evolve }: Pick<Decider<State, never, Event>, 'initial' | 'evolve'>,
  events: readonly Event[],
): State => events.reduce((state, event) => evolve(state, event), initial)

/** The expected result of a command; completes the sentence that {@link given} begins. */
export interface Outcome<Event> {
  /** Exactly these events, in this order; the state can be evolved with them. */
  then(...events: readonly Event[]): void
  /** Rejected with this code; `message` and `field` are checked if given. */
  refuses(code: ErrorCode, message?: RegExp | null, field?: string): void
  /** Accepted, with nothing to record. */
  changesNothing(): void
}

const eventsOf = <Event>(decision: Decision<Event>): readonly Event[] => {
  if ('refusal' in decision) expect.fail(`refused: ${JSON.stringify(decision.refusal)}`)
  return decision.events
}

/** `given(decider, ...past).when(command).then(...events)`: the past is read back as from a log. */
export const given = <State, Command, Event>(
  decider: Decider<State, Command, Event>,
  ...past: readonly Event[]
): { when(command: Command): Outcome<Event> } => ({
  when: (command) => {
    const before = fold(decider, stored(past))
    const decision = decider.decide(command, before)
    return {
      then: (...events) => {
        expect(eventsOf(decision)).to.deep.equal(events)
        expect(fold(decider, stored([...past, ...events]))).to.deep.equal(fold(decider, [...past, ...events]))
      },
      refuses: (code, message, field) => {
        if (!('refusal' in decision)) expect.fail(`accepted: ${JSON.stringify(decision.events)}`)
        const { refusal } = decision
        expect(refusal.code).to.equal(code)
        if (message instanceof RegExp) expect(refusal.message ?? errors[code].message).to.match(message)
        if (field !== undefined) expect(refusal.field).to.equal(field)
      },
      changesNothing: () => {
        expect(eventsOf(decision)).to.deep.equal([])
      },
    }
  },
})
