import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { SessionEndReason, SessionEvent } from './events.ts'

export interface SessionState {
  /** `spent`: its proof was added to another session, so it cannot start one. */
  readonly status: 'none' | 'started' | 'ended' | 'spent'
  readonly userId: string
}

type NewSession = Extract<SessionEvent, { type: 'session.started' }>['data']

export type SessionCommand =
  | { type: 'start'; session: NewSession }
  | {
      type: 'reauthenticate'
      sessionId: string
      proof: Omit<Extract<SessionEvent, { type: 'session.reauthenticated' }>['data'], 'sessionId'>
    }
  | { type: 'spend_proof'; sessionId: string; userId: string; intoSessionId: string }
  | { type: 'end'; sessionId: string; reason: SessionEndReason }

const initial: SessionState = { status: 'none', userId: '' }

const evolve = (state: SessionState, { type, data }: SessionEvent): SessionState => {
  switch (type) {
    case 'session.started':
      return { status: 'started', userId: data.userId }
    case 'session.created_for_development':
    case 'session.reauthenticated':
      return state
    case 'session.proof_spent':
      return { status: 'spent', userId: data.userId }
    case 'session.ended':
      return { ...state, status: 'ended' }
  }
}

const startOf = (session: NewSession): readonly SessionEvent[] => {
  const { sessionId, userId } = session
  return [
    { type: 'session.started', data: session },
    ...(session.methods.includes('development')
      ? [{ type: 'session.created_for_development' as const, data: { sessionId, userId } }]
      : []),
  ]
}

const decide = (command: SessionCommand, state: SessionState): Decision<SessionEvent> => {
  switch (command.type) {
    case 'start':
      // The encrypted ceremony contains the session's id, so a ceremony starts at most one session.
      return state.status === 'none' ? accept(...startOf(command.session)) : refuse('ERR_CEREMONY_EXPIRED')
    case 'spend_proof': {
      const { sessionId, userId, intoSessionId } = command
      return state.status === 'none'
        ? accept({ type: 'session.proof_spent', data: { sessionId, userId, intoSessionId } })
        : refuse('ERR_CEREMONY_EXPIRED')
    }
    case 'reauthenticate': {
      const { sessionId, proof } = command
      if (state.status !== 'started' || state.userId !== proof.userId) return refuse('ERR_UNAUTHENTICATED')
      return accept({ type: 'session.reauthenticated', data: { sessionId, ...proof } })
    }
    case 'end':
      if (state.status === 'none' || state.status === 'spent') return refuse('ERR_NOT_FOUND')
      if (state.status === 'ended') return accept()
      return accept({
        type: 'session.ended',
        data: { sessionId: command.sessionId, userId: state.userId, reason: command.reason },
      })
  }
}

export const sessionDecider: Decider<SessionState, SessionCommand, SessionEvent> = { initial, evolve, decide }

export const sessionStream = (sessionId: string): string => `session-${sessionId}`
