import { expect } from 'chai'
import fc, { type Arbitrary } from 'fast-check'
import { isEventType } from '../../../domain/catalogue.ts'
import type { Decider, Decision } from '../../../domain/decider.ts'
import { errors } from '../../../domain/errors.ts'
import { fold, stored } from './given.ts'

export interface Step<State, Command, Event> {
  readonly before: State
  readonly command: Command
  readonly decision: Decision<Event>
  readonly after: State
}

/** Runs commands one after the other, and checks the general rules of deciders at every step. */
export const play = <State, Command, Event extends { type: string }>(
  decider: Decider<State, Command, Event>,
  commands: readonly Command[],
  check: (step: Step<State, Command, Event>) => void = () => undefined,
): State => {
  const log: Event[] = []
  let state = decider.initial
  for (const command of commands) {
    const before = state
    const frozen = JSON.stringify(before)
    const decision = decider.decide(command, before)
    if ('refusal' in decision) expect(errors).to.have.property(decision.refusal.code)
    else
      for (const event of decision.events) {
        expect(isEventType(event.type), event.type).to.equal(true)
        state = decider.evolve(state, event)
        expect(state, event.type).to.be.an('object')
        log.push(event)
      }
    expect(JSON.stringify(before), 'a state is never changed in place').to.equal(frozen)
    check({ before, command, decision, after: state })
  }
  expect(fold(decider, stored(log)), 'read back from JSON').to.deep.equal(state)
  return state
}

/** Runs random histories, each with a part of the usual beginning, so that later commands have an effect. */
export const runs = <C>(
  commands: Arbitrary<C>,
  check: (list: C[]) => void,
  beginning: readonly C[] = [],
): void => {
  const list = fc.array(commands, { maxLength: 25, size: 'max' })
  fc.assert(
    fc.property(fc.nat(beginning.length), list, (n, rest) => {
      check([...beginning.slice(0, n), ...rest])
    }),
    { numRuns: 200 },
  )
}

/** The events of a decision; none for a refusal. */
export const eventsOf = <Event>(decision: Decision<Event>): readonly Event[] =>
  'events' in decision ? decision.events : []
