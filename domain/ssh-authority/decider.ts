import { own } from '../own.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { Instant } from '../time.ts'
import type { SshAuthorityEvent, SshAuthorityKeyData } from './events.ts'

/**
 * How long servers should trust a replaced key, in seconds: until the last certificate that it signed has expired, and
 * a day for servers that fetch the keys rarely.
 */
export const PREVIOUS_AUTHORITY_SECONDS = 2 * 86_400

export interface SshAuthorityState {
  readonly active: string | null
  /** Published before it signs, so that servers trust it in time. */
  readonly next: string | null
  /** Previous keys, with the time until which they stay published. */
  readonly previous: Readonly<Record<string, Instant | null>>
}

export type SshAuthorityCommand =
  /** Creates a missing active or next key. Does nothing if another instance was first. */
  | { readonly type: 'ensure'; readonly active: SshAuthorityKeyData; readonly next: SshAuthorityKeyData }
  | {
      readonly type: 'rotate'
      /** The active key that the caller saw: two concurrent requests rotate only once. */
      readonly active: string
      readonly next: SshAuthorityKeyData
      readonly retiresAt: Instant
    }
  | { readonly type: 'retire'; readonly fingerprint: string; readonly now: Instant }

const initial: SshAuthorityState = { active: null, next: null, previous: {} }

const evolve = (state: SshAuthorityState, { type, data }: SshAuthorityEvent): SshAuthorityState => {
  switch (type) {
    case 'ssh_authority_key.created':
      return { ...state, next: data.fingerprint }
    case 'ssh_authority_key.activated':
      return {
        active: data.fingerprint,
        next: state.next === data.fingerprint ? null : state.next,
        previous:
          data.previousFingerprint === null
            ? state.previous
            : { ...state.previous, [data.previousFingerprint]: data.previousRetiresAt },
      }
    case 'ssh_authority_key.retired':
      return {
        ...state,
        previous: Object.fromEntries(
          Object.entries(state.previous).filter(([fingerprint]) => fingerprint !== data.fingerprint),
        ),
      }
  }
}

const created = (data: SshAuthorityKeyData): SshAuthorityEvent => ({
  type: 'ssh_authority_key.created',
  data,
})

const activated = (
  fingerprint: string,
  previousFingerprint: string | null = null,
  previousRetiresAt: Instant | null = null,
): SshAuthorityEvent => ({
  type: 'ssh_authority_key.activated',
  data: { fingerprint, previousFingerprint, previousRetiresAt },
})

const decide = (command: SshAuthorityCommand, state: SshAuthorityState): Decision<SshAuthorityEvent> => {
  switch (command.type) {
    case 'ensure':
      return accept(
        ...(state.active === null ? [created(command.active), activated(command.active.fingerprint)] : []),
        ...(state.next === null ? [created(command.next)] : []),
      )
    case 'rotate':
      if (command.active !== state.active) return accept()
      if (state.next === null)
        return refuse('ERR_CONFLICT', 'The next key is not ready. Try again in a minute.')
      return accept(activated(state.next, state.active, command.retiresAt), created(command.next))
    case 'retire': {
      const retiresAt = own(state.previous, command.fingerprint) ?? null
      return retiresAt !== null && retiresAt <= command.now
        ? accept({ type: 'ssh_authority_key.retired', data: { fingerprint: command.fingerprint } })
        : accept()
    }
  }
}

export const sshAuthorityDecider: Decider<SshAuthorityState, SshAuthorityCommand, SshAuthorityEvent> = {
  initial,
  evolve,
  decide,
}

/** All keys share one stream: which of them is active is one decision. */
export const sshAuthorityStream = 'ssh-authority-keys'
