import { own } from '../own.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { Instant } from '../time.ts'
import type { SigningKeyData, SigningKeyEvent } from './events.ts'

/** How long a replaced key stays published, in seconds. */
export const PREVIOUS_KEY_SECONDS = 7 * 86_400

export interface SigningKeysState {
  readonly activeKeyId: string | null
  /** Published before it signs, so that clients that cache the key set know it in time. */
  readonly nextKeyId: string | null
  /** Previous keys, with the time until which they stay published. */
  readonly previous: Readonly<Record<string, Instant | null>>
}

export type SigningKeyCommand =
  /** Creates a missing active or next key. Does nothing if another instance was first. */
  | { readonly type: 'ensure'; readonly active: SigningKeyData; readonly next: SigningKeyData }
  | {
      readonly type: 'rotate'
      /** The active key that the caller saw: two concurrent requests rotate only once. */
      readonly activeKeyId: string
      readonly next: SigningKeyData
      readonly retiresAt: Instant
    }
  | { readonly type: 'retire'; readonly keyId: string; readonly now: Instant }

const initial: SigningKeysState = { activeKeyId: null, nextKeyId: null, previous: {} }

const evolve = (state: SigningKeysState, { type, data }: SigningKeyEvent): SigningKeysState => {
  switch (type) {
    case 'signing_key.created':
      return { ...state, nextKeyId: data.keyId }
    case 'signing_key.activated':
      return {
        activeKeyId: data.keyId,
        nextKeyId: state.nextKeyId === data.keyId ? null : state.nextKeyId,
        previous:
          data.previousKeyId === null
            ? state.previous
            : { ...state.previous, [data.previousKeyId]: data.previousRetiresAt },
      }
    case 'signing_key.retired':
      return {
        ...state,
        previous: Object.fromEntries(Object.entries(state.previous).filter(([id]) => id !== data.keyId)),
      }
  }
}

const created = (data: SigningKeyData): SigningKeyEvent => ({ type: 'signing_key.created', data })

const ensure = (
  { active, next }: Extract<SigningKeyCommand, { type: 'ensure' }>,
  { activeKeyId, nextKeyId }: SigningKeysState,
): readonly SigningKeyEvent[] => [
  ...(activeKeyId === null
    ? [
        created(active),
        {
          type: 'signing_key.activated' as const,
          data: { keyId: active.keyId, previousKeyId: null, previousRetiresAt: null },
        },
      ]
    : []),
  ...(nextKeyId === null ? [created(next)] : []),
]

const decide = (command: SigningKeyCommand, state: SigningKeysState): Decision<SigningKeyEvent> => {
  const { activeKeyId, nextKeyId, previous } = state
  switch (command.type) {
    case 'ensure':
      return accept(...ensure(command, state))
    case 'rotate':
      if (command.activeKeyId !== activeKeyId) return accept()
      if (nextKeyId === null)
        return refuse('ERR_CONFLICT', 'The next key is not ready. Try again in a minute.')
      return accept<SigningKeyEvent>(
        {
          type: 'signing_key.activated',
          data: { keyId: nextKeyId, previousKeyId: activeKeyId, previousRetiresAt: command.retiresAt },
        },
        created(command.next),
      )
    case 'retire': {
      const retiresAt = own(previous, command.keyId) ?? null
      return retiresAt !== null && retiresAt <= command.now
        ? accept({ type: 'signing_key.retired', data: { keyId: command.keyId } })
        : accept()
    }
  }
}

export const signingKeyDecider: Decider<SigningKeysState, SigningKeyCommand, SigningKeyEvent> = {
  initial,
  evolve,
  decide,
}

/** All signing keys share one stream: which of them is active is one decision. */
export const signingKeysStream = 'signing-keys'
