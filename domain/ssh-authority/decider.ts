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
  /** Keys that are not published any more, and whether they were revoked. */
  readonly former: Readonly<Record<string, 'retired' | 'revoked'>>
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
  | { readonly type: 'revoke'; readonly fingerprint: string; readonly reason: string | null }

const initial: SshAuthorityState = { active: null, next: null, previous: {}, former: {} }

const withoutPrevious = (state: SshAuthorityState, fingerprint: string): SshAuthorityState['previous'] =>
  Object.fromEntries(Object.entries(state.previous).filter(([each]) => each !== fingerprint))

const evolve = (state: SshAuthorityState, { type, data }: SshAuthorityEvent): SshAuthorityState => {
  switch (type) {
    case 'ssh_authority_key.created':
      return { ...state, next: data.fingerprint }
    case 'ssh_authority_key.activated':
      return {
        ...state,
        active: data.fingerprint,
        next: state.next === data.fingerprint ? null : state.next,
        previous:
          data.previousFingerprint === null
            ? state.previous
            : { ...state.previous, [data.previousFingerprint]: data.previousRetiresAt },
      }
    case 'ssh_authority_key.retired':
    case 'ssh_authority_key.revoked': {
      const { fingerprint } = data
      const standing = type === 'ssh_authority_key.revoked' ? 'revoked' : 'retired'
      return {
        ...state,
        previous: withoutPrevious(state, fingerprint),
        former: { ...state.former, [fingerprint]: standing },
      }
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

/** Only a key that signs no more can be revoked; of the others, certificates would be rejected at once. */
const revoke = (
  { fingerprint, reason }: Extract<SshAuthorityCommand, { type: 'revoke' }>,
  { active, next, previous, former }: SshAuthorityState,
): Decision<SshAuthorityEvent> => {
  if (fingerprint === active || fingerprint === next)
    return refuse('ERR_CONFLICT', 'This key signs certificates, or will do so next. Rotate the keys first.')
  const standing = own(former, fingerprint)
  if (standing === undefined && own(previous, fingerprint) === undefined) return refuse('ERR_NOT_FOUND')
  return standing === 'revoked'
    ? accept()
    : accept({ type: 'ssh_authority_key.revoked', data: { fingerprint, reason } })
}

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
    case 'revoke':
      return revoke(command, state)
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
