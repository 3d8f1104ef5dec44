import { accept, type Decider, type Decision } from '../decider.ts'
import type { SecretKeyEvent } from './events.ts'

type DataOf<T extends SecretKeyEvent['type']> = Extract<SecretKeyEvent, { type: T }>['data']

export interface SecretKeyState {
  /** Generation of the current keyring; increases with each loss */
  readonly generation: number
  /** Fingerprint of the current key; null before the first recorded change */
  readonly fingerprint: string | null
}

export type SecretKeyCommand =
  | { readonly type: 'record_rotation'; readonly rotation: DataOf<'secret_key.rotated'> }
  | { readonly type: 'accept_loss'; readonly loss: DataOf<'secret_key.lost'> }

const decide = (
  command: SecretKeyCommand,
  { generation, fingerprint }: SecretKeyState,
): Decision<SecretKeyEvent> => {
  switch (command.type) {
    case 'record_rotation':
      return command.rotation.fingerprint === fingerprint
        ? accept()
        : accept({ type: 'secret_key.rotated', data: command.rotation })
    case 'accept_loss':
      return command.loss.generation <= generation
        ? accept()
        : accept({ type: 'secret_key.lost', data: command.loss })
  }
}

/** Idempotent: a run after an interruption does not record anything again. */
export const secretKeyDecider: Decider<SecretKeyState, SecretKeyCommand, SecretKeyEvent> = {
  initial: { generation: 1, fingerprint: null },
  evolve: ({ generation }, { type, data }) => ({
    generation: type === 'secret_key.lost' ? data.generation : generation,
    fingerprint: data.fingerprint,
  }),
  decide,
}

export const secretKeyStream = 'secret-key'
