import { accept, type Decider, type Decision } from '../decider.ts'
import type { SigningKeyEvent } from './events.ts'

export interface SigningKeysState {
  readonly activeKeyId: string | null
}

/** Makes the first key. Whoever comes second, on whichever instance, finds that there is one. */
export interface SigningKeyCommand {
  readonly type: 'create_first'
  readonly key: Extract<SigningKeyEvent, { type: 'signing_key.created' }>['data']
}

const evolve = (state: SigningKeysState, { type, data }: SigningKeyEvent): SigningKeysState => {
  switch (type) {
    case 'signing_key.created':
      return state
    case 'signing_key.activated':
      return { activeKeyId: data.keyId }
  }
}

const decide = ({ key }: SigningKeyCommand, state: SigningKeysState): Decision<SigningKeyEvent> =>
  state.activeKeyId === null
    ? accept<SigningKeyEvent>(
        { type: 'signing_key.created', data: key },
        { type: 'signing_key.activated', data: { keyId: key.keyId, previousKeyId: null } },
      )
    : accept()

export const signingKeyDecider: Decider<SigningKeysState, SigningKeyCommand, SigningKeyEvent> = {
  initial: { activeKeyId: null },
  evolve,
  decide,
}

/** All signing keys share one stream: which of them is active is one decision. */
export const signingKeysStream = 'signing-keys'
