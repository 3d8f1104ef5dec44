import { accept, refuse, type Decider } from '../decider.ts'
import type { SignInAttempt, SignInEvent } from './events.ts'

/** Each attempt is a stream with one event. */
export interface SignInState {
  readonly recorded: boolean
}

export interface SignInCommand {
  readonly type: 'record'
  readonly attempt: SignInAttempt
}

export const signInDecider: Decider<SignInState, SignInCommand, SignInEvent> = {
  initial: { recorded: false },
  evolve: () => ({ recorded: true }),
  decide: ({ attempt }, { recorded }) =>
    recorded ? refuse('ERR_CONFLICT') : accept({ type: 'sign_in.recorded', data: attempt }),
}

export const signInStream = (signInId: string): string => `sign_in-${signInId}`
