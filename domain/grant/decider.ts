import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { Instant } from '../time.ts'
import type { GrantData, GrantEvent, GrantRevocationReason } from './events.ts'

export interface GrantState {
  readonly status: 'none' | 'issued' | 'revoked'
  /** Of the refresh token in force. */
  readonly generation: number
  readonly refreshedAt: Instant | null
}

/** Whose tokens a grant's are. Tokens carry it, so that a stream whose first events are gone can be gone on with. */
export interface GrantParties {
  readonly grantId: string
  readonly applicationId: string
  readonly userId: string | null
}

export type GrantCommand =
  /** Redeems a code. The grant's id was sealed into the code, so that a code is good for one grant. */
  | { type: 'issue'; grant: GrantData }
  /** Uses a refresh token of this generation. */
  | {
      type: 'refresh'
      parties: GrantParties & { readonly userId: string }
      generation: number
      /** False: the token stays in force. */
      rotate: boolean
      now: Instant
      /** A token of the last generation is still taken when it was replaced after this moment; null: never. */
      graceSince: Instant | null
    }
  | { type: 'revoke'; parties: GrantParties; reason: GrantRevocationReason }
  /** Changes nothing: for whoever asks how things stand. */
  | { type: 'inspect' }

/** Of the refresh token that a grant begins with. */
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
        : refuse('ERR_CONFLICT', 'This code was used before.')
    case 'refresh':
      return refresh(command, state)
    case 'inspect':
      return accept()
    case 'revoke':
      // A code that ran out unused came to nothing that could be taken back.
      return state.status === 'revoked' || (state.status === 'none' && command.reason === 'code_reused')
        ? accept()
        : revoked(command.parties, command.reason)
  }
}

export const grantDecider: Decider<GrantState, GrantCommand, GrantEvent> = { initial, evolve, decide }

export const grantStream = (grantId: string): string => `grant-${grantId}`

/** What a grant's stream folds to while its newest refresh token is of this generation, and nothing was taken back. */
export const grantInForce = (generation: number): GrantState => ({
  status: 'issued',
  generation,
  refreshedAt: null,
})
