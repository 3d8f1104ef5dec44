import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { GrantData, GrantEvent } from './events.ts'

export interface GrantState {
  readonly status: 'none' | 'issued' | 'revoked'
  readonly grant: GrantData | null
}

export type GrantCommand =
  /** Redeems an authorization code. The grant's id was sealed into the code, so that a code is good for one grant. */
  { type: 'issue'; grant: GrantData } | { type: 'revoke'; grantId: string; reason: 'code_reused' | 'revoked' }

const initial: GrantState = { status: 'none', grant: null }

const evolve = (state: GrantState, { type, data }: GrantEvent): GrantState => {
  switch (type) {
    case 'grant.issued':
      return { status: 'issued', grant: data }
    case 'grant.revoked':
      return { ...state, status: 'revoked' }
  }
}

const decide = (command: GrantCommand, state: GrantState): Decision<GrantEvent> => {
  switch (command.type) {
    case 'issue':
      return state.status === 'none'
        ? accept({ type: 'grant.issued', data: command.grant })
        : refuse('ERR_CONFLICT', 'This code was used before.')
    case 'revoke':
      if (state.grant === null) return refuse('ERR_NOT_FOUND')
      if (state.status === 'revoked') return accept()
      return accept({
        type: 'grant.revoked',
        data: {
          grantId: command.grantId,
          applicationId: state.grant.applicationId,
          userId: state.grant.userId,
          reason: command.reason,
        },
      })
  }
}

export const grantDecider: Decider<GrantState, GrantCommand, GrantEvent> = { initial, evolve, decide }

export const grantStream = (grantId: string): string => `grant-${grantId}`
