import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { Instant } from '../time.ts'
import type { GrantData, GrantEvent, GrantRevocationReason } from './events.ts'

export interface GrantState {
  readonly status: 'none' | 'issued' | 'revoked'
  /** Generation of the current refresh token */
  readonly generation: number
  readonly refreshedAt: Instant | null
}

/**
 * The user and application of a grant. Tokens contain them, so that a stream can continue after its first events were
 * pruned.
 */
export interface GrantParties {
  readonly grantId: string
  readonly applicationId: string
  readonly userId: string | null
}

export type GrantCommand =
  /** Redeems a code. The encrypted code contains the grant's id, so a code works for only one grant. */
  | { type: 'issue'; grant: GrantData }
  /** Uses a refresh token of this generation. */
  | {
      type: 'refresh'
      parties: GrantParties & { readonly userId: string }
      generation: number
      /** False: the token remains valid. */
      rotate: boolean
      now: Instant
      /** A token of the previous generation is still accepted if it was replaced after this time; null: never. */
      graceSince: Instant | null
    }
  | { type: 'revoke'; parties: GrantParties; reason: GrantRevocationReason }
  /** Changes nothing; returns the current state. */
  | { type: 'inspect' }

/** Generation of the first refresh token of a grant. */
export const FIRST_GENERATION = 0

const initial: GrantState = { status: 'none', generation: FIRST_GENERATION, refreshedAt: null }

const evolve = (state: GrantState, { type, data }: GrantEvent): GrantState => {
  switch (type) {
    case 'grant.issued':
      return { ...state, status: 'issued' }
    case 'grant.refreshed':
      return { status: 'issued', generation: data.generation, refreshedAt: data.refreshedAt }
    case 'grant.revoked':
    case 'grant.all_revoked':
      return { ...state, status: 'revoked' }
  }
}

const revoked = (parties: GrantParties, reason: GrantRevocationReason): Decision<GrantEvent> =>
  accept({ type: 'grant.revoked', data: { ...parties, reason } })

const refresh = (
  command: Extract<GrantCommand, { type: 'refresh' }>,
  { status, generation: current, refreshedAt }: GrantState,
): Decision<GrantEvent> => {
  const { parties, generation, rotate, now, graceSince } = command
  if (status === 'none') return refuse('ERR_NOT_FOUND')
  if (status === 'revoked') return refuse('ERR_CONFLICT', 'The grant of this refresh token is revoked.')
  if (generation === current)
    return rotate
      ? accept({
          type: 'grant.refreshed',
          data: { ...parties, generation: generation + 1, refreshedAt: now },
        })
      : accept()
  const isLast = generation === current - 1 && refreshedAt !== null
  const inGrace = isLast && graceSince !== null && refreshedAt > graceSince
  return inGrace ? accept() : revoked(parties, 'refresh_token_reused')
}

const decide = (command: GrantCommand, state: GrantState): Decision<GrantEvent> => {
  switch (command.type) {
    case 'issue':
      return state.status === 'none'
        ? accept({ type: 'grant.issued', data: command.grant })
        : refuse('ERR_CONFLICT', 'This code was already used.')
    case 'refresh':
      return refresh(command, state)
    case 'inspect':
      return accept()
    case 'revoke':
      // An unused expired code has nothing to revoke.
      return state.status === 'revoked' || (state.status === 'none' && command.reason === 'code_reused')
        ? accept()
        : revoked(command.parties, command.reason)
  }
}

export const grantDecider: Decider<GrantState, GrantCommand, GrantEvent> = { initial, evolve, decide }

export const grantStream = (grantId: string): string => `grant-${grantId}`

/** The state of a grant's stream while its newest refresh token has this generation and nothing was revoked. */
export const grantInForce = (generation: number): GrantState => ({
  status: 'issued',
  generation,
  refreshedAt: null,
})
