import type { Refusal } from './errors.ts'

/**
 * The shape of every part of the domain: state is what the stream's events fold to; a command is decided on that
 * state alone, plus the facts it carries (time, ids, looked-up rows).
 */
export interface Decider<State, Command, Event> {
  readonly initial: State
  evolve(state: State, event: Event): State
  decide(command: Command, state: State): Decision<Event>
}

/** What a command comes to. No events means that things already are as asked. */
export type Decision<Event> = { readonly events: readonly Event[] } | { readonly refusal: Refusal }

export const accept = <Event>(...events: readonly Event[]): Decision<Event> => ({ events })

export const refuse = (
  code: Refusal['code'],
  message?: string,
  field?: string,
): { readonly refusal: Refusal } => ({
  refusal: { code, ...(message === undefined ? {} : { message }), ...(field === undefined ? {} : { field }) },
})
