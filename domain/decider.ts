import type { Refusal } from './errors.ts'

/**
 * The shape of every part of the domain: state is the fold of the stream's events; a command is decided on
 * that state and on the facts it carries (time, ids, looked-up rows).
 */
export interface Decider<State, Command, Event> {
  readonly initial: State
  evolve(state: State, event: Event): State
  decide(command: Command, state: State): Decision<Event>
}

/** The result of a command. No events means that nothing needs to change. */
export type Decision<Event> = { readonly events: readonly Event[] } | { readonly refusal: Refusal }

export const accept = <Event>(...events: readonly Event[]): Decision<Event> => ({ events })

export const refuse = (
  code: Refusal['code'],
  message?: string,
  field?: string,
): { readonly refusal: Refusal } => ({
  refusal: { code, ...(message === undefined ? {} : { message }), ...(field === undefined ? {} : { field }) },
})
