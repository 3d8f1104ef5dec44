import { accept, type Decider } from '../decider.ts'
import type { SecretKeyEvent } from './events.ts'

export interface SecretKeyState {
  /** Of the current keyring; increases with each loss. */
  readonly generation: number
}

export interface SecretKeyCommand {
  readonly type: 'accept_loss'
  readonly loss: SecretKeyEvent['data']
}

/** Idempotent: accepting a loss that an interrupted run already recorded changes nothing. */
export const secretKeyDecider: Decider<SecretKeyState, SecretKeyCommand, SecretKeyEvent> = {
  initial: { generation: 1 },
  evolve: (_, { data }) => ({ generation: data.generation }),
  decide: ({ loss }, { generation }) =>
    loss.generation <= generation ? accept() : accept({ type: 'secret_key.lost', data: loss }),
}

export const secretKeyStream = 'secret-key'
